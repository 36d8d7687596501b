//! The class of a call's end, from structured fields only: exit code, subtype, error fields of the last result.
//! Success is exit code 0, and a result, and its subtype `success`, and no error, and an answer.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use model::event::ExecOutcome;
use process::{Exit, Finish, Launch};

use crate::call::Answer;
use crate::json_lines::{list, text};

/// The oldest version that is known to work; one that ends before it begins may be older.
pub(crate) const OLDEST_VERSION: &str = "2.1.329";

/// Tools that wait for a person.
const QUESTION_TOOLS: [&str; 2] = ["AskUserQuestion", "ExitPlanMode"];

/// What became of the last question to a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Question {
    #[default]
    None,
    Asked,
    /// The program said that nobody answers.
    Refused,
    /// The agent went on without an answer.
    Dropped,
}

/// What the events said about the end, as far as they have come.
#[derive(Debug, Default)]
pub(super) struct ClaudeTurn {
    /// The event `init` came.
    pub has_begun: bool,
    /// The last result: an earlier one is not the end.
    pub result: Option<Value>,
    /// The class that the program gives the error of its last message.
    pub error: Option<String>,
    /// The tools that were refused.
    pub denied: BTreeSet<String>,
    /// An event was too long to be read.
    pub is_cut: bool,
    question: Question,
    /// A limit of the subscription was reached.
    is_used_up: bool,
    resets_at: Option<Timestamp>,
}

impl ClaudeTurn {
    /// Takes what the program reports about the limits of the subscription.
    pub(super) fn rate_limit(&mut self, event: &Value) {
        let info = &event["rate_limit_info"];
        if !info.is_object() {
            return;
        }
        self.is_used_up = text(info, "status") == "rejected";
        self.resets_at = info["resetsAt"].as_i64().and_then(|seconds| Timestamp::from_second(seconds).ok());
    }

    /// Takes the use of a tool.
    pub(super) fn tool_use(&mut self, name: &str) {
        if QUESTION_TOOLS.contains(&name) {
            self.question = Question::Asked;
        } else {
            self.goes_on();
        }
    }

    /// Takes the result of a tool.
    pub(super) fn tool_result(&mut self) {
        if self.question == Question::Asked {
            self.question = Question::Refused;
        }
    }

    /// The agent writes or does something.
    pub(super) fn goes_on(&mut self) {
        if self.question == Question::Refused {
            self.question = Question::Dropped;
        }
    }

    /// Returns how the call ended.
    pub(super) fn outcome(&self, launch: &Launch, finish: &Finish) -> Answer {
        match (&finish.exit, &self.result) {
            (Exit::Code(0), Some(result)) if !is_error(result) => success(result, self),
            (Exit::Code(1..), Some(result)) if is_error(result) => failure(result, self),
            (Exit::Code(_), Some(result)) => {
                let sentence = format!("its exit code and its result disagree: {}", error_text(result));
                Answer::quoting(ExecOutcome::Crashed, &sentence)
            }
            _ => Answer::unreported(launch, finish, self.has_begun, &format!("claude {OLDEST_VERSION}")),
        }
    }

    /// Returns what is worth reporting besides the end.
    pub(super) fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if !self.denied.is_empty() {
            let denied: Vec<_> = self.denied.iter().map(String::as_str).collect();
            notices.push(format!("refused to the agent: {}", denied.join(", ")));
        }
        if self.is_cut {
            notices.push("an event of the agent was too long to be read".to_owned());
        }
        if self.question == Question::Dropped {
            notices.push("the agent asked a person, was refused, and went on".to_owned());
        }
        notices
    }
}

/// Only a plain `false` is no error.
fn is_error(result: &Value) -> bool {
    result["is_error"] != Value::Bool(false) || text(result, "subtype") != "success"
}

fn success(result: &Value, turn: &ClaudeTurn) -> Answer {
    let has_object = !result["structured_output"].is_null();
    if matches!(turn.question, Question::Asked | Question::Refused) && !has_object {
        Answer::quoting(ExecOutcome::BlockedOnPrompt, text(result, "result"))
    } else if text(result, "result").trim().is_empty() && !has_object {
        Answer::quoting(ExecOutcome::NoOutput, "")
    } else {
        Answer::done()
    }
}

fn failure(result: &Value, turn: &ClaudeTurn) -> Answer {
    let class = match text(result, "subtype") {
        "error_max_turns" => ExecOutcome::LimitReached,
        "error_max_budget_usd" => ExecOutcome::OverBudget,
        "error_max_structured_output_retries" => ExecOutcome::NoOutput,
        "success" => error_class(result, turn),
        _ => ExecOutcome::Crashed,
    };
    let mut outcome = Answer::quoting(class, &error_text(result));
    if turn.is_used_up && matches!(class, ExecOutcome::RateLimited | ExecOutcome::QuotaExhausted) {
        outcome.resets_at = turn.resets_at;
    }
    outcome
}

fn error_class(result: &Value, turn: &ClaudeTurn) -> ExecOutcome {
    let error = turn.error.as_deref().unwrap_or_default();
    let status = result["api_error_status"].as_u64().unwrap_or_default();
    match (text(result, "terminal_reason"), text(result, "stop_reason"), error, status) {
        ("prompt_too_long", _, _, _) | (_, _, _, 413) => ExecOutcome::ContextTooLong,
        (_, "refusal", _, _) => ExecOutcome::Refused,
        (_, _, "billing_error", _) | (_, _, _, 402) => ExecOutcome::QuotaExhausted,
        // A limit of the subscription is a quota; one of the interface passes soon.
        (_, _, "rate_limit", _) | (_, _, _, 429) if turn.is_used_up => ExecOutcome::QuotaExhausted,
        (_, _, "rate_limit", _) | (_, _, _, 429) => ExecOutcome::RateLimited,
        (_, _, "authentication_failed" | "oauth_org_not_allowed", _) | (_, _, _, 401 | 403) => {
            ExecOutcome::SignedOut
        }
        (_, _, "model_not_found", _) | (_, _, _, 404) => ExecOutcome::ModelUnknown,
        (_, _, "overloaded", _) | (_, _, _, 503 | 529) => ExecOutcome::Overloaded,
        // Without a status there was no answer of the interface, but a page of somebody else or half a stream.
        (_, _, "server_error", _) | (_, _, _, 500..=599) | ("api_error", _, "unknown", 0) => {
            ExecOutcome::ProviderFailed
        }
        _ => ExecOutcome::Crashed,
    }
}

/// Returns the program's own sentence about its end.
fn error_text(result: &Value) -> String {
    let errors: Vec<_> = list(result, "errors").iter().filter_map(Value::as_str).collect();
    if errors.is_empty() { text(result, "result").to_owned() } else { errors.join("; ") }
}
