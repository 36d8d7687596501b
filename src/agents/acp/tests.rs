//! Tests of `acp`.

use std::time::Duration;

use model::redact::Masker;

use super::*;
use crate::call::tests::with_call;

/// Parses what a child printed, piece by piece, before it ended like this.
fn answer(pieces: &[&[u8]], exit: Exit) -> Answer {
    let masker = Masker::default();
    let mut transcript = Transcript::create(Path::new("/dev/null"), &masker);
    let mut parser = with_call(|call| AcpParser::new(Path::new("/bin/agent"), &call));
    for piece in pieces {
        parser.push(Stream::Stdout, piece, &mut transcript);
    }
    let finish = Finish {
        exit,
        stdout: vec![],
        stdout_truncated: false,
        stdout_tail: String::new(),
        stderr_tail: "last words\n".into(),
        millis: 1,
    };
    let launch = Launch::new("agent", "/", Duration::from_secs(7));
    Box::new(parser).finish(&launch, finish, &mut transcript)
}

fn ended() -> String {
    let end = End::Turn { stop: "end_turn".into() };
    ClientEvent::Ended(Box::new(Report { end, ..Report::default() })).encode()
}

fn text(text: &str) -> String {
    ClientEvent::Text { text: text.into(), begins: true }.encode()
}

#[test]
fn lines_are_heard_however_they_come() {
    let lines = text("one") + "no line of ours\n" + &text("two") + &ended();
    let pieces: Vec<_> = lines.as_bytes().chunks(7).collect();
    let expected = Answer {
        outcome: ExecOutcome::Done,
        text: "one\n\ntwo".into(),
        usage: Usage { cost_basis: Some(CostBasis::Unknown), ..Usage::default() },
        program: Some(Program { name: "agent".into(), ..Program::default() }),
        ..Answer::default()
    };
    assert_eq!(answer(&pieces, Exit::Code(0)), expected);
}

#[test]
fn a_child_that_says_no_last_line_was_lost() {
    let lost = answer(&[text("one").as_bytes()], Exit::Code(0));
    let expected = "the client of the agent was lost: last words";
    assert_eq!((lost.outcome, lost.reason.as_deref()), (ExecOutcome::Crashed, Some(expected)));
    let overlong = ["x".repeat(LINE_LIMIT + 1), "\n".into(), ended()].concat();
    let lost = answer(&[overlong.as_bytes()], Exit::Code(0));
    assert_eq!((lost.outcome, lost.truncated), (ExecOutcome::Crashed, true));
}

#[test]
fn a_child_that_was_ended_is_not_asked_how() {
    let outcome = |exit| answer(&[text("one").as_bytes(), ended().as_bytes()], exit).outcome;
    let exits = [Exit::TimedOut, Exit::Idle, Exit::Stopped, Exit::Signal(9), Exit::Code(2)];
    let expected = [
        ExecOutcome::TimedOut,
        ExecOutcome::Idle,
        ExecOutcome::Cancelled,
        ExecOutcome::Crashed,
        ExecOutcome::Crashed,
    ];
    assert_eq!(exits.map(outcome), expected);
}

#[test]
fn a_cost_is_what_the_session_cost_more() {
    let usage = |cost_usd| Usage {
        cost_usd,
        input_tokens: Some(5),
        cost_basis: Some(CostBasis::Reported),
        ..Usage::default()
    };
    assert_eq!(usage_of_call(usage(Some(0.75)), &usage(Some(0.5))), usage(Some(0.25)));
    assert_eq!(usage_of_call(usage(Some(0.25)), &usage(Some(0.5))), usage(Some(0.25)));
    assert_eq!(usage_of_call(usage(None), &usage(Some(0.5))), usage(None));
}

fn of_turn(stop: &str, text: &str) -> ExecOutcome {
    classify(&End::Turn { stop: stop.into() }, text).outcome
}

fn error(code: i32, kind: Option<&str>) -> ExecOutcome {
    let (during, message) = ("session/prompt".to_owned(), "authentication_error rate_limit".to_owned());
    let error = ErrorResponse { code, message, kind: kind.map(str::to_owned) };
    classify(&End::Error { during, error }, "said").outcome
}

#[test]
fn every_stop_reason_has_its_class() {
    let found = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "done"]
        .map(|stop| of_turn(stop, "text"));
    let limit = ExecOutcome::LimitReached;
    let expected =
        [ExecOutcome::Done, limit, limit, ExecOutcome::Refused, ExecOutcome::Crashed, ExecOutcome::Crashed];
    assert_eq!((found, of_turn("end_turn", " \n")), (expected, ExecOutcome::NoOutput));
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
    assert_eq!((error(429, None), error(402, None)), (ExecOutcome::RateLimited, ExecOutcome::QuotaExhausted));
    assert_eq!((error(401, None), error(529, None)), (ExecOutcome::SignedOut, ExecOutcome::Overloaded));
}

#[test]
fn what_is_not_an_answer_says_why() {
    assert_eq!(classify(&End::Lost, "x").outcome, ExecOutcome::Crashed);
    let gone = "the agent closed its output before its turn was over".to_owned();
    assert_eq!(classify(&End::Gone { how: None }, "x"), Answer::because(ExecOutcome::Crashed, gone));
    assert_eq!(
        classify(&End::Broken { reason: "r".into() }, "x"),
        Answer::because(ExecOutcome::Crashed, "r")
    );
    assert_eq!(
        classify(&End::NotStarted { reason: "r".into() }, "x"),
        Answer::because(ExecOutcome::NotStarted, "r")
    );
    assert_eq!(classify(&End::NoModel { model: "m".into() }, "x").outcome, ExecOutcome::ModelUnknown);
}
