//! What a call cost by its tokens, for programs that tell no money. The figures stand in `prices.toml`, each with its
//! source; a model that is not there has no price, and nobody guesses one.

use std::sync::LazyLock;

use serde::Deserialize;

use model::event::{CostBasis, Usage};

/// Tokens that a price is for.
const MILLION: f64 = 1e6;

static PRICES: LazyLock<Vec<Price>> = LazyLock::new(|| {
    let table: Table = toml::from_str(include_str!("prices.toml")).expect("a test reads the same file");
    table.price
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    price: Vec<Price>,
}

/// The price of one model in US dollars per million tokens.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    model: String,
    input: f64,
    /// What tokens from the provider's cache cost; without it as much as any input.
    cached_input: Option<f64>,
    output: f64,
    #[cfg_attr(not(test), expect(dead_code, reason = "for people, and for the test that wants it"))]
    source: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for people, and for the test that wants it"))]
    read: String,
}

/// Returns the usage with its cost, or with the remark that nobody knows the price.
pub(super) fn with_cost(usage: Usage, model: Option<&str>) -> Usage {
    let (Some(input), Some(output)) = (usage.input_tokens, usage.output_tokens) else { return usage };
    let cached = usage.cached_tokens.unwrap_or_default().min(input);
    match model.and_then(price_of) {
        Some(price) => Usage {
            cost_usd: Some(price.cost(input - cached, cached, output)),
            cost_basis: Some(CostBasis::Table),
            ..usage
        },
        None => Usage { cost_basis: Some(CostBasis::Unknown), ..usage },
    }
}

impl Price {
    #[expect(clippy::cast_precision_loss, reason = "tokens of one call are far below 2^52")]
    fn cost(&self, fresh: u64, cached: u64, output: u64) -> f64 {
        let cached_price = self.cached_input.unwrap_or(self.input);
        (fresh as f64 * self.input + cached as f64 * cached_price + output as f64 * self.output) / MILLION
    }
}

fn price_of(model: &str) -> Option<&'static Price> {
    let name = without_date(model);
    PRICES.iter().find(|price| price.model == name)
}

/// Cuts the day from `name-2026-01-31`: a snapshot costs what its model costs.
fn without_date(model: &str) -> &str {
    let Some(at) = model.len().checked_sub("-2026-01-31".len()) else { return model };
    let is_day = |day: &str| day.parse::<jiff::civil::Date>().is_ok();
    match model.split_at_checked(at) {
        Some((name, day)) if day.strip_prefix('-').is_some_and(is_day) => name,
        _ => model,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(input: u64, cached: u64, output: u64) -> Usage {
        Usage {
            input_tokens: Some(input),
            cached_tokens: Some(cached),
            output_tokens: Some(output),
            ..Usage::default()
        }
    }

    #[test]
    fn a_known_model_costs_its_tokens() {
        let usage = with_cost(used(3_000_000, 1_000_000, 1_000_000), Some("gpt-5.5"));
        assert_eq!((usage.cost_usd, usage.cost_basis), (Some(40.5), Some(CostBasis::Table)));
        let snapshot = with_cost(used(1_000_000, 0, 0), Some("gpt-5.5-2026-04-23"));
        assert_eq!(snapshot.cost_usd, Some(5.0));
        assert_eq!(with_cost(used(1_000_000, 1_000_000, 0), Some("gpt-5.6-sol")).cost_usd, Some(4.0));
    }

    #[test]
    fn an_unknown_model_counts_by_its_tokens_only() {
        for model in [None, Some("llama"), Some("gpt-5.5-other"), Some("gpt-5.5-2026-99-99"), Some("")] {
            let usage = with_cost(used(5, 0, 5), model);
            assert_eq!((usage.cost_usd, usage.cost_basis), (None, Some(CostBasis::Unknown)), "{model:?}");
        }
        assert_eq!(with_cost(Usage::default(), Some("gpt-5.5")), Usage::default());
    }

    #[test]
    fn more_cached_tokens_than_tokens_cost_no_less_than_nothing() {
        let usage = with_cost(used(10, 50, 0), Some("gpt-5.5"));
        assert_eq!(usage.cost_usd, Some(10.0 * 0.5 / MILLION));
    }

    #[test]
    fn every_price_has_its_source_and_its_day() {
        for price in PRICES.iter() {
            let model = &price.model;
            assert!(price.source.starts_with("https://"), "{model}");
            assert!(price.read.parse::<jiff::civil::Date>().is_ok(), "{model}");
            let cached = price.cached_input.unwrap_or(price.input);
            assert!(0.0 < cached && cached <= price.input && price.input < price.output, "{model}");
        }
        let mut models: Vec<_> = PRICES.iter().map(|price| &price.model).collect();
        models.sort();
        models.dedup();
        assert_eq!(models.len(), PRICES.len());
    }
}
