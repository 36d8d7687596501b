//! Knows when a run changed code and came to its end without one test that was run. A reader has to learn that before the rest.

use super::quoted;
use engine::{Run, Status};
use model::event::{CheckResult, CheckStatus, Outcome};

/// The checks that run tests.
const OF_TESTS: [&str; 2] = ["tests", "red_green"];

/// Returns why no test was run in a run that comes to `outcome`; nothing where one was, where no code was changed, and before
/// the run is completed. Tests that failed were run.
pub fn untested(run: &Run, outcome: Outcome) -> Option<String> {
    let completed = || run.phases.iter().filter(|phase| phase.status == Status::Completed);
    if outcome != Outcome::Completed || !completed().any(|phase| phase.def.changes_code) {
        return None;
    }
    let is_of_tests = |result: &&CheckResult| OF_TESTS.contains(&result.check.as_str());
    let ran = |result: &&CheckResult| {
        let is_empty = result.params.get("tests_run").is_some_and(|count| count == 0);
        matches!(result.status, CheckStatus::Pass | CheckStatus::Fail) && !is_empty
    };
    let results = || completed().flat_map(|phase| phase.checks.iter().flatten()).filter(is_of_tests);
    if results().any(|result| ran(&result)) {
        return None;
    }
    let why = results().next_back().map(|result| result.summary.clone());
    Some(why.unwrap_or_else(|| "no phase of the run has the check tests".into()))
}

/// Returns the line that tells it, in Markdown; empty where there is nothing to tell.
pub(super) fn warning(run: &Run, outcome: Outcome) -> String {
    untested(run, outcome)
        .map_or_else(String::new, |why| format!("> **No test was run**: {}.\n\n", quoted(&why)))
}
