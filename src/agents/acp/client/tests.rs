//! Tests of `client`.

use super::*;

#[test]
fn client_command_line_round_trips() {
    let task = ClientTask {
        read_only: true,
        allow: vec!["cargo".into(), "npm run".into()],
        model: Some("m".into()),
        resumes: Some("--s".into()),
    };
    for task in [task, ClientTask::default()] {
        let written = serde_json::to_string(&task).expect("JSON");
        let words = [&written, "agent", "--", "--acp"].map(OsString::from).to_vec();
        let (program, arguments) = ("agent".into(), vec!["--".into(), "--acp".into()]);
        assert_eq!(AcpClient::parse(words), Some(AcpClient { task, program, arguments }));
    }
}

#[test]
fn a_command_line_without_a_program_is_a_usage_error() {
    for bad in [&[][..], &["{}"], &["{}", "x"], &["x", "x"], &["x"]] {
        assert_eq!(AcpClient::parse(bad.iter().map(OsString::from).collect()), None, "{bad:?}");
    }
    assert_eq!(main(vec![]), USAGE);
}

#[test]
fn cached_tokens_count_as_input_tokens() {
    let reported = schema::Usage::new(130, 20, 10).cached_read_tokens(70).cached_write_tokens(30);
    let expected = Usage {
        input_tokens: Some(120),
        cached_tokens: Some(70),
        output_tokens: Some(10),
        cost_usd: Some(0.5),
        cost_basis: Some(CostBasis::Reported),
        ..Usage::default()
    };
    assert_eq!(turn_usage(Some(&reported), Some(0.5)), (expected, vec![]));
    let together = schema::Usage::new(130, 120, 10).cached_read_tokens(70);
    assert_eq!(turn_usage(Some(&together), None).0.input_tokens, Some(120));
}

#[test]
fn unreported_or_impossible_usage_is_unknown() {
    let unknown = Usage { cost_basis: Some(CostBasis::Unknown), ..Usage::default() };
    assert_eq!(turn_usage(None, None), (unknown, vec![]));
    let (usage, notices) = turn_usage(Some(&schema::Usage::new(u64::MAX, u64::MAX, 1)), Some(-1.0));
    assert_eq!((usage, notices.len()), (Usage { output_tokens: Some(1), ..unknown }, 2));
}

fn of_turn(stop: &str) -> ExecOutcome {
    classify_end(classify_stop(stop), None).0
}

fn error(code: i32, kind: Option<&str>) -> ExecOutcome {
    let message = "authentication_error rate_limit".to_owned();
    let error = ErrorResponse { code, message, kind: kind.map(str::to_owned) };
    classify_end(Err(request_failure("session/prompt", &error)), None).0
}

#[test]
fn stop_reasons_map_to_call_outcomes() {
    let found = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "done"].map(of_turn);
    let limit = ExecOutcome::LimitReached;
    let expected =
        [ExecOutcome::Done, limit, limit, ExecOutcome::Refused, ExecOutcome::Crashed, ExecOutcome::Crashed];
    assert_eq!(found, expected);
}

#[test]
fn errors_are_classified_by_kind_then_code_never_by_message() {
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
fn failed_turns_report_their_reason() {
    let of = |end, exit: Option<&str>| classify_end(Err(end), exit);
    let crashed = |reason: &str| (ExecOutcome::Crashed, Some(reason.to_owned()));
    assert_eq!(of(TurnFailure::Gone, None), crashed("the agent closed its output before its turn was over"));
    let exit = Some("ended with exit code 3");
    assert_eq!(
        of(TurnFailure::Gone, exit),
        crashed("the agent ended with exit code 3 before its turn was over")
    );
    assert_eq!(of(TurnFailure::Broken("r".into()), exit), crashed("r"));
    let failed = of(TurnFailure::Failed(ExecOutcome::ModelUnknown, "r".into()), exit);
    assert_eq!(failed, (ExecOutcome::ModelUnknown, Some("r".to_owned())));
    assert_eq!(classify_end(Ok(()), None), (ExecOutcome::Done, None));
}
