//! Tests of `call`, and a call for the tests of the other modules.

use super::*;

/// Hands over a call of planning's first execute.
pub(crate) fn with_call<T>(ask: impl FnOnce(AgentCall<'_>) -> T) -> T {
    let phase = "planning".parse().expect("a good name");
    let time =
        TimeLimits { step_seconds: 60, idle_seconds: 30, command_seconds: 60, ..TimeLimits::default() };
    let masker = Masker::default();
    ask(AgentCall {
        copy_after_end: None,
        issue: 243.try_into().expect("a good number"),
        phase: &phase,
        step: Step::Execute,
        round: 1,
        attempt: 1,
        prompt_file: Path::new("prompt.md"),
        output: "planning.md",
        review_id: Some("r-1"),
        seat: None,
        worktree: Path::new("/"),
        raw_file: Path::new("raw.jsonl"),
        time: &time,
        masker: &masker,
        own_program: Path::new("/no/such/program"),
        resumes: None,
        allowance: CallBudget::default(),
        schema: None,
        commands: &BTreeMap::new(),
    })
}

#[test]
fn timeout_reasons_name_the_first_output_or_the_idle_limit() {
    let seconds = std::time::Duration::from_secs;
    let mut launch = Launch::new("x", "/", seconds(60));
    (launch.idle, launch.first_output) = (Some(seconds(1800)), Some(seconds(1)));
    let reason = |launch: &Launch, tail: &str| {
        let finish = ProgramEnd {
            exit: ProgramExit::Idle,
            stdout: tail.into(),
            stdout_truncated: false,
            stderr_tail: String::new(),
            millis: 1,
        };
        AgentAnswer::from_exit(launch, &finish, "").reason.expect("a reason")
    };
    assert_eq!(reason(&launch, ""), "the agent said nothing in its first 1 s");
    assert_eq!(reason(&launch, "x"), "the agent was silent for 1800 s");
    launch.first_output = None;
    assert_eq!(reason(&launch, ""), "the agent was silent for 1800 s");
}

#[test]
fn failure_reason_quotes_the_last_lines_of_stderr() {
    assert_eq!(quote_lines("a\n\n b\x1b\nc\nd\n"), ": b / c / d");
    assert_eq!(quote_lines(" \n"), "");
    assert_eq!(quote_lines(&"x".repeat(900)).len(), QUOTED + 2);
}

#[test]
fn every_error_in_the_table_has_a_known_class() {
    let table: toml::Table = toml::from_str(include_str!("../error_classes.toml")).expect("a table");
    assert_eq!(table.keys().collect::<Vec<_>>(), ["acp.code", "acp.kind", "codex.error", "codex.status"]);
    for (name, errors) in &table {
        for error in errors.as_table().expect("a table").keys() {
            assert!(error_class(name, error).is_some(), "{name} {error}");
        }
    }
    assert_eq!(error_class("codex.status", "200"), None);
}
