//! What a run is agreed on: the phases of a preset or of the order, each with its policy filled in.
//! Chooses no agent: which reviewer fits an author is decided where programs are looked up.

use std::collections::BTreeMap;

use super::error::ConfigError;
use super::keys::{Names, PhaseKeys};
use super::needs::narrowed;
use super::settings::{Settings, named};
use super::suggestion::suggestion;
use crate::policy::{
    Agreement, CheckRule, Difficulty, ModelChoice, OnFail, OnUnavailable, PhaseDef, Policy, TimeLimits,
};

impl Settings {
    /// Returns what a run with this preset, or else with the configured one, is agreed on.
    /// The budget is that of an attended run.
    pub fn agreement(&self, preset: Option<&str>) -> Result<Agreement, ConfigError> {
        let preset = preset.or(self.preset.as_deref());
        let list = self.list_of(preset)?;
        let outside = self.order.iter().filter(|name| !list.contains(name));
        let mut names: Vec<&String> = list.iter().chain(outside).collect();
        names.sort_by_key(|name| self.order.iter().position(|known| known == *name).unwrap_or(usize::MAX));
        Ok(Agreement {
            phases: names.into_iter().map(|name| self.phase(name, list)).collect(),
            preset: preset.map(str::to_owned),
            budget: self.budget(true),
            budget_scopes: self.budget_scopes(),
            max_cycles: self.limits.max_cycles,
            commands: self.commands.by_id(),
            time: TimeLimits {
                step_seconds: self.limits.step_seconds,
                idle_seconds: self.limits.idle_seconds,
                first_output_seconds: self.limits.first_output_seconds,
                command_seconds: self.limits.command_seconds,
                by_step: self.limits.steps.by_step(),
            },
            protected: self.checks.protected.clone(),
            require_review_id: self.verdict.require_review_id.unwrap_or(false),
            fresh_sessions: self.fresh_sessions,
            models: self.models_of_difficulties(),
        })
    }

    /// Returns the phases that run with the configured preset, when there is one.
    pub fn preset_phases(&self) -> Result<Option<&Vec<String>>, ConfigError> {
        self.preset.as_deref().map(|name| self.phases_of(name)).transpose()
    }

    fn list_of(&self, preset: Option<&str>) -> Result<&Vec<String>, ConfigError> {
        preset.map_or(Ok(&self.order), |name| self.phases_of(name))
    }

    fn phases_of(&self, preset: &str) -> Result<&Vec<String>, ConfigError> {
        match self.presets().get(preset) {
            Some(found) => Ok(&found.phases),
            None => Err(ConfigError::UnknownPreset {
                name: preset.to_owned(),
                hint: suggestion(preset, self.presets().keys().map(String::as_str)).map(str::to_owned),
            }),
        }
    }

    /// A model that is named for an agent stays, and at an address of its own the names of others mean nothing.
    fn models_of_difficulties(&self) -> BTreeMap<Difficulty, BTreeMap<String, ModelChoice>> {
        let fixed = |name: &str| {
            self.agents.get(name).is_some_and(|agent| agent.model.is_some() || agent.base_url.is_some())
        };
        let mut models = self.models.by_difficulty();
        for choices in models.values_mut() {
            choices.retain(|name, _| !fixed(name));
        }
        models
    }

    fn phase(&self, name: &str, list: &[String]) -> PhaseDef {
        let keys = &self.phases[name];
        let agents = chain(keys.agent.as_ref().unwrap_or(&self.agent));
        let Names(reviewers) = keys.reviewer.clone().unwrap_or_else(|| self.reviewer.clone());
        PhaseDef {
            name: named(name),
            folder: keys.number.map_or_else(|| name.to_owned(), |number| format!("{number:02}_{name}")),
            output: keys.output.clone(),
            needs: narrowed(&self.phases, name, list).into_iter().map(|need| named(need)).collect(),
            changes_code: keys.changes_code,
            decides: keys.decides,
            policy_name: keys.policy.clone(),
            policy: self.policy(keys),
            reviewers: if reviewers.is_empty() { agents.clone() } else { reviewers },
            agents,
            own_agents: keys.agent.is_some(),
            own_reviewers: keys.reviewer.as_ref().is_some_and(|names| !names.0.is_empty()),
            step_agents: keys.agents.by_step().map(|(step, agents)| (step, chain(agents))).collect(),
            gate: keys.gate,
        }
    }

    fn policy(&self, keys: &PhaseKeys) -> Policy {
        let mut policy = self.policies[&keys.policy].clone();
        for id in self.further_checks(keys) {
            if policy.checks.iter().all(|rule| rule.id != id) {
                policy.checks.push(rule(id));
            }
        }
        let limits = &mut policy.limits;
        limits.max_revisions = keys.max_revisions.unwrap_or(limits.max_revisions);
        limits.max_format_redo = keys.max_format_redo.unwrap_or(limits.max_format_redo);
        policy.outcomes.exhausted = keys.on_exhausted.unwrap_or(policy.outcomes.exhausted);
        policy
    }

    fn further_checks<'a>(&'a self, keys: &'a PhaseKeys) -> impl Iterator<Item = &'a str> {
        let enabled = if keys.changes_code { self.checks.enabled.as_slice() } else { &[] };
        keys.changes_code
            .then_some("code_changed")
            .into_iter()
            .chain(keys.decides.then_some("decision"))
            .chain((!self.checks.protected.is_empty()).then_some("protected"))
            .chain(keys.checks.iter().map(String::as_str))
            .chain(enabled.iter().map(String::as_str))
    }
}

/// Returns the rule of a check that is named without one: a decision that is missing is a matter of form.
fn rule(id: &str) -> CheckRule {
    let on_fail = if id == "decision" { OnFail::Format } else { OnFail::Revise };
    CheckRule { id: id.to_owned(), on_fail, on_unavailable: OnUnavailable::Block }
}

/// Splits a fallback chain.
pub(super) fn chain(agents: &str) -> Vec<String> {
    agents.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
