//! Which class the end of a call belongs to: from stop reasons, error codes and the kinds that adapters name, never
//! from words for people.

use super::line::End;
use model::event::ExecOutcome;

/// Returns the class of an end, and for people why it is not a good one.
pub(super) fn classify(end: &End, text: &str) -> (ExecOutcome, Option<String>) {
    match end {
        End::Turn { stop } => of_turn(stop, text),
        End::Error { during, code, message, told } => {
            let kind = told.as_ref().map(|kind| format!(" ({kind})")).unwrap_or_default();
            let reason = format!("the agent answered {during} with error {code}{kind}: {message}");
            (of_error(*code, told.as_deref()), Some(reason))
        }
        End::Gone { how } => {
            let how = how.as_deref().unwrap_or("closed its output");
            (ExecOutcome::Crashed, Some(format!("the agent {how} before its turn was over")))
        }
        End::Broken { reason } => (ExecOutcome::Crashed, Some(reason.clone())),
        End::NotStarted { reason } => (ExecOutcome::NotStarted, Some(reason.clone())),
        End::NoModel { model } => {
            (ExecOutcome::ModelUnknown, Some(format!("the agent does not offer the model `{model}`")))
        }
        End::Lost => (ExecOutcome::Crashed, Some("the client of the agent was lost".to_owned())),
    }
}

/// An end that the agent calls a cancellation, without our asking for one, broke its work like any other.
fn of_turn(stop: &str, text: &str) -> (ExecOutcome, Option<String>) {
    let told = |outcome, reason: &str| (outcome, Some(reason.to_owned()));
    match stop {
        "end_turn" if text.trim().is_empty() => told(ExecOutcome::NoOutput, "the agent ended without a word"),
        "end_turn" => (ExecOutcome::Done, None),
        "max_tokens" => told(ExecOutcome::LimitReached, "the answer reached the limit of tokens"),
        "max_turn_requests" => told(ExecOutcome::LimitReached, "the agent reached its limit of requests"),
        "refusal" => told(ExecOutcome::Refused, "the agent refuses to work on this"),
        "cancelled" => told(ExecOutcome::Crashed, "the agent cancelled the turn, and nobody had asked it to"),
        _ => (ExecOutcome::Crashed, Some(format!("the agent ended with the unknown stop reason `{stop}`"))),
    }
}

/// The kind weighs more than the code: adapters put every failure of the provider under one code.
fn of_error(code: i32, kind: Option<&str>) -> ExecOutcome {
    match kind.map(|kind| kind.to_ascii_lowercase().replace('-', "_")).as_deref() {
        Some("authentication_failed" | "authentication_error" | "oauth_org_not_allowed") => {
            ExecOutcome::SignedOut
        }
        Some("billing_error" | "quota_exceeded" | "insufficient_quota") => ExecOutcome::QuotaExhausted,
        Some("rate_limit" | "rate_limit_error") => ExecOutcome::RateLimited,
        Some("overloaded" | "overloaded_error" | "server_error") => ExecOutcome::Overloaded,
        Some("model_not_found") => ExecOutcome::ModelUnknown,
        Some("context_length_exceeded" | "prompt_too_long") => ExecOutcome::ContextTooLong,
        Some("max_output_tokens") => ExecOutcome::LimitReached,
        _ => of_code(code),
    }
}

/// The code of the protocol for "sign in first", and the status codes that some agents pass on.
fn of_code(code: i32) -> ExecOutcome {
    match code {
        -32000 | 401 | 403 => ExecOutcome::SignedOut,
        402 => ExecOutcome::QuotaExhausted,
        429 => ExecOutcome::RateLimited,
        500 | 502 | 503 | 504 | 529 => ExecOutcome::Overloaded,
        _ => ExecOutcome::Crashed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(stop: &str, text: &str) -> ExecOutcome {
        classify(&End::Turn { stop: stop.into() }, text).0
    }

    fn error(code: i32, kind: Option<&str>) -> ExecOutcome {
        let (during, message) = ("session/prompt".to_owned(), "authentication_error rate_limit".to_owned());
        classify(&End::Error { during, code, message, told: kind.map(str::to_owned) }, "said").0
    }

    #[test]
    fn every_stop_reason_has_its_class() {
        let found = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "done"]
            .map(|stop| of(stop, "text"));
        let limit = ExecOutcome::LimitReached;
        let expected = [
            ExecOutcome::Done,
            limit,
            limit,
            ExecOutcome::Refused,
            ExecOutcome::Crashed,
            ExecOutcome::Crashed,
        ];
        assert_eq!((found, of("end_turn", " \n")), (expected, ExecOutcome::NoOutput));
    }

    #[test]
    fn an_error_is_classed_by_its_kind_then_by_its_code_and_never_by_its_message() {
        assert_eq!(error(-32603, None), ExecOutcome::Crashed);
        assert_eq!(error(-32000, None), ExecOutcome::SignedOut);
        assert_eq!(error(-32603, Some("authentication_failed")), ExecOutcome::SignedOut);
        assert_eq!(error(-32603, Some("billing_error")), ExecOutcome::QuotaExhausted);
        assert_eq!(error(-32603, Some("rate_limit")), ExecOutcome::RateLimited);
        assert_eq!(error(-32603, Some("overloaded")), ExecOutcome::Overloaded);
        assert_eq!(error(-32603, Some("model_not_found")), ExecOutcome::ModelUnknown);
        assert_eq!(error(-32603, Some("prompt_too_long")), ExecOutcome::ContextTooLong);
        assert_eq!(error(-32603, Some("max_output_tokens")), ExecOutcome::LimitReached);
        assert_eq!(error(-32603, Some("something new")), ExecOutcome::Crashed);
        assert_eq!(
            (error(429, None), error(402, None)),
            (ExecOutcome::RateLimited, ExecOutcome::QuotaExhausted)
        );
        assert_eq!((error(401, None), error(529, None)), (ExecOutcome::SignedOut, ExecOutcome::Overloaded));
    }

    #[test]
    fn what_is_not_an_answer_says_why() {
        assert_eq!(classify(&End::Lost, "x").0, ExecOutcome::Crashed);
        let gone = "the agent closed its output before its turn was over".to_owned();
        assert_eq!(classify(&End::Gone { how: None }, "x"), (ExecOutcome::Crashed, Some(gone)));
        assert_eq!(
            classify(&End::Broken { reason: "r".into() }, "x"),
            (ExecOutcome::Crashed, Some("r".into()))
        );
        assert_eq!(
            classify(&End::NotStarted { reason: "r".into() }, "x"),
            (ExecOutcome::NotStarted, Some("r".into()))
        );
        assert_eq!(classify(&End::NoModel { model: "m".into() }, "x").0, ExecOutcome::ModelUnknown);
    }
}
