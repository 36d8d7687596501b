//! When an approval stands for another review of the same files, and when it does not.

use engine::{Action, Decision, decide};
use model::event::{Asked, CheckStatus, Checked, Choice, Fact, Outcome};
use model::phase::Step;
use model::policy::Ending;

use super::policies::{agreement, phase, phase_review};
use super::world::{Script, World, name, passes, result};

/// A run of one phase with these reviews, up to the moment that `stop` names.
pub fn until(script: Script, stop: impl Fn(&Decision) -> bool) -> World {
    let mut policy = phase_review();
    policy.outcomes.blocked = Ending::Pause;
    policy.outcomes.exhausted = Ending::Pause;
    let world = World::new(agreement(vec![phase("planning", policy)]));
    let mut world = world.script(&name("planning"), script);
    world.record(Fact::Asked(Asked { settings: Some("settings".into()), ..Asked::default() }));
    play_until(&mut world, stop);
    world
}

fn play_until(world: &mut World, stop: impl Fn(&Decision) -> bool) {
    loop {
        match decide(&world.state) {
            decision if stop(&decision) => return,
            Decision::Record(fact) => world.record(*fact),
            Decision::Perform(action) => world.perform(action),
            Decision::Halt(outcome) => panic!("halted: {outcome:?}"),
        }
    }
}

pub fn commits(decision: &Decision) -> bool {
    matches!(decision, Decision::Perform(Action::Commit(_)))
}

pub fn reviews(decision: &Decision) -> bool {
    matches!(decision, Decision::Perform(Action::CallAgent(call)) if call.step == Step::Review)
}

/// An approved phase whose commit has not come yet.
pub fn approved() -> World {
    until(Script { reviews: vec![passes()], ..Script::default() }, commits)
}

/// The approval is void, and the checks passed on these files.
pub fn looked_at_again(world: &mut World, tree: &str) {
    world.record(Fact::ApprovalVoided { phase: name("planning"), reason: "moved".into() });
    checked(world, tree);
}

pub fn checked(world: &mut World, tree: &str) {
    let rules = world.first().def.policy.checks.clone();
    let results = rules.iter().map(|rule| result(&rule.id, CheckStatus::Pass)).collect();
    let (phase, round, tree) = (name("planning"), world.first().round, tree.to_owned());
    world.record(Fact::Checked(Checked { phase, round, results, tree }));
}

/// Tells whether the next review is left out.
pub fn is_left_out(world: &World) -> bool {
    match decide(&world.state) {
        Decision::Record(fact) => matches!(*fact, Fact::ReviewStands { .. }),
        decision => {
            assert!(reviews(&decision), "{decision:?}");
            false
        }
    }
}

fn approved_tree(world: &World) -> String {
    world.first().files.tree.clone()
}

#[test]
fn b_19_the_same_files_are_not_reviewed_twice() {
    let mut world = approved();
    let tree = approved_tree(&world);
    looked_at_again(&mut world, &tree);
    assert!(is_left_out(&world));
    let calls = world.run().spending.total.calls;
    assert_eq!(world.play_on(), Outcome::Completed);
    assert_eq!(world.run().spending.total.calls, calls, "nobody was paid");
    assert_eq!(world.history(), ["advance", "advance"]);
    let again = world.cut(world.entries.len());
    assert_eq!(again.state, world.state, "the log alone tells it");
}

#[test]
fn b_19_other_files_are_reviewed() {
    let mut world = approved();
    looked_at_again(&mut world, "tree-of-somebody");
    assert!(!is_left_out(&world));
}

#[test]
fn b_19_a_branch_or_settings_that_moved_ask_for_a_review() {
    let same = Asked { settings: Some("settings".into()), ..Asked::default() };
    let asked = |more: Asked| {
        let mut world = approved();
        let tree = approved_tree(&world);
        world.record(Fact::Asked(more));
        looked_at_again(&mut world, &tree);
        is_left_out(&world)
    };
    assert!(asked(same.clone()));
    assert!(!asked(Asked { head: Some("c".repeat(40)), ..same.clone() }));
    assert!(!asked(Asked { settings: Some("others".into()), ..same.clone() }));
    assert!(!asked(Asked::default()), "nobody vouched for any");
    let base = approved().run().started.base_commit.clone();
    let record = Asked { head: Some("c".repeat(40)), content_head: Some(base), ..same };
    assert!(asked(record), "our own record of a halt changes nothing that was reviewed");
}

#[test]
fn b_19_a_person_who_edits_nothing_pays_no_second_review() {
    let mut world = approved();
    let tree = approved_tree(&world);
    for _ in 0..3 {
        looked_at_again(&mut world, &tree);
        play_until(&mut world, |decision| commits(decision) || matches!(decision, Decision::Halt(_)));
    }
    assert_eq!(world.run().outcome, Outcome::Paused, "three times void");
    let calls = world.run().spending.total.calls;
    world.record(Fact::Answered(model::event::Answered::new(Choice::Edited, "", "alice")));
    checked(&mut world, &tree);
    assert!(is_left_out(&world));
    assert_eq!(world.play_on(), Outcome::Completed);
    assert_eq!(world.run().spending.total.calls, calls);
}

#[test]
fn a_review_that_does_not_approve_takes_an_earlier_approval_back() {
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
fn a_phase_that_is_opened_again_is_reviewed_again() {
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
fn nobody_can_write_down_that_an_approval_stands_which_does_not() {
    let world = until(Script::default(), reviews);
    let fact = Fact::ReviewStands { phase: name("planning"), round: 1 };
    let mut state = world.state.clone();
    let refused = engine::apply(&mut state, &world.entry(fact));
    assert!(refused.is_err_and(|misfit| misfit.why.contains("no approval of planning stands")));
    assert_eq!(state, world.state);
}
