//! What a run may spend, how long a call may take, and which model an agent gets that was named without one: by how hard the
//! issue is and by the kind of step. Only data; whether a limit is reached and which agent is called is the engine's.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::phase::Step;

/// What a run may spend before it pauses; a missing figure is no limit.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// US dollars, as the agents report them.
    pub usd: Option<f64>,
    /// Input plus output tokens.
    pub tokens: Option<u64>,
    /// Agent calls.
    pub calls: Option<u64>,
    /// Minutes of agents at work.
    pub minutes: Option<u64>,
    /// Turns of models, as the agents report them.
    pub turns: Option<u64>,
}

/// Limits narrower and wider than the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct BudgetScopes {
    /// Each agent call.
    // What a program cannot be told is looked at after the call. Its `calls` would mean nothing.
    pub step: Budget,
    /// Each phase.
    pub phase: Budget,
    /// Every run of this repository on one day, in UTC.
    pub day: Budget,
}

/// How long one agent call or command may take, in seconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct TimeLimits {
    /// Wall time of an agent call, in seconds.
    pub step_seconds: u64,
    /// Time without any output of an agent call, in seconds.
    pub idle_seconds: u64,
    /// Time until the first output of an agent call, in seconds; without it `idle_seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_output_seconds: Option<u64>,
    /// Wall time of a command that a check runs, in seconds.
    pub command_seconds: u64,
    /// Limits of single kinds of steps.
    // The configuration has its own table for these.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(skip)]
    pub by_step: BTreeMap<Step, StepTime>,
}

/// Limits of one kind of step, in seconds; what is missing is as for all.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct StepTime {
    pub step_seconds: Option<u64>,
    pub idle_seconds: Option<u64>,
    pub first_output_seconds: Option<u64>,
}

impl TimeLimits {
    /// Returns wall time, idle time and time until the first output of a call of this kind, in seconds.
    pub fn of(&self, step: Step) -> (u64, u64, u64) {
        let own = self.by_step.get(&step).cloned().unwrap_or_default();
        let wall = own.step_seconds.unwrap_or(self.step_seconds);
        let idle = own.idle_seconds.unwrap_or(self.idle_seconds);
        let first = own.first_output_seconds.or(self.first_output_seconds).unwrap_or(idle);
        (wall, idle, first)
    }
}

/// How hard an issue is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum Difficulty {
    Simple,
    Moderate,
    Complex,
}

impl Difficulty {
    /// Returns the word used in records.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The model of an agent for each kind of step; where none is named the agent's own counts.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct ModelChoice {
    pub execute: Option<String>,
    pub revise: Option<String>,
    pub review: Option<String>,
    pub triage: Option<String>,
}

impl ModelChoice {
    /// Returns the model for a step.
    pub fn of(&self, step: Step) -> Option<&str> {
        match step {
            Step::Execute | Step::Check | Step::Answer => self.execute.as_deref(),
            Step::Revise => self.revise.as_deref(),
            Step::Review => self.review.as_deref(),
            Step::Triage => self.triage.as_deref(),
        }
    }
}
