//! The class of a call's end, from structured fields only: exit code, last event of the turn, class of the error.

use crate::ending::Ending;
use model::event::ExecOutcome;
use process::{Exit, Finish, Launch};

use super::CHECKED_WITH;
use super::session::Record;

/// A tool that waits for a person.
const QUESTION: &str = "request_user_input";

/// What the stream said about the end, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub began: bool,
    /// It was to continue a session.
    pub resumes: bool,
    /// Whether the turn was completed or failed; the last word counts.
    pub turn: Option<Turn>,
    /// The program's own sentence about an error, also about one after which it tries again.
    pub error: String,
    pub said_something: bool,
}

/// The end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Completed,
    Failed,
}

/// Returns how the call ended. `gave_up` says that we ended it because it went on asking a provider in vain.
pub(super) fn of(launch: &Launch, finish: &Finish, told: &Told, record: &Record, gave_up: bool) -> Ending {
    if gave_up && finish.exit == Exit::Stopped {
        return given_up(told, record);
    }
    if let Some(ending) = Ending::by_exit(launch, finish) {
        return ending;
    }
    let well = finish.exit == Exit::Code(0);
    match told.turn {
        None if !told.began && !told.resumes && !well => Ending::never_began(finish, "codex", CHECKED_WITH),
        None => Ending::silent(finish),
        Some(Turn::Completed) if well => success(told, record),
        Some(Turn::Failed) if !well => failure(told, record),
        Some(_) => {
            let words = format!("its exit code and its last event disagree: {}", told.error);
            Ending::because(ExecOutcome::Crashed, &words)
        }
    }
}

fn success(told: &Told, record: &Record) -> Ending {
    if record.last_tool == QUESTION {
        Ending::because(ExecOutcome::BlockedOnPrompt, "")
    } else if told.said_something {
        Ending::done()
    } else {
        Ending::because(ExecOutcome::NoOutput, "")
    }
}

fn failure(told: &Told, record: &Record) -> Ending {
    ending(class(told, record), told, record)
}

/// It went on asking a provider in vain, and does not always say why.
fn given_up(told: &Told, record: &Record) -> Ending {
    let outcome = match class(told, record) {
        ExecOutcome::Crashed => ExecOutcome::ProviderFailed,
        known => known,
    };
    ending(outcome, told, record)
}

fn ending(outcome: ExecOutcome, told: &Told, record: &Record) -> Ending {
    let limited = matches!(outcome, ExecOutcome::RateLimited | ExecOutcome::QuotaExhausted);
    Ending { resets_at: record.resets_at.filter(|_| limited), ..Ending::because(outcome, &told.error) }
}

fn class(told: &Told, record: &Record) -> ExecOutcome {
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
        error => {
            let status = record.status.or_else(|| stated_status(&told.error));
            let lost = status.is_none() && lost_connection(error, &told.error);
            if lost { ExecOutcome::ProviderFailed } else { by_status(status) }
        }
    }
}

/// Tells whether the program says that it lost its connection, or that a stream broke off: by the class of the error, or
/// by the beginning of its own sentence.
fn lost_connection(class: &str, error: &str) -> bool {
    let classes = [
        "http_connection_failed",
        "response_stream_connection_failed",
        "response_stream_disconnected",
        "response_too_many_failed_attempts",
    ];
    let starts = ["stream disconnected before completion: ", "Connection failed: "];
    // The service cut such an answer off on purpose, and would do so again.
    let is_cut_off = error.starts_with("stream disconnected before completion: Incomplete response returned");
    !is_cut_off && (classes.contains(&class) || starts.iter().any(|start| error.starts_with(start)))
}

fn by_status(status: Option<u64>) -> ExecOutcome {
    match status {
        Some(401 | 403) => ExecOutcome::SignedOut,
        Some(402) => ExecOutcome::QuotaExhausted,
        Some(404) => ExecOutcome::ModelUnknown,
        Some(413) => ExecOutcome::ContextTooLong,
        Some(429) => ExecOutcome::RateLimited,
        Some(503 | 529) => ExecOutcome::Overloaded,
        Some(500..=599) => ExecOutcome::ProviderFailed,
        _ => ExecOutcome::Crashed,
    }
}

/// Returns the status that the program's own sentence begins with; one further inside is somebody else's text.
fn stated_status(error: &str) -> Option<u64> {
    let again =
        error.strip_prefix("Reconnecting... ").and_then(|rest| rest.split_once(" (")).map(|(_, why)| why);
    let error = again.unwrap_or(error);
    let starts = ["unexpected status ", "exceeded retry limit, last status: "];
    let rest = starts.iter().find_map(|start| error.strip_prefix(start))?;
    rest.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_broke_off_is_an_outage_and_an_answer_that_was_cut_off_is_none() {
        let broke_off = "stream disconnected before completion: ";
        for (class, error, lost) in [
            ("other", format!("{broke_off}stream closed before response.completed"), true),
            ("other", format!("{broke_off}Incomplete response returned, reason: content_filter"), false),
            ("other", format!("the file says: {broke_off}x"), false),
            ("http_connection_failed", "x".to_owned(), true),
        ] {
            assert_eq!(lost_connection(class, &error), lost, "{error}");
        }
    }

    #[test]
    fn a_status_is_read_only_where_the_program_itself_puts_it() {
        for (error, status) in [
            ("unexpected status 401 Unauthorized: no, url: x", Some(401)),
            ("exceeded retry limit, last status: 429 Too Many Requests", Some(429)),
            ("Reconnecting... 1/5 (unexpected status 503 Service Unavailable: x)", Some(503)),
            ("the file says: unexpected status 401 Unauthorized", None),
            ("Reconnecting... waiting for network (Connection failed)", None),
            ("", None),
        ] {
            assert_eq!(stated_status(error), status, "{error}");
        }
    }
}
