//! When an approval stands for another review of the same files, and when it does not.

use engine::{Action, Decision};
use model::event::{Fact, PauseChoice, RunOutcome, RunRequested};
use model::phase::Step;

use super::approved_phase::{
    approved, approved_tree, checked, commits, is_left_out, looked_at_again, play_until, reviews, until,
};
use super::world::{Script, name, passes};

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

#[test]
fn reopened_phase_is_reviewed_again() {
    let mut world = approved();
    let reopened = model::event::Reopened {
        phase: name("planning"),
        step: Step::Review,
        reason: "look again".into(),
        by: model::event::ReopenedBy::Rollback,
    };
    world.record(Fact::Reopened(reopened));
    play_until(&mut world, reviews);
    assert!(!is_left_out(&world));
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
