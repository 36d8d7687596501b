//! A person closes the pull request of a run: it stays closed, the run says so, and who opens it again has it back.

use super::run::Scene;
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
    assert!(ran.stderr.contains("(closed by a person)"), "{}", ran.stderr);
    let pulls = scene.github.state().pulls;
    assert!(pulls.len() == 1 && pulls.values().all(|pull| !pull.issue.open), "{pulls:#?}");
    assert!(pulls.values().all(|pull| !pull.issue.body.contains("| requirements | ✓")), "{pulls:#?}");
    scene.everything_is_pushed();
    let comment = scene.comment();
    assert!(comment.contains("ai-workflow: completed") && comment.contains("> W_PR_CLOSED"), "{comment}");
    scene.sandbox.run(&["finalize", "--issue", "243"]).refuses(2, "a person closed the pull request");
    scene.everything_is_pushed();

    scene.turn_request(true);
    scene.execute("", &[]).exits(0).says("is open again");
    let pulls = scene.github.state().pulls;
    let body = &pulls.values().next().expect("a pull request").issue.body;
    assert!(pulls.len() == 1 && body.contains("| requirements | ✓ completed |"), "{body}");
    assert!(!scene.comment().contains("W_PR_CLOSED"), "{}", scene.comment());
    scene.everything_is_pushed();
    scene.within_the_contract();
}
