//! Whole runs with second opinions, and what each costs in agent calls.

use serde_json::{Value, json};

use crate::excerpt::excerpt;
use crate::support::{Sandbox, honest_script};

/// One turn of a reviewer in planning: who it is, in which round, and what it says.
fn turn(seat: &str, more: &str, say: &str) -> String {
    format!(
        "\n[[turn]]\nphase = \"planning\"\nstep = \"review\"\nseat = \"{seat}\"\n{more}\nsay = '''{say}'''\n"
    )
}

fn verdict(result: &str, more: &str) -> String {
    format!("{{\"review_id\": \"{{{{review_id}}}}\", \"result\": \"{result}\", \"summary\": \"seen\"{more}}}")
}

/// An approval that grades what policy retake asks for.
fn graded(security: &str) -> String {
    let grades = json!({"security": security, "performance": "A", "quality": "A", "compatibility": "A"});
    verdict("PASS", &format!(", \"viewpoints\": {grades}"))
}

fn finding(severity: &str) -> String {
    let finding = json!({"severity": severity, "category": "security", "file": "plan.md", "line": 3, "issue": "a hole"});
    format!(", \"findings\": [{finding}]")
}

/// The calls of planning: each step, with the seat of a review.
fn calls(sandbox: &Sandbox) -> Vec<String> {
    let of = |fact: &Value| {
        let ours = fact["type"] == "step_started" && fact["phase"] == "planning";
        let step = fact["step"].as_str().unwrap_or_default();
        let seat = fact["seat"].as_str().map(|seat| format!(" {seat}")).unwrap_or_default();
        ours.then(|| format!("{step}{seat}"))
    };
    sandbox.facts().iter().filter_map(of).collect()
}

fn rulings(sandbox: &Sandbox) -> Vec<String> {
    let of = |fact: &Value| {
        let ours = fact["type"] == "ruled" && fact["phase"] == "planning";
        ours.then(|| fact["ruling"]["do"].as_str().unwrap_or_default().to_owned())
    };
    sandbox.facts().iter().filter_map(of).collect()
}

const SECOND: [&str; 2] = ["--second-reviewer", "AGENT"];

#[test]
fn a_failing_second_review_costs_one_revision_with_three_calls() {
    let sandbox = Sandbox::new();
    let fails = turn("second", "round = 1", &verdict("FAIL", &finding("major")));
    sandbox.short(&fails, &SECOND).exits(0);
    let expected = ["execute", "review", "review second", "revise", "review", "review second"];
    assert_eq!(
        (calls(&sandbox), rulings(&sandbox)),
        (expected.map(str::to_owned).to_vec(), vec!["revise".into(), "advance".into()])
    );
    let prompt = sandbox.read(".ai-workflow/issue-243/00_planning/revise/round-1/attempt-1/prompt.md");
    insta::assert_snapshot!(excerpt(&prompt, "## What to repair", "\n- Begin"), @"
    ## What to repair
    Tasks, file by file, in the order in which to do them; repair each problem at its root:
    [data [RUN]: findings of a reviewer, as tasks]
    ```
    T1 plan.md, major
       1. L3: a hole (F1, major)
    ```
    [end of data [RUN]]
    The reviewer's words:
    [data [RUN]: the text of a reviewer]
    ```
    [second]
    seen
    ```
    [end of data [RUN]]
    ");
    let round = &sandbox.metadata()["phases"]["planning"]["rounds"][0];
    assert_eq!((&round["verdict"], &round["attempts"]), (&json!("FAIL"), &json!(3)));
}

#[test]
fn a_silent_second_reviewer_is_left_out_after_three_attempts() {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", "[policies.phase-review.limits]\nbackoff_ms = 1\n");
    sandbox
        .short(&turn("second", "", ""), &SECOND)
        .exits(0)
        .says("Phase planning: Goes on without the second opinion second");
    assert_eq!(calls(&sandbox), ["execute", "review", "review second", "review second", "review second"]);
    assert_eq!(rulings(&sandbox), ["redo", "redo", "leave_out", "advance"]);
    let text = sandbox.read(".ai-workflow/local/issues/243.pr.md");
    insta::assert_snapshot!(excerpt(&text, "planning: without", "\n"), @"planning: without the second opinion second: review: the agent ended without a word; redos 2/2 used; second is left out");
}

#[test]
fn a_second_reviewer_that_cannot_start_is_left_out() {
    let sandbox = Sandbox::new();
    sandbox
        .short("", &["--second-reviewer", "command:./nowhere"])
        .exits(0)
        .says("the second opinion second is done without");
    assert_eq!(calls(&sandbox), ["execute", "review", "review second"]);
    assert_eq!(rulings(&sandbox), ["leave_out", "advance"]);
}

const SPLIT: &str = "[phases.planning]\npolicy = \"retake\"\n\n[policies.retake.review]\nsplit = true\n";

#[test]
fn split_viewpoints_are_separate_reviews_and_a_grade_d_pauses_the_run() {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", SPLIT);
    let grades = [("security", "D"), ("performance", "A"), ("quality", "A"), ("compatibility", "A")];
    let turns = grades.map(|(seat, grade)| {
        turn(seat, "", &verdict("PASS", &format!(", \"viewpoints\": {{\"{seat}\": \"{grade}\"}}")))
    });
    sandbox.short(&turns.concat(), &[]).exits(3).says("Manual Intervention Required");
    let seats = ["security", "performance", "quality", "compatibility"].map(|seat| format!("review {seat}"));
    let expected: Vec<String> =
        ["execute".to_owned(), "review".to_owned()].into_iter().chain(seats).collect();
    assert_eq!(calls(&sandbox), expected);
    let prompt = |attempt: u32| {
        sandbox
            .read(&format!(".ai-workflow/issue-243/00_planning/review/round-1/attempt-{attempt}/prompt.md"))
    };
    assert!(!prompt(1).contains("## Viewpoints"), "the first reviewer judges the whole");
    insta::assert_snapshot!(excerpt(&prompt(2), "## Viewpoints", "\n\n"), @"
    ## Viewpoints
    Others judge the rest: look at the work from these viewpoints alone, and leave to them what does not bear on these.
    Grade it in `viewpoints` from each of these: security. A: nothing to object to. B: minor remarks only. C: a major
    problem. D: a critical one, or unsound at its root. A grade rests on findings, whose `category` is the viewpoint.
    ");
    insta::assert_snapshot!(excerpt(&prompt(2), "\"questions\"", "\n"), @r#""questions": [], "viewpoints": {"security": "A|B|C|D"} }"#);
}

#[test]
fn viewpoints_share_one_review_call_and_their_grades_decide() {
    for (grade, code) in [("B", 0), ("C", 0), ("D", 3)] {
        let sandbox = Sandbox::new();
        sandbox.write(".ai-workflow/config.toml", "[phases.planning]\npolicy = \"retake\"\n");
        let turns = [turn("*", "round = 1", &graded(grade)), turn("*", "", &graded("A"))];
        sandbox.short(&turns.concat(), &[]).exits(code);
        let first = [("B", "advance"), ("C", "revise"), ("D", "pause")]
            .into_iter()
            .find(|(known, _)| *known == grade);
        assert_eq!(rulings(&sandbox).first().map(String::as_str), first.map(|(_, ruling)| ruling), "{grade}");
        assert_eq!(calls(&sandbox)[..2], ["execute", "review"]);
    }
}

/// Nobody has looked from a viewpoint that has no grade.
#[test]
fn an_approval_with_missing_grades_is_asked_again_and_then_revised() {
    for (case, grades) in [("none", ""), ("one", ", \"viewpoints\": {\"Security\": \"A\"}")] {
        let sandbox = Sandbox::new();
        sandbox.write(".ai-workflow/config.toml", "[phases.planning]\npolicy = \"retake\"\n");
        let turns = [turn("*", "round = 1", &verdict("PASS", grades)), turn("*", "", &graded("A"))];
        let missing = if case == "none" { "for security, performance, " } else { "for performance, " };
        let told = format!("gives no grade {missing}quality, compatibility; asked again 1/1");
        sandbox.short(&turns.concat(), &[]).exits(0).says(&told);
        assert_eq!(rulings(&sandbox), ["redo", "revise", "advance"], "{case}");
    }
}

#[test]
fn a_panel_applies_only_to_the_phase_that_configures_it() {
    let sandbox = Sandbox::new();
    sandbox.write(
        ".ai-workflow/config.toml",
        "[phases.planning]\npanel = [{ name = \"security\", viewpoints = [\"security\"] }]\n",
    );
    sandbox.short("", &[]).exits(0);
    assert_eq!(calls(&sandbox), ["execute", "review", "review security"]);
    let seats = sandbox.facts().iter().filter(|fact| fact["seat"] == "security").count();
    assert_eq!(seats, 2, "one call and its review, in planning alone");
}

#[test]
fn second_reviewers_are_fixed_at_the_start_of_the_run() {
    let sandbox = Sandbox::new();
    let waits = turn("", "", &verdict("FAIL", ""));
    sandbox.write(
        ".ai-workflow/config.toml",
        "[policies.phase-review]\noutcomes.exhausted = \"pause\"\n[phases.planning]\nmax_revisions = 0\n",
    );
    sandbox.short(&waits, &SECOND).exits(3);
    let facts = sandbox.facts().len();
    sandbox
        .short(&waits, &["--second-reviewer", "command:./other"])
        .refuses(2, "was begun with other second reviewers");
    assert_eq!(sandbox.facts().len(), facts);
    sandbox.short(&waits, &SECOND).exits(3);
    sandbox.short("", &["--second-reviewer", ""]).refuses(2, "`--second-reviewer` names nobody");
}

#[test]
fn second_reviewer_that_is_the_author_gives_a_warning() {
    let sandbox = Sandbox::new();
    let agent = sandbox.script(&honest_script(""));
    let told = sandbox.run(&["doctor", "--agent", &agent, "--second-reviewer", &agent]);
    insta::assert_snapshot!(excerpt(&told.stdout, "reviews its own work", "\n"), @"reviews its own work, in a fresh process");
    insta::assert_snapshot!(excerpt(&told.stdout, "gives the second opinion", "\n"), @"gives the second opinion second on its own work, in a fresh process");
}

#[test]
fn metadata_lists_the_result_of_each_reviewer_in_each_round() {
    let sandbox = Sandbox::new();
    let seats = "panel = [{ name = \"one\", required = true }, { name = \"two\" }]";
    let config = format!(
        "[policies.phase-review.limits]\nbackoff_ms = 1\n\n[phases.planning]\n{seats}\n\n[phases.requirements]\npanel = []\n"
    );
    sandbox.write(".ai-workflow/config.toml", &config);
    let rejects = turn("one", "round = 1", &verdict("FAIL", &(finding("major") + ", \"grade\": \"C\"")));
    sandbox.short(&(rejects + &turn("two", "round = 2", "")), &[]).exits(0);
    let metadata = sandbox.metadata();
    let rounds = &metadata["phases"]["planning"]["rounds"];
    let told = |round: usize| {
        let opinions = rounds[round]["opinions"].as_array().expect("opinions").iter();
        let of = |it: &Value| {
            (it["seat"].clone(), it["verdict"].clone(), it["grade"].clone(), it["findings"].clone())
        };
        opinions.map(of).collect::<Vec<_>>()
    };
    let nothing = || json!(null);
    let first = (nothing(), json!("PASS"), nothing(), json!(0));
    let one = (json!("one"), json!("FAIL"), json!("C"), json!(1));
    assert_eq!(told(0), [first.clone(), one, (json!("two"), json!("PASS"), nothing(), json!(0))]);
    let later = (json!("one"), json!("PASS"), nothing(), json!(0));
    assert_eq!(told(1), [first, later, (json!("two"), nothing(), nothing(), json!(0))]);
    insta::assert_snapshot!(rounds[1]["opinions"][2]["left_out"], @r#""review: the agent ended without a word; redos 2/2 used; two is left out""#);
    assert!(rounds[1]["opinions"][2]["agent"].is_null() && rounds[1]["opinions"][0]["agent"].is_string());
    assert!(metadata["phases"]["requirements"]["rounds"][0].get("opinions").is_none(), "one reviewer");
    let status = sandbox.run(&["status", "--issue", "243"]).exits(0).stdout;
    insta::assert_snapshot!(excerpt(&status, "    round 2", "\n  requirements"), @"
    round 2, first reviewer: PASS
    round 2, one: PASS
    round 2, two: left out
    ");
    let text = sandbox.read(".ai-workflow/local/issues/243.pr.md");
    insta::assert_snapshot!(excerpt(&text, "- planning round 2", "\n\n"), @"
    - planning round 2, first reviewer: PASS
    - planning round 2, one: PASS
    - planning round 2, two: left out
    ");
    let found = sandbox.run(&["findings", "--issue", "243", "--format", "json"]).exits(0).json();
    assert_eq!(found["rounds"]["planning"][0]["opinions"], rounds[0]["opinions"]);
}
