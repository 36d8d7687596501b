//! GitHub lets nobody in for longer than we wait: the run pauses with all it has, says until when, and goes on.

use super::redispatch::OWN;
use super::run::{FAILS, Scene};
use super::told::{line_with, lines_with};
use super::two_jobs::SHORT;
use super::{Fault, Kind};

/// The limit of an hour, which is longer than we wait.
const FOR_LONG: Kind = Kind::RateLimited { status: 403, retry_after: 3_000 };

fn limit(method: &'static str, path_contains: &'static str, nth: usize) -> Fault {
    Fault { method, path_contains, nth, kind: FOR_LONG }
}

#[test]
fn a_rate_limit_in_a_job_pauses_the_run_and_the_next_job_completes_it() {
    let scene = Scene::of_workflow(OWN);
    scene.github.fault(limit("POST", "/pulls", 1));
    let event = scene.labeled();
    scene.event("issues", &event).exits(3).says("another one goes on with issue 243");
    assert_eq!(scene.github.state().started, ["ai-workflow: issue 243"]);
    scene.everything_is_pushed();
    insta::assert_snapshot!(line_with(&scene.summary(), "it asks to wait until 20"), @"**Waiting:** The server's limit of requests is reached: it asks to wait until [TIME] (we could not open the pull request). Nothing is lost.");
    insta::assert_snapshot!(line_with(&scene.comment(), "**Waiting:**"), @"**Waiting:** The server's limit of requests is reached: it asks to wait until [TIME] (we could not open the pull request). Nothing is lost.");
    assert_eq!(scene.labels(), ["bug", "ai-workflow:queued"]);
    scene.on_another_machine();
    scene.execute("", &[]).exits(0);
    assert_eq!(scene.heading(), "### ai-workflow: completed");
    scene.draft();
    scene.everything_is_pushed();
    scene.within_the_contract();
}

#[test]
fn summary_of_a_rate_limited_job_says_when_to_continue() {
    let scene = Scene::of_workflow(OWN);
    let event = scene.labeled();
    // Everything that is asked for after the first phase is refused, for good.
    scene.github.fault(limit("POST", "/pulls", 0));
    scene.github.fault(limit("POST", "/dispatches", 0));
    scene.event("issues", &event).exits(3);
    assert!(scene.github.state().started.is_empty());
    insta::assert_snapshot!(line_with(&scene.summary(), "From 20"), @"The server asks to wait until [TIME], and no other one could be started: cannot start the workflow again: GitHub asks to wait until [TIME] (go on after that time with the same command; nothing is lost). From [TIME] on a comment `/ai-workflow run` on issue 243 goes on; at a terminal `ai-workflow execute --phase all --issue 243` does.");
    scene.everything_is_pushed();
}

/// Else one job would follow the other until the limit is over.
#[test]
fn a_job_stopped_by_a_rate_limit_without_work_starts_no_next_job() {
    let scene = Scene::of_workflow(OWN);
    let event = scene.labeled();
    scene.github.fault(limit("POST", "/issues/243/comments", 1));
    scene.event("issues", &event).exits(3);
    assert!(scene.github.state().started.is_empty());
    insta::assert_snapshot!(line_with(&scene.summary(), "this one could do nothing"), @"The server asks to wait until [TIME], and no other one could be started: this one could do nothing. From [TIME] on a comment `/ai-workflow run` on issue 243 goes on; at a terminal `ai-workflow execute --phase all --issue 243` does.");
    scene.everything_is_pushed();
    scene.execute("", &[]).exits(0);
    assert_eq!(scene.heading(), "### ai-workflow: completed");
}

#[test]
fn rate_limit_at_a_terminal_pauses_with_a_time_and_resume_continues() {
    let scene = Scene::new();
    scene.github.fault(limit("POST", "/pulls", 1));
    let ran = scene.execute("", &[]).exits(3);
    let told = format!("{}{}", ran.stdout, ran.stderr);
    insta::assert_snapshot!(lines_with(&told, "# from 20").join("\n"), @"
    ai-workflow execute --phase all --issue 243    # from [TIME] on
    NEXT:   ai-workflow execute --phase all --issue 243    # from [TIME] on
    ");
    scene.everything_is_pushed();
    let script = scene.sandbox.script(&crate::support::honest_script(""));
    scene.sandbox.run(&["resume", "--issue", "243", "--continue", "--agent", &script]).exits(0);
    assert_eq!(scene.heading(), "### ai-workflow: completed");
    scene.draft();
    scene.within_the_contract();
}

#[test]
fn a_failed_run_stays_failed_when_its_draft_is_rate_limited() {
    let scene = Scene::new();
    scene.github.fault(limit("POST", "/pulls", 1));
    scene.execute(FAILS, &[]).exits(1).says("The progress comment or pull request could not be updated");
    scene.everything_is_pushed();
    assert_eq!(scene.heading(), "### ai-workflow: failed");
}

/// Whoever goes on first tells the truth where nothing could be written before.
#[test]
fn an_outdated_comment_is_corrected_by_the_next_process() {
    let scene = Scene::of_workflow(OWN);
    let event = scene.labeled();
    for (method, path) in [("POST", "/pulls"), ("PATCH", "/issues/comments"), ("POST", "/dispatches")] {
        scene.github.fault(limit(method, path, 0));
    }
    scene.event("issues", &event).exits(3);
    assert_eq!(scene.heading(), "### ai-workflow: running");
    scene.github.works_again();
    scene.on_another_machine();
    scene.execute("", &["--set", "budget.calls=5"]).exits(3);
    assert_eq!(scene.heading(), "### ai-workflow: paused");
    assert!(!scene.comment().contains("limit of requests"), "{}", scene.comment());
}

#[test]
fn rate_limit_before_the_start_is_reported_and_leaves_nothing() {
    let scene = Scene::of_workflow(OWN);
    let event = scene.labeled();
    scene.github.fault(limit("DELETE", "/labels/ai-workflow", 0));
    scene.event("issues", &event).exits(5).says("GitHub asks to wait until 20");
    insta::assert_snapshot!(line_with(&scene.summary(), "GitHub asks to wait until 20"), @"cannot take the label off: GitHub asks to wait until [TIME] (go on after that time with the same command; nothing is lost)");
    assert!(!scene.sandbox.has(".ai-workflow/issue-243"));
}

#[test]
fn terminal_shows_how_long_a_rate_limit_lasts() {
    let scene = Scene::new();
    let (path_contains, kind) = ("/issues/243/comments", Kind::SecondaryLimit { retry_after: Some(3) });
    scene.github.fault(Fault { method: "POST", path_contains, nth: 1, kind });
    let ran = scene.execute("", &SHORT).exits(0);
    ran.says("GitHub asks to wait 3 s before we write the progress comment");
    assert_eq!(scene.heading(), "### ai-workflow: completed");
}
