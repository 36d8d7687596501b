//! How long things may take, and what they may cost: `[limits]` and `[budget]`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use model::phase::Step;
use model::policy::{Budget, StepTime};

/// How long things may take, and how often the run may go back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitKeys {
    /// Wall time of an agent call, in seconds.
    pub step_seconds: u64,
    /// Time without any output of an agent call, in seconds.
    pub idle_seconds: u64,
    /// Time until the first output of an agent call, in seconds; without it `idle_seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_output_seconds: Option<u64>,
    /// Wall time of a command that a check runs, in seconds.
    pub command_seconds: u64,
    /// How long a provider that fails is waited for before the run pauses, in seconds.
    pub outage_seconds: u64,
    /// How often the evaluation may send the run back to an earlier phase.
    pub max_cycles: u32,
    /// Limits of single kinds of steps; what is missing is as for all.
    #[serde(default)]
    pub steps: StepLimitKeys,
}

/// The times of single kinds of steps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepLimitKeys {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execute: Option<StepTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revise: Option<StepTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<StepTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triage: Option<StepTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<StepTime>,
}

impl StepLimitKeys {
    /// Returns the times that are set, by step.
    pub fn by_step(&self) -> BTreeMap<Step, StepTime> {
        let all = [
            (Step::Execute, &self.execute),
            (Step::Revise, &self.revise),
            (Step::Review, &self.review),
            (Step::Triage, &self.triage),
            (Step::Answer, &self.answer),
        ];
        all.into_iter().filter_map(|(step, time)| Some((step, time.clone()?))).collect()
    }
}

/// What a run may spend before it pauses; a missing figure is no limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetKeys {
    /// US dollars, as the agents report them or as the price table has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Input plus output tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Agent calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Minutes of agents at work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u64>,
    /// Turns of models, as the agents report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// US dollars when nobody is at the terminal and `usd` is not set.
    pub unattended_usd: f64,
    /// Each agent call.
    #[serde(default)]
    pub step: Budget,
    /// Each phase.
    #[serde(default)]
    pub phase: Budget,
    /// Every run of this repository on one day, in UTC.
    #[serde(default)]
    pub day: Budget,
}
