//! Tests of `usage`.

use super::*;

#[test]
fn plausible_usage_figures_are_accepted() {
    let reported =
        ReportedUsage { input_tokens: Some(1000.0), cost_usd: Some(0.01), ..ReportedUsage::default() };
    let usage = Usage { input_tokens: Some(1000), cost_usd: Some(0.01), ..Usage::default() };
    assert_eq!(reported.check(), (usage, vec![]));
}

#[test]
fn impossible_usage_figures_are_dropped_with_a_notice() {
    for cost in [f64::NAN, f64::INFINITY, -0.5, 1e308] {
        let (usage, dropped) = ReportedUsage { cost_usd: Some(cost), ..ReportedUsage::default() }.check();
        let expected = Usage { cost_basis: Some(CostBasis::Unknown), ..Usage::default() };
        assert_eq!((usage, dropped.len()), (expected, 1), "{cost}");
        assert!(dropped[0].contains("cost_usd"), "{}", dropped[0]);
    }
    let reported =
        ReportedUsage { input_tokens: Some(-1.0), output_tokens: Some(2.0), ..ReportedUsage::default() };
    let (usage, dropped) = reported.check();
    assert_eq!((usage.input_tokens, usage.output_tokens, dropped.len()), (None, Some(2), 1));
}

#[test]
fn an_impossible_figure_invalidates_only_its_own_sum() {
    let mut figures = ReportedUsage::default();
    figures.add([Some(5.0), None, Some(-2.0), Some(1.0)], None);
    figures.add([None, None, None, Some(2.0)], None);
    let (usage, dropped) = ReportedUsage { turns: Some(3.0), ..figures }.check();
    assert_eq!(usage, Usage { output_tokens: Some(3), turns: Some(3), ..Usage::default() });
    assert_eq!(dropped.len(), 1);
}

fn used(input: u64, cached: u64, output: u64) -> Usage {
    Usage {
        input_tokens: Some(input),
        cached_tokens: Some(cached),
        output_tokens: Some(output),
        ..Usage::default()
    }
}

#[test]
fn cost_of_a_known_model_is_computed_from_its_tokens() {
    let usage = with_cost(used(3_000_000, 1_000_000, 1_000_000), Some("gpt-5.5"));
    assert_eq!((usage.cost_usd, usage.cost_basis), (Some(40.5), Some(CostBasis::Table)));
    let snapshot = with_cost(used(1_000_000, 0, 0), Some("gpt-5.5-2026-04-23"));
    assert_eq!(snapshot.cost_usd, Some(5.0));
    assert_eq!(with_cost(used(1_000_000, 1_000_000, 0), Some("gpt-5.6-sol")).cost_usd, Some(4.0));
}

#[test]
fn unknown_models_have_no_cost() {
    for model in [None, Some("llama"), Some("gpt-5.5-other"), Some("gpt-5.5-2026-99-99"), Some("")] {
        let usage = with_cost(used(5, 0, 5), model);
        assert_eq!((usage.cost_usd, usage.cost_basis), (None, Some(CostBasis::Unknown)), "{model:?}");
    }
    assert_eq!(with_cost(Usage::default(), Some("gpt-5.5")), Usage::default());
}

#[test]
fn more_cached_tokens_than_input_tokens_never_give_a_negative_cost() {
    let usage = with_cost(used(10, 50, 0), Some("gpt-5.5"));
    assert_eq!(usage.cost_usd, Some(10.0 * 0.5 / MILLION));
}

#[test]
fn every_price_has_a_source_and_a_date() {
    let table: toml::Table = toml::from_str(include_str!("../prices.toml")).expect("a table");
    let entries = table["price"].as_array().expect("a list");
    for (price, entry) in PRICES.iter().zip(entries) {
        let model = &price.model;
        assert!(entry["source"].as_str().is_some_and(|source| source.starts_with("https://")), "{model}");
        assert!(
            entry["read"].as_str().is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok()),
            "{model}"
        );
        let keys = ["model", "input", "cached_input", "output", "source", "read"];
        assert!(
            entry.as_table().is_some_and(|entry| entry.keys().all(|key| keys.contains(&key.as_str()))),
            "{model}"
        );
        let cached = price.cached_input.unwrap_or(price.input);
        assert!(0.0 < cached && cached <= price.input && price.input < price.output, "{model}");
    }
    let mut models: Vec<_> = PRICES.iter().map(|price| &price.model).collect();
    models.sort();
    models.dedup();
    assert_eq!(models.len(), PRICES.len());
}

fn excess_of(allowance: CallBudget, input: u64, cost_usd: Option<f64>) -> Option<String> {
    let used = Usage { input_tokens: Some(input), output_tokens: Some(10), cost_usd, ..Usage::default() };
    describe_excess(&allowance, &used)
}

#[test]
fn calls_may_use_the_remaining_budget_and_not_more() {
    let both = CallBudget { usd: Some(1.0), tokens: Some(100), ..CallBudget::default() };
    for (input, cost_usd, reason) in [
        (91, None, Some("it was ended: it used 101 tokens, and 100 were left")),
        (1, Some(1.01), Some("it was ended: it used 1.01 USD, and 1.00 were left")),
        (90, Some(1.0), None),
        (90, Some(f64::NAN), None),
        (90, None, None),
    ] {
        assert_eq!(excess_of(both, input, cost_usd).as_deref(), reason);
    }
    assert_eq!(excess_of(CallBudget::default(), u64::MAX, Some(1e9)), None);
}
