//! `findings`: the problems of a run for people, for scripts, and for code scanners.

use serde_json::{Value, json};

use crate::excerpt::excerpt;
use crate::support::{Sandbox, filtered, honest_script};

/// A first review with two problems, and a second one in which the smaller is still there.
const REVIEWS: &str = r#"
[[turn]]
phase = "planning"
step = "review"
round = 1
say = '{"review_id": "{{review_id}}", "result": "FAIL", "grade": "C", "findings": [{"severity": "critical", "category": "Security", "file": "src/größe.rs", "line": 7, "issue": "the token ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa is in the plan", "suggestion": "take it out"}, {"severity": "minor", "category": "plan", "file": "docs/plan.md", "issue": "too coarse"}]}'

[[turn]]
phase = "planning"
step = "review"
round = 2
say = '{"review_id": "{{review_id}}", "result": "PASS", "grade": "A", "findings": [{"severity": "minor", "category": "plan", "file": "docs/plan.md", "issue": "too coarse"}]}'
"#;

/// A run with one problem resolved and one open.
fn ran() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.short(REVIEWS, &["--phase", "planning"]).exits(0);
    sandbox
}

/// A run that failed with both problems open.
fn failed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.short(REVIEWS, &["--set", "phases.planning.max_revisions=0"]).exits(1);
    sandbox
}

fn findings(sandbox: &Sandbox, more: &[&str]) -> crate::support::Ran {
    sandbox.run(&[&["findings", "--issue", "243"], more].concat()).exits(0)
}

#[test]
fn findings_text_lists_open_findings() {
    let text = findings(&ran(), &[]).stdout;
    assert_eq!(
        text,
        "#243 The last page is missing: 1 open, 1 settled\n  minor docs/plan.md: too coarse [plan] (planning, since round 1)\n"
    );
}

#[test]
fn findings_json_lists_all_findings_and_rounds() {
    let json = findings(&ran(), &["--format", "json"]).json();
    let states: Vec<_> = json["findings"].as_array().expect("a list").iter().map(|it| &it["open"]).collect();
    assert_eq!(states, [&json!(true), &json!(false)]);
    assert_eq!(json["findings"][1]["last_round"], 1);
    let rounds = &json["rounds"]["planning"];
    assert_eq!(
        rounds[0],
        json!({"n": 1, "verdict": "FAIL", "grade": "C", "ruling": "revise", "findings": 2, "failed_checks": 0})
    );
    assert_eq!((&rounds[1]["verdict"], &rounds[1]["grade"]), (&json!("PASS"), &json!("A")), "{rounds}");
}

#[test]
fn sarif_output_is_valid_and_contains_no_secrets() {
    let sandbox = failed();
    let log = findings(&sandbox, &["--format", "sarif"]).json();
    valid_sarif(&log);
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 2);
    assert_eq!((&results[0]["ruleId"], &results[0]["level"]), (&json!("security"), &json!("error")));
    assert_eq!((&results[1]["ruleId"], &results[1]["level"]), (&json!("plan"), &json!("warning")));
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/gr%C3%B6%C3%9Fe.rs");
    assert_eq!(place["region"]["startLine"], 7);
    assert!(results[1]["locations"][0]["physicalLocation"].get("region").is_none(), "no line was named");
    assert_eq!(run["tool"]["driver"]["version"], env!("CARGO_PKG_VERSION"));
    assert!(!log.to_string().contains("ghp_aaaa"), "{log}");
}

#[test]
fn resolved_findings_are_not_in_sarif_and_fingerprints_are_stable() {
    let (first, second) =
        (findings(&failed(), &["--format", "sarif"]).json(), findings(&ran(), &["--format", "sarif"]).json());
    valid_sarif(&second);
    let of = |log: &Value, index: usize| log["runs"][0]["results"][index]["partialFingerprints"].clone();
    assert_eq!(second["runs"][0]["results"].as_array().map(Vec::len), Some(1));
    assert_eq!(of(&second, 0), of(&first, 1));
    let nothing = Sandbox::new();
    nothing.short("", &["--phase", "planning"]).exits(0);
    let log = findings(&nothing, &["--format", "sarif"]).json();
    valid_sarif(&log);
    assert_eq!(log["runs"][0]["results"], json!([]));
}

#[test]
fn failed_checks_are_listed_with_the_findings() {
    let sandbox = Sandbox::new();
    let silent = "[[turn]]\nphase = \"planning\"\nsay = \"done\"\n";
    sandbox.short(silent, &["--set", "phases.planning.max_revisions=0"]).exits(1);
    let log = findings(&sandbox, &["--format", "sarif"]).json();
    valid_sarif(&log);
    let rule = log["runs"][0]["results"][0]["ruleId"].as_str().expect("a rule").to_owned();
    assert!(rule.starts_with("check/"), "{rule}");
}

#[test]
fn findings_are_written_to_a_file_or_an_error_is_shown() {
    let sandbox = failed();
    let printed = findings(&sandbox, &["--format", "sarif", "--output", "-"]).stdout;
    assert_eq!(findings(&sandbox, &["--format", "sarif", "--output", "out.sarif"]).stdout, "");
    assert_eq!(sandbox.read("out.sarif"), printed);
    let refused = |more: &[&str]| sandbox.run(&[&["findings"], more].concat());
    refused(&["--issue", "243", "--output", "nowhere/x"]).refuses(2, "failed to write nowhere/x");
    refused(&["--issue", "7"]).refuses(2, "there is no run of issue 7");
    let json = refused(&["--issue", "7", "--format", "json"]).exits(2).json();
    insta::assert_snapshot!(json["error"].as_str().unwrap_or_default(), @"there is no run of issue 7 in this repository");
}

#[test]
fn report_prompt_lists_every_round_and_open_findings() {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", "[presets.two]\nphases = [\"planning\", \"report\"]\n");
    let agent = sandbox.script(&honest_script(REVIEWS));
    let ran =
        sandbox.run(&["execute", "--issue", "243", "--agent", &agent, "--preset", "two", "--forge", "local"]);
    let _ = ran.exits(0);
    let prompt = sandbox.read(".ai-workflow/issue-243/08_report/execute/round-1/attempt-1/prompt.md");
    let history: Vec<&str> =
        prompt.lines().filter(|line| line.contains("planning round ") || line.contains("open in ")).collect();
    insta::assert_snapshot!(history.join("\n"), @r"
    - planning round 1: FAIL (grade C), 2 findings, 0 failed checks, revise
    - planning round 2: PASS (grade A), 1 finding, 0 failed checks, advance
    - open in planning: minor docs/plan.md: too coarse [plan]
    ");
    let planning = sandbox.read(".ai-workflow/issue-243/00_planning/revise/round-1/attempt-1/prompt.md");
    assert!(!planning.contains("planning round 1: FAIL"), "nobody else is told the history");
}

/// What the standard demands of a log (SARIF 2.1.0, sections 3.13, 3.14, 3.18, 3.19, 3.27 to 3.30, 3.49), as far as we use it.
fn valid_sarif(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    assert!(
        log["$schema"]
            .as_str()
            .is_some_and(|uri| uri.starts_with("https://") && uri.ends_with("sarif-2.1.0.json"))
    );
    for run in log["runs"].as_array().expect("runs is required") {
        let driver = &run["tool"]["driver"];
        assert!(is_text(&driver["name"]), "the name of the driver is required");
        let rules = driver["rules"].as_array().expect("a list");
        let ids: Vec<&str> =
            rules.iter().map(|rule| rule["id"].as_str().expect("the id is required")).collect();
        assert!(rules.iter().all(|rule| is_text(&rule["shortDescription"]["text"])));
        let mut once = ids.clone();
        once.dedup();
        assert_eq!(once, ids, "rules are unique");
        assert!(
            ["utf16CodeUnits", "unicodeCodePoints"].contains(&run["columnKind"].as_str().expect("a kind"))
        );
        for result in run["results"].as_array().expect("results are required where a tool has run") {
            assert!(is_text(&result["message"]["text"]), "the message is required");
            let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small");
            assert_eq!(result["ruleId"], ids[index], "index and id name the same rule");
            assert!(
                ["none", "note", "warning", "error"].contains(&result["level"].as_str().expect("a level"))
            );
            let prints = result["partialFingerprints"].as_object().expect("an object");
            assert!(!prints.is_empty() && prints.values().all(is_text));
            for location in result["locations"].as_array().into_iter().flatten() {
                let place = &location["physicalLocation"];
                let uri = place["artifactLocation"]["uri"].as_str().expect("a reference");
                let fits = |c: char| c.is_ascii_alphanumeric() || "-._~/%".contains(c);
                assert!(uri.chars().all(fits) && !uri.starts_with('/'), "{uri}");
                assert!(place["region"].is_null() || place["region"]["startLine"].as_u64() >= Some(1));
            }
        }
    }
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

#[test]
fn a_failed_check_accepted_by_a_person_is_no_longer_open() {
    let marks = r##"
[[turn]]
phase = "planning"
step = "execute"
write = [{ path = "{{output}}", text = "# planning\n\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> theirs\n" }]
say = "done"
"##;
    let sandbox = Sandbox::new();
    let settings = "[phases.planning]\nmax_revisions = 0\non_exhausted = \"pause\"\n";
    sandbox.write(".ai-workflow/config.toml", settings);
    sandbox.short(marks, &[]).exits(3);
    let checks = |sandbox: &Sandbox| -> Vec<Value> {
        let json = findings(sandbox, &["--format", "json"]).json();
        let all = json["findings"].as_array().expect("a list").clone();
        all.into_iter().filter(|it| it["category"] == "check/conflict_markers").collect()
    };
    let before = checks(&sandbox);
    assert!(!before.is_empty() && before.iter().all(|it| it["open"] == true), "{before:?}");
    let agent = sandbox.script(&honest_script(""));
    let accept = ["resume", "--issue", "243", "--agent", &agent, "--accept", "--reason", "an example"];
    sandbox.run(&accept).exits(0);
    let after = checks(&sandbox);
    assert_eq!(after.len(), before.len());
    for it in &after {
        assert_eq!((&it["open"], &it["answered"]), (&json!(false), &json!(true)), "{it}");
        assert_eq!(it["reason"], "an example");
    }
}

/// A reviewer that fails the plan with a critical finding and a question, and approves after the author's answer.
const WITHDRAWN: &str = r#"
[[turn]]
phase = "planning"
step = "review"
attempt = 1
say = '{"review_id": "{{review_id}}", "result": "FAIL", "summary": "old data is lost", "findings": [{"severity": "critical", "category": "data", "file": "docs/plan.md", "line": 3, "issue": "old data is lost"}], "questions": ["Is there any?"]}'

[[turn]]
phase = "planning"
step = "answer"
say = "There is none."

[[turn]]
phase = "planning"
step = "review"
attempt = 2
say = '{"review_id": "{{review_id}}", "result": "PASS", "summary": "fine then", "findings": []}'
"#;

#[test]
fn a_finding_that_its_reviewer_withdraws_is_told_with_both_answers() {
    let sandbox = Sandbox::new();
    sandbox.short(WITHDRAWN, &[]).exits(0);
    insta::assert_snapshot!(findings(&sandbox, &[]).stdout, @"
    #243 The last page is missing: 0 open, 1 settled
    withdrawn:
      critical docs/plan.md:3: old data is lost [data] (planning, since round 1, withdrawn: the reviewer first stated FAIL with 1 finding: old data is lost; it was asked to judge with the author's reply to: Is there any? (the author replied: There is none.); then it stated PASS with 0 findings: fine then)
    ");
    let json = findings(&sandbox, &["--format", "json"]).json();
    let withdrawn = &json["findings"][0]["withdrawn"];
    assert_eq!(
        (&withdrawn["first"]["verdict"], &withdrawn["last"]["verdict"]),
        (&json!("FAIL"), &json!("PASS"))
    );
    assert_eq!(withdrawn["reply"], "There is none.");
    let request = sandbox.read(".ai-workflow/local/issues/243.pr.md");
    insta::assert_snapshot!(excerpt(&request, "## Verdicts that changed", "\n---"), @"
    ## Verdicts that changed after a question

    - planning round 1: the reviewer first stated FAIL with 1 finding: old data is lost; it was asked to judge with the author's reply to: Is there any? (the author replied: There is none.); then it stated PASS with 0 findings: fine then
      - withdrawn: critical docs/plan.md:3: old data is lost
    ");
    let explained = sandbox.run(&["explain", "--issue", "243"]).exits(0).stdout;
    let lines =
        explained.lines().filter(|line| line.contains("first stated") || line.contains("withdrawn: "));
    let lines: Vec<&str> =
        lines.map(|line| line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit())).collect();
    insta::assert_snapshot!(filtered(&lines.join("\n")), @"
    planning round 1: the reviewer first stated FAIL with 1 finding: old data is lost; it was asked to judge with the author's reply to: Is there any? (the author replied: There is none.); then it stated PASS with 0 findings: fine then
    withdrawn: critical docs/plan.md:3: old data is lost
    ");
    assert_eq!(sandbox.metadata()["phases"]["planning"]["findings"][0]["state"], "withdrawn");
}

/// Reviews that approve with so many suggestions, and a minor finding each.
fn with_suggestions(number: usize, phases: &[&str]) -> String {
    let review = |phase: &&str| {
        let suggestions: Vec<String> = (1..=number).map(|n| format!("{phase} idea {n}")).collect();
        let answer = json!({
            "review_id": "{{review_id}}", "result": "PASS", "summary": "fine", "suggestions": suggestions,
            "findings": [{"severity": "minor", "category": "plan", "issue": format!("{phase} is too coarse")}],
        });
        format!("[[turn]]\nphase = \"{phase}\"\nstep = \"review\"\nsay = '{answer}'\n")
    };
    phases.iter().map(review).collect::<Vec<_>>().join("\n")
}

#[test]
fn suggestions_beyond_the_limit_are_counted_by_phase_and_those_about_code_come_first() {
    let sandbox = Sandbox::new();
    let script = with_suggestions(39, &["planning", "implementation", "documentation"]);
    let agent = sandbox.script(&honest_script(&script));
    let words = ["execute", "--issue", "243", "--forge", "local", "--preset", "quick-fix", "--agent", &agent];
    sandbox.run(&words).exits(0);
    let prompts = ".ai-workflow/issue-243/04_implementation/execute/round-1/attempt-1/prompt.md";
    let told = excerpt(&sandbox.read(prompts), "## Suggestions from earlier", "\n\n");
    assert!(told.contains("- planning: planning idea 39\n") && !told.contains("more ("), "{told}");
    let request = sandbox.read(".ai-workflow/local/issues/243.pr.md");
    let section = excerpt(&request, "## Suggestions of the reviewers", "\n---");
    let listed: Vec<&str> = section.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(listed[0], "- implementation: minor: implementation is too coarse");
    let of = |phase: &str| listed.iter().filter(|line| line.starts_with(&format!("- {phase}: "))).count();
    assert_eq!(["implementation", "documentation", "planning"].map(of), [20, 20, 20]);
    assert_eq!(
        listed[60..],
        ["- … and 60 more (implementation 20, documentation 20, planning 20); the log \
          `.ai-workflow/issue-243/events.jsonl` has all of them"]
    );
}

#[test]
fn minor_findings_of_an_approval_reach_later_authors_and_the_pull_request() {
    let sandbox = Sandbox::new();
    sandbox.short(REVIEWS, &[]).exits(0);
    let prompt = sandbox.read(".ai-workflow/issue-243/01_requirements/execute/round-1/attempt-1/prompt.md");
    insta::assert_snapshot!(excerpt(&prompt, "## Suggestions from earlier", "\n\n"), @"
    ## Suggestions from earlier reviews, for you to weigh
    [data [RUN]: suggestions of earlier reviewers]
    ```
    - planning: minor docs/plan.md: too coarse
    ```
    [end of data [RUN]]
    ");
    let request = sandbox.read(".ai-workflow/local/issues/243.pr.md");
    insta::assert_snapshot!(excerpt(&request, "## Suggestions of the reviewers", "\n---"), @"
    ## Suggestions of the reviewers

    - planning: minor docs/plan.md: too coarse
    ");
}
