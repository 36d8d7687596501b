//! A person closes the pull request of a run: it stays closed, the run says so, and who opens it again has it back.

use super::run::Scene;
use super::told::{line_with, lines_with};
use super::two_jobs::SHORT;

impl Scene {
    fn turn_request(&self, open: bool) {
        let number = *self.github.state().pulls.keys().next().expect("a pull request");
        self.github.change(|world| world.turn(number, "alice", open, None));
    }
}

#[test]
fn closed_pull_request_stays_closed_and_is_reported() {
    let scene = Scene::new().in_a_job();
    scene.execute("", &[&SHORT[..], &["--set", "budget.calls=2"]].concat()).exits(3);
    scene.turn_request(false);
    let ran = scene.execute("", &["--set", "budget.calls=20"]).exits(0);
    let ran = ran.says("W_PR_CLOSED: a person closed the pull request #");
    assert_eq!(ran.stderr.matches("W_PR_CLOSED").count(), 1, "{}", ran.stderr);
    insta::assert_snapshot!(lines_with(&ran.stderr, "closed").join("\n"), @"
    WARN W_PR_CLOSED: a person closed the pull request #244, so it stays as it is and no other one is opened; the branch is pushed all the same. Who wants it opens it again on GitHub, and runs again
    pull request https://github.com/octo/pages/pull/244 (closed by a person)
    ");
    let pulls = scene.github.state().pulls;
    assert!(pulls.len() == 1 && pulls.values().all(|pull| !pull.issue.open), "{pulls:#?}");
    assert!(pulls.values().all(|pull| !pull.issue.body.contains("| requirements | ✓")), "{pulls:#?}");
    scene.everything_is_pushed();
    assert_eq!(scene.heading(), "### ai-workflow: completed");
    insta::assert_snapshot!(line_with(&scene.comment(), "W_PR_CLOSED"), @"> W_PR_CLOSED: a person closed the pull request #[ZWSP]244, so it stays as it is and no other one is opened; the branch is pushed all the same. Who wants it opens it again on GitHub, and runs again");
    scene.sandbox.run(&["finalize", "--issue", "243"]).refuses(2, "a person closed the pull request");
    scene.everything_is_pushed();

    scene.turn_request(true);
    scene.execute("", &[]).exits(0).says("is open again");
    let pulls = scene.github.state().pulls;
    assert_eq!(pulls.len(), 1, "{pulls:#?}");
    let body = &pulls.values().next().expect("a pull request").issue.body;
    let row = line_with(body, "| requirements | ✓");
    assert_eq!(row, "| requirements | ✓ completed | PASS by json | 1 | 0 |  |");
    assert!(!scene.comment().contains("W_PR_CLOSED"), "{}", scene.comment());
    scene.everything_is_pushed();
    scene.within_the_contract();
}
