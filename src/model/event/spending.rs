//! What agents used, summed up. Only sums what is known: a missing figure adds nothing.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::call::{CostBasis, Ended, Usage};

/// What agents used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    /// All tokens that went in, cached ones included.
    pub input_tokens: u64,
    /// Those of them that were read from a cache.
    pub cached_tokens: u64,
    /// All tokens that came out.
    pub output_tokens: u64,
    /// How often models were asked.
    pub turns: u64,
    /// US dollars, as far as they are known.
    pub cost_usd: f64,
    /// Agent calls begun.
    pub calls: u64,
    /// Calls whose price nobody knows: they count by their tokens only.
    pub unpriced_calls: u64,
    /// Time of agents at work.
    pub millis: u64,
    /// How long their prompts were.
    pub prompt_bytes: u64,
}

/// What other runs of the repository spent on a day, as far as is known now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SpentElsewhere {
    /// In UTC.
    pub day: Date,
    /// What they spent.
    pub spent: Spent,
}

impl Usage {
    /// Returns the cost, if it is one: neither missing nor negative nor infinite nor no number at all.
    pub fn cost(&self) -> Option<f64> {
        self.cost_usd.filter(|usd| usd.is_finite() && *usd >= 0.0)
    }

    fn tokens(&self) -> u64 {
        self.input_tokens.unwrap_or(0).saturating_add(self.output_tokens.unwrap_or(0))
    }

    /// Tells whether something was used whose price nobody knows.
    pub fn is_unpriced(&self) -> bool {
        self.cost_basis == Some(CostBasis::Unknown) || (self.cost().is_none() && self.tokens() > 0)
    }
}

impl Spent {
    /// Returns all tokens.
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Returns what the beginning of a call counts.
    pub fn beginning(prompt_bytes: u64) -> Self {
        Self { calls: 1, prompt_bytes, ..Self::default() }
    }

    /// Returns what the rest of a call counts.
    pub fn of(ended: &Ended) -> Self {
        let usage = &ended.usage;
        Self {
            input_tokens: usage.input_tokens.unwrap_or(0),
            cached_tokens: usage.cached_tokens.unwrap_or(0),
            output_tokens: usage.output_tokens.unwrap_or(0),
            turns: usage.turns.unwrap_or(0),
            cost_usd: usage.cost().unwrap_or(0.0),
            unpriced_calls: u64::from(usage.is_unpriced()),
            millis: ended.millis,
            ..Self::default()
        }
    }

    /// Adds another sum.
    pub fn add(&mut self, other: &Self) {
        let sum = |own: &mut u64, more: u64| *own = own.saturating_add(more);
        sum(&mut self.input_tokens, other.input_tokens);
        sum(&mut self.cached_tokens, other.cached_tokens);
        sum(&mut self.output_tokens, other.output_tokens);
        sum(&mut self.turns, other.turns);
        sum(&mut self.calls, other.calls);
        sum(&mut self.unpriced_calls, other.unpriced_calls);
        sum(&mut self.millis, other.millis);
        sum(&mut self.prompt_bytes, other.prompt_bytes);
        if other.cost_usd.is_finite() {
            self.cost_usd += other.cost_usd.max(0.0);
        }
    }
}
