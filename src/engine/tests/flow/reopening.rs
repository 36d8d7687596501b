//! Opening again what was closed: by a retry, a rollback, or the evaluation.

use engine::{Counters, Status, StepPosition};
use model::event::{EvaluationDecision, Fact, ReopenedBy, RunOutcome};
use model::phase::Step;
use model::policy::PhaseDef;

use super::policies::{agreement, chain, doc_review, phase, phase_review};
use super::world::{Script, Work, World, decides, done, fails, name, passes};

const FOUR: [&str; 4] = ["planning", "requirements", "design", "evaluation"];

fn four() -> World {
    let last = |index: usize, mut def: PhaseDef| {
        def.policy.limits.max_format_redo = 1;
        PhaseDef { decides: index == 3, ..def }
    };
    let phases = FOUR.iter().enumerate().map(|(index, name)| last(index, phase(name, phase_review())));
    World::new(agreement(chain(phases)))
        .script(&name("evaluation"), evaluating(vec![EvaluationDecision::Pass]))
}

fn evaluating(decisions: Vec<EvaluationDecision>) -> Script {
    Script { work: decisions.into_iter().map(decides).collect(), ..Script::default() }
}

fn evaluated(decisions: Vec<EvaluationDecision>) -> World {
    let mut world = four().script(&name("evaluation"), evaluating(decisions));
    world.execute();
    world
}

fn statuses(world: &World) -> Vec<Status> {
    world.run().phases.iter().map(|phase| phase.status).collect()
}

fn starts(world: &World, wanted: &str) -> usize {
    world.count(|fact| matches!(fact, Fact::PhaseStarted { phase, .. } if phase.as_str() == wanted))
}

#[test]
fn retry_reopens_a_failed_phase_with_reset_limits() {
    let mut reviews = vec![fails(); 6];
    reviews.push(passes());
    let mut world = four().script(&name("requirements"), Script { reviews, ..Script::default() });
    assert_eq!(world.execute(), RunOutcome::Failed);
    assert_eq!(statuses(&world), [Status::Completed, Status::Failed, Status::Skipped, Status::Skipped]);
    assert_eq!(world.reopen("requirements", Step::Execute, ReopenedBy::Retry), RunOutcome::Completed);
    let phase = world.phase("requirements");
    assert_eq!((phase.counters.revisions, phase.status), (2, Status::Completed));
    let rounds: Vec<_> = phase.history.rounds.iter().map(|round| (round.n, round.ruling)).collect();
    let first = [(1, "revise"), (2, "revise"), (3, "revise"), (4, "fail")];
    assert_eq!(rounds, [&first[..], &[(5, "revise"), (6, "revise"), (7, "advance")]].concat());
    assert_eq!(starts(&world, "planning"), 1, "what was finished is not repeated");
}

#[test]
fn reopening_resets_the_phase_and_later_ones_except_skipped_ones() {
    let mut world = four();
    world.record(Fact::PhaseSkipped { phase: name("design"), because: "preset".into() });
    assert_eq!(world.execute(), RunOutcome::Completed);
    let fact = model::event::Reopened {
        phase: name("requirements"),
        step: Step::Execute,
        reason: "forgot half of it".into(),
        by: ReopenedBy::Rollback,
    };
    world.record(Fact::Reopened(fact.clone()));
    assert_eq!(statuses(&world), [Status::Completed, Status::Pending, Status::Skipped, Status::Pending]);
    assert_eq!(world.phase("requirements").person.reopened, Some(fact));
    assert_eq!(world.phase("requirements").counters, Counters::default());
    assert_eq!(world.run().outcome, RunOutcome::Running);
    assert_eq!(world.play_on(), RunOutcome::Completed);
    assert_eq!(world.phase("requirements").person.reopened, None, "the author has read it");
    assert_eq!(world.count(|fact| matches!(fact, Fact::Published { .. })), 2);
}

#[test]
fn rollback_starts_at_the_named_step() {
    for (step, first) in [
        (Step::Execute, "execute"),
        (Step::Review, "check"),
        (Step::Check, "check"),
        (Step::Revise, "revise"),
    ] {
        let mut world = four();
        world.execute();
        world.reopen("design", step, ReopenedBy::Rollback);
        let reopened = world.entries.iter().position(|entry| matches!(entry.fact, Fact::Reopened(_)));
        let begun = world.cut(reopened.expect("a reopening") + 2);
        let design = begun.phase("design");
        assert_eq!(design.current_step().map(Step::as_str), Some(first));
        assert_eq!(world.run().outcome, RunOutcome::Completed);
        let rounds: Vec<_> = world.phase("design").history.rounds.iter().map(|round| round.n).collect();
        assert_eq!(rounds, [1, 2], "{step}");
        assert_eq!(world.phase("design").counters.revisions, u32::from(step == Step::Revise));
    }
}

#[test]
fn revision_after_a_rollback_belongs_to_the_previous_round() {
    let mut world = four();
    world.execute();
    world.reopen("design", Step::Revise, ReopenedBy::Rollback);
    let revise = world.entries.iter().find_map(|entry| match &entry.fact {
        Fact::StepStarted(call) if call.step == Step::Revise => Some((call.round, call.attempt)),
        _ => None,
    });
    assert_eq!(revise, Some((1, 1)));
}

#[test]
fn a_revision_of_a_phase_that_never_ran_is_its_first_execution() {
    let mut world = four();
    world.reopen("planning", Step::Revise, ReopenedBy::Rollback);
    assert_eq!(world.count(|fact| matches!(fact, Fact::StepStarted(call) if call.step == Step::Revise)), 0);
    assert_eq!(world.run().outcome, RunOutcome::Completed);
}

#[test]
fn document_review_reopened_at_revise_is_reviewed_and_triaged_again() {
    let mut world = World::new(agreement(vec![phase("document_review", doc_review())]));
    world.execute();
    assert_eq!(world.reopen("document_review", Step::Revise, ReopenedBy::Rollback), RunOutcome::Completed);
    assert_eq!(world.first().history.rounds.len(), 2);
    assert_eq!(world.count(|fact| matches!(fact, Fact::Worked(_))), 0);
}

#[test]
fn a_failed_check_after_a_reopening_does_not_carry_the_old_verdict() {
    let checks = vec![vec![], vec![("deliverable".into(), model::event::CheckStatus::Fail)], vec![]];
    let mut world = four().script(&name("design"), Script { checks, ..Script::default() });
    world.execute();
    world.reopen("design", Step::Review, ReopenedBy::Rollback);
    let verdicts: Vec<_> =
        world.phase("design").history.rounds.iter().map(|round| round.verdict.is_some()).collect();
    assert_eq!(verdicts, [true, false, true]);
}

#[test]
fn evaluation_reopens_a_phase_by_name_or_folder_number() {
    for word in ["design", "DESIGN", "2", "02"] {
        let world =
            evaluated(vec![EvaluationDecision::FailPhase(word.into()), EvaluationDecision::PassWithIssues]);
        assert_eq!(world.run().outcome, RunOutcome::Completed, "{word}");
        assert_eq!((starts(&world, "requirements"), starts(&world, "design")), (1, 2), "{word}");
        assert_eq!(world.run().cycles, 1);
        let rule = &world.rulings("evaluation")[0].rule;
        let expected =
            format!("the reviewer states PASS; the evaluation decided FAIL_PHASE_{word}; sent back 1/2");
        assert_eq!(*rule, expected);
    }
}

#[test]
fn author_of_a_reopened_phase_receives_the_reason() {
    let world = evaluated(vec![EvaluationDecision::FailPhase("design".into()), EvaluationDecision::Pass]);
    let sent_back = world
        .entries
        .iter()
        .position(|entry| matches!(&entry.fact, Fact::Ruled(ruled) if ruled.ruling.word() == "reopen"));
    let world = world.cut(sent_back.expect("a reopening") + 1);
    let reopened = world.phase("design").person.reopened.clone().expect("a reason");
    assert_eq!(reopened.by, ReopenedBy::Evaluation);
    assert!(reopened.reason.starts_with("evaluation sent the run back: "), "{}", reopened.reason);
    assert_eq!(world.phase("evaluation").position, StepPosition::Idle);
    assert!(world.phase("evaluation").evidence.evaluation.is_some(), "its remaining tasks are still known");
}

#[test]
fn evaluation_reopens_phases_at_most_twice_and_then_fails() {
    let world = evaluated(vec![EvaluationDecision::FailPhase("design".into())]);
    assert_eq!(world.run().outcome, RunOutcome::Failed);
    assert_eq!(starts(&world, "design"), 3);
    assert_eq!(world.phase("evaluation").reason.as_deref(), Some("evaluation_failed"));
    let rule = world.rulings("evaluation").pop().expect("a ruling").rule;
    assert!(rule.ends_with("sent back 2/2 times already"), "{rule}");
}

#[test]
fn retry_of_a_failed_evaluation_resets_the_evaluation_cycles() {
    let mut world = evaluated(vec![
        EvaluationDecision::FailPhase("design".into()),
        EvaluationDecision::FailPhase("design".into()),
        EvaluationDecision::FailPhase("design".into()),
        EvaluationDecision::FailPhase("design".into()),
        EvaluationDecision::Pass,
    ]);
    assert_eq!(world.reopen("evaluation", Step::Execute, ReopenedBy::Retry), RunOutcome::Completed);
    assert_eq!(world.run().cycles, 1);
}

#[test]
fn evaluation_with_abort_or_an_invalid_phase_fails_the_run() {
    for (decision, reason) in [
        (EvaluationDecision::Abort, "aborted"),
        (EvaluationDecision::FailPhase("UNKNOWN".into()), "evaluation_failed"),
        (EvaluationDecision::FailPhase("evaluation".into()), "evaluation_failed"),
        (EvaluationDecision::FailPhase("99".into()), "evaluation_failed"),
    ] {
        let world = evaluated(vec![decision.clone()]);
        assert_eq!(world.run().outcome, RunOutcome::Failed, "{decision:?}");
        assert_eq!(world.phase("evaluation").reason.as_deref(), Some(reason));
    }
}

#[test]
fn evaluation_pass_with_issues_completes_the_run() {
    assert_eq!(evaluated(vec![EvaluationDecision::PassWithIssues]).run().outcome, RunOutcome::Completed);
}

fn deciding(work: Vec<Work>) -> World {
    let mut world = four().script(&name("evaluation"), Script { work, ..Script::default() });
    world.execute();
    world
}

#[test]
fn missing_evaluation_decision_is_requested_again_before_the_review() {
    let world = deciding(vec![done(), decides(EvaluationDecision::Pass)]);
    assert_eq!(world.run().outcome, RunOutcome::Completed);
    let rules: Vec<_> = world.rulings("evaluation").into_iter().map(|ruled| ruled.rule).collect();
    assert_eq!(rules[0], "no decision about the run was made; asked for it again 1/1");
    assert_eq!(world.phase("evaluation").counters.reviews, 1);
    let world = deciding(vec![done()]);
    assert_eq!(world.run().outcome, RunOutcome::Failed);
    assert_eq!(world.phase("evaluation").reason.as_deref(), Some("no_decision"));
    assert_eq!(world.phase("evaluation").counters.reviews, 0);
}

#[test]
fn the_evaluation_is_reviewed_like_any_other_phase_before_its_decision_counts() {
    let work = vec![decides(EvaluationDecision::Abort), decides(EvaluationDecision::Pass)];
    let reviews = vec![fails(), passes()];
    let mut world = four().script(&name("evaluation"), Script { work, reviews, ..Script::default() });
    assert_eq!(world.execute(), RunOutcome::Completed);
}

#[test]
fn a_phase_in_the_middle_of_a_round_can_be_reopened() {
    let mut world = four();
    world.execute();
    let working = world.entries.iter().position(|entry| matches!(&entry.fact, Fact::Reviewed(_)));
    let mut world = world.cut(working.expect("a review"));
    assert_eq!(world.reopen("planning", Step::Execute, ReopenedBy::Rollback), RunOutcome::Completed);
    assert_eq!(world.phase("planning").history.rounds[0].attempts, 4, "attempts go on counting");
}

#[test]
fn feedback_opens_the_phase_that_takes_it_else_the_last_that_changes_code() {
    for (taking, opened) in [(Some("first"), "first"), (None, "second")] {
        let phases = ["first", "second", "third"].map(|name| {
            let mut def = PhaseDef { changes_code: name != "third", ..phase(name, phase_review()) };
            def.properties.takes_feedback = Some(name) == taking;
            def
        });
        let mut world = World::new(agreement(chain(phases)));
        assert_eq!(world.execute(), RunOutcome::Completed);
        assert_eq!(world.run().feedback_phase(), Some(name(opened)));
    }
}

#[test]
fn cancelled_run_stays_cancelled() {
    let mut world = four();
    world.record(Fact::Cancelled { by: "alice".into() });
    assert_eq!(world.play_on(), RunOutcome::Cancelled);
    assert_eq!(world.state.outcome(), RunOutcome::Cancelled);
}

#[test]
fn evaluation_decision_does_not_carry_over_after_a_reopening() {
    let mut evaluation = phase("evaluation", phase_review());
    evaluation.decides = true;
    evaluation.policy.entry = model::policy::FirstStep::Review;
    let phases = chain([phase("planning", phase_review()), evaluation]);
    let decisions = vec![EvaluationDecision::FailPhase("planning".into()), EvaluationDecision::Pass];
    let mut world = World::new(agreement(phases)).script(&name("evaluation"), evaluating(decisions));
    assert_eq!(world.execute(), RunOutcome::Completed);
    assert_eq!(world.run().cycles, 1);
}
