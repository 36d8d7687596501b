//! `execute --dry-run`: phases, calls and limits, without calling anybody or writing anything.

use std::fmt::Write as _;

use serde_json::json;

use super::Answer;
use super::arguments::Execute;
use super::begin_run;
use super::door::Door;
use super::show::show;
use crate::phase::PhaseName;
use crate::policy::{Agreement, PhaseDef};

pub(super) fn run(door: &Door, arguments: &Execute) -> Answer {
    let issue = begin_run::issue(door, arguments.issue)?;
    let agreement = begin_run::agreement(door)?;
    let left_out = begin_run::left_out(door, &agreement)?;
    let phases = agreement.phases.iter().map(|phase| {
        json!({
            "phase": phase.name, "skipped_because": skipped(&left_out, phase), "policy": phase.policy_name,
            "agent": phase.agents, "reviewer": phase.reviewers, "max_revisions": phase.policy.limits.max_revisions,
            "calls_at_best": calls_at_best(phase), "calls_at_worst": calls_at_worst(phase),
        })
    });
    let value = json!({
        "issue": issue.number, "title": issue.title, "phases": phases.collect::<Vec<_>>(),
        "budget": agreement.budget, "limits": agreement.time,
    });
    show(arguments.json, &value, &lines(&agreement, &left_out, &issue.title));
    Ok(0)
}

fn lines(agreement: &Agreement, left_out: &[(PhaseName, String)], title: &str) -> String {
    let mut text = format!("{title}\n\n");
    for phase in &agreement.phases {
        let what = match skipped(left_out, phase) {
            Some(why) => format!("left out ({why})"),
            None => format!(
                "{}, {} to {} calls, {} by {}",
                phase.policy_name,
                calls_at_best(phase),
                calls_at_worst(phase),
                phase.output,
                phase.agents.join(", then ")
            ),
        };
        let _ = writeln!(text, "  {:<20} {what}", phase.name.as_str());
    }
    let calls = agreement.phases.iter().filter(|phase| skipped(left_out, phase).is_none());
    let (best, worst) =
        calls.fold((0, 0), |sum, phase| (sum.0 + calls_at_best(phase), sum.1 + calls_at_worst(phase)));
    let _ = writeln!(
        text,
        "\n{best} to {worst} agent calls, redos of broken calls apart. Nothing was called and nothing written."
    );
    text
}

fn skipped<'a>(left_out: &'a [(PhaseName, String)], phase: &PhaseDef) -> Option<&'a str> {
    left_out.iter().find(|(name, _)| *name == phase.name).map(|(_, why)| why.as_str())
}

fn calls_at_best(phase: &PhaseDef) -> u32 {
    u32::from(!phase.policy.triage)
        + u32::from(phase.policy.review.is_some())
        + u32::from(phase.policy.triage)
}

fn calls_at_worst(phase: &PhaseDef) -> u32 {
    let most = phase.policy.limits.max_revisions;
    if phase.policy.triage { 2 * most } else { (1 + u32::from(phase.policy.review.is_some())) * (most + 1) }
}
