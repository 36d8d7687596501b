//! A call for the tests of the other modules.

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
        allowance: Allowance::default(),
        schema: None,
        commands: &BTreeMap::new(),
    })
}
