//! Amounts beyond reason: limits above fifty, times of zero, money below zero.

use super::Wrong;
use crate::keys::{Keys, PhaseKeys};

/// More of anything in one phase is a mistake, not a limit.
const MOST: u32 = 50;

/// Returns the first amount beyond reason.
pub(super) fn find(keys: &Keys) -> Option<Wrong> {
    keys.phases
        .iter()
        .find_map(|(name, phase)| phase_of(name, phase))
        .or_else(|| too_many("limits.max_cycles".to_owned(), keys.limits.max_cycles))
        .or_else(|| times(keys))
        .or_else(|| money(keys))
        .or_else(|| calls_of_a_call(keys))
}

/// Refuses a limit above the greatest one.
pub(super) fn too_many(key: String, number: u32) -> Option<Wrong> {
    (number > MOST).then(|| (key, format!("is {number}; {MOST} is the most")))
}

fn phase_of(name: &str, phase: &PhaseKeys) -> Option<Wrong> {
    let key = |inner| format!("phases.{name}.{inner}");
    too_many(key("max_revisions"), phase.max_revisions.unwrap_or(0))
        .or_else(|| too_many(key("max_format_redo"), phase.max_format_redo.unwrap_or(0)))
}

/// A time of zero would be over before anything began.
fn times(keys: &Keys) -> Option<Wrong> {
    let limits = &keys.limits;
    let of_run = [
        ("step_seconds", Some(limits.time.step_seconds)),
        ("idle_seconds", Some(limits.time.idle_seconds)),
        ("first_output_seconds", limits.time.first_output_seconds),
        ("command_seconds", Some(limits.time.command_seconds)),
        ("outage_seconds", Some(limits.outage_seconds)),
    ];
    let of_run = of_run.into_iter().map(|(name, seconds)| (format!("limits.{name}"), seconds));
    let steps = &limits.steps;
    let of_steps = steps.iter().flat_map(|(step, time)| {
        let table = format!("limits.steps.{step}");
        of_call(&table, time.step_seconds, time.idle_seconds, time.first_output_seconds)
    });
    let of_agents = keys.agents.iter().flat_map(|(name, agent)| {
        let table = format!("agents.{name}");
        of_call(&table, agent.step_seconds, agent.idle_seconds, agent.first_output_seconds)
    });
    let turns = keys.agents.iter().map(|(name, agent)| (format!("agents.{name}.max_turns"), agent.max_turns));
    of_run
        .chain(of_steps)
        .chain(of_agents)
        .chain(turns)
        .find(|(_, number)| *number == Some(0))
        .map(|(key, _)| (key, "has to be 1 or more".to_owned()))
}

fn of_call(
    table: &str,
    step: Option<u64>,
    idle: Option<u64>,
    first_output: Option<u64>,
) -> [(String, Option<u64>); 3] {
    [("step_seconds", step), ("idle_seconds", idle), ("first_output_seconds", first_output)]
        .map(|(name, seconds)| (format!("{table}.{name}"), seconds))
}

fn money(keys: &Keys) -> Option<Wrong> {
    let budget = &keys.budget;
    [
        ("usd", budget.run.usd),
        ("unattended_usd", Some(budget.unattended_usd)),
        ("step.usd", budget.scopes.step.usd),
        ("phase.usd", budget.scopes.phase.usd),
        ("day.usd", budget.scopes.day.usd),
    ]
    .into_iter()
    .filter_map(|(name, amount)| Some((name, amount?)))
    .find(|(_, amount)| !(amount.is_finite() && *amount >= 0.0))
    .map(|(name, amount)| {
        (format!("budget.{name}"), format!("is {amount}; it has to be an amount, 0 or more"))
    })
}

fn calls_of_a_call(keys: &Keys) -> Option<Wrong> {
    let what = "would limit the calls of one call; `budget.phase.calls` limits those of a phase";
    keys.budget.scopes.step.calls.map(|_| ("budget.step.calls".to_owned(), what.to_owned()))
}
