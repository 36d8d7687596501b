//! What GitHub refuses is told with the way out, and never that nothing was changed where something was.

use super::run::Scene;
use super::two_jobs::SHORT;
use super::{Fault, Kind};
use crate::support::Ran;

/// The mutation that takes a request out of its draft.
const READY: &str = "markPullRequestReadyForReview";

fn fault(scene: &Scene, method: &'static str, path_contains: &'static str, nth: usize, kind: Kind) {
    scene.github.fault(Fault { method, path_contains, nth, kind });
}

/// Finalizes a completed run whose request cannot leave its draft.
fn finalized(kind: Kind) -> (Scene, Ran) {
    let scene = Scene::new();
    scene.execute("", &SHORT).exits(0);
    fault(&scene, "POST", READY, 1, kind);
    let ran = scene.sandbox.run(&["finalize", "--issue", "243"]).exits(5);
    let ran = ran.says("cannot mark the pull request ready for review");
    (scene, ran)
}

#[test]
fn forbidden_pull_request_names_the_repository_setting() {
    let scene = Scene::new();
    fault(&scene, "POST", "/pulls", 0, Kind::SettingForbids);
    let ran = scene.execute("", &SHORT).exits(5).says("403 GitHub Actions is not permitted");
    ran.says(
        "Settings, Actions, General, Workflow permissions, \"Allow GitHub Actions to create and approve",
    )
    .says("the token of an app");
}

#[test]
fn refused_graphql_change_names_the_missing_permission() {
    let (_, ran) = finalized(Kind::GraphqlForbidden);
    ran.says("the token lacks a permission; it needs contents=write and pull_requests=write");
}

#[test]
fn error_after_a_write_does_not_claim_that_nothing_changed() {
    let (scene, ran) = finalized(Kind::Before(422));
    let changes = |call: &super::server::Call| call.method == "PATCH" && call.path.contains("/pulls/");
    assert!(scene.github.calls().iter().any(changes), "{:#?}", scene.github.calls());
    assert!(!ran.stderr.contains("nothing was changed"), "{}", ran.stderr);
    ran.says("what was done before it stays");
}

/// The end of a run waits for its last label only so long: what is not done by then stays as it is.
#[test]
fn an_issue_never_has_two_state_labels_after_a_refused_write() {
    for (method, path_contains, nth) in
        [("DELETE", "/labels/ai-workflow%3Arunning", 1), ("POST", "/issues/243/labels", 2)]
    {
        let scene = Scene::new();
        fault(&scene, method, path_contains, nth, Kind::Before(403));
        scene.execute("", &SHORT).exits(0).says("The label `ai-workflow:done` cannot be set");
        let labels = scene.labels();
        let states = labels.iter().filter(|label| label.starts_with("ai-workflow:")).count();
        assert!(states <= 1, "{method}: {labels:?}");
        assert_eq!(scene.heading(), "### ai-workflow: completed");
    }
}
