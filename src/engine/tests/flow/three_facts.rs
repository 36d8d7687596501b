//! "FAIL", "unreadable" and "no answer" are three facts, and a step that broke is none of them.

use engine::{Status, StepPosition};
use model::event::{ExecOutcome, Fact, PauseReason, RunOutcome};
use model::finding::Severity;
use model::phase::Step;
use model::policy::OnUnreadable;
use model::verdict::{Judgment, ReadAs, Verdict};

use super::policies::{phase, phase_review, quality_gate, retake};
use super::world::{
    Review, Script, World, crashes, done, ends, fails, no_answer, passes, states, unreadable,
};

fn reviewed(reviews: &[Review]) -> World {
    let script = Script { reviews: reviews.to_vec(), ..Script::default() };
    World::play(phase("planning", phase_review()), script)
}

#[test]
fn failed_review_is_revised_with_its_feedback() {
    let world = reviewed(&[fails(), passes()]);
    assert_eq!(world.history(), ["revise", "advance"]);
    let revising = world
        .entries
        .iter()
        .position(|entry| matches!(&entry.fact, Fact::StepStarted(call) if call.step == Step::Revise));
    let world = world.cut(revising.expect("a revise"));
    let feedback = world.first().reviews.current.as_ref().and_then(|review| review.reading.as_ref());
    assert_eq!(feedback.map(|reading| reading.feedback.as_str()), Some("feedback of FAIL"));
}

#[test]
fn unreadable_review_is_repeated_once_then_uses_a_revision() {
    let world = reviewed(&[unreadable(), unreadable(), passes()]);
    assert_eq!(world.history(), ["redo", "revise", "advance"]);
    assert_eq!(
        world.first().history.rulings[1].rule,
        "the review cannot be read: no marker; asked again 1/1; revision 1/3"
    );
    assert_eq!(world.first().counters.revisions, 1);
    assert_eq!(world.first().history.rounds[0].verdict, Some(Verdict::Fail));
    assert_eq!(world.first().history.rounds[0].read_as, Some(ReadAs::Default));
    let again = reviewed(&[unreadable(), passes()]);
    assert_eq!((again.history(), again.first().counters.revisions), (vec!["redo", "advance"], 0));
}

#[test]
fn repeatedly_unreadable_review_ends_as_the_policy_defines() {
    for (unread, status) in [(OnUnreadable::Pause, Status::Paused), (OnUnreadable::Fail, Status::Failed)] {
        let mut policy = phase_review();
        policy.outcomes.unreadable = unread;
        let script = Script { reviews: vec![unreadable()], ..Script::default() };
        let world = World::play(phase("planning", policy), script);
        assert_eq!(world.first().status, status);
        assert_eq!(world.first().reason.as_deref(), Some("unreadable"));
    }
}

#[test]
fn silent_reviewer_is_called_twice_more_and_then_pauses_the_run() {
    let world = reviewed(&[no_answer()]);
    assert_eq!(world.history(), ["redo", "redo", "pause"]);
    assert_eq!(world.run().paused.as_ref().map(|asked| asked.reason), Some(PauseReason::ReviewerUnavailable));
    assert_eq!(world.last_rule(), "review: it took too long; redos 2/2 used; on reviewer_unavailable: pause");
    assert_eq!(world.first().counters.revisions, 0);
    assert_eq!(world.first().counters.passes, 1);
}

#[test]
fn verdict_of_a_failed_review_call_does_not_count() {
    for outcome in [ExecOutcome::Crashed, ExecOutcome::Partial, ExecOutcome::NoOutput, ExecOutcome::Idle] {
        let world = reviewed(&[Review { outcome, ..passes() }, fails(), passes()]);
        assert_eq!(world.history(), ["redo", "revise", "advance"], "{outcome:?}");
    }
}

#[test]
fn truncated_review_cannot_approve_and_can_fail() {
    let cut = |review: Review| Review { truncated: true, ..review };
    let world = reviewed(&[cut(passes()), passes()]);
    assert_eq!(world.history(), ["redo", "advance"]);
    let rule = &world.first().history.rulings[0].rule;
    assert_eq!(rule, "the reviewer states PASS, but the answer was cut off; asked again 1/1");
    assert_eq!(reviewed(&[cut(fails()), passes()]).history(), ["revise", "advance"]);
}

#[test]
fn contradictory_review_does_not_approve() {
    let world = reviewed(&[states("PASS", Verdict::Fail, Judgment::Approve), passes()]);
    assert_eq!(world.history(), ["revise", "advance"]);
    let world = reviewed(&[passes().with(Severity::Critical, "a hole"), passes()]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.first().history.rounds[0].verdict, Some(Verdict::Fail));
    assert_eq!(world.first().history.rulings[0].rule, "a critical finding; revision 1/3");
}

#[test]
fn pass_with_suggestions_and_minor_findings_advances() {
    let suggestions =
        states("PASS_WITH_SUGGESTIONS", Verdict::PassWithSuggestions, Judgment::ApproveWithNotes);
    let world = reviewed(&[suggestions.with(Severity::Minor, "a nit")]);
    assert_eq!(world.history(), ["advance"]);
    assert_eq!(world.first().history.rounds[0].judgment, Judgment::ApproveWithNotes);
    assert_eq!(world.first().history.rounds[0].verdict, Some(Verdict::PassWithSuggestions));
}

#[test]
fn crashed_execute_is_redone_twice_per_agent_and_then_fails() {
    let mut def = phase("planning", phase_review());
    def.agents = vec!["first".into(), "second".into()];
    let script = Script { work: vec![crashes()], ..Script::default() };
    let world = World::play(def, script);
    assert_eq!(world.history(), ["redo", "redo", "redo", "redo", "redo", "fail"]);
    let agents = world.entries.iter().filter_map(|entry| match &entry.fact {
        Fact::StepStarted(call) => Some((call.agent.as_str(), call.attempt)),
        _ => None,
    });
    let agents: Vec<_> = agents.collect();
    let expected = [("first", 1), ("first", 2), ("first", 3), ("second", 4), ("second", 5), ("second", 6)];
    assert_eq!(agents, expected);
    assert_eq!(world.first().history.rulings[2].rule, "execute: it broke; redos 2/2 used, second takes over");
    assert_eq!(
        (world.first().status, world.first().reason.as_deref()),
        (Status::Failed, Some("agent_failed"))
    );
    assert_eq!(world.count(|fact| matches!(fact, Fact::Reviewed(_) | Fact::Checked(_))), 0);
    assert_eq!(world.first().counters.revisions, 0);
}

#[test]
fn crashed_revise_is_not_reviewed_and_uses_no_further_revision() {
    let work = vec![done(), crashes(), crashes(), crashes()];
    let script = Script { work, reviews: vec![fails()], ..Script::default() };
    let world = World::play(phase("planning", phase_review()), script);
    assert_eq!(world.history(), ["revise", "redo", "redo", "fail"]);
    assert_eq!(world.first().counters.revisions, 1);
    let rounds: Vec<_> =
        world.first().history.rounds.iter().map(|round| (round.n, round.verdict, round.ruling)).collect();
    assert_eq!(rounds, [(1, Some(Verdict::Fail), "revise")]);
    assert_eq!(world.run().outcome, RunOutcome::Failed);
}

#[test]
fn quality_gate_pauses_when_every_agent_crashed() {
    let mut policy = quality_gate();
    policy.limits.max_passes = None;
    let script = Script { work: vec![crashes()], ..Script::default() };
    let world = World::play(phase("implementation", policy), script);
    assert_eq!(world.history(), ["redo", "redo", "pause"]);
    assert_eq!(world.run().paused.as_ref().map(|asked| asked.reason), Some(PauseReason::AgentFailed));
}

#[test]
fn redos_are_counted_consecutively_per_step() {
    let reviews = vec![no_answer(), no_answer(), fails(), no_answer(), no_answer(), passes()];
    let work = vec![crashes(), crashes(), done(), crashes(), crashes(), done()];
    let script = Script { work, reviews, ..Script::default() };
    let world = World::play(phase("planning", phase_review()), script);
    let round = ["redo", "redo", "redo", "redo"];
    assert_eq!(world.history(), [&round[..], &["revise"], &round[..], &["advance"]].concat());
}

#[test]
fn next_reviewer_takes_over_from_a_silent_one() {
    let mut def = phase("planning", phase_review());
    def.reviewers = vec!["claude".into(), "codex".into()];
    let reviews = vec![no_answer(), no_answer(), no_answer(), passes()];
    let world = World::play(def, Script { reviews, ..Script::default() });
    assert_eq!(world.history(), ["redo", "redo", "redo", "advance"]);
    assert_eq!(world.run().agent_for(world.first(), Step::Review), "codex");
    assert_eq!(world.run().agent_for(world.first(), Step::Execute), "author");
}

#[test]
fn ruling_names_the_cause_of_every_call_failure() {
    for (outcome, why) in [
        (ExecOutcome::TimedOut, "execute: it took too long; redo 1/2"),
        (ExecOutcome::Idle, "execute: it fell silent; redo 1/2"),
        (ExecOutcome::RateLimited, "execute: its provider limits the rate; asked again in 5 s"),
        (ExecOutcome::Crashed, "execute: it broke; redo 1/2"),
        (ExecOutcome::Overloaded, "execute: the provider is overloaded; asked again in 5 s"),
        (ExecOutcome::ProviderFailed, "execute: the provider failed; asked again in 5 s"),
        (ExecOutcome::LimitReached, "execute: a limit of turns or cost was reached; redo 1/2"),
    ] {
        let script = Script { work: vec![ends(outcome), done()], ..Script::default() };
        let world = World::play(phase("planning", phase_review()), script);
        assert_eq!(world.first().history.rulings[0].rule, why);
    }
}

#[test]
fn cancelled_call_uses_no_limit() {
    let script = Script { work: vec![done()], ..Script::default() };
    let full = World::play(phase("planning", phase_review()), script);
    let working = |entry: &model::event::Entry| matches!(&entry.fact, Fact::Worked(_));
    let index = full.entries.iter().position(working).expect("work");
    let mut stopped = full.cut(index);
    let Fact::Worked(mut worked) = full.entries[index].fact.clone() else { panic!("not work") };
    worked.ended.outcome = ExecOutcome::Cancelled;
    stopped.record(Fact::Worked(worked));
    stopped.record(Fact::Interrupted { signal: "SIGINT".into() });
    assert_eq!(stopped.first().position, StepPosition::Working(Step::Execute));
    stopped.scripts.values_mut().for_each(|script| script.work = vec![done()]);
    assert_eq!(stopped.execute(), RunOutcome::Completed);
    assert_eq!(stopped.first().counters.passes, 1);
    assert_eq!(stopped.history(), ["advance"]);
}

#[test]
fn files_that_change_between_check_and_review_are_checked_again() {
    let moved = || Review { moved: true, ..states("APPROVE", Verdict::Pass, Judgment::Approve) };
    let still = states("APPROVE", Verdict::Pass, Judgment::Approve);
    let script = Script { reviews: vec![moved(), still], ..Script::default() };
    let world = World::play(phase("implementation", retake()), script);
    assert_eq!(world.history(), ["redo", "advance"]);
    assert_eq!(
        world.first().history.rulings[0].rule,
        "the reviewer states APPROVE; not approved: the files changed between check and review; redo 1/2"
    );
    assert_eq!(world.count(|fact| matches!(fact, Fact::Checked(_))), 2);
    let restless = Script { reviews: vec![moved()], ..Script::default() };
    let world = World::play(phase("implementation", retake()), restless);
    assert_eq!(world.history(), ["redo", "redo", "pause"]);
    assert_eq!(world.first().reason.as_deref(), Some("blocked"));
    assert_eq!(world.first().history.rounds[0].judgment, Judgment::Unverifiable);
}
