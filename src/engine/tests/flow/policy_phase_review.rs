//! The policy phase-review: execute, review, at most three revisions, then failed.

use engine::{Action, Decision, Status, decide};
use model::event::{ExecOutcome, Fact, RunOutcome};
use model::phase::Step;
use model::verdict::Verdict;

use super::policies::{agreement, chain, phase, phase_review};
use super::world::{Script, World, ends, fails, name, no_answer, passes};

fn three_phases(planning: Script) -> World {
    let names = ["planning", "requirements", "design"];
    let phases = chain(names.map(|name| phase(name, phase_review())));
    let mut world = World::new(agreement(phases)).script(&name("planning"), planning);
    world.execute();
    world
}

fn failing() -> Script {
    Script { reviews: vec![fails()], ..Script::default() }
}

#[test]
fn third_revision_without_a_pass_fails_the_phase() {
    let world = three_phases(failing());
    let planning = world.phase("planning");
    assert_eq!((planning.status, planning.counters.revisions), (Status::Failed, 3));
    assert_eq!(planning.reason.as_deref(), Some("retry_limit"));
    assert_eq!(world.last_rule(), "the reviewer states FAIL; revisions 3/3 used; on exhausted: fail");
}

#[test]
fn failed_review_makes_revise_the_current_step() {
    let world = three_phases(Script { reviews: vec![fails(), passes()], ..Script::default() });
    let begins = |fact: &Fact| matches!(fact, Fact::StepStarted(call) if call.step == Step::Revise);
    let index = world.entries.iter().position(|entry| begins(&entry.fact)).expect("a revise");
    let before = world.cut(index);
    let during = world.cut(index + 1);
    assert_eq!(before.phase("planning").current_step(), Some(Step::Revise));
    assert_eq!(during.phase("planning").current_step(), Some(Step::Revise));
    assert_eq!(during.phase("planning").evidence.completed_steps, [Step::Execute]);
    assert_eq!(during.phase("planning").status, Status::InProgress);
}

#[test]
fn four_failed_reviews_end_the_run_after_three_revisions() {
    let world = three_phases(failing());
    assert_eq!(world.history(), ["revise", "revise", "revise", "fail"]);
    let planning = world.phase("planning");
    let verdicts: Vec<_> = planning.history.rounds.iter().map(|round| (round.n, round.verdict)).collect();
    assert_eq!(verdicts, [1, 2, 3, 4].map(|n| (n, Some(Verdict::Fail))));
    assert_eq!(planning.counters.passes, 4);
    assert_eq!(world.count(|fact| matches!(fact, Fact::PhaseStarted { .. })), 1);
    assert_eq!(world.run().outcome, RunOutcome::Failed);
}

#[test]
fn later_phases_are_skipped_after_a_failed_one() {
    let world = three_phases(failing());
    for later in ["requirements", "design"] {
        let phase = world.phase(later);
        assert_eq!(phase.status, Status::Skipped);
        assert_eq!(phase.skipped_because.as_deref(), Some("failed:planning"));
        assert!(!phase.is_met());
    }
}

#[test]
fn pass_after_the_second_revision_starts_the_next_phase() {
    let world = three_phases(Script { reviews: vec![fails(), fails(), passes()], ..Script::default() });
    assert_eq!(world.history(), ["revise", "revise", "advance"]);
    assert_eq!(world.phase("planning").counters.revisions, 2);
    assert_eq!(world.run().outcome, RunOutcome::Completed);
    assert_eq!(world.phase("design").status, Status::Completed);
}

#[test]
fn crash_between_revise_and_review_does_not_skip_the_review() {
    let full = three_phases(failing());
    let worked = |fact: &Fact| matches!(fact, Fact::Worked(worked) if worked.step == Step::Revise);
    let revised = full.entries.iter().position(|entry| worked(&entry.fact)).expect("a revise");
    let mut world = full.cut(revised + 1);
    assert_eq!(world.phase("planning").evidence.completed_steps, [Step::Execute, Step::Revise]);
    assert_eq!(world.execute(), RunOutcome::Failed);
    assert_eq!(world.phase("planning").counters.revisions, 3);
}

#[test]
fn crashed_reviewer_uses_no_revision() {
    let world =
        three_phases(Script { reviews: vec![no_answer(), no_answer(), passes()], ..Script::default() });
    assert_eq!(world.history(), ["redo", "redo", "advance"]);
    assert_eq!(world.phase("planning").counters.revisions, 0);
    assert_eq!(world.phase("planning").history.rounds.len(), 1);
    assert_eq!(world.phase("planning").history.rounds[0].attempts, 4);
}

#[test]
fn phase_approved_at_once_needs_two_agent_calls() {
    let world = three_phases(Script::default());
    assert_eq!(world.run().spending.total.calls, 6);
    assert_eq!(world.phase("planning").evidence.completed_steps, [Step::Execute, Step::Check, Step::Review]);
}

#[test]
fn author_blocked_on_a_prompt_uses_a_revision() {
    let blocked = ends(ExecOutcome::BlockedOnPrompt);
    let world = three_phases(Script { work: vec![blocked, super::world::done()], ..Script::default() });
    assert_eq!(world.history(), ["revise", "advance"]);
    let rule = &world.phase("planning").history.rulings[0].rule;
    assert_eq!(rule, "execute: it waited for an answer that nobody gives; revision 1/3");
    assert_eq!(world.phase("planning").counters.revisions, 1);
}

#[test]
fn empty_state_halts_as_running() {
    let nothing = engine::State::default();
    assert_eq!(decide(&nothing), Decision::Halt(RunOutcome::Running));
    assert_eq!(nothing.outcome(), RunOutcome::Running);
}

#[test]
fn pull_request_is_updated_once_before_the_run_completes() {
    let world = three_phases(Script::default());
    let facts: Vec<_> = world.entries.iter().rev().take(3).map(|entry| &entry.fact).collect();
    assert!(matches!(facts[..], [Fact::Finished { .. }, Fact::Published { .. }, Fact::Committed { .. }]));
    let before = world.cut(world.entries.len() - 2);
    assert_eq!(decide(&before.state), Decision::Perform(Action::Publish));
}

#[test]
fn early_published_pull_request_is_updated_after_the_next_commit() {
    let phases = chain(["planning", "design"].map(|name| phase(name, phase_review())));
    let mut world = World::new(agreement(phases));
    world.execute_only("planning", false);
    world.record(Fact::Published { pr_number: Some(7), pr_url: "pull/7".into() });
    world.execute();
    assert_eq!(world.count(|fact| matches!(fact, Fact::Published { .. })), 2);
}

#[test]
fn default_phases_complete_with_two_agent_calls_each() {
    let agreed = super::policies::defaults().agreement(None).expect("the defaults agree with themselves");
    let count = agreed.phases.len();
    let decided = super::world::decides(model::event::EvaluationDecision::Pass);
    let script = Script { work: vec![decided], ..Script::default() };
    let mut world = World::new(agreed).script(&name("evaluation"), script);
    assert_eq!(world.execute(), RunOutcome::Completed);
    assert_eq!(world.run().spending.total.calls, 2 * u64::try_from(count).expect("a few phases"));
    assert!(world.run().phases.iter().all(|phase| phase.history.rulings.len() == 1));
}

#[test]
fn every_preset_completes_without_a_person() {
    let defaults = super::policies::defaults();
    for preset in defaults.presets.keys() {
        let agreed = defaults.agreement(Some(preset)).expect("a preset of the defaults");
        let decided = super::world::decides(model::event::EvaluationDecision::Pass);
        let script = Script { work: vec![decided], ..Script::default() };
        let mut world = World::new(agreed).script(&name("evaluation"), script);
        assert_eq!(world.execute(), RunOutcome::Completed, "{preset}");
    }
}
