//! What a person answers from the terminal, command by command.

use serde_json::json;

use crate::support::{Ran, Sandbox, honest_script};

const FAILS: &str = "[[turn]]\nphase = \"planning\"\nstep = \"review\"\nsay = '{\"review_id\": \"{{review_id}}\", \"result\": \"FAIL\", \"grade\": \"C\", \"findings\": [{\"severity\": \"major\", \"category\": \"plan\", \"file\": \"src/lib.rs\", \"line\": 2, \"issue\": \"too coarse\"}]}'\n";
const PAUSES: &str = "[phases.planning]\nmax_revisions = 1\non_exhausted = \"pause\"\n";

/// A run whose planning nobody approved within its limit.
fn paused() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", PAUSES);
    sandbox.short(FAILS, &[]).exits(3);
    sandbox
}

fn answered(sandbox: &Sandbox, script: &str, more: &[&str]) -> Ran {
    let agent = sandbox.script(&honest_script(script));
    sandbox.run(&[&["resume", "--issue", "243", "--agent", &agent], more].concat())
}

fn answer(sandbox: &Sandbox) -> serde_json::Value {
    sandbox.facts().into_iter().rfind(|fact| fact["type"] == "answered").expect("an answer")
}

fn calls(sandbox: &Sandbox, step: &str) -> usize {
    sandbox.facts().iter().filter(|fact| fact["type"] == "step_started" && fact["step"] == step).count()
}

#[test]
fn the_text_of_an_answer_is_in_the_next_prompt() {
    let sandbox = paused();
    answered(&sandbox, "", &["--answer", "smaller tasks"]).exits(0);
    assert_eq!(
        (&answer(&sandbox)["choice"], &answer(&sandbox)["text"]),
        (&json!("continue"), &json!("smaller tasks"))
    );
    let prompt = sandbox.read(".ai-workflow/issue-243/00_planning/revise/round-2/attempt-1/prompt.md");
    assert!(prompt.contains("smaller tasks"), "{prompt}");
}

#[test]
fn the_question_returns_after_the_granted_rounds() {
    let sandbox = paused();
    let before = calls(&sandbox, "revise");
    answered(&sandbox, FAILS, &["--continue", "--rounds", "2"]).exits(3).says("revisions 2/2");
    assert_eq!(calls(&sandbox, "revise") - before, 2);
    assert_eq!(answer(&sandbox)["rounds"], 2);
}

#[test]
fn accept_needs_a_reason_and_publishes_it() {
    let sandbox = paused();
    let facts = sandbox.facts();
    answered(&sandbox, "", &["--accept"])
        .refuses(2, "an accept needs a reason")
        .says("--accept --reason TEXT");
    assert_eq!(sandbox.facts(), facts);
    answered(&sandbox, "", &["--accept", "--reason", "good enough for now"])
        .exits(0)
        .says("Answered by a person: accept: good enough for now");
    let reason = "accepted by a person: good enough for now";
    let status = sandbox.run(&["status", "--issue", "243"]).exits(0);
    assert!(status.stdout.contains(reason), "{}", status.stdout);
    let accepted = &sandbox.metadata()["phases"]["planning"]["accepted"];
    assert_eq!(*accepted, json!({"by": "a person", "reason": "good enough for now"}));
    let pull_request = sandbox.read(".ai-workflow/local/issues/243.pr.md");
    assert!(
        pull_request.contains("**accepted by a person, not by a reviewer**: good enough for now"),
        "{pull_request}"
    );
}

#[test]
fn resume_with_edited_reviews_manual_changes_without_an_author_call() {
    let sandbox = paused();
    let (authors, reviews) = (calls(&sandbox, "revise"), calls(&sandbox, "review"));
    let document = ".ai-workflow/issue-243/00_planning/output/planning.md";
    sandbox.write(document, "# planning\n\nby hand\n");
    sandbox.write("docs/by-hand.md", "what the plan is about\n");
    answered(&sandbox, "", &["--edited", "--text", "look again"]).exits(0);
    let planning = |fact: &&serde_json::Value| fact["type"] == "step_started" && fact["phase"] == "planning";
    let of_planning = sandbox.facts().iter().filter(planning).count();
    assert_eq!(of_planning, 1 + authors + reviews + 1, "one review more");
    assert_eq!(answer(&sandbox)["changed"], json!([document, "docs/by-hand.md"]));
    let commit = sandbox.metadata()["phases"]["planning"]["commit"].as_str().expect("a commit").to_owned();
    let committed = sandbox.git(&["show", "--name-only", "--format=", &commit]);
    assert!(committed.contains("docs/by-hand.md") && committed.contains(document), "{committed}");
    assert_eq!(sandbox.metadata()["phases"]["planning"]["retry_count"], 1);
}

#[test]
fn invalid_resume_answers_are_refused_with_a_hint() {
    let sandbox = paused();
    let facts = sandbox.facts();
    for (more, told) in [
        (vec![], "an answer is needed"),
        (vec!["--answer", "  "], "the answer is empty"),
        (vec!["--continue", "--reason", "x"], "--reason says why work is accepted"),
        (vec!["--give-up", "--rounds", "2"], "--rounds says how far a run goes on"),
        (vec!["--continue", "--rounds", "0"], "0 is not in 1.."),
        (vec!["--accept", "--edited"], "cannot be used with"),
        (vec!["--answer", "x", "--text", "y"], "cannot be used with"),
    ] {
        answered(&sandbox, "", &more).exits(2).says(told).says("hint: ");
        assert_eq!(sandbox.facts(), facts, "{more:?}");
    }
}

#[test]
fn a_budget_pause_refuses_the_rounds_and_edited_flags() {
    let sandbox = Sandbox::new();
    sandbox.short("", &["--set", "budget.calls=2"]).exits(3);
    for (more, told) in [
        (vec!["--continue", "--rounds", "2"], "this pause is another one"),
        (vec!["--edited"], "this pause cannot be answered with edited"),
    ] {
        answered(&sandbox, "", &more).refuses(2, told);
    }
}

#[test]
fn status_of_a_pause_shows_the_limit_the_findings_and_the_rounds() {
    let sandbox = paused();
    let ran = sandbox.run(&["status", "--issue", "243"]).exits(0);
    for line in [
        "waiting (exhausted): planning is not approved and has used revisions 1/1",
        "planning: the limit is reached (revisions 1/1)",
        "  #  place         problem     severity",
        "  1  src/lib.rs:2  too coarse  major",
        "  round  verdict  grade  findings",
        "  1      FAIL     C      1",
        "  2      FAIL     C      1",
        "asked: a maintainer of repo",
        "  ai-workflow resume --issue 243 --answer \"your advice\"",
        "  ai-workflow resume --issue 243 --edited",
        "  ai-workflow resume --issue 243 --accept --reason \"why\"",
        "  ai-workflow resume --issue 243 --give-up",
        "  used     1 of 1 revisions of planning, $0.00 of $20.00",
    ] {
        assert!(ran.stdout.contains(line), "`{line}` is not in\n{}", ran.stdout);
    }
    let comments = sandbox.read(".ai-workflow/local/issues/243.comments.jsonl");
    for text in [
        "### planning: the limit is reached (revisions 1/1)",
        "| 1 | src/lib.rs:2 | too coarse | major |",
        "| Round | Verdict | Grade | Findings |",
        "| 2 | FAIL | C | 1 |",
        "RunRequested: a maintainer of repo.",
    ] {
        assert!(comments.contains(text), "`{text}` is not in\n{comments}");
    }
    let json = sandbox.run(&["status", "--issue", "243", "--json"]).exits(0).json();
    assert_eq!(json["paused"]["asked"], "a maintainer of repo");
    assert_eq!(json["phases"]["planning"]["rounds"][1]["grade"], "C");
}

#[test]
fn pause_in_a_pipeline_prints_and_records_the_question() {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", PAUSES);
    let ran = sandbox.short(FAILS, &["--no-wait", "--json"]).exits(1);
    assert_eq!(ran.json()["exit_code"], 1);
    assert!(
        ran.stderr.contains("waiting (exhausted): ") && ran.stderr.contains("--give-up"),
        "{}",
        ran.stderr
    );
    assert_eq!(sandbox.metadata()["paused"]["reason"], "exhausted");
    answered(&sandbox, FAILS, &["--continue", "--rounds", "1", "--no-wait"]).exits(1);
    answered(&sandbox, "", &["--answer", "smaller tasks"]).exits(0);
}
