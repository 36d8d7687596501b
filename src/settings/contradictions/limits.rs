//! Amounts beyond reason: limits above fifty, times of zero, money below zero.

use crate::error::{Contradiction, refuse_if};
use crate::keys::Keys;
use model::policy::{Limits, Policy};

/// More of anything in one phase is a mistake, not a limit.
const MOST: u32 = 50;

/// Refuses amounts beyond reason.
pub(super) fn limits(keys: &Keys) -> Result<(), Contradiction> {
    for (name, phase) in &keys.phases {
        at_most(format!("phases.{name}.max_revisions"), phase.max_revisions.unwrap_or(0))?;
        at_most(format!("phases.{name}.max_format_redo"), phase.max_format_redo.unwrap_or(0))?;
    }
    at_most("limits.max_cycles".to_owned(), keys.limits.max_cycles)?;
    times(keys)?;
    money(keys)?;
    let what = "would limit the calls of one call; `budget.phase.calls` limits those of a phase";
    refuse_if(keys.budget.scopes.step.calls.is_some(), "budget.step.calls", what)
}

/// Refuses limits of a policy that are beyond reason.
pub(super) fn of_policy(name: &str, policy: &Policy) -> Result<(), Contradiction> {
    let Limits { max_passes, max_revisions, max_redo, max_format_redo, max_unreadable, max_tries, .. } =
        policy.limits;
    let key = |inner: &str| format!("policies.{name}.limits.{inner}");
    for (inner, number) in [
        ("max_passes", max_passes.unwrap_or(1)),
        ("max_revisions", max_revisions),
        ("max_redo", max_redo),
        ("max_format_redo", max_format_redo),
        ("max_unreadable", max_unreadable),
        ("max_tries", max_tries.unwrap_or(1)),
    ] {
        at_most(key(inner), number)?;
    }
    at_least_one(key("max_passes"), max_passes.map(u64::from))?;
    at_least_one(key("max_tries"), max_tries.map(u64::from))
}

fn at_most(key: String, number: u32) -> Result<(), Contradiction> {
    refuse_if(number > MOST, key, format!("is {number}; {MOST} is the most"))
}

fn at_least_one(key: String, number: Option<u64>) -> Result<(), Contradiction> {
    refuse_if(number == Some(0), key, "has to be 1 or more")
}

/// A time of zero would be over before anything began.
fn times(keys: &Keys) -> Result<(), Contradiction> {
    let time = &keys.limits.time;
    at_least_one("limits.step_seconds".to_owned(), Some(time.step_seconds))?;
    at_least_one("limits.idle_seconds".to_owned(), Some(time.idle_seconds))?;
    at_least_one("limits.first_output_seconds".to_owned(), time.first_output_seconds)?;
    at_least_one("limits.command_seconds".to_owned(), Some(time.command_seconds))?;
    at_least_one("limits.outage_seconds".to_owned(), Some(keys.limits.outage_seconds))?;
    for (step, time) in &keys.limits.steps {
        let all = [time.step_seconds, time.idle_seconds, time.first_output_seconds];
        times_of_call(&format!("limits.steps.{step}"), all)?;
    }
    for (name, agent) in &keys.agents {
        let all = [agent.step_seconds, agent.idle_seconds, agent.first_output_seconds];
        times_of_call(&format!("agents.{name}"), all)?;
    }
    for (name, agent) in &keys.agents {
        at_least_one(format!("agents.{name}.max_turns"), agent.max_turns)?;
    }
    Ok(())
}

fn times_of_call(table: &str, [step, idle, first_output]: [Option<u64>; 3]) -> Result<(), Contradiction> {
    at_least_one(format!("{table}.step_seconds"), step)?;
    at_least_one(format!("{table}.idle_seconds"), idle)?;
    at_least_one(format!("{table}.first_output_seconds"), first_output)
}

fn money(keys: &Keys) -> Result<(), Contradiction> {
    let budget = &keys.budget;
    for (key, amount) in [
        ("usd", budget.run.usd),
        ("unattended_usd", Some(budget.unattended_usd)),
        ("step.usd", budget.scopes.step.usd),
        ("phase.usd", budget.scopes.phase.usd),
        ("day.usd", budget.scopes.day.usd),
    ] {
        let Some(amount) = amount else { continue };
        let what = format!("is {amount}; it has to be an amount, 0 or more");
        refuse_if(!amount.is_finite() || amount < 0.0, format!("budget.{key}"), what)?;
    }
    Ok(())
}
