//! The retake loop's ladder of recovery: the same agent, another one, the lead, the end. Ours is redo, the next agent of the
//! chain, a pause that asks a person, and that person's "give up".

use std::collections::BTreeSet;

use model::event::{Fact, PauseChoice, PauseReason, Ruled, Ruling, RunOutcome};
use model::policy::UnapprovedEnd;
use serde_json::Value;

use super::{assert_differences, cases};
use crate::flow::policies::{phase, phase_review};
use crate::flow::world::{Script, World, crashes};

/// How often the older system lets the same agent try.
const SELF: u32 = 3;

const DIFFERENCES: [(&str, &str); 3] = [
    ("attempt 5", "the agent that takes over has the same number of tries as the first one"),
    ("attempt 6", "the agent that takes over has the same number of tries as the first one"),
    ("attempt 7", "the agent that takes over has the same number of tries as the first one"),
];

#[test]
fn recovery_ladder_matches_the_vectors() {
    let all = cases("001_recovery.json");
    let differs = |case: &&Value| {
        let number = case["input"]["failure_number"].as_u64().expect("a number");
        Some(level(&broken(), number)) != case["expected"]["level"].as_str()
    };
    let name = |case: &Value| case["name"].as_str().expect("a name").to_owned();
    let differing: BTreeSet<String> = all.iter().filter(differs).map(name).collect();
    assert_differences(&differing, &DIFFERENCES, all.len());
}

#[test]
fn exhausted_recovery_ladder_pauses_for_a_person() {
    let mut world = broken();
    let last = u64::from(2 * SELF + 2);
    let levels: Vec<&str> = (1..=last).map(|number| level(&world, number)).collect();
    let own = ["SelfHeal", "SelfHeal", "SelfHeal"];
    assert_eq!(levels, [&own[..], &["PeerHeal"], &own[..], &["LeadEscalation"]].concat());
    assert_eq!(world.run().paused.as_ref().map(|asked| asked.reason), Some(PauseReason::AgentFailed));
    assert_eq!(world.answer(PauseChoice::GiveUp, ""), RunOutcome::Failed);
}

/// Two agents that always break.
fn broken() -> World {
    let mut policy = phase_review();
    policy.limits.max_redo = SELF;
    policy.limits.max_passes = None;
    policy.outcomes.agent_failed = UnapprovedEnd::Pause;
    let mut def = phase("implementation", policy);
    def.agents = vec!["scripted:first".into(), "scripted:second".into()];
    World::play(def, Script { work: vec![crashes()], ..Script::default() })
}

/// Returns what the failure of this number led to, in the older system's words.
fn level(world: &World, number: u64) -> &'static str {
    let ruled = |entry: &model::event::Entry| match &entry.fact {
        Fact::Ruled(Ruled { ruling, .. }) => Some(ruling.clone()),
        _ => None,
    };
    let index = usize::try_from(number - 1).expect("a small number");
    match world.entries.iter().filter_map(ruled).nth(index) {
        Some(Ruling::Redo { next_agent: false, .. }) => "SelfHeal",
        Some(Ruling::Redo { next_agent: true, .. }) => "PeerHeal",
        Some(Ruling::Pause { .. }) => "LeadEscalation",
        _ => "Abort",
    }
}
