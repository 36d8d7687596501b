//! What the agents have used, as the view shows it: the run as a whole, and each step of a phase.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::{PhaseState, Run};
use model::event::Spent;

/// What the agents have used; interrupted calls count as calls only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    pub total_input_tokens: u64,
    /// Those of them that were read from a cache.
    #[serde(default)]
    pub total_cached_tokens: u64,
    pub total_output_tokens: u64,
    #[serde(default)]
    pub total_turns: u64,
    pub total_cost_usd: f64,
    pub agent_calls: u64,
    /// Calls whose price nobody knows: they are not in `total_cost_usd`.
    #[serde(default)]
    pub unpriced_calls: u64,
    pub agent_seconds: f64,
}

/// What the calls of one step of a phase have used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepUsage {
    pub calls: u64,
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
    pub cost_usd: f64,
    pub unpriced_calls: u64,
    /// How long the prompts were, all together.
    pub prompt_bytes: u64,
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a run are far below 2^52")]
pub(super) fn cost(run: &Run) -> Cost {
    let spent = &run.spending.total;
    Cost {
        total_input_tokens: spent.input_tokens,
        total_cached_tokens: spent.cached_tokens,
        total_output_tokens: spent.output_tokens,
        total_turns: spent.turns,
        total_cost_usd: spent.cost_usd,
        agent_calls: spent.calls,
        unpriced_calls: spent.unpriced_calls,
        agent_seconds: spent.millis as f64 / 1000.0,
    }
}

/// Returns what each step of a phase has used, by the name of the step.
pub(super) fn usage(phase: &PhaseState) -> BTreeMap<String, StepUsage> {
    phase.calls.usage.iter().map(|(step, spent)| (step.to_string(), step_usage(spent))).collect()
}

fn step_usage(spent: &Spent) -> StepUsage {
    StepUsage {
        calls: spent.calls,
        input_tokens: spent.input_tokens,
        cached_tokens: spent.cached_tokens,
        output_tokens: spent.output_tokens,
        cost_usd: spent.cost_usd,
        unpriced_calls: spent.unpriced_calls,
        prompt_bytes: spent.prompt_bytes,
    }
}
