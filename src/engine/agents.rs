//! What the calls of a run have shown about its agents: which ones cannot be used now, which providers fail, which agent took
//! over from which. And what a broken call leads to, by the class of its outcome: whether the same step may succeed now, and
//! its wording in messages. Which agent gets a call is chosen in `fallback_chain`; how often a step may come again is `redo`'s.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use jiff::Timestamp;
use serde::Deserialize;

use model::data_file;
use model::event::{CallEnd, ExecOutcome, ReportedProgram};
use model::phase::{PhaseName, Step};

/// An agent that was called, and the program behind it, as far as the agent reported it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalledAgent {
    /// The agent spec with its model.
    pub agent: String,
    /// The program, with its version and model.
    pub program: Option<ReportedProgram>,
}

/// What the calls of a run have shown about its agents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentStates {
    /// Agents that are passed over where another one is left.
    pub unusable: BTreeMap<String, UnusableAgent>,
    /// Providers that fail now.
    pub outage: Option<Outage>,
    /// Every agent that was called, once for each program that it reported.
    pub called: Vec<CalledAgent>,
    /// Each agent that took over from another one.
    pub fallbacks: Vec<Fallback>,
}

/// Why an agent is passed over, and until when if that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnusableAgent {
    /// How its latest call ended.
    pub outcome: ExecOutcome,
    /// When it can be used again, where that is known.
    pub until: Option<Timestamp>,
}

impl UnusableAgent {
    /// Tells whether an agent that ended so is of no use to later phases either, or not before a time that is known.
    pub(crate) fn of_call_end(ended: &CallEnd, at: Timestamp) -> Option<Self> {
        let outcome = ended.outcome;
        // A reset in the past says nothing about when it will work.
        let until = ended.resets_at.filter(|until| *until > at);
        if matches!(outcome, ExecOutcome::SignedOut | ExecOutcome::NotStarted) {
            return Some(Self { outcome, until: None });
        }
        let waits = outcome == ExecOutcome::QuotaExhausted || (outcome.is_outage() && until.is_some());
        waits.then_some(Self { outcome, until })
    }
}

/// An agent that took over from another one.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
#[display("{from} {}; {to} takes over", wording(*outcome).predicate)]
pub struct Fallback {
    /// The phase of the call.
    pub phase: PhaseName,
    /// The step of the call.
    pub step: Step,
    /// The agent that is given up.
    pub from: String,
    /// The agent that takes over.
    pub to: String,
    /// How the last call of the first one ended.
    pub outcome: ExecOutcome,
}

/// Providers that fail, from the first failed call until a call comes to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    /// When the first call failed, or when the run was requested again after that.
    pub since: Timestamp,
    /// How often the run has waited since then.
    pub waits: u32,
    /// The agents whose providers fail.
    pub agents: BTreeSet<String>,
    /// No agent is called before this time.
    pub until: Option<Timestamp>,
}

impl AgentStates {
    /// Remembers which agent's provider fails.
    pub(crate) fn note_provider(&mut self, agent: &str, outcome: ExecOutcome, at: Timestamp) {
        if outcome.ended() {
            self.outage = None;
        } else if outcome.is_outage() {
            let begins = || Outage { since: at, waits: 0, agents: BTreeSet::new(), until: None };
            self.outage.get_or_insert_with(begins).agents.insert(agent.to_owned());
        } else if outcome != ExecOutcome::Cancelled
            && let Some(outage) = &mut self.outage
        {
            outage.agents.remove(agent);
        }
    }

    /// Prepares for a new request: an agent can be used again unless a reset time that is known lies ahead. A provider that
    /// fails is called at once, and the run waits for it as long as before.
    pub(crate) fn begin_request(&mut self, at: Timestamp) {
        self.unusable.retain(|_, unusable| unusable.until.is_some_and(|until| until > at));
        if let Some(outage) = &mut self.outage {
            (outage.since, outage.waits, outage.until) = (at, 0, None);
        }
    }

    /// Delays the next call until a time.
    pub(crate) fn wait_until(&mut self, until: Timestamp) {
        if let Some(outage) = &mut self.outage {
            outage.waits += 1;
            outage.until = Some(until);
        }
    }
}

/// Tells whether the same agent may succeed where it ended so; else the next one is called. `resumed` says
/// that the call continued a session: a fresh one holds less.
pub(crate) fn may_succeed_again(outcome: ExecOutcome, resumed: bool) -> bool {
    match outcome {
        ExecOutcome::Done
        | ExecOutcome::Partial
        | ExecOutcome::NoOutput
        | ExecOutcome::TimedOut
        | ExecOutcome::Idle
        | ExecOutcome::LimitReached
        | ExecOutcome::OverBudget
        | ExecOutcome::BlockedOnPrompt
        | ExecOutcome::Crashed
        | ExecOutcome::Cancelled => true,
        ExecOutcome::ContextTooLong => resumed,
        ExecOutcome::RateLimited
        | ExecOutcome::Overloaded
        | ExecOutcome::ProviderFailed
        | ExecOutcome::QuotaExhausted
        | ExecOutcome::SignedOut
        | ExecOutcome::ModelUnknown
        | ExecOutcome::Refused
        | ExecOutcome::NotStarted => false,
    }
}

/// The wording of an outcome in messages.
#[derive(Debug, Deserialize)]
pub(crate) struct OutcomeWording {
    /// What the agent did, after its name.
    pub(crate) predicate: String,
    /// Why the step broke, after its name.
    pub(crate) reason: String,
    /// What a person can do where another try does not help.
    pub(crate) remedy: Option<String>,
}

/// Returns the wording of an outcome.
pub(crate) fn wording(outcome: ExecOutcome) -> &'static OutcomeWording {
    static ALL: LazyLock<HashMap<ExecOutcome, OutcomeWording>> =
        LazyLock::new(|| data_file::read(include_str!("outcomes.toml")));
    ALL.get(&outcome).expect("every outcome is in the file")
}

#[cfg(test)]
mod tests;
