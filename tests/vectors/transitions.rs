//! The queue of the quality-criteria loop: from which state a task may get to which. A run of ours has its state by its facts:
//! so many stories are played, people do at every point of them what they can, and each change of state is noted.

use std::collections::{BTreeMap, BTreeSet};

use engine::{Status, apply};
use model::event::{Answered, Fact, PauseChoice, Reopened, ReopenedBy, RunOutcome, RunRequested};
use model::phase::Step;
use model::policy::{Budget, Gate, PhaseDef, UnapprovedEnd};
use model::verdict::{Judgment, Verdict};
use serde_json::json;

use super::{assert_deliberate, cases};
use crate::flow::policies::{agreement, phase, phase_review};
use crate::flow::world::{Script, World, crashes, done, fails, name, states};

const NO_CHILDREN: &str = "a run has no children to wait for: an issue is one run of phases in their order";

const ONE_STEP: &str = "a person's answer is worked through, so the run is at work in between";
const FINAL: &str = "a cancelled run stays cancelled: its branch is removed, and another run begins anew";
const ASKED_FIRST: &str = "a gate and a limit of the budget ask before anything is worked";
const OPENED_AGAIN: &str =
    "a rollback with a reason opens any phase again, also one that is complete or was interrupted";
const GIVEN_UP: &str = "who does not want to try a failed run again says so, and its branch is let go";

/// Where we differ, and why.
const DIFFERENT: [(&str, &str); 15] = [
    ("AWAITING_RESPONSE->COMPLETE", ONE_STEP),
    ("AWAITING_RESPONSE->ERROR", ONE_STEP),
    ("CANCELLED->AWAITING_RESPONSE", FINAL),
    ("CANCELLED->QUEUED", FINAL),
    ("COMPLETE->QUEUED", OPENED_AGAIN),
    ("ERROR->AWAITING_RESPONSE", ONE_STEP),
    ("ERROR->CANCELLED", GIVEN_UP),
    ("ERROR->COMPLETE", ONE_STEP),
    ("QUEUED->AWAITING_RESPONSE", ASKED_FIRST),
    ("RUNNING->QUEUED", OPENED_AGAIN),
    ("RUNNING->WAITING_CHILDREN", NO_CHILDREN),
    ("WAITING_CHILDREN->AWAITING_RESPONSE", NO_CHILDREN),
    ("WAITING_CHILDREN->CANCELLED", NO_CHILDREN),
    ("WAITING_CHILDREN->COMPLETE", NO_CHILDREN),
    ("WAITING_CHILDREN->ERROR", NO_CHILDREN),
];

#[test]
fn run_state_transitions_match_the_vectors() {
    let (cases, seen) = (cases("000_queue_transitions.json"), seen());
    let mut differing = BTreeMap::new();
    for case in &cases {
        let word = |key: &str| case["input"][key].as_str().expect("a state");
        let (from, to) = (word("from"), word("to"));
        let ours = json!(seen.contains(&(from, to)));
        if ours != case["expected"] {
            differing.insert(format!("{from}->{to}"), (ours, case["expected"].clone()));
        }
    }
    if !cases.is_empty() {
        assert_deliberate(&differing, &DIFFERENT);
    }
}

/// The state of a run of one phase in the words of the queue.
fn state(world: &World) -> &'static str {
    let run = world.run();
    match run.outcome {
        RunOutcome::Running if run.phases[0].status == Status::Pending => "QUEUED",
        RunOutcome::Running => "RUNNING",
        RunOutcome::Paused => "AWAITING_RESPONSE",
        RunOutcome::Failed | RunOutcome::Incomplete => "ERROR",
        RunOutcome::Cancelled => "CANCELLED",
        RunOutcome::Completed => "COMPLETE",
    }
}

/// Every change of state in the stories, and in what comes of them when a person does something at some point.
fn seen() -> BTreeSet<(&'static str, &'static str)> {
    let mut seen = BTreeSet::new();
    for story in stories() {
        note(&story, &mut seen);
        for length in 1..=story.entries.len() {
            for fact in said_by_people() {
                let mut world = story.cut(length);
                let entry = world.entry(fact);
                if apply(&mut world.state, &entry).is_err() {
                    continue;
                }
                world.entries.push(entry);
                world.play_on();
                note(&world, &mut seen);
            }
        }
    }
    seen
}

/// Notes each change of state along a log.
fn note(world: &World, seen: &mut BTreeSet<(&'static str, &'static str)>) {
    let states: Vec<_> = (1..=world.entries.len()).map(|length| state(&world.cut(length))).collect();
    seen.extend(states.windows(2).filter(|pair| pair[0] != pair[1]).map(|pair| (pair[0], pair[1])));
}

/// Ways in which a run of one phase goes, to where it halts.
fn stories() -> Vec<World> {
    let review = |reviews| Script { reviews, ..Script::default() };
    let question = states("QUESTION", Verdict::Fail, Judgment::Discuss);
    let mut incomplete = phase_review();
    incomplete.outcomes.exhausted = UnapprovedEnd::Incomplete;
    let plain = || phase("planning", phase_review());
    let asks = PhaseDef { gate: Gate::Ask, ..plain() };
    let mut all = vec![
        World::play(plain(), Script::default()),
        World::play(plain(), review(vec![fails()])),
        World::play(phase("planning", incomplete), review(vec![fails()])),
        World::play(plain(), review(vec![question])),
        World::play(plain(), Script { work: vec![crashes()], ..Script::default() }),
        World::play(plain(), Script { work: vec![crashes(), done()], ..Script::default() }),
        World::play(asks, Script::default()),
    ];
    let mut poor = World::new(agreement(vec![plain()]));
    poor.execute_with(Budget { calls: Some(1), ..Budget::default() });
    all.push(poor);
    all
}

/// What people can do about a run.
fn said_by_people() -> Vec<Fact> {
    let answer = |choice| Fact::Answered(Answered::new(choice, "advice", "alice"));
    let reopen = |by| {
        let reason = "once more".to_owned();
        Fact::Reopened(Reopened { phase: name("planning"), step: Step::Execute, reason, by })
    };
    vec![
        Fact::RunRequested(RunRequested::default()),
        answer(PauseChoice::Continue),
        answer(PauseChoice::Accept),
        answer(PauseChoice::GiveUp),
        reopen(ReopenedBy::Retry),
        reopen(ReopenedBy::Rollback),
        Fact::Cancelled { by: "alice".into() },
    ]
}
