//! The form with two jobs: one has the agents and may only read, the other one has no agents and publishes what it finds
//! good in what the first one handed over.

use std::fs;
use std::path::PathBuf;

use forge::github::{Access, Reaction, ReactionTarget};
use forge::{ForgeError, GithubForge};
use serde_json::Value;

use super::forge::{PATIENCE, number, request, upsert};
use super::remote_checks::REVISES;
use super::run::{FAILS, Scene};
use super::told::{closing_line, heading, line_with};
use super::{Fault, Kind};
use crate::excerpt::excerpt;
use crate::support::Ran;

/// Two phases are enough for what is not about phases.
pub(super) const SHORT: [&str; 2] = ["--preset", "review-requirements"];

impl Scene {
    /// Returns the folder that the first job hands over.
    pub(super) fn handed(&self) -> PathBuf {
        self.origin.path().join("handed")
    }

    /// The job with the agents.
    pub(super) fn work(&self, extra: &str, name: &str, payload: &Value, more: &[&str]) -> Ran {
        let folder = self.handed().display().to_string();
        let words = [&["--forge", "github", "--bundle", &folder], more].concat();
        self.event_with(extra, name, payload, &words)
    }

    fn words_of_apply(&self, name: &str, payload: &Value) -> Vec<String> {
        let path = self.origin.path().join("event.json").display().to_string();
        fs::write(&path, payload.to_string()).expect("a file");
        let folder = self.handed().display().to_string();
        ["apply", "--bundle", &folder, "--path", &path, "--name", name, "--forge", "github"]
            .map(str::to_owned)
            .into()
    }

    /// The job that publishes, on a machine of its own.
    pub(super) fn publish(&self, name: &str, payload: &Value) -> Ran {
        self.on_another_machine();
        let words = self.words_of_apply(name, payload);
        self.sandbox.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    pub(super) fn references(&self) -> String {
        let bare = self.origin.path().display().to_string();
        self.sandbox.git(&["-C", &bare, "for-each-ref", "--format=%(refname) %(objectname)"])
    }

    pub(super) fn result(&self) -> Value {
        let text = fs::read_to_string(self.handed().join("result.json")).expect("a result");
        serde_json::from_str(&text).expect("JSON")
    }
}

#[test]
fn two_jobs_open_a_draft_and_the_agent_job_writes_nothing() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let before = scene.references();
    scene.work("", "issues", &event, &[]).exits(0);
    assert_eq!(scene.github.writes(), 0, "{:#?}", scene.github.calls());
    assert_eq!(scene.references(), before);
    assert_eq!(scene.labels(), ["bug", "ai-workflow"]);
    scene.publish("issues", &event).exits(0);
    scene.became_a_draft();
    assert!(scene.sandbox.git(&["for-each-ref", "refs/ai-workflow-bundle"]).is_empty());
}

#[test]
fn bundle_is_applied_once() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.work("", "issues", &event, &SHORT).exits(0);
    scene.publish("issues", &event).exits(0);
    let (before, references) = (scene.github.state(), scene.references());
    scene.publish("issues", &event).exits(0);
    let after = scene.github.state();
    assert_eq!(scene.references(), references);
    assert_eq!((after.pulls.len(), after.comments.len()), (1, 1));
    assert_eq!(after.comments[0].body, before.comments[0].body);
    assert_eq!(
        (after.reactions, after.issues[&243].labels.clone()),
        (before.reactions, before.issues[&243].labels.clone())
    );
}

#[test]
fn publishing_interrupted_at_any_write_can_be_repeated() {
    let clean = Scene::of_event();
    let event = clean.labeled();
    clean.work("", "issues", &event, &SHORT).exits(0);
    clean.publish("issues", &event).exits(0);
    let (writes, end) = (clean.github.writes(), clean.github.state());
    let mut nth = 1;
    while nth < writes {
        let scene = Scene::of_event();
        let event = scene.labeled();
        scene.work("", "issues", &event, &SHORT).exits(0);
        scene.on_another_machine();
        let words = scene.words_of_apply("issues", &event);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut first = scene.sandbox.start(&words);
        while scene.github.writes() < nth && first.try_wait().expect("a child").is_none() {
            std::thread::yield_now();
        }
        first.kill().expect("it ends");
        first.wait().expect("it ended");
        scene.publish("issues", &event).exits(0);
        let state = scene.github.state();
        assert_eq!((state.pulls.len(), state.comments.len()), (1, 1), "cut off at write {nth}");
        assert_eq!(scene.heading(), "### ai-workflow: completed");
        assert_eq!(scene.labels(), end.issues[&243].labels);
        scene.everything_is_pushed();
        nth += 3;
    }
}

#[test]
fn a_refused_publish_keeps_the_label_so_that_the_job_can_be_repeated() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.work("", "issues", &event, &SHORT).exits(0);
    scene.github.fault(Fault { method: "POST", path_contains: "/pulls", nth: 1, kind: Kind::Before(403) });
    scene.publish("issues", &event).exits(5);
    assert!(scene.labels().iter().any(|label| label == "ai-workflow"), "{:?}", scene.labels());
    scene.publish("issues", &event).exits(0);
    assert_eq!(closing_line(&scene.draft()), "Closes #243");
    assert_eq!(scene.heading(), "### ai-workflow: completed");
    assert!(!scene.labels().iter().any(|label| label == "ai-workflow"), "{:?}", scene.labels());
}

#[test]
fn a_failed_run_is_published_and_continued_in_two_jobs() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.work(FAILS, "issues", &event, &[]).exits(1);
    assert_eq!(scene.result()["exit_code"], 1);
    scene.publish("issues", &event).exits(1);
    assert_eq!(scene.heading(), "### ai-workflow: failed");
    insta::assert_snapshot!(excerpt(&scene.draft(), "## Not passed", "\n\n- "), @"
    ## Not passed

    **design** failed in round 4: retry_limit
    ");
    scene.everything_is_pushed();
    let again = scene.github.commented("bob", 243, "/ai-workflow retry design");
    scene.on_another_machine();
    let writes = scene.github.writes();
    scene.work("", "issue_comment", &again, &[]).exits(0);
    assert_eq!(scene.github.writes(), writes, "{:#?}", scene.github.calls());
    scene.publish("issue_comment", &again).exits(0);
    let told = scene
        .github
        .state()
        .comments
        .into_iter()
        .filter(|comment| comment.body.contains("completed"))
        .count();
    assert_eq!(told, 1, "{:#?}", scene.github.state().comments);
    assert_eq!(scene.github.state().comments.len(), 2);
    scene.draft();
    scene.everything_is_pushed();
    scene.within_the_contract();
}

#[test]
fn publishing_job_answers_questions_of_people() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.work("", "issues", &event, &SHORT).exits(0);
    scene.publish("issues", &event).exits(0);
    let asked = scene.github.commented("bob", 243, "/ai-workflow status");
    let writes = scene.github.writes();
    scene.work("", "issue_comment", &asked, &[]).exits(0);
    assert_eq!(scene.github.writes(), writes);
    scene.publish("issue_comment", &asked).exits(0);
    let bodies: Vec<String> = scene.github.state().comments.into_iter().map(|comment| comment.body).collect();
    insta::assert_snapshot!(excerpt(&bodies[2], "", "planning"), @"
    <!-- ai-workflow:status v1 issue=243 -->
    ```text
    #243 The last page is missing: completed
    ");
}

#[test]
fn actor_without_permission_is_refused_by_both_jobs() {
    let scene = Scene::of_event();
    scene.github.permit("mallory", "triage");
    let event = scene.github.labeled("mallory", 243, "ai-workflow");
    scene.work("", "issues", &event, &[]).exits(0).says("E_ACTOR_DENIED");
    scene.publish("issues", &event).exits(0).says("E_ACTOR_DENIED");
    assert_eq!(scene.github.writes(), 0);
    // What somebody else's job made is no reason to believe an event.
    let allowed = scene.labeled();
    scene.work("", "issues", &allowed, &SHORT).exits(0);
    let event = scene.github.labeled("mallory", 243, "ai-workflow");
    scene.publish("issues", &event).exits(0).says("E_ACTOR_DENIED");
    assert_eq!(scene.github.writes(), 0);
}

#[test]
fn unapproved_work_is_handed_to_the_next_job() {
    let pauses = ["--set", "policies.phase-review.outcomes.exhausted=pause"];
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.work(FAILS, "issues", &event, &pauses).exits(3);
    assert_eq!(scene.github.writes(), 0, "{:#?}", scene.github.calls());
    scene.publish("issues", &event).exits(3);
    insta::assert_snapshot!(line_with(&scene.comment(), "**A person is needed:**"), @"**A person is needed:** design is not approved and has used revisions 3/3: the reviewer states FAIL. Go on, accept it as it is, or give up?");
    let work = line_with(&scene.references(), "refs/ai-workflow-work");
    assert_eq!(work, "refs/ai-workflow-work/issue-243 [COMMIT]");
    let answer = scene.github.commented("bob", 243, "/ai-workflow accept the pages are counted elsewhere");
    scene.on_another_machine();
    scene.work("", "issue_comment", &answer, &[]).exits(0).says("taken over from origin");
    scene.publish("issue_comment", &answer).exits(0);
    assert_eq!(closing_line(&scene.draft()), "Closes #243");
    assert!(!scene.references().contains("refs/ai-workflow-work"), "{}", scene.references());
    scene.everything_is_pushed();
}

#[test]
fn a_run_longer_than_a_job_continues_in_the_next_two_jobs() {
    let scene = Scene::of_event();
    let own = "octo/pages/.github/workflows/ai-workflow.yml@refs/heads/main";
    let scene = Scene { sandbox: scene.sandbox.with("GITHUB_WORKFLOW_REF", own), ..scene };
    let event = scene.labeled();
    scene.work("", "issues", &event, &["--set", "github.job_minutes=0"]).exits(3);
    assert!(scene.github.state().started.is_empty());
    scene.publish("issues", &event).exits(3);
    assert_eq!(scene.github.state().started, ["ai-workflow: issue 243"]);
    scene.on_another_machine();
    let dispatched = scene.github.dispatched("bob", "243");
    scene.work("", "workflow_dispatch", &dispatched, &[]).exits(0);
    scene.publish("workflow_dispatch", &dispatched).exits(0);
    assert_eq!(scene.heading(), "### ai-workflow: completed");
    scene.draft();
}

#[test]
fn a_dispatched_job_that_fails_starts_no_next_job() {
    let scene = Scene::of_event();
    let own = "octo/pages/.github/workflows/ai-workflow.yml@refs/heads/main";
    let scene = Scene { sandbox: scene.sandbox.with("GITHUB_WORKFLOW_REF", own), ..scene };
    let event = scene.labeled();
    scene.work("", "issues", &event, &["--set", "github.job_minutes=0"]).exits(3);
    scene.publish("issues", &event).exits(3);
    assert_eq!(scene.github.state().started.len(), 1);
    scene.on_another_machine();
    let dispatched = scene.github.dispatched("bob", "243");
    let tracked = scene.sandbox.git(&["ls-files"]).lines().next().expect("a file").to_owned();
    scene.sandbox.write(&tracked, "Nothing goes on beside changes of others.\n");
    scene.work("", "workflow_dispatch", &dispatched, &[]).exits(2);
    assert_eq!(scene.result()["ending"], "failed");
    scene.publish("workflow_dispatch", &dispatched);
    assert_eq!(scene.github.state().started.len(), 1, "else for ever");
}

#[test]
fn label_removed_during_the_run_is_reported() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.work("", "issues", &event, &SHORT).exits(0);
    let before = scene.references();
    scene.github.change(|world| world.unlabel(243, "alice", "ai-workflow"));
    scene.publish("issues", &event).exits(6).says("E_LABEL_GONE").says("nothing of it was published");
    assert_eq!(scene.references(), before);
    assert!(scene.github.state().pulls.is_empty());
}

#[test]
fn a_cancel_comment_is_handled_by_one_job_and_answered_by_the_other() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let cancel = scene.github.commented("bob", 243, "/ai-workflow cancel");
    scene.work("", "issues", &event, &SHORT).exits(130).says("bob ends the run");
    assert_eq!(scene.github.writes(), 0, "{:#?}", scene.github.calls());
    scene.publish("issues", &event).exits(130);
    let bodies = |scene: &Scene| {
        let all = scene.github.state().comments.into_iter();
        all.filter(|comment| comment.body.contains("<!-- ai-workflow"))
            .map(|comment| comment.body)
            .collect::<Vec<_>>()
    };
    let headings: Vec<String> = bodies(&scene).iter().map(|body| heading(body)).collect();
    assert_eq!(headings, ["### ai-workflow: cancelled"]);
    scene.on_another_machine();
    scene.work("", "issue_comment", &cancel, &SHORT).exits(0);
    scene.publish("issue_comment", &cancel).exits(0);
    let id = cancel["comment"]["id"].as_u64().expect("a number");
    assert_eq!(scene.reactions(&format!("comment/{id}")), ["eyes", "rocket"]);
    assert_eq!(bodies(&scene).len(), 1, "it needs no words");
}

#[test]
fn read_only_job_cannot_write() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let cancel = scene.github.commented("bob", 243, "/ai-workflow cancel");
    let wrong = scene.github.commented("bob", 243, "/ai-workflow dance");
    for (name, payload) in [("issues", &event), ("issue_comment", &cancel), ("issue_comment", &wrong)] {
        scene.work("", name, payload, &SHORT);
        assert_eq!(scene.github.writes(), 0, "{:#?}", scene.github.calls());
    }
    assert!(!scene.references().contains("ai-workflow"), "{}", scene.references());
}

#[tokio::test]
async fn a_read_only_client_refuses_every_write_before_sending_it() {
    let github = super::forge::github();
    let access = Access::new(&github.url(), "octo/pages", "test-token").expect("an access");
    let forge = GithubForge::new(access.for_reading(), PATIENCE);
    let refused = |error: ForgeError| assert!(matches!(error, ForgeError::ReadsOnly { .. }), "{error}");
    refused(upsert(&forge, None, "new").await.expect_err("a refusal"));
    refused(upsert(&forge, Some(1), "again").await.expect_err("a refusal"));
    refused(forge.upsert_pull_request(&request("text")).await.expect_err("a refusal"));
    refused(forge.react(ReactionTarget::Issue(number()), Reaction::Eyes).await.expect_err("a refusal"));
    refused(forge.label(number(), "bug").await.expect_err("a refusal"));
    refused(forge.remove_label(number(), "bug").await.expect_err("a refusal"));
    refused(forge.resolve_thread("T_1").await.expect_err("a refusal"));
    assert_eq!(github.writes(), 0, "{:#?}", github.calls());
    assert_eq!(forge.issue(number()).await.expect("an issue").title, "The last page is missing");
    assert!(forge.myself().await.is_ok(), "a question to GraphQL is no write");
}

#[test]
fn a_failed_remote_check_restarts_both_jobs_until_ci_rounds_are_used() {
    let own = "octo/pages/.github/workflows/ai-workflow.yml@refs/heads/main";
    let scene = Scene::of_event();
    let sandbox = scene.sandbox.with("GITHUB_WORKFLOW_REF", own).with("AI_WORKFLOW_GITHUB__CI_ROUNDS", "1");
    let scene = Scene { sandbox: sandbox.with("AI_WORKFLOW_LIMITS__COMMAND_SECONDS", "2"), ..scene };
    scene.github.checks_say(&["failure", "failure"]);
    let event = scene.labeled();
    scene.work(REVISES, "issues", &event, &[]).exits(0);
    scene.publish("issues", &event).exits(0).says("Checks of the server failed");
    assert_eq!(scene.github.state().started, ["ai-workflow: issue 243"]);
    scene.on_another_machine();
    let dispatched = scene.github.dispatched("bob", "243");
    scene.work(REVISES, "workflow_dispatch", &dispatched, &[]).exits(0);
    scene.publish("workflow_dispatch", &dispatched).exits(3).says("still red after 1 round");
    assert_eq!(scene.github.state().started.len(), 1, "then a person is asked");
    scene.everything_is_pushed();
}
