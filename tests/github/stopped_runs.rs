//! A run that GitHub stopped is not told as running, and what a lost job could not tell is put right by whoever comes next.

use serde_json::json;

use super::run::{FAILS, Scene};
use super::told::{heading, line_with};
use super::two_jobs::SHORT;
use super::{Fault, Kind};

/// What a job that was lost leaves behind.
const STALE: &str = "### ai-workflow: running";
const RUNNING: &str = "ai-workflow:running";

impl Scene {
    /// Returns the first line of our comment that people see.
    pub(super) fn first_line(&self) -> String {
        let comment = self.our_comment();
        let mut lines = comment.lines().filter(|line| !line.is_empty() && !line.starts_with("<!--"));
        lines.next().expect("a line").to_owned()
    }

    fn our_comment(&self) -> String {
        let comments = self.github.state().comments;
        let ours = comments.into_iter().find(|comment| comment.body.contains("ai-workflow:progress"));
        ours.expect("our comment").body
    }

    /// Returns the labels that tell where the run stands.
    pub(super) fn state_labels(&self) -> Vec<String> {
        self.labels().into_iter().filter(|label| label.starts_with("ai-workflow:")).collect()
    }

    /// Makes comment and label what they were before the last words of a job that was lost.
    fn lose_last_words(&self) {
        let comments = self.github.state().comments;
        let ours = comments.into_iter().find(|comment| comment.body.contains("ai-workflow:progress"));
        let ours = ours.expect("our comment");
        let mark = ours.body.lines().next().expect("a mark");
        self.github.edit_comment(ours.id, &format!("{mark}\n{STALE}\n"));
        for label in self.state_labels() {
            self.github.change(|world| world.unlabel(243, "octo-machine", &label));
        }
        self.github.change(|world| world.label(243, "octo-machine", RUNNING));
    }

    #[track_caller]
    fn tells(&self, outcome: &str, label: &str) {
        let comment = self.our_comment();
        assert_eq!(heading(&comment), format!("### ai-workflow: {outcome}"));
        assert_eq!(self.state_labels(), [label], "{comment}");
    }
}

#[test]
fn a_run_stopped_by_github_shows_the_reason_and_can_continue() {
    let scene = Scene::new().in_a_job();
    let (method, path_contains, kind) = ("POST", "/pulls", Kind::SettingForbids);
    scene.github.fault(Fault { method, path_contains, nth: 0, kind });
    scene.execute("", &SHORT).exits(5);
    assert_eq!(scene.sandbox.metadata()["outcome"], "running");
    let first = scene.first_line();
    assert!(first.starts_with("**Stopped:** cannot open the pull request: GitHub answered 403"), "{first}");
    insta::assert_snapshot!(line_with(&scene.our_comment(), "a comment `/ai-workflow"), @"**Run again:** a comment `/ai-workflow run` on issue #243, or at a terminal `ai-workflow execute --phase all --issue 243`");
    scene.tells("stopped", "ai-workflow:needs-human");
    scene.github.works_again();
    scene.execute("", &SHORT).exits(0);
    assert!(!scene.our_comment().contains("Stopped"), "{}", scene.our_comment());
    scene.tells("completed", "ai-workflow:done");
    scene.within_the_contract();
}

#[test]
fn comment_of_a_completed_run_is_corrected_after_a_lost_job() {
    let scene = Scene::of_event();
    let two = ["--forge", "github", "--preset", "review-requirements"];
    scene.event_with("", "issues", &scene.labeled(), &two).exits(0);
    let log = scene.sandbox.facts().len();
    scene.lose_last_words();
    scene.execute("", &[]).exits(0);
    scene.tells("completed", "ai-workflow:done");
    scene.lose_last_words();
    scene.event("issues", &scene.labeled()).exits(0).says("nothing is left to do");
    scene.tells("completed", "ai-workflow:done");
    scene.lose_last_words();
    let asked = scene.github.commented("bob", 243, "/ai-workflow run");
    scene.event("issue_comment", &asked).exits(0).says("nothing is left to do");
    scene.tells("completed", "ai-workflow:done");
    assert_eq!(scene.sandbox.facts().len(), log, "nothing is written into the log for it");
    scene.everything_is_pushed();
}

#[test]
fn comment_of_a_failed_run_is_corrected_after_a_lost_job() {
    let scene = Scene::of_event();
    let fails = FAILS.replace("design", "planning");
    scene.github.permit("bob", "write");
    scene.execute(&fails, &SHORT).exits(1);
    let calls = || scene.sandbox.metadata()["cost_tracking"].clone();
    let before = calls();
    scene.lose_last_words();
    scene.execute(&fails, &[]).exits(1);
    scene.tells("failed", "ai-workflow:failed");
    scene.lose_last_words();
    let asked = scene.github.commented("bob", 243, "/ai-workflow run");
    scene.event("issue_comment", &asked).exits(0).says("/ai-workflow retry planning");
    scene.tells("failed", "ai-workflow:failed");
    assert_eq!((calls(), before == json!(null)), (before, false));
}

/// Another machine went on: what it wrote is newer than the log here.
#[test]
fn a_log_older_than_that_on_origin_corrects_no_comment() {
    let scene = Scene::new().in_a_job();
    let waits = ["--set", "policies.phase-review.outcomes.exhausted=pause"];
    scene.execute(&FAILS.replace("design", "planning"), &[&SHORT[..], &waits].concat()).exits(3);
    let (here, aside) = (scene.sandbox.root(), scene.origin.path().join("aside"));
    let copied = std::process::Command::new("cp").arg("-a").args([&here, &aside]).status();
    assert!(copied.expect("cp runs").success());
    let script = scene.sandbox.script(&crate::support::honest_script(""));
    scene.sandbox.run(&["resume", "--issue", "243", "--answer", "go on", "--agent", &script]).exits(0);
    std::fs::remove_dir_all(&here).expect("the folder goes");
    std::fs::rename(&aside, &here).expect("the old folder comes back");
    scene.execute("", &waits).exits(6).says("was continued on another machine: on origin it is completed");
    scene.tells("completed", "ai-workflow:done");
}
