//! What a run is agreed on: the phases of a preset or of the order, each with its policy filled in.
//! Chooses no agent: which reviewer fits an author is decided where programs are looked up.
//!
//! A step of a registry that is attached to a phase adds evidence and never takes any away: the phase keeps its own checks
//! and its review.

use std::collections::{BTreeMap, BTreeSet};

use super::defined_check::defined_check;
use super::error::{ConfigError, did_you_mean, suggestion};
use super::keys::{AnswerFormat, PhaseKeys, split_at_commas};
use super::registry::{FailureAction, RegistryStep};
use super::settings::{Settings, phase_name};
use super::validation::takes_a_panel;
use model::policy::{
    Agreement, AnswerForm, CheckKind, CheckRule, CheckSettings, DefinedCheck, Difficulty, FailurePattern,
    ModelChoice, OnFail, OnUnavailable, PanelReviewer, PhaseDef, PhaseProperties, Policy, ReviewRule,
    TimeLimits, UnapprovedEnd, check_id, criterion,
};

/// The check that documents which were approved stand.
const DOCUMENTS: &str = "documents";

impl Settings {
    /// Returns what a run with this preset, or else with the configured one, is agreed on.
    /// The budget is that of an attended run.
    pub fn agreement(&self, preset: Option<&str>) -> Result<Agreement, ConfigError> {
        let preset = preset.or(self.preset.as_deref());
        let list = preset.map_or(Ok(&self.order), |name| self.phases_of(name))?;
        let outside = self.order.iter().filter(|name| !list.contains(name));
        let mut names: Vec<&String> = list.iter().chain(outside).collect();
        names.sort_by_key(|name| self.place_of(name, list));
        Ok(Agreement {
            phases: names.into_iter().map(|name| self.phase(name, list)).collect(),
            preset: preset.map(str::to_owned),
            budget: self.budget(true),
            budget_scopes: self.budget.scopes.clone(),
            max_cycles: self.limits.max_cycles,
            commands: self.commands.by_id(),
            detected_commands: BTreeSet::new(),
            time: TimeLimits { by_step: self.limits.steps.clone(), ..self.limits.time.clone() },
            protected: Vec::new(),
            check_settings: self.check_settings(),
            defined: self.defined_checks(),
            patterns: self.patterns(),
            require_review_id: self.verdict.require_review_id.unwrap_or(false),
            fresh_sessions: self.fresh_sessions,
            models: self.models_of_difficulties(),
        })
    }

    /// Returns the place of a phase in the order of a run. One that only a preset names comes before the next one of that preset
    /// that is in the order.
    fn place_of(&self, name: &str, list: &[String]) -> usize {
        let place = |name: &String| self.order.iter().position(|known| known == name);
        let from_here = list.iter().skip_while(|listed| *listed != name);
        place(&name.to_owned()).or_else(|| from_here.clone().find_map(place)).unwrap_or(usize::MAX)
    }

    /// Adds the registry's prompts and schemas to the protected paths: no author may change them.
    fn check_settings(&self) -> CheckSettings {
        let mut settings = CheckSettings { define: BTreeMap::new(), ..self.checks.clone() };
        let folders = self.registry().into_iter().flat_map(|registry| [&registry.base, &registry.schemas]);
        let folders = folders.filter(|folder| !matches!(folder.as_str(), "" | "."));
        settings.protected_by_default.extend(folders.map(|folder| format!("{folder}/")));
        settings
    }

    /// Returns the phases that run with the configured preset, when there is one.
    pub fn preset_phases(&self) -> Result<Option<&Vec<String>>, ConfigError> {
        self.preset.as_deref().map(|name| self.phases_of(name)).transpose()
    }

    fn phases_of(&self, preset: &str) -> Result<&Vec<String>, ConfigError> {
        let near = || did_you_mean(suggestion(preset, self.presets.keys().map(String::as_str)));
        let unknown = || ConfigError::UnknownPreset(format!("`{preset}`{}", near()));
        self.presets.get(preset).map(|found| &found.phases).ok_or_else(unknown)
    }

    /// A model that is named for an agent stays, and at an address of its own the names of others mean nothing.
    fn models_of_difficulties(&self) -> BTreeMap<Difficulty, BTreeMap<String, ModelChoice>> {
        let fixed = |name: &str| {
            self.agents.get(name).is_some_and(|agent| agent.model.is_some() || agent.base_url.is_some())
        };
        let mut models = self.models.clone();
        for choices in models.values_mut() {
            choices.retain(|name, _| !fixed(name));
        }
        models
    }

    fn phase(&self, name: &str, list: &[String]) -> PhaseDef {
        let keys = &self.phases[name];
        let agents = split_at_commas(keys.agent.as_ref().unwrap_or(&self.agent));
        let reviewers = keys.reviewer.as_ref().unwrap_or(&self.reviewer).clone();
        PhaseDef {
            name: phase_name(name),
            folder: keys.number.map_or_else(|| name.to_owned(), |number| format!("{number:02}_{name}")),
            output: keys.output.clone(),
            needs: self.needs_within(name, list).into_iter().map(|need| phase_name(need)).collect(),
            changes_code: keys.changes_code,
            decides: keys.decides,
            properties: properties(name, keys),
            policy_name: keys.policy.clone(),
            panel: self.panel(keys),
            policy: self.policy(keys),
            reviewers: if reviewers.is_empty() { agents.clone() } else { reviewers },
            agents,
            own_agents: keys.agent.is_some(),
            own_reviewers: keys.reviewer.as_ref().is_some_and(|names| !names.is_empty()),
            step_agents: keys.agents.iter().map(|(step, agents)| (*step, split_at_commas(agents))).collect(),
            gate: keys.gate,
            c3l: self.step_of(keys).map(|step| step.c3l.clone()),
            output_schema: None,
            answer_form: answer_form(keys),
        }
    }

    /// Returns the seats of a phase: each viewpoint that is split, then those that are named.
    fn panel(&self, keys: &PhaseKeys) -> Vec<PanelReviewer> {
        let policy = &self.policies[&keys.policy];
        if !takes_a_panel(policy) {
            return Vec::new();
        }
        let mut seats = Vec::new();
        if let Some(review) = &policy.review
            && review.split
        {
            seats.extend(review.viewpoints.iter().map(|viewpoint| PanelReviewer::of_viewpoint(viewpoint)));
        }
        seats.extend_from_slice(keys.panel.as_ref().unwrap_or(&self.panel));
        seats
    }

    fn policy(&self, keys: &PhaseKeys) -> Policy {
        let mut policy = self.policies[&keys.policy].clone();
        add(&mut policy, self.further_checks(keys).into_iter().map(|name| self.rule(check_id(name))));
        if policy.review_loop {
            self.take_criteria(keys, &mut policy);
        }
        if policy.llm_judge {
            policy.review = Some(ReviewRule::of_judge());
        } else if let Some(review) = &mut policy.review
            && !policy.triage
        {
            review.questions.get_or_insert(true);
        }
        policy.required.extend(self.listed_checks(keys, policy.review_loop));
        policy.checks.retain(|rule| !self.checks.disabled.iter().any(|id| check_id(id) == rule.id));
        policy.required.retain(|id| policy.checks.iter().any(|rule| rule.id == *id));
        if let Some(step) = self.step_of(keys) {
            attach(step, &mut policy, &self.policies[&self.step_policy]);
        }
        // No list leaves it out, and no other failure comes before it: what was approved stays.
        policy.checks.retain(|known| known.id != DOCUMENTS);
        policy.checks.insert(0, rule(DOCUMENTS));
        let limits = &mut policy.limits;
        limits.max_revisions = keys.max_revisions.unwrap_or(limits.max_revisions);
        limits.max_format_redo = keys.max_format_redo.unwrap_or(limits.max_format_redo);
        policy.outcomes.exhausted = keys.on_exhausted.unwrap_or(policy.outcomes.exhausted);
        policy
    }

    /// Where a review loop has lists, they decide which criteria count; what the phase itself names stays. An optional
    /// criterion is one that is off until it is listed: then it has to pass like any other.
    fn take_criteria(&self, keys: &PhaseKeys, policy: &mut Policy) {
        let review_loop = &self.review_loop;
        if let Some(mandatory) = &review_loop.mandatory {
            let own = |id: &str| keys.checks.iter().any(|name| check_id(name) == id);
            policy.checks.retain(|rule| criterion(&rule.id).is_none() || own(&rule.id));
            add(policy, mandatory.iter().map(|id| self.rule(id)));
        }
        add(policy, review_loop.optional.iter().map(|id| self.rule(id)));
    }

    /// Returns the checks that a person listed by name for a phase, so that they have to be judged.
    fn listed_checks(&self, keys: &PhaseKeys, takes_review_loop: bool) -> BTreeSet<String> {
        let (review_loop, enabled) = (&self.review_loop, &self.checks.enabled);
        let mut listed: Vec<&String> = Vec::new();
        if takes_review_loop {
            listed.extend(review_loop.mandatory.iter().flatten().chain(&review_loop.optional));
        }
        if keys.changes_code {
            listed.extend(enabled);
        }
        listed.into_iter().map(|name| check_id(name).to_owned()).collect()
    }

    /// Returns the step that is attached to a phase.
    fn step_of(&self, keys: &PhaseKeys) -> Option<&RegistryStep> {
        self.registry()?.steps.get(keys.step.as_ref()?)
    }

    /// Returns the name of the schema for the answers of a phase, its own or that of its step: `FILE#NAME`.
    pub fn schema_of(&self, keys: &PhaseKeys) -> Option<String> {
        keys.schema.clone().or_else(|| self.step_of(keys)?.output_schema.clone())
    }

    fn attached_steps(&self) -> impl Iterator<Item = &RegistryStep> {
        self.phases.values().filter_map(|keys| self.step_of(keys))
    }

    /// Returns the checks that the project defines itself: those of its configuration, and those of attached steps.
    fn defined_checks(&self) -> BTreeMap<String, DefinedCheck> {
        let own = self.checks.define.iter();
        let own = own.filter_map(|(name, own)| Some((name.clone(), defined_check(own).ok()?)));
        let of_steps = self.attached_steps().flat_map(|step| &step.checks);
        own.chain(of_steps.map(|(id, check)| (id.clone(), adapt_to_run(check)))).collect()
    }

    fn patterns(&self) -> BTreeMap<String, FailurePattern> {
        self.attached_steps().flat_map(|step| step.patterns.clone()).collect()
    }

    fn rule(&self, id: &str) -> CheckRule {
        let hopeless = self.checks.define.get(id).is_some_and(|own| own.recoverable == Some(false));
        if hopeless { CheckRule { on_fail: OnFail::Stop, ..rule(id) } } else { rule(id) }
    }

    /// Returns the names of the checks that a phase has besides those of its policy.
    fn further_checks<'a>(&'a self, keys: &'a PhaseKeys) -> Vec<&'a str> {
        let checks = &self.checks;
        let has_form = self.schema_of(keys).is_some() || answer_form(keys).is_some();
        let by_keys =
            [("code_changed", keys.changes_code), ("decision", keys.decides), ("answer_format", has_form)];
        let by_keys = by_keys.into_iter().filter(|(_, is_set)| *is_set);
        let mut names: Vec<&str> = by_keys.map(|(name, _)| name).collect();
        let of_kind = if keys.changes_code { &checks.code_phases } else { &checks.document_phases };
        for list in [&checks.every_phase, of_kind, &keys.checks] {
            names.extend(list.iter().map(String::as_str));
        }
        if keys.changes_code {
            names.extend(checks.enabled.iter().map(String::as_str));
            // A template is a check of its own name.
            if !checks.template.is_empty() {
                names.push(&checks.template);
            }
        }
        names
    }
}

fn properties(name: &str, keys: &PhaseKeys) -> PhaseProperties {
    PhaseProperties {
        plans: keys.plans,
        has_tests: keys.has_tests,
        judges_tests: keys.judges_tests,
        takes_feedback: keys.takes_feedback,
        prompts: keys.prompts.as_deref().unwrap_or(name).to_owned(),
    }
}

fn answer_form(keys: &PhaseKeys) -> Option<AnswerForm> {
    let pattern = keys.answer_pattern.clone().map(AnswerForm::Pattern);
    keys.answer_format.map(|AnswerFormat::Json| AnswerForm::Json).or(pattern)
}

/// Returns the rule of a check that is named without one: a missing decision or an answer of the wrong shape is a matter
/// of form, a secret stops before any commit, unfinished tasks are to be finished, and some results are only noted.
fn rule(id: &str) -> CheckRule {
    let on_fail = match id {
        "decision" | "answer_format" => OnFail::Format,
        "secrets" => OnFail::Stop,
        "task_list" => OnFail::Continue,
        "noted" | "suspect" => OnFail::Note,
        _ => OnFail::Revise,
    };
    CheckRule { id: id.to_owned(), on_fail, on_unavailable: OnUnavailable::Block }
}

/// Adds the rules whose checks are not there already.
fn add(policy: &mut Policy, rules: impl Iterator<Item = CheckRule>) {
    for rule in rules {
        if policy.checks.iter().all(|known| known.id != rule.id) {
            policy.checks.push(rule);
        }
    }
}

/// Lays a step over the policy of its phase: checked on declaration, up to the first failure, as often as it says.
fn attach(step: &RegistryStep, policy: &mut Policy, cycle: &Policy) {
    policy.check_when = cycle.check_when;
    policy.check_mode = cycle.check_mode;
    policy.limits.max_passes = step.max_attempts.or(cycle.limits.max_passes);
    policy.limits.max_revisions =
        step.max_attempts.map_or(cycle.limits.max_revisions, |attempts| attempts.saturating_sub(1));
    policy.outcomes.exhausted = cycle.outcomes.exhausted;
    policy.outcomes.blocked = cycle.outcomes.blocked;
    if step.on_failure == FailureAction::Abort {
        policy.outcomes.blocked = UnapprovedEnd::Fail;
    }
    policy.checks.extend(step.rules());
}

impl RegistryStep {
    /// Returns what the results of its conditions mean. A tool that is missing ends the phase whatever the step says: no
    /// author could repair it.
    pub fn rules(&self) -> Vec<CheckRule> {
        let on_fail = |check: &DefinedCheck| match (self.on_failure, check.recoverable) {
            (FailureAction::Abort, _) | (FailureAction::Retry, Some(false)) => OnFail::Stop,
            (FailureAction::Retry, _) => OnFail::Revise,
            (FailureAction::Skip, _) => OnFail::Note,
        };
        self.checks.iter().map(|(id, check)| CheckRule { on_fail: on_fail(check), ..rule(id) }).collect()
    }
}

/// In a run it is the engine that commits, after the checks: what git lists by then is the work itself. The usual command
/// for "everything is committed" therefore asks whether something lies there that no commit will take.
fn adapt_to_run(check: &DefinedCheck) -> DefinedCheck {
    let lists_all = |run: &str| run.split_whitespace().eq(["git", "status", "--porcelain"]);
    match &check.look {
        CheckKind::Command { run, .. } if lists_all(run) && check.success_when == "empty" => DefinedCheck {
            look: CheckKind::GitClean,
            success_when: String::new(),
            timeout_seconds: None,
            ..check.clone()
        },
        _ => check.clone(),
    }
}
