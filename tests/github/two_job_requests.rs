//! What people say, in the form with two jobs: the one that publishes takes nobody's word for it but theirs.

use serde_json::{Value, json};

use super::run::{FAILS, Scene};
use super::told::{heading, line_with};
use super::two_jobs::SHORT;

const WAITS: [&str; 2] = ["--set", "policies.phase-review.outcomes.exhausted=pause"];

impl Scene {
    /// Both jobs for an event, each on a machine of its own; returns how the second one ended.
    fn both(&self, extra: &str, name: &str, event: &Value, more: &[&str]) -> i32 {
        self.on_another_machine();
        self.work(extra, name, event, more);
        self.publish(name, event).code
    }

    /// Both jobs for a comment.
    fn both_obey(&self, who: &str, command: &str) -> i32 {
        let event = self.github.commented(who, 243, command);
        self.both("", "issue_comment", &event, &[])
    }

    /// A run that failed, or waits, and is published so far.
    fn halted(more: &[&str]) -> Self {
        let scene = Self::of_event();
        scene.github.permit("bob", "write");
        let event = scene.labeled();
        scene.both(FAILS, "issues", &event, more);
        assert!(!scene.progress().is_empty());
        scene
    }

    fn progress(&self) -> String {
        let all = self.github.state().comments.into_iter().map(|comment| comment.body);
        all.filter(|body| body.contains("ai-workflow:progress")).collect()
    }

    fn is_completed(&self) {
        assert_eq!(heading(&self.progress()), "### ai-workflow: completed");
        self.everything_is_pushed();
    }
}

#[test]
fn requests_by_label_or_comment_are_accepted_from_a_bundle() {
    let scene = Scene::halted(&[]);
    let event = scene.labeled();
    assert_eq!(scene.both("", "issues", &event, &[]), 0, "the label is put on again");
    scene.is_completed();
    let scene = Scene::halted(&[]);
    assert_eq!(scene.both_obey("bob", "/ai-workflow retry design"), 0);
    scene.is_completed();
    let scene = Scene::halted(&[]);
    assert_eq!(scene.both_obey("bob", "/ai-workflow retry requirements"), 0);
    scene.is_completed();
}

#[test]
fn answers_of_a_person_are_accepted_from_a_bundle() {
    let scene = Scene::halted(&WAITS);
    assert_eq!(scene.both_obey("bob", "/ai-workflow skip report"), 3);
    assert_eq!(scene.both_obey("bob", "/ai-workflow answer\n mind the last page "), 0);
    scene.is_completed();
    let scene = Scene::halted(&WAITS);
    assert_eq!(scene.both_obey("bob", "/ai-workflow resume"), 0);
    scene.is_completed();
    let scene = Scene::halted(&WAITS);
    scene.sandbox.git(&["push", "-q", "origin", ":refs/ai-workflow-work/issue-243"]);
    assert_eq!(scene.both_obey("bob", "/ai-workflow answer begin anew"), 0);
    scene.is_completed();
}

#[test]
fn pause_comment_is_accepted_from_a_bundle() {
    let scene = Scene::of_event();
    scene.github.permit("bob", "write");
    let event = scene.labeled();
    scene.github.commented("bob", 243, "/ai-workflow pause");
    assert_eq!(scene.both("", "issues", &event, &SHORT), 3);
    insta::assert_snapshot!(line_with(&scene.progress(), "**A person is needed:**"), @"**A person is needed:** bob asked the run to wait before planning. Go on?");
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.github.commented("mallory", 243, "/ai-workflow cancel");
    scene.work("", "issues", &event, &SHORT).exits(0);
    scene.add(|scene| scene.tells_too(json!({ "type": "cancelled", "by": "mallory" })));
    scene.publish("issues", &event).exits(6).says("names words that nobody wrote");
}

#[test]
fn an_answer_that_differs_from_the_comment_is_refused() {
    for (key, value) in [
        ("by", json!("alice")),
        ("text", json!("it is fine")),
        ("rounds", json!(9)),
        ("changed", json!(["src/a.rs"])),
    ] {
        let scene = Scene::halted(&WAITS);
        let before = scene.references();
        let event = scene.github.commented("bob", 243, "/ai-workflow answer count them");
        scene.on_another_machine();
        scene.work("", "issue_comment", &event, &[]).exits(0);
        scene.add(|scene| {
            scene.forge_log(|log| {
                let answered = log.iter_mut().find(|entry| entry["fact"]["type"] == "answered");
                answered.expect("an answer")["fact"][key] = value;
            });
        });
        let ran = scene.publish("issue_comment", &event).exits(6);
        let told = line_with(&ran.stderr, "error: ");
        insta::allow_duplicates! { insta::assert_snapshot!(told, @"error: E_BUNDLE_LOG: entry 48 of its log names words that nobody wrote") };
        assert_eq!(scene.references(), before, "{key}");
    }
}

#[test]
fn bundle_cannot_move_a_pushed_run_to_an_unjudged_commit() {
    let scene = Scene::halted(&[]);
    let before = scene.references();
    let event = scene.labeled();
    scene.on_another_machine();
    scene.work("", "issues", &event, &[]).exits(0);
    let unjudged = scene.unjudged(".github/workflows/x.yml", "on: push\n");
    scene.add(|scene| {
        scene.forge_log(|log| {
            let asked = log.iter_mut().rfind(|entry| entry["fact"]["type"] == "asked");
            asked.expect("it was asked for")["fact"]["head"] = json!(unjudged);
        });
    });
    let branch = "refs/heads/ai-workflow/issue-243";
    scene.bundle(&[branch, "refs/ai-workflow-work/issue-243"]);
    scene.publish("issues", &event).exits(6).says("which is not on the branch");
    assert_eq!(scene.references(), before);
}
