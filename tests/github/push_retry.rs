//! The server of the branch breaks while git talks to it: what passes is tried again, what is refused is not.

use git::{CommitId, Git, Workspace, retry};

use super::run::Scene;
use super::two_jobs::SHORT;
use super::{Fault, Kind, Lost};

/// What git asks for when it pushes, after it has looked at the branches.
const PUSH: &str = "git-receive-pack";

impl Scene {
    /// Has git talk to the server as it does with GitHub.
    fn over_http(self) -> Self {
        self.sandbox.git(&["remote", "set-url", "origin", &self.github.git_url()]);
        self
    }

    fn break_push(&self, method: &'static str, nth: usize, kind: Kind) {
        self.github.fault(Fault { method, path_contains: PUSH, nth, kind });
    }

    fn pushes(&self) -> usize {
        let calls = self.github.calls();
        calls.iter().filter(|call| call.method == "POST" && call.path.contains(PUSH)).count()
    }
}

#[test]
fn a_push_with_a_server_error_is_retried() {
    let scene = Scene::new().in_a_job().over_http();
    scene.break_push("POST", 1, Kind::Before(500));
    let ran = scene.execute("", &SHORT).exits(0);
    ran.says("it is tried again in 1 s");
    scene.everything_is_pushed();
    assert_eq!(scene.heading(), "### ai-workflow: completed");
    scene.draft();
    scene.within_the_contract();
}

#[test]
fn a_refused_push_is_not_retried_and_the_run_can_continue_later() {
    let scene = Scene::new().in_a_job().over_http();
    scene.break_push("POST", 0, Kind::Before(403));
    scene.execute("", &SHORT).exits(5).says("the push of `ai-workflow/issue-243` to `origin` failed");
    assert_eq!(scene.pushes(), 1, "{:#?}", scene.github.calls());
    let first = scene.first_line();
    assert!(first.starts_with("**Stopped:** the push of `ai-workflow/issue-243`"), "{first}");
    assert_eq!(scene.state_labels(), ["ai-workflow:needs-human"]);
    scene.github.works_again();
    scene.execute("", &SHORT).exits(0);
    scene.everything_is_pushed();
}

/// Returns the checkout as the library sees it, on a branch with one commit more than `main`.
fn worked_in(scene: &Scene) -> (Workspace, CommitId, CommitId) {
    let commit = |name: &str| CommitId::try_from(scene.sandbox.git(&["rev-parse", name]).as_str());
    scene.sandbox.git(&["switch", "-q", "-c", "work"]);
    scene.sandbox.git(&["commit", "-q", "--allow-empty", "-m", "more"]);
    let git = Git::with_environment([("HOME", scene.origin.path())]);
    let workspace = Workspace::open_with(&scene.sandbox.root(), git).expect("it is a repository");
    (workspace, commit("main").expect("a commit"), commit("work").expect("a commit"))
}

#[test]
fn push_with_a_lost_answer_is_recognised_on_the_server() {
    let scene = Scene::new().over_http();
    let (workspace, before, after) = worked_in(&scene);
    scene.sandbox.git(&["push", "-q", "origin", "main:work"]);
    // After a reset curl sends the same once more by itself, and git's answer to that is a refusal.
    for lost in [Lost::Reset, Lost::Status(500)] {
        scene.sandbox.git(&["push", "-q", "--force", "origin", "main:work"]);
        scene.break_push("POST", 1, Kind::AppliedButLost(lost));
        let pushed = retry(|| workspace.remote("origin", None).push("work", Some((&before, &after))));
        pushed.unwrap_or_else(|error| panic!("{lost:?}: {error}"));
        let bare = scene.origin.path().display().to_string();
        assert_eq!(scene.sandbox.git(&["-C", &bare, "rev-parse", "work"]), after.as_str());
    }
}

#[test]
fn a_fetch_with_a_server_error_is_retried() {
    let scene = Scene::new().over_http();
    let (workspace, before, _) = worked_in(&scene);
    let (method, path_contains) = ("POST", "git-upload-pack");
    scene.github.fault(Fault { method, path_contains, nth: 1, kind: Kind::Before(503) });
    assert_eq!(workspace.remote("origin", None).fetch("main").expect("fetched"), Some(before));
    assert_eq!(workspace.remote("origin", None).fetch("nowhere").expect("looked for"), None);
}
