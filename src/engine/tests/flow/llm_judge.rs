//! The judge of the quality criteria: what its words, its silence and its ends lead to. Never a pass on doubt.

use model::event::{CheckStatus, ExecOutcome, Fact, PauseReason};
use model::finding::Severity;
use model::phase::Step;
use model::verdict::{Judgment, Verdict};

use super::judge::{asks_again, calls, judged, play, rejects, silent};
use super::policies::phase;
use super::world::{Review, Script, World, passes, states, unreadable};

#[test]
fn judge_pass_approves_and_reject_leads_to_a_revision() {
    assert_eq!(play(vec![passes()]).history(), ["advance"]);
    let world = play(vec![rejects().with(Severity::Major, "the border is missing"), passes()]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.first().history.rounds[0].findings.len(), 1);
    assert_eq!(world.first().counters.passes, 2);
}

#[test]
fn pass_that_contradicts_its_own_findings_does_not_approve() {
    let world = play(vec![passes().with(Severity::Major, "the border is missing"), passes()]);
    assert_eq!(world.history(), ["revise", "advance"]);
}

#[test]
fn judge_is_not_called_while_a_check_fails() {
    let checks = vec![vec![("q2_todo".to_owned(), CheckStatus::Fail)], vec![]];
    let world = World::play(phase("implementation", judged()), Script { checks, ..Script::default() });
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(calls(&world, Step::Review), 1);
}

#[test]
fn empty_judgment_is_a_rejection_and_uses_a_pass() {
    for outcome in [ExecOutcome::NoOutput, ExecOutcome::Done] {
        let world = play(vec![silent(outcome), passes()]);
        assert_eq!(world.history(), ["revise", "advance"], "{outcome:?}");
        assert_eq!((calls(&world, Step::Review), world.first().counters.passes), (2, 2));
        assert_eq!(world.first().history.rulings[0].rule, "the judge said nothing; revision 1/2");
    }
    let world = play(vec![silent(ExecOutcome::NoOutput)]);
    assert_eq!(world.history(), ["revise", "revise", "pause"]);
}

#[test]
fn author_is_informed_of_an_empty_judgment_in_program_text() {
    let mut world = play(vec![silent(ExecOutcome::NoOutput), passes()]);
    let revised = world
        .entries
        .iter()
        .position(|entry| matches!(&entry.fact, Fact::StepStarted(call) if call.step == Step::Revise));
    world = world.cut(revised.expect("a revision"));
    assert!(world.first().hint().starts_with("The judge of the quality criteria said nothing"));
}

#[test]
fn unreadable_judgment_is_an_immediate_rejection() {
    let world = play(vec![unreadable(), passes()]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.first().history.rulings[0].judgment, Judgment::Revise);
    assert_eq!(calls(&world, Step::Execute) + calls(&world, Step::Revise), 2);
}

#[test]
fn truncated_judgment_is_a_rejection() {
    let cut = Review { truncated: true, ..passes() };
    assert_eq!(play(vec![cut, passes()]).history(), ["revise", "advance"]);
}

#[test]
fn timed_out_or_crashed_judge_is_repeated_twice_without_a_revision() {
    for outcome in [ExecOutcome::TimedOut, ExecOutcome::Idle, ExecOutcome::Crashed] {
        let world = play(vec![silent(outcome), silent(outcome), passes()]);
        assert_eq!(world.history(), ["redo", "redo", "advance"], "{outcome:?}");
        assert_eq!((calls(&world, Step::Execute), calls(&world, Step::Revise)), (1, 0), "{outcome:?}");
        let world = play(vec![silent(outcome)]);
        assert_eq!(world.history(), ["redo", "redo", "pause"], "{outcome:?}");
        let asked = world.run().paused.as_ref().expect("a question");
        assert_eq!(asked.reason, PauseReason::ReviewerUnavailable, "{outcome:?}");
        assert_eq!(world.first().counters.passes, 1, "{outcome:?}");
    }
}

#[test]
fn retry_verdict_repeats_the_judge_twice_and_then_rejects() {
    let world = play(vec![asks_again(), asks_again(), passes()]);
    assert_eq!(world.history(), ["redo", "redo", "advance"]);
    assert_eq!((calls(&world, Step::Execute), calls(&world, Step::Revise)), (1, 0));
    let world = play(vec![asks_again(), asks_again(), asks_again(), passes()]);
    assert_eq!(world.history(), ["redo", "redo", "revise", "advance"]);
    let world = play(vec![silent(ExecOutcome::TimedOut), asks_again(), asks_again(), passes()]);
    assert_eq!(world.history(), ["redo", "redo", "revise", "advance"], "late and RETRY share one budget");
}

#[test]
fn third_retry_verdict_at_the_last_pass_pauses_for_a_person() {
    let mut reviews = vec![rejects(), rejects()];
    reviews.extend(std::iter::repeat_n(asks_again(), 3));
    let world = play(reviews);
    assert_eq!(world.history(), ["revise", "revise", "redo", "redo", "pause"]);
    assert_eq!(world.first().counters.passes, 3);
}

#[test]
fn unknown_judge_verdict_is_a_rejection() {
    let world = play(vec![states("MAYBE", Verdict::Fail, Judgment::Discuss), passes()]);
    assert_eq!(world.history(), ["revise", "advance"]);
}
