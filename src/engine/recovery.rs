//! What a broken call leads to, by the class of its outcome: the same step again, the next agent, a revision, a wait.
//! Knows no limits: how often a step may come again is `redo`'s.

use jiff::Timestamp;

use model::event::{Ended, ExecOutcome};
use model::phase::Step;

/// What a broken call leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recovery {
    /// The same step again; then the next agent.
    Again,
    /// The next agent at once: this one would break the same way again.
    Next,
    /// The next agent at once; where none is left the run waits, until then if that is known.
    NextOrWait { until: Option<Timestamp> },
    /// The next agent at once; where none is left the same step later, not before then if that is known.
    NextOrLater { until: Option<Timestamp> },
}

impl Recovery {
    /// Returns when the agent can be asked again, where that is known.
    pub(crate) fn until(self) -> Option<Timestamp> {
        match self {
            Self::Again | Self::Next => None,
            Self::NextOrWait { until } | Self::NextOrLater { until } => until,
        }
    }
}

/// Returns what follows from the end of a call; `resumed` says that it continued a session, `at` when it ended.
pub(crate) fn recovery(ended: &Ended, resumed: bool, at: Timestamp) -> Recovery {
    match ended.outcome {
        ExecOutcome::Done
        | ExecOutcome::Partial
        | ExecOutcome::NoOutput
        | ExecOutcome::TimedOut
        | ExecOutcome::Idle
        | ExecOutcome::LimitReached
        | ExecOutcome::OverBudget
        | ExecOutcome::BlockedOnPrompt
        | ExecOutcome::Crashed
        | ExecOutcome::Cancelled => Recovery::Again,
        ExecOutcome::RateLimited | ExecOutcome::Overloaded | ExecOutcome::ProviderFailed => {
            Recovery::NextOrLater { until: later(ended.resets_at, at) }
        }
        ExecOutcome::QuotaExhausted => Recovery::NextOrWait { until: later(ended.resets_at, at) },
        // A fresh session holds less.
        ExecOutcome::ContextTooLong if resumed => Recovery::Again,
        ExecOutcome::SignedOut
        | ExecOutcome::ModelUnknown
        | ExecOutcome::ContextTooLong
        | ExecOutcome::Refused
        | ExecOutcome::NotStarted => Recovery::Next,
    }
}

/// Tells whether the author itself did something wrong: it is told so, and that is a revision.
pub(crate) fn is_to_be_told(step: Step, outcome: ExecOutcome) -> bool {
    matches!(step, Step::Execute | Step::Revise) && outcome == ExecOutcome::BlockedOnPrompt
}

/// A reset in the past says nothing about when it will work.
fn later(resets_at: Option<Timestamp>, at: Timestamp) -> Option<Timestamp> {
    resets_at.filter(|until| *until > at)
}

/// Tells whether an agent that ended so is of no use to later phases either, or not before a time that is known.
pub(crate) fn drops_out(outcome: ExecOutcome, recovery: Recovery) -> bool {
    let lasting = matches!(outcome, ExecOutcome::SignedOut | ExecOutcome::NotStarted);
    lasting || matches!(recovery, Recovery::NextOrWait { .. } | Recovery::NextOrLater { until: Some(_) })
}

/// Says what an agent did, after its name.
pub(crate) fn predicate(outcome: ExecOutcome) -> &'static str {
    match outcome {
        ExecOutcome::Done | ExecOutcome::Partial | ExecOutcome::NoOutput => "gave no answer",
        ExecOutcome::TimedOut => "took too long",
        ExecOutcome::Idle => "fell silent",
        ExecOutcome::BlockedOnPrompt => "waited for an answer that nobody gives",
        ExecOutcome::RateLimited => "is slowed down by its provider",
        ExecOutcome::Overloaded => "has an overloaded provider",
        ExecOutcome::ProviderFailed => "has a provider that fails",
        ExecOutcome::QuotaExhausted => "has used up its quota",
        ExecOutcome::SignedOut => "is signed out",
        ExecOutcome::ModelUnknown => "does not know its model",
        ExecOutcome::ContextTooLong => "cannot read that much",
        ExecOutcome::Refused => "refuses",
        ExecOutcome::LimitReached => "reached its limit of turns or cost",
        ExecOutcome::OverBudget => "used up what it might spend",
        ExecOutcome::Crashed => "broke",
        ExecOutcome::NotStarted => "could not be started",
        ExecOutcome::Cancelled => "was stopped",
    }
}

/// Says what a person can do about an outcome that trying again does not mend.
pub(crate) fn remedy(outcome: ExecOutcome) -> Option<&'static str> {
    match outcome {
        ExecOutcome::SignedOut => Some("sign in with the program itself, or name the variable of its key"),
        ExecOutcome::ModelUnknown => Some("name a model that this account may use"),
        ExecOutcome::Refused => Some("say in the issue what it is for, or name another agent"),
        ExecOutcome::NotStarted => Some("install the program, or name another agent"),
        ExecOutcome::ContextTooLong => Some("shorten the issue, or name an agent that reads more"),
        ExecOutcome::LimitReached => Some("raise the limit of turns or cost"),
        ExecOutcome::OverBudget => Some("raise the budget"),
        ExecOutcome::BlockedOnPrompt => Some("allow what it asks for, or name another agent"),
        ExecOutcome::Done
        | ExecOutcome::Partial
        | ExecOutcome::NoOutput
        | ExecOutcome::TimedOut
        | ExecOutcome::Idle
        | ExecOutcome::RateLimited
        | ExecOutcome::Overloaded
        | ExecOutcome::ProviderFailed
        | ExecOutcome::QuotaExhausted
        | ExecOutcome::Crashed
        | ExecOutcome::Cancelled => None,
    }
}
