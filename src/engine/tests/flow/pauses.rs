//! What a person can answer to each pause, and what follows.

use engine::{Counters, Status, job_limit_pause, pause_on_request};
use model::event::{Answered, CheckStatus, Fact, PauseChoice, PauseReason, RunOutcome};
use model::phase::Step;
use model::policy::{PhaseDef, Policy};
use model::verdict::{Judgment, Verdict};

use super::policies::{agreement, doc_review, phase, phase_review, quality_gate, retake};
use super::world::{
    Review, Script, World, crashes, fails, name, no_answer, no_table, states, table, unreadable,
};

/// A phase and a script that lead to the pause.
fn leading_to(reason: PauseReason) -> (PhaseDef, Script) {
    let plain = Script::default;
    let with = |reviews: Vec<Review>| Script { reviews, ..plain() };
    let (policy, script): (Policy, Script) = match reason {
        PauseReason::Exhausted => {
            let checks = vec![vec![("q2_todo".into(), CheckStatus::Fail)]];
            (quality_gate(), Script { checks, ..plain() })
        }
        PauseReason::Blocked => (retake(), with(vec![states("REJECT", Verdict::Fail, Judgment::Block)])),
        PauseReason::Discuss => (doc_review(), Script { triages: vec![table(0, 0, 1)], ..plain() }),
        PauseReason::Unreadable => (doc_review(), Script { triages: vec![no_table()], ..plain() }),
        PauseReason::ReviewerUnavailable => (phase_review(), with(vec![no_answer()])),
        PauseReason::AgentFailed => {
            let mut policy = quality_gate();
            policy.limits.max_passes = None;
            (policy, Script { work: vec![crashes()], ..plain() })
        }
        PauseReason::Stalled => {
            let mut policy = phase_review();
            policy.stop_on_stall = true;
            let review = fails().with(model::finding::Severity::Major, "the same problem");
            (policy, with(vec![review]))
        }
        PauseReason::Budget
        | PauseReason::Quota
        | PauseReason::Outage
        | PauseReason::JobLimit
        | PauseReason::RateLimit
        | PauseReason::OnRequest
        | PauseReason::Gate => {
            panic!("not a phase's pause")
        }
    };
    (phase("planning", policy), script)
}

const REASONS: [PauseReason; 7] = [
    PauseReason::Exhausted,
    PauseReason::Blocked,
    PauseReason::Discuss,
    PauseReason::Unreadable,
    PauseReason::ReviewerUnavailable,
    PauseReason::AgentFailed,
    PauseReason::Stalled,
];

fn paused(reason: PauseReason) -> World {
    let (def, script) = leading_to(reason);
    let later = PhaseDef { needs: vec![def.name.clone()], ..phase("design", phase_review()) };
    let mut world = World::new(agreement(vec![def, later])).script(&name("planning"), script);
    assert_eq!(world.execute(), RunOutcome::Paused, "{reason:?}");
    assert_eq!(world.run().paused.as_ref().map(|asked| asked.reason), Some(reason));
    assert_eq!(world.first().status, Status::Paused);
    assert_eq!(world.first().reason.as_deref(), Some(reason.as_str()));
    world
}

#[test]
fn a_paused_run_does_nothing_until_it_is_answered() {
    for reason in REASONS {
        let mut world = paused(reason);
        let before = world.entries.len();
        assert_eq!(world.execute(), RunOutcome::Paused);
        assert_eq!(world.entries.len(), before + 1, "only the request is new");
    }
}

#[test]
fn accept_completes_the_phase_and_records_the_person() {
    for reason in REASONS {
        let mut world = paused(reason);
        let rounds = world.first().history.rounds.len();
        assert_eq!(world.answer(PauseChoice::Accept, ""), RunOutcome::Completed, "{reason:?}");
        assert_eq!(world.first().status, Status::Completed);
        assert_eq!(world.first().person.accepted_by.as_deref(), Some("alice"));
        assert!(world.last_rule().ends_with("; accepted by alice"), "{}", world.last_rule());
        assert_eq!(world.first().history.rounds.len(), rounds, "nobody looked again");
        assert_eq!(world.first().history.rounds.last().map(|round| round.ruling), Some("advance"));
        assert!(!world.first().history.rounds.last().expect("a round").judgment.approves());
        assert_eq!(world.first().reason, None);
    }
}

#[test]
fn give_up_fails_the_phase_and_skips_the_later_ones() {
    for reason in REASONS {
        let mut world = paused(reason);
        assert_eq!(world.answer(PauseChoice::GiveUp, ""), RunOutcome::Failed, "{reason:?}");
        assert_eq!(world.first().reason.as_deref(), Some("given_up"));
        assert!(world.first().completed_at.is_some());
        assert_eq!(world.phase("design").skipped_because.as_deref(), Some("failed:planning"));
    }
}

#[test]
fn continue_resumes_at_the_paused_step_with_reset_limits() {
    for (reason, step, revisions) in [
        (PauseReason::Exhausted, Step::Revise, 1),
        (PauseReason::Stalled, Step::Revise, 1),
        (PauseReason::Blocked, Step::Check, 0),
        (PauseReason::Discuss, Step::Review, 0),
        (PauseReason::Unreadable, Step::Review, 0),
        (PauseReason::ReviewerUnavailable, Step::Check, 0),
        (PauseReason::AgentFailed, Step::Execute, 0),
    ] {
        let mut world = paused(reason);
        let answered = Answered::new(PauseChoice::Continue, "use the old name", "alice");
        world.record(Fact::Answered(answered));
        let phase = world.first();
        assert_eq!(phase.current_step(), Some(step), "{reason:?}");
        let rounds = u32::from(step != Step::Revise);
        assert_eq!(phase.counters, Counters { revisions, rounds, ..Counters::default() }, "{reason:?}");
        assert_eq!(phase.person.advice.as_deref(), Some("use the old name"));
        assert_eq!(
            world.play_on(),
            RunOutcome::Paused,
            "the world is the same, so the same question comes again"
        );
    }
}

#[test]
fn continue_after_a_crashed_revision_repeats_the_revision() {
    let mut policy = retake();
    policy.outcomes.agent_failed = model::policy::UnapprovedEnd::Pause;
    let work = vec![super::world::done(), crashes(), crashes(), crashes(), super::world::done()];
    let reviews = vec![fails(), states("APPROVE", Verdict::Pass, Judgment::Approve)];
    let mut world = World::play(phase("planning", policy), Script { work, reviews, ..Script::default() });
    assert_eq!(world.history(), ["revise", "redo", "redo", "pause"]);
    assert_eq!(world.answer(PauseChoice::Continue, ""), RunOutcome::Completed);
    let rounds: Vec<_> = world.first().history.rounds.iter().map(|round| (round.n, round.ruling)).collect();
    assert_eq!(rounds, [(1, "revise"), (2, "advance")]);
    assert_eq!(world.first().counters.revisions, 1);
}

#[test]
fn continue_after_a_silent_reviewer_reviews_in_a_new_round() {
    let reviews = vec![no_answer(), no_answer(), no_answer(), super::world::passes()];
    let mut world = World::play(phase("planning", phase_review()), Script { reviews, ..Script::default() });
    assert_eq!(world.answer(PauseChoice::Continue, ""), RunOutcome::Completed);
    let rounds: Vec<_> = world.first().history.rounds.iter().map(|round| (round.n, round.verdict)).collect();
    assert_eq!(rounds, [(1, None), (2, Some(Verdict::Pass))]);
    assert_eq!(world.first().counters.passes, 0, "the author was not called again");
}

#[test]
fn acceptance_by_a_person_is_voided_when_the_files_change() {
    let script = Script { reviews: vec![unreadable()], voids: vec![true, false], ..Script::default() };
    let mut policy = phase_review();
    policy.outcomes.unreadable = model::policy::OnUnreadable::Pause;
    let mut world = World::play(phase("planning", policy), script);
    assert_eq!(world.answer(PauseChoice::Accept, ""), RunOutcome::Paused);
    assert_eq!(world.first().person.accepted_by, None);
    assert_eq!(world.history(), ["redo", "pause", "advance", "redo", "pause"]);
}

#[test]
fn reopening_a_later_phase_does_not_drop_the_question_of_an_earlier_one() {
    let mut world = paused(PauseReason::Blocked);
    let asked = world.run().paused.clone();
    assert_eq!(world.reopen("design", Step::Execute, model::event::ReopenedBy::Rollback), RunOutcome::Paused);
    assert_eq!(world.run().paused, asked);
    assert_eq!(world.answer(PauseChoice::Accept, ""), RunOutcome::Completed);
}

#[test]
fn files_changed_after_acceptance_are_checked_without_an_author_call() {
    let mut policy = quality_gate();
    policy.limits.max_passes = None;
    let script = Script { work: vec![crashes()], voids: vec![true, false], ..Script::default() };
    let mut world = World::play(phase("planning", policy), script);
    assert_eq!(world.answer(PauseChoice::Accept, ""), RunOutcome::Completed);
    assert_eq!(world.history(), ["redo", "redo", "pause", "advance", "advance"]);
    assert_eq!(world.count(|fact| matches!(fact, Fact::Checked(_))), 1);
}

fn two_phases() -> World {
    let first = phase("planning", phase_review());
    let later = PhaseDef { needs: vec![first.name.clone()], ..phase("design", phase_review()) };
    World::new(agreement(vec![first, later]))
}

#[test]
fn requested_pause_ends_when_a_person_continues() {
    let mut world = two_phases();
    world.record(Fact::Paused { escalation: pause_on_request(Some(&name("planning")), "bob") });
    let asked = world.run().paused.clone().expect("a pause");
    assert_eq!(asked.question, "bob asked the run to wait before planning. Go on?");
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert_eq!(world.answer(PauseChoice::Continue, ""), RunOutcome::Completed);
}

#[test]
fn job_limit_pause_resumes_in_the_next_job_without_an_answer() {
    let mut world = two_phases();
    world.record(Fact::Paused { escalation: job_limit_pause(&name("planning"), 330) });
    assert_eq!(world.execute(), RunOutcome::Completed);
}

#[test]
fn pending_phase_can_be_skipped_while_the_run_is_paused() {
    let mut world = paused(PauseReason::Exhausted);
    let skip = |phase: &str| Fact::PhaseSkipped { phase: name(phase), because: "a person".into() };
    let waiting = world.entry(skip("planning"));
    assert!(engine::apply(&mut world.state.clone(), &waiting).is_err(), "it waits itself");
    world.record(skip("design"));
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert_eq!(world.answer(PauseChoice::Accept, ""), RunOutcome::Completed);
    assert_eq!(world.phase("design").status, Status::Skipped);
    let late = world.entry(skip("design"));
    assert!(engine::apply(&mut world.state.clone(), &late).is_err(), "the run is completed");
}
