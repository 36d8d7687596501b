//! The documented exit codes: the one table from the kind of a failure, and from the halt of a run, to its number.
//! Does not decide which kind a halt counts as: `run_to_halt::halt_of` makes `Waiting` of a pause.

use crate::failure::FailureKind;
use crate::run_to_halt::Halt;

/// Returns the exit code of a failure.
pub fn of_failure(kind: FailureKind) -> u8 {
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
pub fn of_halt(halt: Halt) -> u8 {
    halt.map_or(0, of_failure)
}
