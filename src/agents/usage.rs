//! What a call used, what that cost, and whether it is more than it may. Figures that cannot be true are left out. The
//! tokens of a program that reports no cost are priced by `prices.toml`, where each price names its source; a model that is
//! not in that file has no price, and none is guessed. Ends nothing itself.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use model::call::CallBudget;
use model::data_file;
use model::event::{CostBasis, Usage};

/// More tokens than any call can use.
const MOST_TOKENS: f64 = 1e12;
/// More dollars than any call can cost.
const MOST_DOLLARS: f64 = 1e6;
/// How many tokens a price is for.
const MILLION: f64 = 1e6;

/// Tokens as they are counted in parts: fresh input, input read from the cache, input written to it, output.
pub(super) type TokenCounts = [Option<f64>; 4];

/// The figures as an agent reports them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportedUsage {
    /// All tokens that went in, cached ones included.
    pub input_tokens: Option<f64>,
    /// Those of them that came from the provider's cache.
    pub cached_tokens: Option<f64>,
    /// The tokens that came out.
    pub output_tokens: Option<f64>,
    /// How often the model was asked.
    pub turns: Option<f64>,
    /// The cost in US dollars.
    pub cost_usd: Option<f64>,
}

impl ReportedUsage {
    /// Returns the figures that can be true, and one line for each that cannot. A cost that cannot is not known.
    pub(super) fn check(self) -> (Usage, Vec<String>) {
        let mut dropped = Vec::new();
        let mut figure = |name: &str, value: Option<f64>, most: f64| {
            let value = value?;
            if (0.0..=most).contains(&value) {
                return Some(value);
            }
            dropped.push(format!("the agent states an impossible {name} of {value}; it is left out"));
            None
        };
        let mut usage = Usage {
            input_tokens: figure("input_tokens", self.input_tokens, MOST_TOKENS).map(round_tokens),
            cached_tokens: figure("cached_tokens", self.cached_tokens, MOST_TOKENS).map(round_tokens),
            output_tokens: figure("output_tokens", self.output_tokens, MOST_TOKENS).map(round_tokens),
            turns: figure("turns", self.turns, MOST_TOKENS).map(round_tokens),
            cost_usd: figure("cost_usd", self.cost_usd, MOST_DOLLARS),
            cost_basis: None,
        };
        if self.cost_usd.is_some() && usage.cost_usd.is_none() {
            usage.cost_basis = Some(CostBasis::Unknown);
        }
        (usage, dropped)
    }

    /// Adds tokens and a cost in US dollars. A part that cannot be true spoils its sum, which is then left out.
    pub(super) fn add(&mut self, tokens: TokenCounts, cost_usd: Option<f64>) {
        let [fresh, cache_read, cache_written, output] = tokens;
        for input in [fresh, cache_read, cache_written] {
            add_part(&mut self.input_tokens, input);
        }
        add_part(&mut self.cached_tokens, cache_read);
        add_part(&mut self.output_tokens, output);
        add_part(&mut self.cost_usd, cost_usd);
    }
}

fn add_part(sum: &mut Option<f64>, part: Option<f64>) {
    if let Some(part) = part {
        let part = if part < 0.0 { f64::NAN } else { part };
        *sum = Some(sum.unwrap_or_default() + part);
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked: zero to a million million"
)]
fn round_tokens(tokens: f64) -> u64 {
    tokens.round() as u64
}

/// Returns a count as a figure; one too large to be exact is left out anyway.
#[expect(clippy::cast_precision_loss, reason = "counts of one session are far below 2^52")]
pub(super) fn float(count: u64) -> f64 {
    count as f64
}

static PRICES: LazyLock<Vec<Price>> = LazyLock::new(|| {
    let mut prices: BTreeMap<String, Vec<Price>> = data_file::read(include_str!("prices.toml"));
    prices.remove("price").expect("it holds nothing else")
});

/// The price of one model in US dollars per million tokens. Its source and its day, which are for people, are not read.
#[derive(Debug, Deserialize)]
struct Price {
    model: String,
    input: f64,
    /// What tokens from the provider's cache cost; without it as much as any input.
    cached_input: Option<f64>,
    output: f64,
}

impl Price {
    fn cost(&self, fresh: u64, cached: u64, output: u64) -> f64 {
        let cached_price = self.cached_input.unwrap_or(self.input);
        (float(fresh) * self.input + float(cached) * cached_price + float(output) * self.output) / MILLION
    }
}

/// Returns the usage with its cost by the price of the model, or with the remark that the price is not known.
pub(super) fn with_cost(usage: Usage, model: Option<&str>) -> Usage {
    let (Some(input), Some(output)) = (usage.input_tokens, usage.output_tokens) else { return usage };
    let cached = usage.cached_tokens.unwrap_or_default().min(input);
    let price = model.and_then(|model| PRICES.iter().find(|price| price.model == strip_date(model)));
    match price {
        Some(price) => Usage {
            cost_usd: Some(price.cost(input - cached, cached, output)),
            cost_basis: Some(CostBasis::Table),
            ..usage
        },
        None => Usage { cost_basis: Some(CostBasis::Unknown), ..usage },
    }
}

/// Cuts the day from `name-2026-01-31`: a snapshot costs what its model costs.
fn strip_date(model: &str) -> &str {
    let Some(at) = model.len().checked_sub("-2026-01-31".len()) else { return model };
    let is_day = |day: &str| day.parse::<jiff::civil::Date>().is_ok();
    match model.split_at_checked(at) {
        Some((name, day)) if day.strip_prefix('-').is_some_and(is_day) => name,
        _ => model,
    }
}

/// Returns for people why a call has to end that has used this much; nothing when it may go on.
pub(super) fn describe_excess(allowance: &CallBudget, used: &Usage) -> Option<String> {
    let tokens = used.input_tokens.unwrap_or(0).saturating_add(used.output_tokens.unwrap_or(0));
    match (allowance.tokens, allowance.usd, used.cost()) {
        (Some(most), _, _) if tokens > most => {
            Some(format!("it was ended: it used {tokens} tokens, and {most} were left"))
        }
        (_, Some(most), Some(usd)) if usd > most => {
            Some(format!("it was ended: it used {usd:.2} USD, and {most:.2} were left"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
