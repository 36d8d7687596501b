//! A phase that begins only when a person says so, and one that the run stops before.

use engine::Status;
use model::event::{Fact, PauseChoice, PauseReason, RunOutcome};
use model::policy::{Gate, PhaseDef};

use super::policies::{agreement, chain, phase, phase_review};
use super::world::World;

/// Three phases, the second with a gate.
fn world(gate: Gate) -> World {
    let defs = ["planning", "design", "report"].map(|name| phase(name, phase_review()));
    let defs =
        defs.map(|def| PhaseDef { gate: if def.name.as_str() == "design" { gate } else { Gate::Go }, ..def });
    World::new(agreement(chain(defs)))
}

fn statuses(world: &World) -> Vec<Status> {
    world.run().phases.iter().map(|phase| phase.status).collect()
}

#[test]
fn ask_gate_pauses_before_the_phase_until_a_person_continues() {
    let mut world = world(Gate::Ask);
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert_eq!(statuses(&world), [Status::Completed, Status::Paused, Status::Pending]);
    let asked = world.run().paused.clone().expect("a question");
    assert_eq!(
        (asked.reason, asked.options),
        (PauseReason::Gate, vec![PauseChoice::Continue, PauseChoice::GiveUp])
    );
    assert_eq!(asked.question, "design begins only when a person says so. Begin it, or give it up?");
    assert_eq!(world.phase("design").reason.as_deref(), Some("gate"));
    assert_eq!(world.execute(), RunOutcome::Paused, "asking is no answer");
    assert_eq!(world.answer(PauseChoice::Continue, "mind the totals"), RunOutcome::Completed);
    assert_eq!(statuses(&world), [Status::Completed; 3]);
}

#[test]
fn advice_given_at_a_gate_reaches_the_author() {
    let mut world = world(Gate::Ask);
    world.execute();
    world.record(Fact::Answered(model::event::Answered::new(
        PauseChoice::Continue,
        "mind the totals",
        "alice",
    )));
    assert_eq!(world.phase("design").person.advice.as_deref(), Some("mind the totals"));
    assert_eq!(world.phase("design").status, Status::Pending);
}

#[test]
fn give_up_at_a_gate_fails_the_phase() {
    let mut world = world(Gate::Ask);
    world.execute();
    assert_eq!(world.answer(PauseChoice::GiveUp, ""), RunOutcome::Failed);
    assert_eq!(statuses(&world), [Status::Completed, Status::Failed, Status::Skipped]);
    assert_eq!(world.phase("design").reason.as_deref(), Some("given_up"));
}

#[test]
fn no_go_gate_completes_the_run_with_its_phase_pending() {
    let mut world = world(Gate::NoGo);
    assert_eq!(world.execute(), RunOutcome::Completed);
    assert_eq!(statuses(&world), [Status::Completed, Status::Pending, Status::Pending]);
    assert!(world.run().publication.is_up_to_date);
}

#[test]
fn no_go_gate_does_not_complete_a_run_with_an_earlier_open_phase() {
    let mut world = world(Gate::NoGo);
    assert_eq!(world.execute_only("design", true), RunOutcome::Paused);
    let asked = world.run().paused.clone().expect("a question");
    assert_eq!((asked.reason, asked.options), (PauseReason::Gate, vec![PauseChoice::Continue]));
    assert_eq!(statuses(&world), [Status::Pending; 3]);
    world.record(Fact::Answered(model::event::Answered::new(PauseChoice::Continue, "", "alice")));
    assert_eq!(world.execute(), RunOutcome::Completed);
    assert_eq!(statuses(&world), [Status::Completed, Status::Pending, Status::Pending]);
}
