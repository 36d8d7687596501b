//! The documented exit codes: this file alone maps the kind of a failure and the halt of a run onto them.

use serde_json::{Value, json};

use app::failure::{Failure, FailureKind};
use app::run_to_halt::Halt;

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
pub(crate) fn of_halt(halt: Halt) -> u8 {
    halt.map_or(0, of_failure)
}

/// Returns a failure as JSON: the report of the run, if there is one, with `error`, `hints` and `exit_code`.
pub(crate) fn document(failure: &Failure) -> Value {
    let mut document = failure.report.as_deref().cloned().unwrap_or_else(|| json!({}));
    document["exit_code"] = json!(of_failure(failure.kind));
    document["error"] = json!(failure.message);
    document["hints"] = json!(failure.hints);
    document
}
