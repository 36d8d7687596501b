//! The judge of the quality criteria: what its words, its silence and its ends lead to. Never a pass on doubt.

use model::event::{CheckStatus, ExecOutcome, Fact, PauseReason};
use model::finding::Severity;
use model::phase::Step;
use model::verdict::{Judgment, Verdict};

use super::judge::{asks_again, calls, judged, play, rejects, silent};
use super::policies::phase;
use super::world::{Review, Script, World, passes, states, unreadable};

#[test]
fn pass_approves_and_reject_is_revised_with_its_findings() {
    assert_eq!(play(vec![passes()]).history(), ["advance"]);
    let world = play(vec![rejects().with(Severity::Major, "the border is missing"), passes()]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.first().history.rounds[0].findings.len(), 1);
    assert_eq!(world.first().counters.passes, 2);
}

#[test]
fn a_pass_that_contradicts_its_own_findings_is_none() {
    let world = play(vec![passes().with(Severity::Major, "the border is missing"), passes()]);
    assert_eq!(world.history(), ["revise", "advance"]);
}

#[test]
fn the_judge_is_not_paid_while_a_check_fails() {
    let checks = vec![vec![("q2_todo".to_owned(), CheckStatus::Fail)], vec![]];
    let world = World::play(phase("implementation", judged()), Script { checks, ..Script::default() });
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(calls(&world, Step::Review), 1);
}

#[test]
fn a_25_an_empty_judgment_is_a_rejection_and_uses_a_pass() {
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
fn a_25_an_empty_judgment_is_told_to_the_author_in_our_own_words() {
    let mut world = play(vec![silent(ExecOutcome::NoOutput), passes()]);
    let revised = world
        .entries
        .iter()
        .position(|entry| matches!(&entry.fact, Fact::StepStarted(call) if call.step == Step::Revise));
    world = world.cut(revised.expect("a revision"));
    assert!(world.first().hint().starts_with("The judge of the quality criteria said nothing"));
}

#[test]
fn a_25_an_unreadable_judgment_is_a_rejection_at_once() {
    let world = play(vec![unreadable(), passes()]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.first().history.rulings[0].judgment, Judgment::Revise);
    assert_eq!(calls(&world, Step::Execute) + calls(&world, Step::Revise), 2);
}

#[test]
fn a_25_a_judgment_that_was_cut_off_is_a_rejection() {
    let cut = Review { truncated: true, ..passes() };
    assert_eq!(play(vec![cut, passes()]).history(), ["revise", "advance"]);
}

#[test]
fn a_25_a_late_or_broken_judge_is_asked_again_twice_and_never_the_author() {
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
fn a_25_retry_asks_the_judge_again_twice_and_then_rejects() {
    let world = play(vec![asks_again(), asks_again(), passes()]);
    assert_eq!(world.history(), ["redo", "redo", "advance"]);
    assert_eq!((calls(&world, Step::Execute), calls(&world, Step::Revise)), (1, 0));
    let world = play(vec![asks_again(), asks_again(), asks_again(), passes()]);
    assert_eq!(world.history(), ["redo", "redo", "revise", "advance"]);
    let world = play(vec![silent(ExecOutcome::TimedOut), asks_again(), asks_again(), passes()]);
    assert_eq!(world.history(), ["redo", "redo", "revise", "advance"], "late and RETRY share one budget");
}

#[test]
fn a_25_the_third_retry_at_the_last_pass_asks_a_person() {
    let mut reviews = vec![rejects(), rejects()];
    reviews.extend(std::iter::repeat_n(asks_again(), 3));
    let world = play(reviews);
    assert_eq!(world.history(), ["revise", "revise", "redo", "redo", "pause"]);
    assert_eq!(world.first().counters.passes, 3);
}

#[test]
fn a_25_an_unknown_word_is_a_rejection() {
    let world = play(vec![states("MAYBE", Verdict::Fail, Judgment::Discuss), passes()]);
    assert_eq!(world.history(), ["revise", "advance"]);
}
