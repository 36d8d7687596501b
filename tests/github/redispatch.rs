//! A run that is longer than a job: it pauses between two phases, and the workflow is started again, once.

use super::run::Scene;
use super::told::line_with;
use super::workflow_dispatch::begin;
use super::world::MACHINE;
use super::{Fault, Kind, Lost};
use crate::support::Ran;

/// The workflow of a job, as the job knows it.
pub const OWN: &str = "octo/pages/.github/workflows/ai-workflow.yml@refs/heads/main";

impl Scene {
    pub fn of_workflow(reference: &str) -> Self {
        let scene = Self::of_event();
        Self { sandbox: scene.sandbox.with("GITHUB_WORKFLOW_REF", reference), ..scene }
    }

    /// Has a job begin the run whose time is over at once.
    fn too_short(&self) -> Ran {
        let event = self.labeled();
        self.event_with("", "issues", &event, &["--forge", "github", "--set", "github.job_minutes=0"])
            .exits(3)
    }
}

#[test]
fn a_job_at_its_time_limit_starts_the_next_job() {
    let scene = Scene::of_workflow(OWN);
    scene.too_short().says("another one goes on with issue 243");
    assert_eq!(scene.github.state().started, ["ai-workflow: issue 243"]);
    insta::assert_snapshot!(line_with(&scene.summary(), "another one goes on"), @"The time of this job is over; another one goes on with issue 243.");
    scene.everything_is_pushed();
    scene.within_the_contract();
}

#[test]
fn a_lost_answer_to_a_dispatch_starts_no_second_job() {
    for kind in
        [Kind::AppliedButLost(Lost::Reset), Kind::AppliedButLost(Lost::Status(502)), Kind::Before(502)]
    {
        let scene = Scene::of_workflow(OWN);
        scene.github.fault(Fault { method: "POST", path_contains: "/dispatches", nth: 1, kind });
        scene.too_short();
        assert_eq!(scene.github.state().started, ["ai-workflow: issue 243"], "{kind:?}");
        scene.within_the_contract();
    }
}

#[test]
fn failed_redispatch_is_reported_with_the_missing_permission() {
    let scene = Scene::of_workflow(OWN);
    scene.github.fault(Fault {
        method: "POST",
        path_contains: "/dispatches",
        nth: 0,
        kind: Kind::Before(403),
    });
    let ran = scene.too_short().says("no other one could be started");
    insta::assert_snapshot!(line_with(&ran.stderr, "no other one could be started"), @"INFO The time of this job is over, and no other one could be started: cannot start the workflow again: GitHub answered 403 Resource not accessible by integration (the token lacks a permission; it needs issues=write, or pull_requests=write). A comment `/ai-workflow run` on issue 243 goes on; at a terminal `ai-workflow execute --phase all --issue 243` does.");
    insta::assert_snapshot!(line_with(&scene.summary(), "no other one could be started"), @"The time of this job is over, and no other one could be started: cannot start the workflow again: GitHub answered 403 Resource not accessible by integration (the token lacks a permission; it needs issues=write, or pull_requests=write). A comment `/ai-workflow run` on issue 243 goes on; at a terminal `ai-workflow execute --phase all --issue 243` does.");
    for foreign in ["octo/other/.github/workflows/ai-workflow.yml@refs/heads/main", ""] {
        let scene = Scene::of_workflow(foreign);
        scene.too_short().says("GITHUB_WORKFLOW_REF names no workflow");
        assert!(scene.github.state().started.is_empty());
    }
}

/// A job that was taken over can say each time that its time is over.
#[test]
fn at_most_300_jobs_of_an_issue_are_dispatched_in_24_hours() {
    let scene = Scene::of_workflow(OWN);
    let main = scene.sandbox.git(&["rev-parse", "main"]);
    scene.github.change(|world| {
        (0..350).for_each(|_| begin(world, MACHINE, ("main", &main), "244"));
        (0..299).for_each(|_| begin(world, MACHINE, ("main", &main), "243"));
    });
    scene.too_short().says("another one goes on with issue 243");
    let again = scene.too_short();
    again.says("no other one could be started: it was started 300 times in 24 hours");
    assert_eq!(scene.github.state().started.len(), 650);
    scene.within_the_contract();
}

#[test]
fn a_run_waiting_for_a_person_starts_no_next_job() {
    let scene = Scene::of_workflow(OWN);
    let event = scene.labeled();
    scene.event_with("", "issues", &event, &["--forge", "github", "--set", "budget.calls=3"]).exits(3);
    assert!(scene.github.state().started.is_empty());
    let scene = Scene::of_workflow(OWN);
    let event = scene.labeled();
    scene.event("issues", &event).exits(0);
    assert!(scene.github.state().started.is_empty());
}
