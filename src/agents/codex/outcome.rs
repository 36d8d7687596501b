//! The class of a call's end, from structured fields only: exit code, last event of the turn, class of the error.

use model::event::ExecOutcome;
use process::{Exit, Finish, Launch};

use crate::call::Answer;

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
    /// The event `thread.started` came.
    pub has_begun: bool,
    /// It was to continue a session.
    pub resumes: bool,
    /// Whether the turn was completed or failed; the last event counts.
    pub end: Option<TurnEnd>,
    /// The program's own sentence about an error, also about one after which it tries again.
    pub error: String,
    /// The last message of the agent holds text.
    pub has_answered: bool,
}

/// The end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnEnd {
    Completed,
    Failed,
}

/// Returns how the call ended. `gave_up` says that we ended it because it went on reconnecting to a provider.
pub(super) fn of(
    launch: &Launch,
    finish: &Finish,
    turn: &CodexTurn,
    record: &SessionRecord,
    gave_up: bool,
) -> Answer {
    if gave_up && finish.exit == Exit::Stopped {
        // It does not always say why it reconnects.
        return match class(turn, record) {
            ExecOutcome::Crashed => failure(ExecOutcome::ProviderFailed, turn, record),
            known => failure(known, turn, record),
        };
    }
    if let Some(outcome) = Answer::of_interruption(launch, finish) {
        return outcome;
    }
    let is_success = finish.exit == Exit::Code(0);
    match turn.end {
        None if !turn.has_begun && !turn.resumes && !is_success => {
            Answer::never_began(finish, "codex", OLDEST_VERSION)
        }
        None => Answer::without_result(finish),
        Some(TurnEnd::Completed) if is_success => success(turn, record),
        Some(TurnEnd::Failed) if !is_success => failure(class(turn, record), turn, record),
        Some(_) => {
            let sentence = format!("its exit code and its last event disagree: {}", turn.error);
            Answer::quoting(ExecOutcome::Crashed, &sentence)
        }
    }
}

fn success(turn: &CodexTurn, record: &SessionRecord) -> Answer {
    if record.last_tool == QUESTION_TOOL {
        Answer::quoting(ExecOutcome::BlockedOnPrompt, "")
    } else if turn.has_answered {
        Answer::done()
    } else {
        Answer::quoting(ExecOutcome::NoOutput, "")
    }
}

fn failure(class: ExecOutcome, turn: &CodexTurn, record: &SessionRecord) -> Answer {
    let mut outcome = Answer::quoting(class, &turn.error);
    if matches!(class, ExecOutcome::RateLimited | ExecOutcome::QuotaExhausted) {
        outcome.resets_at = record.resets_at;
    }
    outcome
}

fn class(turn: &CodexTurn, record: &SessionRecord) -> ExecOutcome {
    match record.error.as_deref().unwrap_or_default() {
        "context_window_exceeded" => ExecOutcome::ContextTooLong,
        "usage_limit_exceeded" => ExecOutcome::QuotaExhausted,
        "session_budget_exceeded" => ExecOutcome::LimitReached,
        "rate_limit_exceeded" => ExecOutcome::RateLimited,
        "server_overloaded" | "flex_unavailable" | "policy_capacity_unavailable" => ExecOutcome::Overloaded,
        "unauthorized" => ExecOutcome::SignedOut,
        "internal_server_error" => ExecOutcome::ProviderFailed,
        "model_not_found" => ExecOutcome::ModelUnknown,
        "cyber_policy"
        | "bio_policy"
        | "misalignment_policy_violation"
        | "content_policy_violation"
        | "invalid_prompt" => ExecOutcome::Refused,
        error => match record.status.or_else(|| stated_status(&turn.error)) {
            Some(status) => class_of_status(status),
            None if is_lost_connection(error, &turn.error) => ExecOutcome::ProviderFailed,
            None => ExecOutcome::Crashed,
        },
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
    match status {
        401 | 403 => ExecOutcome::SignedOut,
        402 => ExecOutcome::QuotaExhausted,
        404 => ExecOutcome::ModelUnknown,
        413 => ExecOutcome::ContextTooLong,
        429 => ExecOutcome::RateLimited,
        503 | 529 => ExecOutcome::Overloaded,
        500..=599 => ExecOutcome::ProviderFailed,
        _ => ExecOutcome::Crashed,
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
