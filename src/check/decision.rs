//! The evaluation says what becomes of the run. Which word it says is the engine's matter, not this check's.

use super::{Site, failure, result};
use crate::event::{CheckResult, CheckStatus};

pub(super) const ID: &str = "decision";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    match site.evaluation {
        Some(_) => result(ID, CheckStatus::Pass, "the evaluation made a decision"),
        None => failure(
            ID,
            "no-decision",
            "no decision in the answer or in the deliverable",
            &[("code", "no_decision")],
        ),
    }
}
