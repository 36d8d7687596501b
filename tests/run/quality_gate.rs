//! Whole runs under the policy `quality-gate`: an author that claims too much, a judge that looks, and the loop as it is
//! told afterwards.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::excerpt::excerpt;
use crate::support::{Ran, Sandbox};

/// One phase of code under the gate; its build fails as long as something is left to do.
const CONFIG: &str = r#"
[presets.gate]
phases = ["implementation"]
[phases.implementation]
policy = "quality-gate"
checks = ["build"]
[commands]
build = "sh check.sh"
detect = false
[policies.quality-gate.limits]
backoff_ms = 0
"#;

/// An author that leaves something to do, says that it is complete, and repairs it when it is told.
const BAD_THEN_GOOD: &str = r##"
[[turn]]
step = "execute"
write = [
    { path = "{{output}}", text = "# Implementation\n\nThe last page is counted in `src/lib.rs`.\n" },
    { path = "src/lib.rs", text = "pub fn pages() -> u32 {\n    // TODO: count the last page\n    2\n}\n" },
]
say = '{"status": "completed", "next_action": "complete", "summary": "all done"}'

[[turn]]
step = "revise"
write = [
    { path = "{{output}}", text = "# Implementation\n\nThe last page is counted in `src/lib.rs`, by one more.\n" },
    { path = "src/lib.rs", text = "pub fn pages() -> u32 {\n    3\n}\n" },
]
say = '{"status": "completed", "summary": "the last page is counted"}'
"##;

fn sandbox(config: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("check.sh", "if grep -rn TODO src; then echo 'something is left to do'; exit 1; fi\n");
    sandbox.write(".ai-workflow/config.toml", config);
    sandbox.git(&["add", "check.sh", ".ai-workflow/config.toml"]);
    sandbox.git(&["commit", "-q", "-m", "the gate"]);
    sandbox
}

fn execute(sandbox: &Sandbox, script: &str) -> Ran {
    let agent = sandbox.script(script);
    sandbox.run(&["execute", "--issue", "243", "--forge", "local", "--agent", &agent, "--preset", "gate"])
}

/// The events that `replay` prints, one a line.
fn events(sandbox: &Sandbox) -> Vec<Value> {
    let told = sandbox.run(&["replay", "--issue", "243", "--format", "review-loop"]).exits(0);
    told.stdout.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event_type"] == kind).map(|event| &event["content"]).collect()
}

#[test]
fn a_task_is_one_row_with_its_iterations_in_its_history() {
    let sandbox = sandbox(CONFIG);
    execute(&sandbox, BAD_THEN_GOOD).exits(0);
    let metadata = sandbox.metadata();
    let worked: Vec<_> = metadata["phases"].as_object().expect("phases").values().collect();
    let worked: Vec<_> = worked.into_iter().filter(|phase| phase["skipped_because"].is_null()).collect();
    assert_eq!(worked.len(), 1);
    let rounds = &worked[0]["rounds"];
    assert_eq!((rounds.as_array().map(Vec::len), &worked[0]["status"]), (Some(2), &json!("completed")));
    let failed: Vec<_> = rounds[0]["checks"].as_array().expect("checks").iter().collect();
    assert!(failed.iter().any(|check| check["check"] == "build" && check["status"] == "fail"), "{failed:?}");
    let events = events(&sandbox);
    let history = &of_kind(&events, "REVIEW_LOOP_END")[0]["iteration_history"];
    let judgments = |index: usize| history[index]["judgment"].clone();
    assert_eq!([judgments(0), judgments(1)], ["REJECT", "PASS"]);
    for index in 0..2 {
        let answer = history[index]["executor_output_ref"].as_str().expect("a path");
        assert!(sandbox.read(answer).contains("completed"), "{answer}");
    }
}

#[test]
fn a_completion_claim_with_a_todo_left_in_the_code_pauses_the_run() {
    let sandbox = sandbox(CONFIG);
    let always_bad = BAD_THEN_GOOD.replace("    3\\n", "    // TODO: count\\n    2\\n");
    execute(&sandbox, &always_bad).exits(3);
    let metadata = sandbox.metadata();
    assert_eq!(metadata["phases"]["implementation"]["status"], "paused");
    assert_eq!(metadata["paused"]["reason"], "exhausted");
    let works = sandbox.facts().into_iter().filter(|fact| fact["type"] == "worked").collect::<Vec<_>>();
    assert_eq!(works.len(), 3);
    assert!(
        works.iter().all(|work| work["claim"]["status"] == "completed"),
        "the claim is kept, and no proof"
    );
    let ends = events(&sandbox);
    let end = of_kind(&ends, "REVIEW_LOOP_END")[0];
    assert_eq!((&end["final_status"], &end["reason"]), (&json!("INCOMPLETE"), &json!("exhausted")));
}

#[test]
fn an_enabled_optional_criterion_is_required() {
    let sandbox = sandbox(&CONFIG.replace("detect = false", "test = \"sh tests.sh\"\ndetect = false"));
    let criteria = r#"{"max_iterations": 2, "criteria": {"optional": ["Q7"]}}"#;
    sandbox.write(".claude/review-loop.json", criteria);
    sandbox.write("tests.sh", "if grep -q 4 src/lib.rs; then echo '1 failed'; exit 1; fi; echo '1 passed'\n");
    sandbox.git(&["add", "--force", ".claude", "tests.sh"]);
    sandbox.git(&["commit", "-q", "-m", "criteria"]);
    let red = BAD_THEN_GOOD.replace("    // TODO: count the last page\\n    2\\n", "    4\\n");
    execute(&sandbox, &red.replace("all done", "the pages are counted")).exits(0);
    let rounds = sandbox.metadata()["phases"]["implementation"]["rounds"].clone();
    let checks = rounds[0]["checks"].as_array().expect("checks").clone();
    let failed: Vec<_> = checks.iter().filter(|check| check["status"] == "fail").collect();
    assert!(failed.iter().any(|check| check["check"] == "tests"), "{failed:?}");
    assert_eq!(rounds[0]["ruling"], "revise");
}

/// A project whose review loop lists this optional criterion, with these commands.
fn listing(criterion: &str, commands: &str) -> Sandbox {
    let sandbox = sandbox(&CONFIG.replace("detect = false", &format!("{commands}detect = false")));
    let criteria = format!(r#"{{"max_iterations": 2, "criteria": {{"optional": ["{criterion}"]}}}}"#);
    sandbox.write(".claude/review-loop.json", &criteria);
    sandbox.git(&["add", "--force", ".claude"]);
    sandbox.git(&["commit", "-q", "-m", "criteria"]);
    sandbox
}

#[test]
fn a_listed_criterion_that_no_command_judges_is_refused() {
    for (criterion, key) in [("Q7", "test"), ("Q8", "lint"), ("Q9", "typecheck")] {
        let sandbox = listing(criterion, "");
        let says = format!(
            "{criterion} is listed for implementation, and no `[commands] {key}` is set or detected that judges it"
        );
        sandbox.run(&["config", "validate"]).refuses(2, &says);
        execute(&sandbox, BAD_THEN_GOOD).refuses(2, &says);
        assert!(!sandbox.has(".ai-workflow/issue-243"));
    }
}

#[test]
fn a_listed_criterion_does_not_pass_where_nobody_can_tell_what_is_new() {
    for (criterion, key, check) in [("Q7", "test", "tests"), ("Q8", "lint", "lint")] {
        let sandbox = listing(criterion, &format!("{key} = \"false\"\n"));
        execute(&sandbox, BAD_THEN_GOOD).exits(3);
        let rounds = sandbox.metadata()["phases"]["implementation"]["rounds"].clone();
        let checks = rounds[1]["checks"].as_array().expect("checks").clone();
        let failed: Vec<_> = checks.iter().filter(|found| found["status"] == "fail").collect();
        assert!(failed.iter().any(|found| found["check"] == check), "{failed:?}");
    }
}

#[test]
fn replay_prints_the_seven_events_with_the_prompt_that_was_sent() {
    let sandbox = sandbox(CONFIG);
    execute(&sandbox, BAD_THEN_GOOD).exits(0);
    let told = events(&sandbox);
    let mut counts = BTreeMap::new();
    for event in &told {
        *counts.entry(event["event_type"].as_str().expect("a type")).or_insert(0) += 1;
    }
    let expected = [
        ("REVIEW_LOOP_START", 1),
        ("REVIEW_ITERATION_START", 2),
        ("QUALITY_JUDGMENT", 2),
        ("REJECTION_DETAILS", 1),
        ("MODIFICATION_PROMPT", 1),
        ("REVIEW_ITERATION_END", 2),
        ("REVIEW_LOOP_END", 1),
    ];
    assert_eq!(counts, BTreeMap::from(expected));
    let file = ".ai-workflow/issue-243/04_implementation/revise/round-1/attempt-1/prompt.md";
    let sent = sandbox.read(file);
    assert_eq!(of_kind(&told, "MODIFICATION_PROMPT")[0]["prompt"], sent);
    assert_eq!(of_kind(&told, "REJECTION_DETAILS")[0]["modification_prompt"], sent);
    sandbox.write(file, "something else");
    let edited = events(&sandbox);
    let prompt = &of_kind(&edited, "MODIFICATION_PROMPT")[0]["prompt"];
    assert!(prompt.as_str().is_some_and(|text| text.starts_with("sha256:")), "{prompt}");
}

#[test]
fn replay_prints_the_review_loops_of_one_phase() {
    let sandbox = sandbox(CONFIG);
    execute(&sandbox, BAD_THEN_GOOD).exits(0);
    let replay = |more: &[&str]| sandbox.run(&[&["replay", "--issue", "243"], more].concat());
    let all = replay(&["--format", "review-loop"]).exits(0).stdout;
    let one = replay(&["--format", "review-loop", "--phase", "implementation"]).exits(0).stdout;
    assert_eq!(one, all);
    let none = replay(&["--format", "review-loop", "--phase", "planning"]).exits(0).stdout;
    assert_eq!(none, "");
    replay(&["--format", "review-loop", "--phase", "plan"]).refuses(2, "this run has no phase `plan`");
    replay(&["--phase", "implementation"]).refuses(2, "--phase is for review loops");
}

/// A judge that rejects the first work it sees and passes the second.
const JUDGE: &str = r#"
[[turn]]
step = "review"
round = 2
say = '{"review_id": "{{review_id}}", "result": "REJECT", "summary": "the first page is forgotten", "findings": [{"severity": "major", "category": "Q3", "file": "src/lib.rs", "line": 2, "issue": "the first page is not counted", "suggestion": "count it"}], "questions": []}'

[[turn]]
step = "review"
say = '{"review_id": "{{review_id}}", "result": "PASS", "summary": "all six hold", "findings": [], "questions": []}'
"#;

#[test]
fn the_llm_judge_is_off_by_default_and_can_be_enabled() {
    let off = sandbox(CONFIG);
    execute(&off, &format!("{BAD_THEN_GOOD}{JUDGE}")).exits(0);
    assert!(off.facts().iter().all(|fact| fact["type"] != "reviewed"));
    let on = sandbox(
        &format!("{CONFIG}\n[policies.quality-gate]\nllm_judge = true\n")
            .replace("[policies.quality-gate.limits]\nbackoff_ms = 0\n", ""),
    );
    execute(&on, &format!("{BAD_THEN_GOOD}{JUDGE}")).exits(0);
    let rulings: Vec<_> = on.facts().into_iter().filter(|fact| fact["type"] == "ruled").collect();
    let words: Vec<_> = rulings.iter().map(|ruled| &ruled["ruling"]["do"]).collect();
    assert_eq!(words, ["revise", "revise", "advance"]);
    let prompt = on.read(".ai-workflow/issue-243/04_implementation/review/round-2/attempt-1/prompt.md");
    insta::assert_snapshot!(excerpt(&prompt, "## This call", "\0"));
    let instruction = on.read(".ai-workflow/issue-243/04_implementation/revise/round-2/attempt-1/prompt.md");
    insta::assert_snapshot!(excerpt(&instruction, "## Problems found", "\n\n## "), @"
    ## Problems found

    Open findings, the worst first:
    [data [RUN]: findings of a reviewer]
    ```
    1. major, src/lib.rs:2, Q3
       the first page is not counted
       Suggestion: count it
    ```
    [end of data [RUN]]
    The reviewer's words:
    [data [RUN]: the text of a reviewer]
    ```
    the first page is forgotten
    ```
    [end of data [RUN]]
    ");
    assert_eq!(
        of_kind(&events(&on), "REJECTION_DETAILS")[1]["issues_detected"],
        json!([{"type": "omission", "location": "src/lib.rs:2", "description": "the first page is not counted", "suggestion": "count it"}])
    );
}

#[test]
fn an_incomplete_claim_is_revised_although_every_check_passes() {
    let sandbox = sandbox(CONFIG);
    let honest = BAD_THEN_GOOD.replace("    // TODO: count the last page\\n    2\\n", "    3\\n").replace(
        r#"{"status": "completed", "next_action": "complete", "summary": "all done"}"#,
        "INCOMPLETE: 1 requirement remains",
    );
    execute(&sandbox, &honest).exits(0);
    let rulings: Vec<_> = sandbox.facts().into_iter().filter(|fact| fact["type"] == "ruled").collect();
    let rules: Vec<_> = rulings.iter().filter_map(|ruled| ruled["rule"].as_str()).collect();
    assert_eq!(
        rules[0],
        "the author says that it is not finished: INCOMPLETE: 1 requirement remains; revision 1/2"
    );
    let prompt = sandbox.read(".ai-workflow/issue-243/04_implementation/revise/round-1/attempt-1/prompt.md");
    insta::assert_snapshot!(excerpt(&prompt, "You said yourself", "\n"), @"You said yourself that it is not finished. Finish what is missing. INCOMPLETE: 1 requirement remains");
}
