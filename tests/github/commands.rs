//! Commands in comments against the fake: each is obeyed once, of people who may, and tells what became of it.

use serde_json::Value;

use super::run::{FAILS, Scene};
use super::told::{heading, line_with};
use crate::excerpt::excerpt;
use crate::support::{Ran, filtered};

/// Turns after which the run waits for a person.
const WAITS: [&str; 4] = ["--forge", "github", "--set", "policies.phase-review.outcomes.exhausted=pause"];

impl Scene {
    /// Has a comment worked on.
    fn says(&self, login: &str, body: &str) -> Ran {
        let event = self.github.commented(login, 243, body);
        self.event("issue_comment", &event)
    }

    fn outcome(&self) -> Value {
        self.sandbox.metadata()["outcome"].clone()
    }

    /// Returns the reactions on the newest comment of a person.
    fn reactions_to(&self, login: &str) -> Vec<String> {
        let comments = self.github.state().comments;
        let newest = comments.iter().rfind(|comment| comment.author == login).expect("a comment");
        self.reactions(&format!("comment/{}", newest.id))
    }

    /// Returns the newest comment of ours.
    fn reply(&self) -> String {
        let comments = self.github.state().comments;
        comments.into_iter().rfind(|comment| comment.author == "octo-machine").expect("a reply").body
    }

    fn paused() -> Self {
        let scene = Self::of_event();
        let event = scene.labeled();
        scene.event_with(FAILS, "issues", &event, &WAITS).exits(3);
        scene
    }

    fn failed() -> Self {
        let scene = Self::of_event();
        let event = scene.labeled();
        scene.event_with(FAILS, "issues", &event, &["--forge", "github"]).exits(1);
        scene
    }
}

#[test]
fn a_run_comment_starts_exactly_one_run() {
    let scene = Scene::of_event();
    scene.github.permit("bob", "write");
    let event = scene.github.commented("bob", 243, "Please.\n\n/ai-workflow run");
    scene.event("issue_comment", &event).exits(0);
    assert_eq!(scene.outcome(), "completed");
    assert_eq!(scene.reactions_to("bob"), ["eyes", "rocket"]);
    let before = scene.github.state();
    scene.event("issue_comment", &event).exits(0).says("was obeyed before");
    assert_eq!(scene.github.state(), before);
    scene.says("bob", "/ai-workflow resume").exits(0).says("E_COMMAND_REFUSED");
    insta::assert_snapshot!(filtered(&scene.reply()), @"
    <!-- ai-workflow:reply v1 comment=1003 -->
    😕 the run is completed: nothing is left to do
    ");
    assert_eq!(scene.reactions_to("bob"), ["eyes", "confused"]);
    scene.within_the_contract();
}

#[test]
fn comments_of_strangers_are_ignored() {
    let scene = Scene::of_event();
    scene.says("mallory", "/ai-workflow run").exits(0).says("E_ACTOR_DENIED");
    scene.says("mallory", "/ai-workflow nonsense").exits(0).says("E_ACTOR_DENIED");
    scene.says("mallory", "> /ai-workflow run").exits(0).says("holds no command");
    assert_eq!(scene.github.writes(), 0, "{:#?}", scene.github.calls());
    assert!(!scene.sandbox.has(".ai-workflow/issue-243"));
}

#[test]
fn edited_or_foreign_comment_is_not_a_command() {
    let scene = Scene::of_event();
    scene.github.permit("bob", "write");
    let event = scene.github.commented("bob", 243, "/ai-workflow run");
    let id = event["comment"]["id"].as_u64().expect("an id");
    scene.github.edit_comment(id, "/ai-workflow run");
    scene.event("issue_comment", &event).exits(0).says("E_COMMAND_CHANGED");
    let mut event = scene.github.commented("mallory", 243, "/ai-workflow run");
    event["sender"] = scene.github.person("bob");
    scene.event("issue_comment", &event).exits(0).says("E_ACTOR_MISMATCH");
    let event = scene.github.commented("bob", 243, "/ai-workflow run");
    scene.github.delete_comment(event["comment"]["id"].as_u64().expect("an id"));
    scene.event("issue_comment", &event).exits(0).says("E_COMMAND_CHANGED");
    assert_eq!(scene.github.writes(), 0);
}

#[test]
fn unclear_command_is_answered_with_one_line() {
    let scene = Scene::of_event();
    scene.github.permit("bob", "write");
    scene.says("bob", "/ai-workflow begin").exits(0).says("E_COMMAND_UNKNOWN");
    insta::assert_snapshot!(filtered(&scene.reply()), @"
    <!-- ai-workflow:reply v1 comment=1001 -->
    😕 there is no command of that name: `/ai-workflow` at the start of a line, and one of: `run`, `resume`, `pause`, `cancel`, `retry PHASE`, `skip PHASE`, `answer TEXT`, `accept REASON`, `status`, `explain`
    ");
    assert_eq!(scene.reactions_to("bob"), ["confused"]);
    scene.says("bob", "/ai-workflow run\n/ai-workflow cancel").exits(0).says("only one command");
    scene.says("bob", "/ai-workflow status").exits(0).says("E_COMMAND_REFUSED");
    insta::assert_snapshot!(filtered(&scene.reply()), @"
    <!-- ai-workflow:reply v1 comment=1005 -->
    😕 there is no run of this issue: `/ai-workflow run` begins one
    ");
    scene.within_the_contract();
}

#[test]
fn repeated_status_and_explain_commands_edit_one_comment_each() {
    let scene = Scene::paused();
    insta::assert_snapshot!(excerpt(&scene.comment(), "Answer with one", "</details>"), @r#"
    Answer with one of these in a comment:

        /ai-workflow answer your advice
        /ai-workflow accept why

    <details><summary>At a terminal</summary>

        ai-workflow resume --issue 243 --answer "your advice"
        ai-workflow resume --issue 243 --edited
        ai-workflow resume --issue 243 --accept --reason "why"
        ai-workflow resume --issue 243 --give-up
    "#);
    for _ in 0..2 {
        scene.says("bob", "/ai-workflow status").exits(0);
        insta::allow_duplicates! { insta::assert_snapshot!(line_with(&scene.reply(), "waiting"), @"waiting (exhausted): design is not approved and has used revisions 3/3: the reviewer states FAIL. Go on, accept it as it is, or give up?") };
        assert_eq!(scene.reactions_to("bob"), ["eyes", "rocket"]);
    }
    scene.says("bob", "/ai-workflow explain").exits(0);
    insta::assert_snapshot!(excerpt(&scene.reply(), "Limits used:", "\n  test_scenario"), @"
    Limits used:
      planning             phase-review 0/3
      requirements         phase-review 0/3
      design               phase-review 3/3
    ");
    let ours = scene.github.state().comments.into_iter().filter(|comment| comment.author == "octo-machine");
    assert_eq!(ours.count(), 3, "the progress, the status, the explanation");
}

#[test]
fn an_answer_comment_continues_the_run_and_records_its_author() {
    let scene = Scene::paused();
    scene.says("bob", "/ai-workflow run").exits(0).says("waits for an answer");
    scene.says("bob", "/ai-workflow answer\nuse the old name").exits(0);
    assert_eq!(scene.outcome(), "completed");
    let answered = scene.sandbox.facts().into_iter().find(|fact| fact["type"] == "answered");
    let answered = answered.expect("an answer");
    assert_eq!((&answered["by"], &answered["text"]), (&"bob".into(), &"use the old name".into()));
}

#[test]
fn commands_of_a_comment_work_on_another_machine() {
    let scene = Scene::paused();
    scene.on_another_machine();
    scene.says("bob", "/ai-workflow status").exits(0);
    insta::assert_snapshot!(line_with(&scene.reply(), "waiting"), @"waiting (exhausted): design is not approved and has used revisions 3/3: the reviewer states FAIL. Go on, accept it as it is, or give up?");
    let ran = scene.says("bob", "/ai-workflow answer go on").exits(0);
    insta::assert_snapshot!(line_with(&ran.stderr, "The files of the phase under way"), @"INFO The files of the phase under way are taken over from origin");
    assert_eq!(scene.outcome(), "completed");
    assert!(scene.sandbox.facts().iter().all(|fact| fact["type"] != "reopened"));
    scene.everything_is_pushed();
    assert_eq!(
        scene.sandbox.git(&["ls-remote", "origin", "refs/ai-workflow-work/*"]),
        "",
        "nobody needs it any more"
    );
}

#[test]
fn work_of_another_machine_can_be_accepted() {
    let scene = Scene::paused();
    scene.on_another_machine();
    scene.says("bob", "/ai-workflow accept it is known").exits(0);
    assert_eq!(scene.outcome(), "completed");
    scene.everything_is_pushed();
}

#[test]
fn work_that_contains_a_secret_is_not_pushed() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let leaks = r##"
[[turn]]
phase = "design"
step = "execute"
write = [{ path = "{{output}}", text = "# design\n\nghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\n" }]
say = "done"
"##;
    let ran = scene.event_with(&format!("{FAILS}{leaks}"), "issues", &event, &WAITS);
    insta::assert_snapshot!(line_with(&ran.stderr, "Check secrets failed"), @"ERROR Phase design: Check secrets failed: secrets are in the change: .ai-workflow/issue-243/02_design/output/design.md:3: holds a secret: GITHUB_TOKEN");
    assert_eq!(scene.sandbox.git(&["ls-remote", "origin", "refs/ai-workflow-work/*"]), "");
}

#[test]
fn a_phase_whose_shared_work_is_lost_begins_again() {
    let scene = Scene::paused();
    scene.sandbox.git(&["push", "-q", "origin", ":refs/ai-workflow-work/issue-243"]);
    scene.on_another_machine();
    scene.says("bob", "/ai-workflow accept it is known").exits(0).says("E_COMMAND_REFUSED");
    scene.says("bob", "/ai-workflow answer mind the last page").exits(0);
    assert_eq!(scene.outcome(), "completed");
    let reopened = scene.sandbox.facts().into_iter().find(|fact| fact["type"] == "reopened");
    assert_eq!(reopened.expect("it begins anew")["reason"], "mind the last page");
    scene.everything_is_pushed();
}

#[test]
fn cleanup_deletes_the_shared_work_ref_on_origin() {
    let scene = Scene::paused();
    let shared = || scene.sandbox.git(&["ls-remote", "origin", "refs/ai-workflow-work/*"]);
    assert_eq!(filtered(&shared()), "[COMMIT]\trefs/ai-workflow-work/issue-243");
    scene.sandbox.run(&["cleanup", "--issue", "243", "--force"]).exits(0);
    assert_eq!(shared(), "");
}

#[test]
fn a_phase_without_work_can_begin_on_another_machine() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let few = ["--forge", "github", "--set", "budget.calls=2"];
    scene.event_with("", "issues", &event, &few).exits(3);
    scene.on_another_machine();
    scene.says("bob", "/ai-workflow resume").exits(0).says("the run still waits (budget)");
    assert_eq!(scene.reactions_to("bob"), ["eyes", "confused"]);
    let more = ["--forge", "github", "--set", "budget.calls=100"];
    let run = scene.github.commented("bob", 243, "/ai-workflow run");
    scene.event_with("", "issue_comment", &run, &more).exits(0);
    assert_eq!(scene.outcome(), "completed");
    scene.everything_is_pushed();
}

#[test]
fn a_budget_is_raised_in_the_settings_of_the_job_and_not_by_a_comment() {
    let scene = Scene::of_event();
    let scene = Scene { sandbox: scene.sandbox.with("AI_WORKFLOW_BUDGET__CALLS", "2"), ..scene };
    let event = scene.labeled();
    scene.event("issues", &event).exits(3);
    insta::assert_snapshot!(line_with(&scene.comment(), "in a comment"), @"Answer with one of these in a comment, once the job has `AI_WORKFLOW_BUDGET__CALLS: 4` (from our workflow's `env`; for `usd` there the repository's variable `AI_WORKFLOW_BUDGET_USD` is enough):");
    // What somebody may cost is not said by a comment.
    scene.says("bob", "/ai-workflow run").exits(0).says("the run still waits (budget)");
    let scene = Scene { sandbox: scene.sandbox.with("AI_WORKFLOW_BUDGET__CALLS", "100"), ..scene };
    scene.says("bob", "/ai-workflow run").exits(0);
    assert_eq!(scene.outcome(), "completed");
}

#[test]
fn a_paused_run_can_be_cancelled_from_another_machine() {
    let scene = Scene::paused();
    scene.on_another_machine();
    scene.says("bob", "/ai-workflow cancel").exits(0);
    assert_eq!(scene.outcome(), "cancelled");
    scene.everything_is_pushed();
}

#[test]
#[ignore = "full suite: waits for the next look at the comments"]
fn a_cancel_comment_stops_a_working_agent() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let slow = "[[turn]]\nphase = \"planning\"\nstep = \"execute\"\nsleep_ms = 600000\n";
    let child = scene.start_event(slow, "issues", &event);
    let log = scene.sandbox.root().join(".ai-workflow/issue-243/events.jsonl");
    while !std::fs::read_to_string(&log).unwrap_or_default().contains("step_started") {
        std::thread::yield_now();
    }
    scene.github.comment_by("bob", 243, "/ai-workflow cancel");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(scene.outcome(), "cancelled");
    assert_eq!(scene.reactions_to("bob"), ["rocket"]);
    assert_eq!(scene.labels(), ["bug", "ai-workflow:cancelled"]);
    scene.everything_is_pushed();
}

#[test]
fn accept_and_resume_comments_continue_a_paused_run() {
    let scene = Scene::paused();
    scene.says("bob", "/ai-workflow accept it is known").exits(0);
    assert_eq!(scene.outcome(), "completed");
    let scene = Scene::paused();
    scene.says("bob", "/ai-workflow resume").exits(0);
    assert_eq!(scene.outcome(), "completed");
    scene.says("bob", "/ai-workflow accept once more").exits(0).says("E_COMMAND_REFUSED");
}

#[test]
fn a_retry_comment_reopens_the_failed_phase_or_an_earlier_one() {
    let scene = Scene::failed();
    insta::assert_snapshot!(line_with(&scene.comment(), "**Next:**"), @"**Next:** a comment `/ai-workflow retry design` has it tried once more; at a terminal `ai-workflow execute --phase all --issue 243 --retry-failed` does.");
    scene.says("bob", "/ai-workflow run").exits(0).says("/ai-workflow retry design");
    scene.says("bob", "/ai-workflow retry desing").exits(0).says("did you mean");
    scene.says("bob", "/ai-workflow retry design").exits(0);
    assert_eq!(scene.outcome(), "completed");
    scene.says("bob", "/ai-workflow retry requirements").exits(0);
    assert_eq!(scene.outcome(), "completed");
    let reopened: Vec<Value> =
        scene.sandbox.facts().into_iter().filter(|fact| fact["type"] == "reopened").collect();
    assert_eq!(reopened.len(), 2);
    assert_eq!(reopened[1]["reason"], "bob asked for another try.");
}

#[test]
fn a_skip_comment_skips_only_phases_that_have_not_begun() {
    let scene = Scene::paused();
    scene.says("bob", "/ai-workflow skip planning").exits(0).says("only what has not begun");
    scene.says("bob", "/ai-workflow skip report").exits(0);
    assert_eq!(scene.outcome(), "paused");
    scene.everything_is_pushed();
    scene.says("bob", "/ai-workflow resume").exits(0);
    assert_eq!(scene.outcome(), "completed");
    assert_eq!(scene.sandbox.metadata()["phases"]["report"]["status"], "skipped");
}

#[test]
fn a_cancel_comment_on_the_pull_request_ends_the_run() {
    let scene = Scene::paused();
    let pull = *scene.github.state().pulls.keys().next().expect("a pull request");
    let event = scene.github.commented("bob", pull, "/ai-workflow cancel");
    scene.event("issue_comment", &event).exits(0);
    assert_eq!(scene.outcome(), "cancelled");
    scene.everything_is_pushed();
    assert_eq!(heading(&scene.comment_of("octo-machine")), "### ai-workflow: cancelled");
    assert_eq!(scene.labels(), ["bug", "ai-workflow:cancelled"]);
    let cancelled = scene.sandbox.facts().into_iter().find(|fact| fact["type"] == "cancelled");
    assert_eq!(cancelled.expect("an end")["by"], "bob");
}

#[test]
fn a_cancel_comment_is_read_before_the_first_agent_call() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.github.comment_by("mallory", 243, "/ai-workflow pause");
    let comment = scene.github.commented("bob", 243, "/ai-workflow cancel");
    scene.event("issues", &event).exits(130);
    assert_eq!(scene.outcome(), "cancelled");
    assert!(scene.sandbox.facts().iter().all(|fact| fact["type"] != "step_started"));
    assert_eq!(scene.reactions_to("bob"), ["rocket"]);
    assert_eq!(scene.reactions_to("mallory"), [""; 0]);
    scene.everything_is_pushed();
    scene.event("issue_comment", &comment).exits(0).says("was obeyed before");
}

#[test]
fn pause_and_resume_comments_stop_and_continue_a_run() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.github.comment_by("bob", 243, "/ai-workflow pause");
    scene.event("issues", &event).exits(3);
    assert_eq!(scene.outcome(), "paused");
    let progress = scene.comment_of("octo-machine");
    insta::assert_snapshot!(line_with(&progress, "**A person is needed:**"), @"**A person is needed:** bob asked the run to wait before planning. Go on?");
    assert_eq!(scene.reactions_to("bob"), ["eyes", "rocket"]);
    scene.says("bob", "/ai-workflow pause").exits(0).says("the run is paused already");
    scene.says("bob", "/ai-workflow resume").exits(0);
    assert_eq!(scene.outcome(), "completed");
}

/// The next look at the comments comes after some seconds.
#[test]
#[ignore = "full suite: waits for the next look at the comments"]
fn a_pause_comment_gets_a_reaction_at_once_and_another_when_paused() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let (agent, go) = scene.waiting_agent();
    let mut child = scene.start_event_by(&agent, "issues", &event);
    scene.until_an_agent_works_on("planning");
    scene.github.comment_by("bob", 243, "/ai-workflow pause");
    while scene.reactions_to("bob").is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(scene.reactions_to("bob"), ["eyes"]);
    std::fs::write(go, "").expect("a file");
    assert_eq!(child.wait().expect("it ended").code(), Some(3));
    assert_eq!(scene.reactions_to("bob"), ["eyes", "rocket"]);
    assert_eq!(scene.sandbox.metadata()["phases"]["planning"]["status"], "completed");
}

impl Scene {
    /// Returns the first comment of somebody.
    fn comment_of(&self, login: &str) -> String {
        let comments = self.github.state().comments;
        comments.into_iter().find(|comment| comment.author == login).expect("a comment").body
    }
}
