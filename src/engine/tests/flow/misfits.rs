//! A fact that does not fit is an error that says why, and leaves the state as it was.

use std::collections::BTreeMap;

use engine::{InvalidFact, State, apply};
use model::event::{
    Answered, Entry, ExecOutcome, Fact, PauseChoice, Reopened, ReopenedBy, Ruled, Ruling, RunOutcome,
    RunRequested,
};
use model::phase::Step;
use model::verdict::Judgment;

use super::policies::{agreement, chain, phase, phase_review};
use super::world::{Script, World, name, no_answer};

fn played() -> World {
    let phases = chain(["planning", "design"].map(|name| phase(name, phase_review())));
    let mut world = World::new(agreement(phases));
    world.execute();
    world
}

/// The run just before the first fact of a kind, and that fact.
fn before(kind: impl Fn(&Fact) -> bool) -> (World, Fact) {
    let full = played();
    let index = full.entries.iter().position(|entry| kind(&entry.fact)).expect("such a fact");
    (full.cut(index), full.entries[index].fact.clone())
}

#[track_caller]
fn refused(world: &World, fact: Fact, why: &str) {
    let mut state = world.state.clone();
    let entry = world.entry(fact);
    let error = InvalidFact { seq: entry.seq, why: why.into() };
    assert_eq!(apply(&mut state, &entry), Err(error));
    assert_eq!(state, world.state);
}

#[test]
fn a_run_has_exactly_one_start_fact_and_it_comes_first() {
    let world = played();
    let nothing = World { entries: vec![], state: State::default(), ..world.clone() };
    refused(&nothing, Fact::RunRequested(RunRequested::default()), "the run has not begun");
    refused(&world, world.entries[0].fact.clone(), "the run has already begun");
}

#[test]
fn entries_out_of_sequence_are_refused() {
    let world = played();
    let mut state = world.cut(3).state;
    let entry = Entry { seq: 5, ..world.entries[3].clone() };
    let error = apply(&mut state, &entry).expect_err("a gap");
    assert_eq!(error.to_string(), "entry 5 does not fit: expected entry 4");
}

#[test]
fn only_known_pending_phases_can_start_or_be_skipped() {
    let (world, _) = before(|fact| matches!(fact, Fact::StepStarted(_)));
    let start =
        |phase: &str| Fact::PhaseStarted { phase: name(phase), tree: "tree-0".into(), by_hand: vec![] };
    let skip = |phase: &str| Fact::PhaseSkipped { phase: name(phase), because: "preset".into() };
    refused(&world, start("testing"), "this run has no phase testing");
    refused(&world, start("planning"), "planning is in_progress, not pending");
    refused(&world, skip("planning"), "planning is in_progress, not pending");
    refused(
        &world,
        Fact::RunRequested(RunRequested { only: Some(name("testing")), ..RunRequested::default() }),
        "this run has no phase testing",
    );
}

#[test]
fn agent_calls_start_only_when_due_and_end_once() {
    let (world, started) = before(|fact| matches!(fact, Fact::StepStarted(_)));
    let Fact::StepStarted(call) = started.clone() else { panic!("not a call") };
    let with = |step, round, attempt| {
        Fact::StepStarted(model::event::StepStarted { step, round, attempt, ..call.clone() })
    };
    refused(&world, with(Step::Review, 1, 1), "planning is ready for execute, not ready for review");
    refused(&world, with(Step::Check, 1, 1), "check is not an agent's step of the cycle");
    refused(&world, with(Step::Execute, 2, 1), "planning is in round 1, not 2");
    refused(&world, with(Step::Execute, 1, 2), "attempt 1 of execute comes next");
    let (working, Fact::Worked(worked)) = before(|fact| matches!(fact, Fact::Worked(_))) else {
        panic!("not work")
    };
    refused(&world, Fact::Worked(worked.clone()), "planning is ready for execute, not working at execute");
    let other = |step, attempt| Fact::Worked(model::event::Worked { step, attempt, ..worked.clone() });
    refused(&working, other(Step::Review, 1), "review is not a step of the author");
    refused(&working, other(Step::Execute, 2), "attempt 1 of execute is under way");
    refused(&working, with(Step::Execute, 1, 1), "attempt 2 of execute comes next");
}

#[test]
fn checks_reviews_and_triages_outside_the_current_round_are_refused() {
    let (working, _) = before(|fact| matches!(fact, Fact::Worked(_)));
    let (checking, Fact::Checked(checked)) = before(|fact| matches!(fact, Fact::Checked(_))) else {
        panic!("not checks")
    };
    refused(&working, Fact::Checked(checked.clone()), "planning is working at execute, not ready for check");
    let other = model::event::Checked { round: 3, ..checked };
    refused(&checking, Fact::Checked(other), "planning is in round 1, not 3");
    let (_, reviewed) = before(|fact| matches!(fact, Fact::Reviewed(_)));
    refused(&checking, reviewed, "planning is ready for check, not working at review");
    let triaged = Fact::Triaged(model::event::Triaged {
        phase: name("planning"),
        round: 1,
        attempt: 0,
        ended: model::event::CallEnd { outcome: ExecOutcome::Done, ..model::event::CallEnd::default() },
        table: None,
        unread: None,
        judgments: vec![],
        put_back: vec![],
        tree: String::new(),
        changed: vec![],
    });
    refused(&checking, triaged, "planning is ready for check, not working at triage");
}

#[test]
fn rulings_and_commits_out_of_order_are_refused() {
    let (deciding, Fact::Ruled(ruled)) = before(|fact| matches!(fact, Fact::Ruled(_))) else {
        panic!("not a ruling")
    };
    let (working, _) = before(|fact| matches!(fact, Fact::Worked(_)));
    refused(&working, Fact::Ruled(ruled.clone()), "planning is working at execute, not ready for a ruling");
    refused(&deciding, Fact::Ruled(Ruled { round: 2, ..ruled.clone() }), "planning is in round 1, not 2");
    let reopen = Ruling::Reopen { phase: name("testing") };
    refused(&deciding, Fact::Ruled(Ruled { ruling: reopen, ..ruled }), "this run has no phase testing");
    let commit =
        Fact::Committed { phase: name("planning"), commit: "0".repeat(40), documents: BTreeMap::new() };
    refused(&deciding, commit.clone(), "planning is ready for a ruling, not ready for the commit");
    refused(&played(), commit, "planning is closed, not ready for the commit");
    let design =
        Fact::Committed { phase: name("design"), commit: "0".repeat(40), documents: BTreeMap::new() };
    refused(&deciding, design, "design is not begun, not ready for the commit");
    let (closing, _) = before(|fact| matches!(fact, Fact::Committed { .. }));
    let checked = closing.entries.iter().find(|entry| matches!(entry.fact, Fact::Checked(_)));
    let checked = checked.expect("checks").fact.clone();
    refused(&closing, checked, "planning is ready for the commit, not ready for check");
}

#[test]
fn finished_run_accepts_no_more_work() {
    let world = played();
    let skip = Fact::PhaseSkipped { phase: name("design"), because: "preset".into() };
    refused(&world, skip, "the run is completed");
    refused(&world, Fact::Finished { outcome: RunOutcome::Completed }, "the run is completed");
    refused(&world, Fact::Cancelled { by: "alice".into() }, "the run is completed");
    let (mut world, started) = before(|fact| matches!(fact, Fact::StepStarted(_)));
    refused(&world, Fact::Finished { outcome: RunOutcome::Paused }, "a run does not finish as paused");
    world.record(Fact::Cancelled { by: "alice".into() });
    refused(&world, started, "the run is cancelled");
    refused(&world, Fact::RunRequested(RunRequested::default()), "the run is cancelled");
    refused(&world, reopened("planning"), "the run is cancelled");
}

fn reopened(phase: &str) -> Fact {
    let reason = "once more".to_owned();
    Fact::Reopened(Reopened { phase: name(phase), step: Step::Execute, reason, by: ReopenedBy::Retry })
}

#[test]
fn skipped_or_unknown_phases_cannot_be_reopened() {
    let (mut world, _) = before(|fact| matches!(fact, Fact::PhaseStarted { .. }));
    world.record(Fact::PhaseSkipped { phase: name("planning"), because: "--skip-phases".into() });
    refused(&world, reopened("planning"), "planning was left out of this run");
    refused(&world, reopened("testing"), "this run has no phase testing");
}

#[test]
fn answers_without_a_question_that_offers_them_are_refused() {
    let answer = |choice| Fact::Answered(Answered::new(choice, "", "alice"));
    refused(&played(), answer(PauseChoice::Continue), "nothing was asked");
    let mut agreed = agreement(vec![phase("planning", phase_review())]);
    agreed.budget.calls = Some(0);
    let mut world = World::new(agreed);
    world.execute();
    refused(&world, answer(PauseChoice::Accept), "that answer was not offered for a pause for budget");
    let silent = World::play(
        phase("planning", phase_review()),
        Script { reviews: vec![no_answer()], ..Script::default() },
    );
    let rule = Ruled {
        phase: name("planning"),
        round: 1,
        judgment: Judgment::Approve,
        ruling: Ruling::Advance,
        rule: String::new(),
        standstill: None,
    };
    refused(&silent, Fact::Ruled(rule), "the run is paused");
}
