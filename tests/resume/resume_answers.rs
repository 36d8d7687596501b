//! What a person answers from the terminal, command by command.

use serde_json::json;

use crate::line_with;
use crate::support::{Ran, Sandbox, filtered, honest_script};

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
    insta::assert_snapshot!(line_with(&prompt, "smaller tasks"), @"smaller tasks");
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
    let status = sandbox.run(&["status", "--issue", "243"]).exits(0);
    insta::assert_snapshot!(line_with(&status.stdout, "accepted by"), @"  planning             ✓ completed  FAIL by json  1/1 revisions  accepted by a person: good enough for now");
    let accepted = &sandbox.metadata()["phases"]["planning"]["accepted"];
    assert_eq!(*accepted, json!({"by": "a person", "reason": "good enough for now"}));
    let pull_request = sandbox.read(".ai-workflow/local/issues/243.pr.md");
    insta::assert_snapshot!(line_with(&pull_request, "not by a reviewer"), @"- planning · **accepted by a person, not by a reviewer**: good enough for now");
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
    let words = ["show", "--name-only", "--format=", &commit, "--", "docs", document];
    assert_eq!(sandbox.git(&words), format!("{document}\ndocs/by-hand.md"));
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
    let agent = sandbox.root().with_file_name("agent.toml").display().to_string();
    insta::assert_snapshot!("status_of_a_pause", filtered(&ran.stdout.replace(&agent, "[AGENT]")));
    let comments = sandbox.read(".ai-workflow/local/issues/243.comments.jsonl");
    let comment: serde_json::Value = serde_json::from_str(&comments).expect("one comment");
    insta::assert_snapshot!("comment_of_a_pause", filtered(comment["body"].as_str().expect("a text")));
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
    let question = ran.stderr.find("waiting (exhausted)").unwrap_or_else(|| panic!("{}", ran.stderr));
    insta::assert_snapshot!("question_in_a_pipeline", filtered(&ran.stderr[question..]));
    assert_eq!(sandbox.metadata()["paused"]["reason"], "exhausted");
    answered(&sandbox, FAILS, &["--continue", "--rounds", "1", "--no-wait"]).exits(1);
    answered(&sandbox, "", &["--answer", "smaller tasks"]).exits(0);
}
