//! Whether a call has used more than it may, by what its program tells while it works. Ends nothing itself.

use model::call::Allowance;
use model::event::Usage;

use super::dialect::Dialect;

/// Compares what a call uses with what it may use.
pub(super) struct Meter {
    allowance: Allowance,
    passed: Option<String>,
}

impl Meter {
    pub(super) fn new(allowance: Allowance) -> Self {
        Self { allowance, passed: None }
    }

    /// Looks at what the call has used so far; tells whether it has to end.
    pub(super) fn has_to_end(&mut self, dialect: &mut dyn Dialect) -> bool {
        let is_limited = self.allowance.usd.is_some() || self.allowance.tokens.is_some();
        if is_limited && self.passed.is_none() {
            self.passed = self.limit_passed_by(&dialect.used_so_far());
        }
        self.passed.is_some()
    }

    /// Returns for people why the call had to end, if it had to.
    pub(super) fn into_reason(self) -> Option<String> {
        self.passed
    }

    fn limit_passed_by(&self, used: &Usage) -> Option<String> {
        let tokens = used.input_tokens.unwrap_or(0).saturating_add(used.output_tokens.unwrap_or(0));
        let too_many = self.allowance.tokens.filter(|most| tokens > *most);
        let too_dear = self.allowance.usd.zip(used.cost()).filter(|(most, usd)| usd > most);
        match (too_many, too_dear) {
            (Some(most), _) => Some(format!("it was ended: it used {tokens} tokens, and {most} were left")),
            (None, Some((most, usd))) => {
                Some(format!("it was ended: it used {usd:.2} USD, and {most:.2} were left"))
            }
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(allowance: Allowance, input: u64, cost_usd: Option<f64>) -> Option<String> {
        let used = Usage { input_tokens: Some(input), output_tokens: Some(10), cost_usd, ..Usage::default() };
        Meter::new(allowance).limit_passed_by(&used)
    }

    #[test]
    fn what_is_left_may_be_used_up_and_not_more() {
        let both = Allowance { usd: Some(1.0), tokens: Some(100), ..Allowance::default() };
        for (input, cost_usd, told) in [
            (91, None, Some("it was ended: it used 101 tokens, and 100 were left")),
            (1, Some(1.01), Some("it was ended: it used 1.01 USD, and 1.00 were left")),
            (90, Some(1.0), None),
            (90, Some(f64::NAN), None),
            (90, None, None),
        ] {
            assert_eq!(passed(both, input, cost_usd).as_deref(), told);
        }
        assert_eq!(passed(Allowance::default(), u64::MAX, Some(1e9)), None);
    }
}
