//! A phase that was approved once: how it is played up to a decision, and what the tests look at.

use std::collections::BTreeMap;

use engine::{Action, Decision, decide};
use model::event::{CheckStatus, Checked, Fact, RunRequested};
use model::phase::Step;
use model::policy::{OnFail, Policy, UnapprovedEnd};

use super::policies::{agreement, phase, phase_review, with_checks};
use super::world::{Script, World, name, passes, result};

/// A run of one phase with these reviews, up to the moment that `stop` names.
pub fn until(script: Script, stop: impl Fn(&Decision) -> bool) -> World {
    until_under(phase_review(), script, stop)
}

pub fn until_under(mut policy: Policy, script: Script, stop: impl Fn(&Decision) -> bool) -> World {
    policy.outcomes.blocked = UnapprovedEnd::Pause;
    policy.outcomes.exhausted = UnapprovedEnd::Pause;
    let world = World::new(agreement(vec![phase("planning", policy)]));
    let mut world = world.script(&name("planning"), script);
    world.record(Fact::RunRequested(RunRequested {
        settings: Some("settings".into()),
        ..RunRequested::default()
    }));
    play_until(&mut world, stop);
    world
}

pub fn play_until(world: &mut World, stop: impl Fn(&Decision) -> bool) {
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

/// The same where a triage decides.
pub fn approved_by_triage() -> World {
    until_under(
        with_checks("doc-review", &[("documents", OnFail::Revise)]),
        Script { reviews: vec![passes()], ..Script::default() },
        commits,
    )
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
    world.record(Fact::Checked(Checked { phase, round, results, tree, documents: BTreeMap::new() }));
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

pub fn approved_tree(world: &World) -> String {
    world.first().files.tree.clone()
}
