//! How a call of a program ended that tells about itself, in words for people. The class comes from the program's
//! structured fields; its own sentence is only quoted behind ours.

use jiff::Timestamp;

use model::event::ExecOutcome;

use super::dialect::{self, last_words};
use process::{Exit, Finish, Launch};

/// How much of the program's own sentence is quoted.
const QUOTED: usize = 500;

/// The class of a call's end and why.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ending {
    pub outcome: ExecOutcome,
    pub reason: Option<String>,
    pub resets_at: Option<Timestamp>,
}

impl Ending {
    /// It ended well.
    pub(super) fn done() -> Self {
        Self { outcome: ExecOutcome::Done, ..Self::default() }
    }

    /// It did not, and this is what the program says about it.
    pub(super) fn because(outcome: ExecOutcome, words: &str) -> Self {
        let words: String = words.chars().filter(|c| !c.is_control() || *c == '\n').take(QUOTED).collect();
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let said = sentence(outcome);
        let reason = if words.is_empty() { said.to_owned() } else { format!("{said}: {words}") };
        Self { outcome, reason: Some(reason), resets_at: None }
    }

    /// We ended it, or it fell: nothing that it said before can change that.
    pub(super) fn by_exit(launch: &Launch, finish: &Finish) -> Option<Self> {
        let own_code = matches!(finish.exit, Exit::Code(_));
        (!own_code).then(|| Self {
            outcome: dialect::outcome(&finish.exit, ""),
            reason: dialect::reason(launch, finish, ""),
            resets_at: None,
        })
    }

    /// Returns the answer as far as it may be believed: what a broken call says is void, a question is not.
    pub(super) fn answer(&self, said: (String, bool)) -> (String, bool) {
        let counts = self.outcome.ended() || self.outcome == ExecOutcome::BlockedOnPrompt;
        if counts { said } else { (String::new(), false) }
    }

    /// It ended by itself and never said how: never a success, whatever the exit code.
    pub(super) fn silent(finish: &Finish) -> Self {
        let reason = format!("the agent {} and no result{}", finish.exit, last_words(&finish.stderr_tail));
        Self { outcome: ExecOutcome::Crashed, reason: Some(reason), resets_at: None }
    }

    /// It did not even begin: most likely it does not know what we ask on its command line.
    pub(super) fn never_began(finish: &Finish, program: &str, checked_with: &str) -> Self {
        let words = last_words(&finish.stderr_tail);
        let hint = format!("this needs {program} {checked_with} or newer");
        let reason = format!("the agent {} before it began{words} ({hint})", finish.exit);
        Self { outcome: ExecOutcome::NotStarted, reason: Some(reason), resets_at: None }
    }
}

fn sentence(outcome: ExecOutcome) -> &'static str {
    match outcome {
        ExecOutcome::Done => "the agent is done",
        ExecOutcome::Partial => "the agent says that something is missing",
        ExecOutcome::NoOutput => "the agent ended without a word",
        ExecOutcome::TimedOut => "the agent ran too long",
        ExecOutcome::Idle => "the agent was silent too long",
        ExecOutcome::BlockedOnPrompt => "the agent asks a person, and nobody is there",
        ExecOutcome::RateLimited => "the provider allows no more requests for now",
        ExecOutcome::Overloaded => "the provider is overloaded",
        ExecOutcome::ProviderFailed => "the provider failed",
        ExecOutcome::QuotaExhausted => "the quota or the credit is used up",
        ExecOutcome::SignedOut => "the agent is not signed in",
        ExecOutcome::ModelUnknown => "the model is not known or not allowed",
        ExecOutcome::ContextTooLong => "the prompt is longer than the model can read",
        ExecOutcome::Refused => "the model refuses to work on this",
        ExecOutcome::LimitReached => "a limit of the call was reached",
        ExecOutcome::OverBudget => "the call used up what it might spend",
        ExecOutcome::Crashed => "the agent broke",
        ExecOutcome::NotStarted => "the agent did not start",
        ExecOutcome::Cancelled => "the agent was stopped",
    }
}
