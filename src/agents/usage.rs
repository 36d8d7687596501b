//! What a call is said to have cost, believed only as far as it can be true.

use model::event::{CostBasis, Usage};

/// More tokens than any call can use.
const MOST_TOKENS: f64 = 1e12;
/// More dollars than any call can cost.
const MOST_DOLLARS: f64 = 1e6;

/// The figures as an agent states them.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stated {
    pub input_tokens: Option<f64>,
    pub cached_tokens: Option<f64>,
    pub output_tokens: Option<f64>,
    pub turns: Option<f64>,
    pub cost_usd: Option<f64>,
}

impl Stated {
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
        let usage = Usage {
            input_tokens: figure("input_tokens", self.input_tokens, MOST_TOKENS).map(whole),
            cached_tokens: figure("cached_tokens", self.cached_tokens, MOST_TOKENS).map(whole),
            output_tokens: figure("output_tokens", self.output_tokens, MOST_TOKENS).map(whole),
            turns: figure("turns", self.turns, MOST_TOKENS).map(whole),
            cost_usd: figure("cost_usd", self.cost_usd, MOST_DOLLARS),
            cost_basis: None,
        };
        let lost = self.cost_usd.is_some() && usage.cost_usd.is_none();
        let usage = Usage { cost_basis: lost.then_some(CostBasis::Unknown), ..usage };
        (usage, dropped)
    }
}

/// Figures that come in parts. A part that cannot be true spoils its sum, which is then left out.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Figures(Stated);

impl Figures {
    pub(super) fn add(&mut self, part: Stated) {
        let sum = &mut self.0;
        add(&mut sum.input_tokens, part.input_tokens);
        add(&mut sum.cached_tokens, part.cached_tokens);
        add(&mut sum.output_tokens, part.output_tokens);
        add(&mut sum.turns, part.turns);
        add(&mut sum.cost_usd, part.cost_usd);
    }

    /// Adds input that is stated in parts: fresh, read from the cache, written to it.
    pub(super) fn add_input(&mut self, parts: [Option<f64>; 3]) {
        for input_tokens in parts {
            self.add(Stated { input_tokens, ..Stated::default() });
        }
    }

    pub(super) fn stated(self, turns: Option<f64>) -> Stated {
        Stated { turns, ..self.0 }
    }
}

fn add(sum: &mut Option<f64>, part: Option<f64>) {
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
fn whole(tokens: f64) -> u64 {
    tokens.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_can_be_true_are_believed() {
        let stated = Stated { input_tokens: Some(1000.0), cost_usd: Some(0.01), ..Stated::default() };
        let usage = Usage { input_tokens: Some(1000), cost_usd: Some(0.01), ..Usage::default() };
        assert_eq!(stated.check(), (usage, vec![]));
    }

    #[test]
    fn impossible_figures_are_dropped_and_told() {
        for cost in [f64::NAN, f64::INFINITY, -0.5, 1e308] {
            let (usage, dropped) = Stated { cost_usd: Some(cost), ..Stated::default() }.check();
            let expected = Usage { cost_basis: Some(CostBasis::Unknown), ..Usage::default() };
            assert_eq!((usage, dropped.len()), (expected, 1), "{cost}");
            assert!(dropped[0].contains("cost_usd"), "{}", dropped[0]);
        }
        let stated = Stated { input_tokens: Some(-1.0), output_tokens: Some(2.0), ..Stated::default() };
        let (usage, dropped) = stated.check();
        assert_eq!((usage.input_tokens, usage.output_tokens, dropped.len()), (None, Some(2), 1));
    }

    #[test]
    fn a_part_that_cannot_be_true_spoils_its_sum_only() {
        let mut figures = Figures::default();
        figures.add_input([Some(5.0), None, Some(-2.0)]);
        figures.add(Stated { output_tokens: Some(1.0), ..Stated::default() });
        figures.add(Stated { output_tokens: Some(2.0), ..Stated::default() });
        let (usage, dropped) = figures.stated(Some(3.0)).check();
        assert_eq!(usage, Usage { output_tokens: Some(3), turns: Some(3), ..Usage::default() });
        assert_eq!(dropped.len(), 1);
    }
}
