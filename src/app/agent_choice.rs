//! Which agents work and review: `auto` becomes an agent that is there, and where nobody has named a reviewer one is
//! found that fits the author. Both are pinned when a run begins, and logged with the reason.
//! Commands, scripts and ACP agents are reviewed by the same program in a fresh process; claude and codex by each other,
//! else by another model, else by themselves, which is a warning. Asks programs about themselves at most; calls no model.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::environment::runtime;
use crate::failure::{Failure, FailureKind, Result};
use crate::project::Project;
use agents::{AgentSpec, AgentStatus, ensure_usable, query_agent_status};
use model::policy::{Agreement, PhaseDef};
use process::own_program;
use settings::{AgentKind, Settings};

/// What is chosen from.
struct AgentCandidates<'a> {
    settings: &'a Settings,
    /// Says why an agent cannot be used.
    why_not: &'a dyn Fn(&AgentSpec) -> Option<String>,
}

/// A chain of agents, and what a person should know about it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentChain {
    /// The agents, the first one first.
    pub agents: Vec<String>,
    /// Why these.
    pub reasons: Vec<ChoiceReason>,
}

/// Why an agent was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChoiceReason {
    /// What is good to know.
    Note(String),
    /// What a person may want to change.
    Warning(String),
}

/// Puts agents that are there in place of `auto`, and reviewers that fit where nobody has named any. Returns why.
pub(crate) fn choose(project: &Project, agreement: &mut Agreement) -> Result<Vec<ChoiceReason>> {
    let mut told = Vec::new();
    let mut keep = |chosen: AgentChain| {
        let fresh: Vec<ChoiceReason> =
            chosen.reasons.into_iter().filter(|line| !told.contains(line)).collect();
        told.extend(fresh);
        chosen.agents
    };
    with_candidates(project, |candidates| {
        for phase in &mut agreement.phases {
            phase.agents = keep(candidates.resolve_auto(&phase.agents)?);
            let is_set = candidates.is_reviewer_set(phase.name.as_str());
            let reviewers = if is_set {
                candidates.resolve_auto(&phase.reviewers)?
            } else {
                candidates.reviewers_of(&phase.agents)
            };
            phase.reviewers = keep(reviewers);
            let of_seats = phase.panel.iter_mut().map(|seat| &mut seat.agents);
            for chain in phase.step_agents.values_mut().chain(of_seats) {
                *chain = keep(candidates.resolve_auto(chain)?);
            }
        }
        Ok::<_, Failure>(())
    })?;
    Ok(told)
}

/// Returns agents that are named now, and their reviewers; without any the ones that fit.
pub(crate) fn choose_chains(
    project: &Project,
    agents: &[String],
    reviewers: Option<&[String]>,
) -> Result<(AgentChain, AgentChain)> {
    with_candidates(project, |candidates| {
        let agents = candidates.resolve_auto(agents)?;
        let reviewers = match reviewers {
            Some(named) => candidates.resolve_auto(named)?,
            None => candidates.reviewers_of(&agents.agents),
        };
        Ok((agents, reviewers))
    })
}

/// Tells what `auto` stands for on this machine, and why.
pub(crate) fn auto_reason(project: &Project) -> Result<String> {
    with_candidates(project, |candidates| candidates.auto().map(|(_, why)| why))
}

/// Hands over what there is to choose from on this machine.
fn with_candidates<T>(project: &Project, ask: impl FnOnce(&AgentCandidates<'_>) -> T) -> T {
    let known = RefCell::new(BTreeMap::new());
    let why_not = |spec: &AgentSpec| {
        let name = spec.to_string();
        let known = &mut *known.borrow_mut();
        known.entry(name).or_insert_with(|| why_not(spec, &examine_agent(project, spec))).clone()
    };
    ask(&AgentCandidates { settings: &project.settings, why_not: &why_not })
}

/// Asks the program of an agent about itself.
pub(crate) fn examine_agent(project: &Project, spec: &AgentSpec) -> AgentStatus {
    let spec = spec.clone().resolve_from(project.root());
    match runtime() {
        Ok(runtime) => runtime.block_on(query_agent_status(&spec, &project.settings.agents, &own_program())),
        Err(failure) => AgentStatus { remark: Some(failure.message), ..AgentStatus::default() },
    }
}

/// Says why an agent cannot be used, as far as that shows without calling it.
fn why_not(spec: &AgentSpec, examined: &AgentStatus) -> Option<String> {
    let signed_out = || format!("{spec} is not signed in");
    (!examined.is_usable()).then(|| examined.remark.clone().unwrap_or_else(signed_out))
}

impl ChoiceReason {
    /// Logs it.
    pub(crate) fn log(&self) {
        match self {
            Self::Note(text) => tracing::info!("{text}"),
            Self::Warning(text) => tracing::warn!("{text}"),
        }
    }
}

impl AgentCandidates<'_> {
    fn is_reviewer_set(&self, phase: &str) -> bool {
        let own = self.settings.phases.get(phase).and_then(|keys| keys.reviewer.as_ref());
        own.is_some_and(|names| !names.is_empty()) || !self.settings.reviewer.is_empty()
    }

    /// Returns a chain with agents that are there in place of `auto`, each agent once.
    fn resolve_auto(&self, chain: &[String]) -> Result<AgentChain> {
        let mut chosen = AgentChain::default();
        for name in chain {
            if name == "auto" {
                let (found, why) = self.auto()?;
                chosen.reasons.push(ChoiceReason::Note(why));
                chosen.add(found);
            } else {
                chosen.add(name.clone());
            }
        }
        Ok(chosen)
    }

    /// Returns what `auto` stands for here, and why.
    fn auto(&self) -> Result<(String, String)> {
        let mut missing = Vec::new();
        for name in ["claude", "codex"] {
            let Some(why_not) = self.why_not_named(name) else {
                let first = "it is there, and asked first".to_owned();
                let why = if missing.is_empty() { first } else { missing.join(", ") };
                return Ok((name.to_owned(), format!("auto is {name}: {why}")));
            };
            missing.push(why_not);
        }
        let told = format!("the agent `auto` cannot be used: {}", missing.join(", "));
        Err(Failure::new(FailureKind::NoAgent, told)
            .hint("install one of them and sign in, or name an agent: --agent command:PATH"))
    }

    fn why_not_named(&self, name: &str) -> Option<String> {
        name.parse().ok().and_then(|spec| (self.why_not)(&spec))
    }

    /// Returns reviewers that fit a chain of authors.
    fn reviewers_of(&self, authors: &[String]) -> AgentChain {
        let mut chosen = AgentChain::default();
        for author in authors {
            let fit = self.reviewers_of_one(author);
            chosen.reasons.extend(fit.reasons);
            fit.agents.into_iter().for_each(|name| chosen.add(name));
        }
        chosen
    }

    fn reviewers_of_one(&self, author: &str) -> AgentChain {
        let (name, model) = match author.parse() {
            Ok(AgentSpec::Claude(model)) => ("claude", model),
            Ok(AgentSpec::Codex(model)) => ("codex", model),
            Ok(AgentSpec::Profile(name)) if self.is_model_of_its_own(&name) => {
                return self_review(author, "it is the only agent at its address");
            }
            _ => return AgentChain { agents: vec![author.to_owned()], reasons: Vec::new() },
        };
        let other = if name == "claude" { "codex" } else { "claude" };
        let mut chain = Vec::new();
        let missing = self.why_not_other(name, other);
        if missing.is_none() {
            chain.push(other.to_owned());
        }
        chain.extend(self.other_model_spec(name, model.as_deref()));
        match (missing, chain.first()) {
            (None, _) => AgentChain { agents: chain, reasons: Vec::new() },
            (Some(why), Some(second)) => {
                let second = if second == name { format!("another model of {name}") } else { second.clone() };
                let told = format!("{second} reviews the work of {author}: {why}");
                AgentChain { agents: chain, reasons: vec![ChoiceReason::Note(told)] }
            }
            (Some(why), None) => self_review(author, &why),
        }
    }

    /// Tells whether an own agent is a model behind claude or codex.
    fn is_model_of_its_own(&self, name: &str) -> bool {
        let kind = self.settings.agents.get(name).map(|profile| profile.kind_of(name));
        matches!(kind, Some(AgentKind::Claude | AgentKind::Codex))
    }

    /// Says why the other program cannot review. What somebody keeps on a model of their own is not sent elsewhere.
    fn why_not_other(&self, name: &str, other: &str) -> Option<String> {
        if self.has_own_address(name) && !self.has_own_address(other) {
            return Some(format!("{name} works at an address of its own, {other} does not"));
        }
        self.why_not_named(other)
    }

    fn has_own_address(&self, name: &str) -> bool {
        self.settings.agents.get(name).is_some_and(|profile| profile.base_url.is_some())
    }

    /// Returns the same program with another model; which one is left open where the difficulty chooses.
    fn other_model_spec(&self, name: &str, model: Option<&str>) -> Option<String> {
        let second = self.other_model(name, model)?;
        let has_model = self.settings.agents.get(name).is_some_and(|profile| profile.model.is_some());
        let is_open = self.settings.auto_model && !has_model;
        Some(if is_open { name.to_owned() } else { format!("{name}:{second}") })
    }

    /// Returns the model of the same program that reviews a model; at another address its name would mean nothing.
    fn other_model(&self, name: &str, model: Option<&str>) -> Option<&str> {
        if self.has_own_address(name) {
            return None;
        }
        let models = self.settings.second_models.get(name)?;
        let own = model.or_else(|| self.settings.agents.get(name)?.model.as_deref());
        let second = own.and_then(|own| models.get(own)).or_else(|| models.get("default"))?;
        (own != Some(second.as_str())).then_some(second)
    }
}

impl AgentChain {
    fn add(&mut self, name: String) {
        if !self.agents.contains(&name) {
            self.agents.push(name);
        }
    }
}

fn self_review(author: &str, why: &str) -> AgentChain {
    let told =
        format!("{author} reviews its own work, in a fresh process: {why}; `--reviewer` names another one");
    AgentChain { agents: vec![author.to_owned()], reasons: vec![ChoiceReason::Warning(told)] }
}

/// Warns of second reviewers that cannot be called: they are going to be left out. One that nobody could ever be is refused.
fn warn_of_missing_second_reviewers(project: &Project, agreement: &Agreement) -> Result<()> {
    let mut warned: Vec<String> = Vec::new();
    for seat in agreement.phases.iter().flat_map(|phase| &phase.panel).filter(|seat| !seat.required) {
        match check_chain(project, &seat.agents) {
            Err(failure) if failure.kind == FailureKind::NoAgent => {
                let text = format!("{}; the second opinion {} is done without", failure.message, seat.name);
                if !warned.contains(&text) {
                    tracing::warn!("{text}");
                    warned.push(text);
                }
            }
            other => other?,
        }
    }
    Ok(())
}

/// Returns every agent that a run needs, each once; those of seats that it can do without are left out.
pub(crate) fn needed_agents(agreement: &Agreement) -> BTreeSet<&String> {
    agreement.phases.iter().flat_map(needed_chains).flatten().collect()
}

/// Refuses names of agents that mean none: a kind that there is not, and a chain in which nothing is configured for any name.
/// Whether a program is installed is not asked here.
pub(crate) fn refuse_unknown_agents(project: &Project, agreement: &Agreement) -> Result<()> {
    let named = needed_agents(agreement).into_iter().chain(optional_reviewers(agreement));
    named.into_iter().try_for_each(|spec| parse(spec).map(drop))?;
    let is_unknown = |spec: &String| match spec.parse() {
        Ok(AgentSpec::Profile(name)) => !project.settings.agents.contains_key(&name),
        _ => false,
    };
    let seats = agreement.phases.iter().flat_map(|phase| &phase.panel);
    let chains = agreement.phases.iter().flat_map(needed_chains).chain(seats.map(|seat| &seat.agents));
    let chains: BTreeSet<&Vec<String>> = chains.filter(|chain| !chain.is_empty()).collect();
    let mut unknown = chains.into_iter().filter(|chain| chain.iter().all(is_unknown));
    unknown.try_for_each(|chain| check_chain(project, chain))
}

/// Refuses an agreement with a chain of which no agent can be called, and warns of second reviewers that cannot be called.
pub(crate) fn refuse_unusable_agents(project: &Project, agreement: &Agreement) -> Result<()> {
    let chains: BTreeSet<&Vec<String>> = agreement.phases.iter().flat_map(needed_chains).collect();
    chains.into_iter().try_for_each(|chain| check_chain(project, chain))?;
    warn_of_missing_second_reviewers(project, agreement)
}

fn needed_chains(phase: &PhaseDef) -> impl Iterator<Item = &Vec<String>> {
    let required = phase.panel.iter().filter(|seat| seat.required && !seat.agents.is_empty());
    let chains = [&phase.agents, &phase.reviewers].into_iter().chain(phase.step_agents.values());
    chains.chain(required.map(|seat| &seat.agents))
}

/// Returns the agents of seats that a run can do without.
pub(crate) fn optional_reviewers(agreement: &Agreement) -> impl Iterator<Item = &String> {
    let seats = agreement.phases.iter().flat_map(|phase| &phase.panel).filter(|seat| !seat.required);
    seats.flat_map(|seat| &seat.agents)
}

/// Refuses a chain of which no agent can be called; one that cannot is passed over when another one can.
pub(crate) fn check_chain(project: &Project, chain: &[String]) -> Result<()> {
    let (mut usable, mut missing) = (chain.is_empty(), Vec::new());
    for spec in chain {
        match check_usable(project, spec) {
            Ok(()) => usable = true,
            Err(failure) if failure.kind == FailureKind::NoAgent => missing.push(failure),
            Err(failure) => return Err(failure),
        }
    }
    if !usable {
        return Err(missing.swap_remove(0));
    }
    for failure in missing {
        tracing::warn!("{}; it is passed over", failure.message);
    }
    Ok(())
}

/// Refuses an agent whose program is not there.
fn check_usable(project: &Project, spec: &str) -> Result<()> {
    ensure_usable(&parse(spec)?.resolve_from(project.root()), &project.settings.agents).map_err(|error| {
        Failure::new(FailureKind::NoAgent, format!("the agent `{spec}` cannot be used: {error}"))
            .hint(error.hint())
    })
}

fn parse(spec: &str) -> Result<AgentSpec> {
    spec.parse().map_err(|error| {
        Failure::usage(format!("{error}"))
            .hint("for example `--agent claude` or `--agent command:./my-agent`")
    })
}

#[cfg(test)]
mod tests;
