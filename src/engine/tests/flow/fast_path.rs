//! When an approval stands for another review of the same files, and when it does not.

use engine::{Action, Decision};
use model::event::{Fact, PauseChoice, Reopened, ReopenedBy, RunOutcome, RunRequested};
use model::phase::Step;

use super::approved_phase::{
    approved, approved_by_triage, approved_tree, checked, commits, is_left_out, looked_at_again, play_until,
    reviews, until,
};
use super::world::{Script, World, name, passes};

#[test]
fn unchanged_files_are_not_reviewed_twice() {
    let mut world = approved();
    let tree = approved_tree(&world);
    looked_at_again(&mut world, &tree);
    assert!(is_left_out(&world));
    let calls = world.run().spending.total.calls;
    assert_eq!(world.play_on(), RunOutcome::Completed);
    assert_eq!(world.run().spending.total.calls, calls, "nobody was paid");
    assert_eq!(world.history(), ["advance", "advance"]);
    let again = world.cut(world.entries.len());
    assert_eq!(again.state, world.state, "the log alone tells it");
}

#[test]
fn changed_files_are_reviewed_again() {
    let mut world = approved();
    looked_at_again(&mut world, "tree-of-somebody");
    assert!(!is_left_out(&world));
}

#[test]
fn changed_branch_or_settings_require_a_new_review() {
    let same = RunRequested { settings: Some("settings".into()), ..RunRequested::default() };
    let asked = |more: RunRequested| {
        let mut world = approved();
        let tree = approved_tree(&world);
        world.record(Fact::RunRequested(more));
        looked_at_again(&mut world, &tree);
        is_left_out(&world)
    };
    assert!(asked(same.clone()));
    assert!(!asked(RunRequested { head: Some("c".repeat(40)), ..same.clone() }));
    assert!(!asked(RunRequested { settings: Some("others".into()), ..same.clone() }));
    assert!(!asked(RunRequested::default()), "nobody vouched for any");
    let base = approved().run().started.base_commit.clone();
    let record = RunRequested { head: Some("c".repeat(40)), content_head: Some(base), ..same };
    assert!(asked(record), "our own record of a halt changes nothing that was reviewed");
}

#[test]
fn answer_edited_without_changes_needs_no_second_review() {
    let mut world = approved();
    let tree = approved_tree(&world);
    for _ in 0..3 {
        looked_at_again(&mut world, &tree);
        play_until(&mut world, |decision| commits(decision) || matches!(decision, Decision::Halt(_)));
    }
    assert_eq!(world.run().outcome, RunOutcome::Paused, "three times void");
    let calls = world.run().spending.total.calls;
    world.record(Fact::Answered(model::event::Answered::new(PauseChoice::Edited, "", "alice")));
    checked(&mut world, &tree);
    assert!(is_left_out(&world));
    assert_eq!(world.play_on(), RunOutcome::Completed);
    assert_eq!(world.run().spending.total.calls, calls);
}

#[test]
fn failed_review_revokes_an_earlier_approval() {
    let script = Script { reviews: vec![passes(), super::world::fails()], ..Script::default() };
    let mut world = until(script, commits);
    let tree = approved_tree(&world);
    looked_at_again(&mut world, "tree-7");
    assert!(!is_left_out(&world));
    play_until(
        &mut world,
        |decision| matches!(decision, Decision::Perform(Action::CallAgent(call)) if call.step == Step::Revise),
    );
    assert_eq!(world.first().reviews.approval, None);
    assert_ne!(world.first().files.tree, tree);
}

/// A completed run of one phase that a person rolled back to this step, and that was asked to go on.
fn rolled_back(step: Step, by: ReopenedBy, asked: RunRequested) -> World {
    opened_again(approved(), step, by, asked)
}

fn opened_again(mut world: World, step: Step, by: ReopenedBy, asked: RunRequested) -> World {
    assert_eq!(world.play_on(), RunOutcome::Completed);
    world.record(Fact::Reopened(Reopened { phase: name("planning"), step, reason: "again".into(), by }));
    world.record(Fact::RunRequested(asked));
    world
}

/// Has the files checked that were approved.
fn check_approved_files(world: &mut World) {
    let tree = world.first().reviews.approval.as_ref().expect("an approval").review.tree.clone();
    play_until(world, |decision| matches!(decision, Decision::Perform(Action::RunChecks { .. })));
    checked(world, &tree);
}

fn same_settings() -> RunRequested {
    RunRequested { settings: Some("settings".into()), ..RunRequested::default() }
}

#[test]
fn rollback_to_a_review_uses_the_approval_again_where_nothing_changed() {
    for step in [Step::Check, Step::Review] {
        let mut world = rolled_back(step, ReopenedBy::Rollback, same_settings());
        let calls = world.run().spending.total.calls;
        check_approved_files(&mut world);
        assert!(is_left_out(&world), "{step}");
        assert_eq!(world.play_on(), RunOutcome::Completed);
        assert_eq!(world.run().spending.total.calls, calls, "nobody was paid");
        let approval = world.first().reviews.approval.as_ref().expect("an approval");
        assert_eq!(approval.review.reviewer, world.first().reviews.current.as_ref().expect("one").reviewer);
    }
}

#[test]
fn an_approval_is_used_again_with_its_triage() {
    let mut world = opened_again(approved_by_triage(), Step::Review, ReopenedBy::Rollback, same_settings());
    let calls = world.run().spending.total.calls;
    check_approved_files(&mut world);
    assert!(is_left_out(&world));
    assert_eq!(world.play_on(), RunOutcome::Completed);
    assert_eq!(world.run().spending.total.calls, calls, "neither a reviewer nor a triage was paid");
    let triage = world.first().evidence.triage.as_ref().expect("a triage");
    assert_eq!(triage.round, world.first().round);
    assert_eq!(world.cut(world.entries.len()).state, world.state, "the log alone tells it");

    let mut world = approved_by_triage();
    looked_at_again(&mut world, "tree-of-somebody");
    assert!(!is_left_out(&world), "other files");
}

#[test]
fn rollback_to_a_review_asks_a_reviewer_where_something_changed() {
    let other = |more: RunRequested| RunRequested { settings: Some("settings".into()), ..more };
    let requests = [
        RunRequested { settings: Some("others".into()), ..RunRequested::default() },
        other(RunRequested { head: Some("d".repeat(40)), ..RunRequested::default() }),
        other(RunRequested { reviewers: vec!["another".into()], ..RunRequested::default() }),
    ];
    for request in requests {
        let mut world = rolled_back(Step::Review, ReopenedBy::Rollback, request.clone());
        check_approved_files(&mut world);
        assert!(!is_left_out(&world), "{request:?}");
    }
    let mut world = rolled_back(Step::Review, ReopenedBy::Rollback, same_settings());
    play_until(&mut world, |decision| matches!(decision, Decision::Perform(Action::RunChecks { .. })));
    checked(&mut world, "tree-of-somebody");
    assert!(!is_left_out(&world), "other files");
}

#[test]
fn work_that_is_done_again_is_reviewed_again() {
    for (step, by) in [
        (Step::Execute, ReopenedBy::Rollback),
        (Step::Revise, ReopenedBy::Rollback),
        (Step::Review, ReopenedBy::Feedback),
        (Step::Execute, ReopenedBy::Retry),
    ] {
        let mut world = rolled_back(step, by, same_settings());
        play_until(&mut world, reviews);
        assert!(!is_left_out(&world), "{step}");
    }
}

#[test]
fn review_stands_fact_without_an_approval_is_refused() {
    let world = until(Script::default(), reviews);
    let fact = Fact::ReviewStands { phase: name("planning"), round: 1 };
    let mut state = world.state.clone();
    let refused = engine::apply(&mut state, &world.entry(fact)).expect_err("a misfit");
    insta::assert_snapshot!(refused.why, @"no approval of planning stands");
    assert_eq!(state, world.state);
}
