//! Tests of `acp`.

use std::time::Duration;

use model::redact::Masker;
use process::ProgramExit;

use super::*;
use crate::call::tests::with_call;
use crate::json_lines::LINE_LIMIT;

/// Parses what a child printed, piece by piece, before it ended like this.
fn answer(pieces: &[&[u8]], exit: ProgramExit) -> AgentAnswer {
    let masker = Masker::default();
    let mut transcript = Transcript::create(Path::new("/dev/null"), &masker);
    let mut parser = with_call(|call| AcpEventParser::new(Path::new("/bin/agent"), &call));
    for piece in pieces {
        parser.push(Stream::Stdout, piece, &mut transcript);
    }
    let finish = ProgramEnd {
        exit,
        stdout: vec![],
        stdout_truncated: false,
        stderr_tail: "last words\n".into(),
        millis: 1,
    };
    let launch = Launch::new("agent", "/", Duration::from_secs(7));
    Box::new(parser).finish(&launch, finish, &mut transcript)
}

fn ended() -> String {
    ClientEvent::Ended { answer: Box::new(AgentAnswer::done()), is_broken: false }.encode()
}

fn text(text: &str) -> String {
    ClientEvent::Text { text: text.into(), begins: true }.encode()
}

#[test]
fn client_output_is_parsed_across_chunk_boundaries() {
    let lines = text("one") + "no line of ours\n" + &text("two") + &ended();
    let pieces: Vec<_> = lines.as_bytes().chunks(7).collect();
    let expected = AgentAnswer {
        outcome: ExecOutcome::Done,
        text: "one\n\ntwo".into(),
        usage: Usage { cost_basis: Some(CostBasis::Unknown), ..Usage::default() },
        program: Some(ReportedProgram { name: "agent".into(), ..ReportedProgram::default() }),
        ..AgentAnswer::default()
    };
    assert_eq!(answer(&pieces, ProgramExit::Code(0)), expected);
}

#[test]
fn client_without_a_final_line_counts_as_crashed() {
    let lost = answer(&[text("one").as_bytes()], ProgramExit::Code(0));
    let expected = "the client of the agent was lost: last words";
    assert_eq!((lost.outcome, lost.reason.as_deref()), (ExecOutcome::Crashed, Some(expected)));
    let silent = answer(&[text(" \n").as_bytes(), ended().as_bytes()], ProgramExit::Code(0));
    assert_eq!(silent.outcome, ExecOutcome::NoOutput);
    let overlong = ["x".repeat(LINE_LIMIT + 1), "\n".into(), ended()].concat();
    let lost = answer(&[overlong.as_bytes()], ProgramExit::Code(0));
    assert_eq!((lost.outcome, lost.truncated), (ExecOutcome::Crashed, true));
}

#[test]
fn exit_status_of_a_killed_client_overrides_its_reported_end() {
    let outcome = |exit| answer(&[text("one").as_bytes(), ended().as_bytes()], exit).outcome;
    let exits = [
        ProgramExit::TimedOut,
        ProgramExit::Idle,
        ProgramExit::Stopped,
        ProgramExit::Signal(9),
        ProgramExit::Code(2),
    ];
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
fn call_cost_is_the_increase_of_the_session_cost() {
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
