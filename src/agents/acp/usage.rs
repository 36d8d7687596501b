//! What a turn used, as the protocol tells it: tokens of the session by kind, and sometimes what it has cost.

use agent_client_protocol::v1::schema;

use crate::usage::Stated;
use model::event::{CostBasis, Usage};

/// Returns the figures that can be true, and one line for each that cannot.
pub(super) fn of(told: Option<&schema::Usage>, cost: Option<f64>) -> (Usage, Vec<String>) {
    let stated = Stated {
        input_tokens: told.map(input).map(float),
        output_tokens: told.map(|usage| float(usage.output_tokens)),
        cost_usd: cost,
        ..Stated::default()
    };
    let (usage, notices) = stated.check();
    let basis = if usage.cost_usd.is_some() { CostBasis::Reported } else { CostBasis::Unknown };
    let cached = told.and_then(|usage| usage.cached_read_tokens);
    let cached_tokens = cached.filter(|cached| usage.input_tokens.is_some_and(|input| *cached <= input));
    (Usage { cached_tokens, cost_basis: Some(basis), ..usage }, notices)
}

/// All tokens that went in. Some agents count cached ones apart; then they fit into the total besides the others.
fn input(usage: &schema::Usage) -> u64 {
    let cached = [usage.cached_read_tokens, usage.cached_write_tokens].into_iter().flatten();
    let cached = cached.fold(0, u64::saturating_add);
    let apart = usage.input_tokens.saturating_add(cached);
    if apart.saturating_add(usage.output_tokens) <= usage.total_tokens { apart } else { usage.input_tokens }
}

#[expect(clippy::cast_precision_loss, reason = "what is beyond 2^52 is not believed anyway")]
fn float(tokens: u64) -> f64 {
    tokens as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_tokens_belong_to_what_went_in() {
        let told = schema::Usage::new(130, 20, 10).cached_read_tokens(70).cached_write_tokens(30);
        let expected = Usage {
            input_tokens: Some(120),
            cached_tokens: Some(70),
            output_tokens: Some(10),
            cost_usd: Some(0.5),
            cost_basis: Some(CostBasis::Reported),
            ..Usage::default()
        };
        assert_eq!(of(Some(&told), Some(0.5)), (expected, vec![]));
        let together = schema::Usage::new(130, 120, 10).cached_read_tokens(70);
        assert_eq!(of(Some(&together), None).0.input_tokens, Some(120));
    }

    #[test]
    fn what_is_not_told_is_unknown() {
        let unknown = Usage { cost_basis: Some(CostBasis::Unknown), ..Usage::default() };
        assert_eq!(of(None, None), (unknown, vec![]));
        let (usage, notices) = of(Some(&schema::Usage::new(u64::MAX, u64::MAX, 1)), Some(-1.0));
        assert_eq!((usage, notices.len()), (Usage { output_tokens: Some(1), ..unknown }, 2));
    }
}
