//! A second review in a whole run: we see ourselves which of its findings are about what changed since the first.

use serde_json::Value;

use crate::excerpt::excerpt;
use crate::support::Sandbox;

const OUTPUT: &str = ".ai-workflow/issue-243/00_planning/output/planning.md";

fn plan(fifth: &str) -> String {
    (1..=40).map(|line| if line == 5 { format!("{fifth}\\n") } else { format!("step {line}\\n") }).collect()
}

fn finding(severity: &str, line: u32, issue: &str) -> String {
    format!(
        r#"{{"severity": "{severity}", "category": "plan", "file": "{OUTPUT}", "line": {line}, "issue": "{issue}", "in_scope": false}}"#
    )
}

/// Plays a planning whose first review fails at line 5, and whose second one approves with a finding.
fn second_review(finding_of_second: &str) -> (Sandbox, Value) {
    let first = finding("major", 5, "too vague");
    let turns = format!(
        r#"
[[turn]]
phase = "planning"
step = "execute"
write = [{{ path = "{{{{output}}}}", text = "{}" }}]
say = "done"

[[turn]]
phase = "planning"
step = "revise"
write = [{{ path = "{{{{output}}}}", text = "{}" }}]
say = "revised"

[[turn]]
phase = "planning"
step = "review"
round = 1
say = '{{"review_id": "{{{{review_id}}}}", "result": "FAIL", "summary": "vague", "findings": [{first}]}}'

[[turn]]
phase = "planning"
step = "review"
round = 2
say = '{{"review_id": "{{{{review_id}}}}", "result": "PASS", "summary": "good", "findings": [{finding_of_second}]}}'
"#,
        plan("do it"),
        plan("add `pages` to the library, with a test")
    );
    let sandbox = Sandbox::new();
    sandbox.short(&turns, &[]).exits(0);
    let metadata = sandbox.metadata();
    (sandbox, metadata["phases"]["planning"].clone())
}

fn rulings(planning: &Value) -> Vec<&str> {
    let rounds = planning["rounds"].as_array().expect("rounds");
    rounds.iter().map(|round| round["ruling"].as_str().expect("a word")).collect()
}

#[test]
fn a_new_finding_in_unchanged_lines_blocks_only_when_critical() {
    let (sandbox, elsewhere) = second_review(&finding("major", 30, "another thing"));
    assert_eq!(rulings(&elsewhere), ["revise", "advance"]);
    assert_eq!(elsewhere["findings"][1]["in_scope"], false);
    assert_eq!(elsewhere["findings"][1]["state"], "new");
    let request = sandbox.read(".ai-workflow/local/issues/243.pr.md");
    insta::assert_snapshot!(excerpt(&request, "## Found and not demanded", "\n\n---"), @"
    ## Found and not demanded

    - planning: F2 major .ai-workflow/issue-243/00_planning/output/planning.md:30: another thing (new, since round 2, out of scope)
    ");
    let (_, critical) = second_review(&finding("critical", 30, "another thing"));
    assert_eq!(rulings(&critical), ["revise", "revise", "advance"]);
}

#[test]
fn a_new_finding_in_changed_lines_blocks_whatever_scope_the_reviewer_gives() {
    let (_, near) = second_review(&finding("major", 7, "another thing"));
    assert_eq!(rulings(&near), ["revise", "revise", "advance"]);
    let (_, open) = second_review(&finding("major", 30, "too vague"));
    assert_eq!(rulings(&open), ["revise", "revise", "advance"], "it was open before");
    let nowhere = r#"{"severity": "major", "issue": "another thing"}"#;
    assert_eq!(rulings(&second_review(nowhere).1), ["revise", "revise", "advance"]);
    let no_file = finding("major", 1, "another thing").replace("planning.md", "missing.md");
    assert_eq!(rulings(&second_review(&no_file).1), ["revise", "revise", "advance"]);
}

#[test]
fn prompts_contain_tasks_open_findings_and_the_diff_since_the_last_review() {
    let (sandbox, planning) = second_review(&finding("minor", 30, "another thing"));
    let prompt = |step: &str, round: u32| {
        sandbox.read(&format!(".ai-workflow/issue-243/00_planning/{step}/round-{round}/attempt-1/prompt.md"))
    };
    let revise = prompt("revise", 1);
    insta::assert_snapshot!(excerpt(&revise, "T1 ", "\n```"), @"
    T1 .ai-workflow/issue-243/00_planning/output/planning.md, major
       1. L5: too vague (F1, major)
    ");
    assert!(!prompt("review", 1).contains("since the last review"));
    let review = prompt("review", 2);
    insta::assert_snapshot!(excerpt(&review, "Open since the last review", "\n\n## "), @"
    Open since the last review; look first whether each is gone, and name it again in the same words if it is not:
    [data [RUN]: findings of a reviewer]
    ```
    F1: major, .ai-workflow/issue-243/00_planning/output/planning.md:5, plan
       too vague
    ```
    [end of data [RUN]]

    Besides these only what changed since the last review is judged now. A new problem elsewhere is named only if it is critical.
    [data [RUN]: the diff since the last review, from git]
    ```
    diff --git a/.ai-workflow/issue-243/00_planning/output/planning.md b/.ai-workflow/issue-243/00_planning/output/planning.md
    index [COMMIT]..[COMMIT] 100644
    --- a/.ai-workflow/issue-243/00_planning/output/planning.md
    +++ b/.ai-workflow/issue-243/00_planning/output/planning.md
    @@ -2,7 +2,7 @@ step 1
     step 2
     step 3
     step 4
    -do it
    +add `pages` to the library, with a test
     step 6
     step 7
     step 8
    ```
    [end of data [RUN]]
    ");
    assert_eq!(planning["tasks"][0]["state"], "done");
    assert_eq!(planning["tasks"][0]["tries"], 1);
    assert_eq!(planning["findings"][0]["state"], "resolved");
    assert_eq!(planning["trend"], "same");
    let told = sandbox.run(&["explain", "--issue", "243"]).exits(0).stdout;
    insta::assert_snapshot!(excerpt(&told, "T1 ", "\n"), @"T1 .ai-workflow/issue-243/00_planning/output/planning.md: done, 1 try, for F1");
    insta::assert_snapshot!(excerpt(&told, "F1 major", " scripted:"), @"F1 major .ai-workflow/issue-243/00_planning/output/planning.md:5: too vague (resolved, since round 1, fix required), by");
}

#[test]
fn status_shows_open_findings_with_their_trend() {
    let turn = r#"
[[turn]]
phase = "planning"
step = "review"
say = '{"review_id": "{{review_id}}", "result": "FAIL", "summary": "no", "findings": [{"severity": "major", "file": "src/lib.rs", "line": 2, "issue": "wrong number"}]}'
"#;
    let sandbox = Sandbox::new();
    let _ = sandbox.short(turn, &[]).exits(1);
    let told = sandbox.run(&["status", "--issue", "243"]).exits(0).stdout;
    insta::assert_snapshot!(excerpt(&told, "open findings", "\n  requirements"), @"
    open findings: 1, same (1, 1, 1, 1)
        F1 major src/lib.rs:2: wrong number (repeated, since round 1, fix required)
    ");
    let json = sandbox.run(&["status", "--issue", "243", "--json"]).exits(0).json();
    assert_eq!(json["phases"]["planning"]["findings"][0]["id"], "F1");
    assert_eq!(json["phases"]["planning"]["tasks"][0]["state"], "failed");
}
