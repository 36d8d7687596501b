//! The documented exit codes: this file alone maps the kind of a failure and the outcome of a run onto them.

use serde_json::{Value, json};

use app::failure::{Failure, FailureKind};
use engine::{PhaseState, Run};
use model::event::{ExecOutcome, Outcome};

/// Returns the exit code of a failure.
pub(crate) fn of_failure(kind: FailureKind) -> u8 {
    match kind {
        FailureKind::PhaseFailed => 1,
        FailureKind::Usage => 2,
        FailureKind::Waiting => 3,
        FailureKind::NoAgent => 4,
        FailureKind::Forge => 5,
        FailureKind::State => 6,
        FailureKind::OurBug => 70,
        FailureKind::Busy => 75,
        FailureKind::Interrupted => 130,
    }
}

/// Returns the exit code of a run that came to its halt.
pub(crate) fn of_run(run: &Run, outcome: Outcome, no_wait: bool) -> u8 {
    let kind = match outcome {
        Outcome::Completed | Outcome::Running => return 0,
        Outcome::Failed if never_started(run) => FailureKind::NoAgent,
        Outcome::Failed | Outcome::Incomplete => FailureKind::PhaseFailed,
        Outcome::Paused if no_wait => FailureKind::PhaseFailed,
        Outcome::Paused => FailureKind::Waiting,
        Outcome::Cancelled => FailureKind::Interrupted,
    };
    of_failure(kind)
}

/// Tells whether the run failed because no program could be started at all.
fn never_started(run: &Run) -> bool {
    let missing = |agent: &String| {
        run.agents.unusable.get(agent).is_some_and(|unusable| unusable.outcome == ExecOutcome::NotStarted)
    };
    let not_started = |phase: &PhaseState| {
        phase.reason.as_deref() == Some("agent_failed") && phase.def.agents.iter().all(missing)
    };
    run.phases.iter().any(not_started)
}

/// Returns a failure as JSON: the report of the run, if there is one, with `error`, `hints` and `exit_code`.
pub(crate) fn document(failure: &Failure) -> Value {
    let mut document = failure.report.as_deref().cloned().unwrap_or_else(|| json!({}));
    document["exit_code"] = json!(of_failure(failure.kind));
    document["error"] = json!(failure.message);
    document["hints"] = json!(failure.hints);
    document
}
