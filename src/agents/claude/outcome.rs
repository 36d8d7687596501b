//! The class of a call's end, from structured fields only: exit code, subtype, error fields of the last result.
//! Success is exit code 0, and a result, and its subtype `success`, and no error, and something said.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::ending::Ending;
use model::event::ExecOutcome;
use process::{Exit, Finish, Launch};

use super::CHECKED_WITH;
use super::events::text;

/// Tools that wait for a person.
const QUESTIONS: [&str; 2] = ["AskUserQuestion", "ExitPlanMode"];

/// What became of the last question to a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Question {
    #[default]
    None,
    Asked,
    /// The program said that nobody answers.
    Refused,
    /// The agent went on without an answer.
    Dropped,
}

/// What the stream said about the end, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub began: bool,
    /// The last result: an earlier one is not the end.
    pub result: Option<Map<String, Value>>,
    /// The class that the program gives the error of its last message.
    pub error: Option<String>,
    pub question: Question,
    /// The tools that were refused.
    pub denied: BTreeSet<String>,
    /// An event was too long to be read.
    pub cut: bool,
    /// A limit of the subscription was reached.
    used_up: bool,
    resets_at: Option<Timestamp>,
}

impl Told {
    /// Takes what the program says about the limits of the subscription.
    pub(super) fn limit(&mut self, event: &Map<String, Value>) {
        let Some(Value::Object(info)) = event.get("rate_limit_info") else { return };
        let resets = info.get("resetsAt").and_then(Value::as_i64);
        self.used_up = text(info, "status") == "rejected";
        self.resets_at = resets.and_then(|seconds| Timestamp::from_second(seconds).ok());
    }

    /// Takes the use of a tool.
    pub(super) fn tool(&mut self, name: &str) {
        if QUESTIONS.contains(&name) {
            self.question = Question::Asked;
        } else {
            self.goes_on();
        }
    }

    /// Takes what a tool answered.
    pub(super) fn tool_answered(&mut self) {
        if self.question == Question::Asked {
            self.question = Question::Refused;
        }
    }

    /// The agent says or does something.
    pub(super) fn goes_on(&mut self) {
        if self.question == Question::Refused {
            self.question = Question::Dropped;
        }
    }

    /// Returns what is worth telling besides the end.
    pub(super) fn notices(&self) -> Vec<String> {
        let denied: Vec<_> = self.denied.iter().map(String::as_str).collect();
        let refused = (!denied.is_empty()).then(|| format!("refused to the agent: {}", denied.join(", ")));
        let cut = self.cut.then(|| "an event of the agent was too long to be read".to_owned());
        let dropped = (self.question == Question::Dropped)
            .then(|| "the agent asked a person, was refused, and went on".to_owned());
        refused.into_iter().chain(cut).chain(dropped).collect()
    }
}

/// Returns how the call ended.
pub(super) fn of(launch: &Launch, finish: &Finish, told: &Told) -> Ending {
    if let Some(ending) = Ending::by_exit(launch, finish) {
        return ending;
    }
    let well = finish.exit == Exit::Code(0);
    match &told.result {
        None if !told.began && !well => Ending::never_began(finish, "claude", CHECKED_WITH),
        None => Ending::silent(finish),
        Some(result) if !is_error(result) && well => success(result, told),
        Some(result) if is_error(result) && !well => failure(result, told),
        Some(result) => {
            let words = format!("its exit code and its result disagree: {}", words(result));
            Ending::because(ExecOutcome::Crashed, &words)
        }
    }
}

/// Only a plain `false` is no error.
fn is_error(result: &Map<String, Value>) -> bool {
    result.get("is_error") != Some(&Value::Bool(false)) || text(result, "subtype") != "success"
}

fn success(result: &Map<String, Value>, told: &Told) -> Ending {
    let object = result.get("structured_output").is_some_and(|object| !object.is_null());
    if matches!(told.question, Question::Asked | Question::Refused) && !object {
        Ending::because(ExecOutcome::BlockedOnPrompt, text(result, "result"))
    } else if text(result, "result").trim().is_empty() && !object {
        Ending::because(ExecOutcome::NoOutput, "")
    } else {
        Ending::done()
    }
}

fn failure(result: &Map<String, Value>, told: &Told) -> Ending {
    let outcome = match text(result, "subtype") {
        "error_max_turns" => ExecOutcome::LimitReached,
        "error_max_budget_usd" => ExecOutcome::OverBudget,
        "error_max_structured_output_retries" => ExecOutcome::NoOutput,
        "success" => class(result, told),
        _ => ExecOutcome::Crashed,
    };
    let limited = matches!(outcome, ExecOutcome::RateLimited | ExecOutcome::QuotaExhausted);
    let resets_at = told.resets_at.filter(|_| limited && told.used_up);
    Ending { resets_at, ..Ending::because(outcome, &words(result)) }
}

fn class(result: &Map<String, Value>, told: &Told) -> ExecOutcome {
    let error = told.error.as_deref().unwrap_or_default();
    let status = result.get("api_error_status").and_then(Value::as_u64).unwrap_or_default();
    match (text(result, "terminal_reason"), text(result, "stop_reason"), error, status) {
        ("prompt_too_long", _, _, _) | (_, _, _, 413) => ExecOutcome::ContextTooLong,
        (_, "refusal", _, _) => ExecOutcome::Refused,
        (_, _, "billing_error", _) | (_, _, _, 402) => ExecOutcome::QuotaExhausted,
        (_, _, "rate_limit", _) | (_, _, _, 429) => limited(told),
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

/// A limit of the subscription is a quota; one of the interface passes soon.
fn limited(told: &Told) -> ExecOutcome {
    if told.used_up { ExecOutcome::QuotaExhausted } else { ExecOutcome::RateLimited }
}

/// Returns the program's own sentence about its end.
fn words(result: &Map<String, Value>) -> String {
    let errors = result.get("errors").and_then(Value::as_array).into_iter().flatten();
    let errors: Vec<_> = errors.filter_map(Value::as_str).collect();
    if errors.is_empty() { text(result, "result").to_owned() } else { errors.join("; ") }
}
