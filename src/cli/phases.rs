//! `phases`: the phases of a run with their policy, limits and needs.

use std::fmt::Write as _;

use serde_json::json;

use super::Answer;
use super::arguments::Report;
use super::door::{here, repository_root, settings};
use super::show::show;

pub(super) fn run(arguments: &Report) -> Answer {
    let here = here()?;
    let settings = settings(&arguments.settings, &here, repository_root(&here).as_deref())?;
    let agreement = settings.agreement(None)?;
    let mut text = String::new();
    let mut values = Vec::new();
    for phase in &agreement.phases {
        let needs: Vec<&str> = phase.needs.iter().map(model::phase::PhaseName::as_str).collect();
        let checks: Vec<&str> = phase.policy.checks.iter().map(|rule| rule.id.as_str()).collect();
        let most = phase.policy.limits.max_revisions;
        let needs_words = if needs.is_empty() { "nothing".to_owned() } else { needs.join(", ") };
        let _ = writeln!(
            text,
            "{:<20} {:<12} {most} {:<9} {}/output/{}",
            phase.name.as_str(),
            phase.policy_name,
            if phase.policy.triage { "rounds" } else { "revisions" },
            phase.folder,
            phase.output
        );
        let _ = writeln!(
            text,
            "{:<20} needs {needs_words}; checks {}",
            "",
            if checks.is_empty() { "none".to_owned() } else { checks.join(", ") }
        );
        values.push(json!({
            "phase": phase.name, "folder": phase.folder, "output": phase.output, "needs": needs, "checks": checks,
            "policy": phase.policy_name, "max_revisions": most, "agent": phase.agents, "reviewer": phase.reviewers, "panel": phase.panel,
        }));
    }
    show(arguments.json, &values.into(), &text);
    Ok(0)
}
