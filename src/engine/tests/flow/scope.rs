//! What is asked for: one phase or all, with or without its needs.

use engine::{Status, unmet_needs};
use model::event::{Fact, RunOutcome};

use super::policies::{agreement, chain, phase, phase_review};
use super::world::{Script, World, crashes, name};

fn three() -> World {
    World::new(agreement(chain(
        ["planning", "requirements", "design"].map(|name| phase(name, phase_review())),
    )))
}

fn statuses(world: &World) -> Vec<Status> {
    world.run().phases.iter().map(|phase| phase.status).collect()
}

#[test]
fn one_phase_runs_and_the_others_stay_pending() {
    let mut world = three();
    assert_eq!(world.execute_only("planning", false), RunOutcome::Running);
    assert_eq!(statuses(&world), [Status::Completed, Status::Pending, Status::Pending]);
    assert_eq!(world.run().current().map(|phase| phase.name().as_str()), Some("requirements"));
}

#[test]
fn a_phase_with_unmet_needs_does_not_start() {
    let mut world = three();
    assert_eq!(world.execute_only("design", false), RunOutcome::Running);
    assert_eq!(world.count(|fact| matches!(fact, Fact::PhaseStarted { .. })), 0);
    let unmet = unmet_needs(world.run(), world.phase("design"));
    assert_eq!(unmet, [name("requirements")]);
}

#[test]
fn unmet_needs_can_be_ignored_for_one_request() {
    let mut world = three();
    assert_eq!(world.execute_only("design", true), RunOutcome::Running);
    assert_eq!(statuses(&world), [Status::Pending, Status::Pending, Status::Completed]);
    assert_eq!(world.execute_only("requirements", false), RunOutcome::Running);
    assert_eq!(statuses(&world)[1], Status::Pending);
    assert_eq!(world.execute(), RunOutcome::Completed);
}

#[test]
fn request_for_a_completed_phase_does_nothing() {
    let mut world = three();
    world.execute_only("planning", false);
    let before = world.entries.len();
    world.execute_only("planning", false);
    assert_eq!(world.entries.len(), before + 1);
}

#[test]
fn the_last_phase_alone_completes_the_run() {
    let mut world = three();
    for phase in ["planning", "requirements"] {
        assert_eq!(world.execute_only(phase, false), RunOutcome::Running);
    }
    assert_eq!(world.execute_only("design", false), RunOutcome::Completed);
}

#[test]
fn failed_phase_fails_the_run_when_executed_alone() {
    let mut world = three().script(&name("planning"), Script { work: vec![crashes()], ..Script::default() });
    assert_eq!(world.execute_only("planning", false), RunOutcome::Failed);
    assert_eq!(statuses(&world), [Status::Failed, Status::Skipped, Status::Skipped]);
    assert_eq!(world.run().current().map(|phase| phase.name().as_str()), None);
    assert_eq!(world.run().last_begun().map(|phase| phase.name().as_str()), Some("planning"));
}

#[test]
fn skipped_phase_counts_as_met() {
    let mut world = three();
    world.record(Fact::PhaseSkipped { phase: name("planning"), because: "--skip-phases".into() });
    assert_eq!(world.execute(), RunOutcome::Completed);
    assert_eq!(statuses(&world), [Status::Skipped, Status::Completed, Status::Completed]);
}

#[test]
fn need_outside_the_run_is_unmet() {
    let mut phases = chain([phase("design", phase_review())]);
    phases[0].needs = vec![name("planning")];
    let mut world = World::new(agreement(phases));
    assert_eq!(world.execute(), RunOutcome::Running);
    assert_eq!(unmet_needs(world.run(), world.first()), [name("planning")]);
}

#[test]
fn every_status_has_a_name() {
    let words = [
        Status::Pending,
        Status::InProgress,
        Status::Completed,
        Status::Failed,
        Status::Paused,
        Status::Skipped,
    ];
    let words = words.map(|status| status.to_string());
    assert_eq!(words, ["pending", "in_progress", "completed", "failed", "paused", "skipped"]);
}
