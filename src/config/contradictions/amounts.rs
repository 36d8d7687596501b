//! Amounts beyond reason: limits above fifty, times of zero, money below zero.

use super::Wrong;
use crate::config::keys::{Keys, PhaseKeys};

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

fn times(keys: &Keys) -> Option<Wrong> {
    let limits = &keys.limits;
    let of_run = [
        ("step_seconds", limits.step_seconds),
        ("idle_seconds", limits.idle_seconds),
        ("command_seconds", limits.command_seconds),
    ];
    let of_run = of_run.into_iter().map(|(name, seconds)| (format!("limits.{name}"), seconds));
    let of_agents = keys.agents.iter().flat_map(|(name, agent)| {
        let key = |inner| format!("agents.{name}.{inner}");
        [(key("step_seconds"), agent.step_seconds), (key("idle_seconds"), agent.idle_seconds)]
    });
    let of_agents = of_agents.map(|(key, seconds)| (key, seconds.unwrap_or(1)));
    of_run
        .chain(of_agents)
        .find(|(_, seconds)| *seconds == 0)
        .map(|(key, _)| (key, "has to be 1 or more".to_owned()))
}

fn money(keys: &Keys) -> Option<Wrong> {
    [("usd", keys.budget.usd.unwrap_or(0.0)), ("unattended_usd", keys.budget.unattended_usd)]
        .into_iter()
        .find(|(_, amount)| !(amount.is_finite() && *amount >= 0.0))
        .map(|(name, amount)| {
            (format!("budget.{name}"), format!("is {amount}; it has to be an amount, 0 or more"))
        })
}
