//! The class of a call's end, from structured fields only: exit code, last event of the turn, class of the error.

use model::event::ExecOutcome;
use process::{Exit, Finish, Launch};

use crate::call::Answer;
use crate::outcome::error_class;

use super::session::SessionRecord;

/// The oldest version that is known to work; one that ends before it begins may be older.
pub(crate) const OLDEST_VERSION: &str = "0.169.0";

/// A tool that waits for a person.
const QUESTION_TOOL: &str = "request_user_input";

/// How the program's own sentence begins when a stream broke off.
const DISCONNECTED: &str = "stream disconnected before completion: ";

/// What the events said about the end, as far as they have come.
#[derive(Debug, Default)]
pub(super) struct CodexTurn {
    /// The event `thread.started` came, or a session is continued.
    pub has_begun: bool,
    /// Whether the turn was completed or failed; the last event counts.
    pub end: Option<TurnEnd>,
    /// The program's own sentence about an error, also about one after which it tries again.
    pub error: String,
    /// The last message of the agent holds text.
    pub has_answered: bool,
    /// What the session file says, once the program has gone.
    pub record: SessionRecord,
}

/// The end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnEnd {
    Completed,
    Failed,
}

impl CodexTurn {
    /// Returns how the call ended. `gave_up` says that we ended it because it went on reconnecting to a provider.
    pub(super) fn outcome(&self, launch: &Launch, finish: &Finish, gave_up: bool) -> Answer {
        match (&finish.exit, self.end) {
            (Exit::Stopped, _) if gave_up => match self.error_class() {
                // It does not always say why it reconnects.
                ExecOutcome::Crashed => self.failure(ExecOutcome::ProviderFailed),
                known => self.failure(known),
            },
            (Exit::Code(0), Some(TurnEnd::Completed)) => self.success(),
            (Exit::Code(1..), Some(TurnEnd::Failed)) => self.failure(self.error_class()),
            (Exit::Code(_), Some(_)) => {
                let sentence = format!("its exit code and its last event disagree: {}", self.error);
                Answer::quoting(ExecOutcome::Crashed, &sentence)
            }
            _ => Answer::unreported(launch, finish, self.has_begun, &format!("codex {OLDEST_VERSION}")),
        }
    }

    fn success(&self) -> Answer {
        if self.record.last_tool == QUESTION_TOOL {
            Answer::quoting(ExecOutcome::BlockedOnPrompt, "")
        } else if self.has_answered {
            Answer::done()
        } else {
            Answer::quoting(ExecOutcome::NoOutput, "")
        }
    }

    fn failure(&self, class: ExecOutcome) -> Answer {
        let mut outcome = Answer::quoting(class, &self.error);
        if matches!(class, ExecOutcome::RateLimited | ExecOutcome::QuotaExhausted) {
            outcome.resets_at = self.record.resets_at;
        }
        outcome
    }

    fn error_class(&self) -> ExecOutcome {
        let error = self.record.error.as_deref().unwrap_or_default();
        if let Some(class) = error_class("codex.error", error) {
            return class;
        }
        match self.record.status.or_else(|| stated_status(&self.error)) {
            Some(status) => class_of_status(status),
            None if is_lost_connection(error, &self.error) => ExecOutcome::ProviderFailed,
            None => ExecOutcome::Crashed,
        }
    }
}

/// Tells whether the program says that it lost its connection, or that a stream broke off: by the class of the error, or
/// by the beginning of its own sentence.
fn is_lost_connection(class: &str, error: &str) -> bool {
    let is_named_so = matches!(
        class,
        "http_connection_failed"
            | "response_stream_connection_failed"
            | "response_stream_disconnected"
            | "response_too_many_failed_attempts"
    );
    let disconnected = error.strip_prefix(DISCONNECTED);
    // The service cut such an answer off on purpose, and would do so again.
    let is_cut_off = disconnected.is_some_and(|rest| rest.starts_with("Incomplete response returned"));
    !is_cut_off && (is_named_so || disconnected.is_some() || error.starts_with("Connection failed: "))
}

fn class_of_status(status: u64) -> ExecOutcome {
    match error_class("codex.status", &status.to_string()) {
        Some(class) => class,
        None if (500..600).contains(&status) => ExecOutcome::ProviderFailed,
        None => ExecOutcome::Crashed,
    }
}

/// Returns the status that the program's own sentence begins with; one further inside is somebody else's text.
fn stated_status(error: &str) -> Option<u64> {
    let reconnecting = error.strip_prefix("Reconnecting... ").and_then(|rest| rest.split_once(" ("));
    let error = reconnecting.map_or(error, |(_, why)| why);
    let starts = ["unexpected status ", "exceeded retry limit, last status: "];
    let rest = starts.iter().find_map(|start| error.strip_prefix(start))?;
    rest.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests;
