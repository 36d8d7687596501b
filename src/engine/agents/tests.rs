//! Tests of `agents`.

use super::*;

#[test]
fn every_call_outcome_has_a_wording() {
    let all = [
        ExecOutcome::Done,
        ExecOutcome::Partial,
        ExecOutcome::NoOutput,
        ExecOutcome::TimedOut,
        ExecOutcome::Idle,
        ExecOutcome::BlockedOnPrompt,
        ExecOutcome::RateLimited,
        ExecOutcome::Overloaded,
        ExecOutcome::ProviderFailed,
        ExecOutcome::QuotaExhausted,
        ExecOutcome::SignedOut,
        ExecOutcome::ModelUnknown,
        ExecOutcome::ContextTooLong,
        ExecOutcome::Refused,
        ExecOutcome::LimitReached,
        ExecOutcome::OverBudget,
        ExecOutcome::Crashed,
        ExecOutcome::NotStarted,
        ExecOutcome::Cancelled,
    ];
    for outcome in all {
        assert!(!wording(outcome).predicate.is_empty() && !wording(outcome).reason.is_empty());
    }
}
