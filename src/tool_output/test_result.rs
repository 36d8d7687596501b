//! What a runner says of each single test, by an id that is the same from one tree to the next and on every machine.
//! Says nothing of what a result means for a change.

use std::sync::LazyLock;
use std::time::Duration;

use regex::RegexSet;
use serde::Serialize;

use crate::pattern;

/// How one test ended. The order is that of gravity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// It ran and nothing failed.
    Passed,
    /// It was skipped, ignored, is still to do, or was expected to fail.
    Skipped,
    /// It ran and failed.
    Failed,
    /// It did not end in time.
    TimedOut,
    /// It could not be compiled, imported or set up: what it asserts was never asked.
    DidNotLoad,
}

/// One test and how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestResult {
    /// The name that the runner gives it, with its file, binary, class or groups in front, as far as the runner says them.
    pub id: String,
    /// How it ended.
    pub outcome: TestOutcome,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub millis: Option<u64>,
}

impl TestResult {
    pub(crate) fn new(id: impl Into<String>, outcome: TestOutcome) -> Self {
        Self { id: id.into(), outcome, millis: None }
    }

    /// Takes milliseconds, as `1.87` in node's `(1.87ms)`.
    pub(crate) fn after(self, millis: Option<f64>) -> Self {
        let duration = Duration::try_from_secs_f64(millis.unwrap_or(-1.0) / 1000.0).ok();
        let millis = duration.and_then(|duration| u64::try_from(duration.as_millis()).ok());
        Self { millis, ..self }
    }
}

impl TestOutcome {
    /// Returns how a test ended that ended with this message: by what it asserts, or before it could assert anything.
    pub(crate) fn of_error(error: &str) -> Self {
        let says = |patterns: &RegexSet| error.lines().any(|line| patterns.is_match(line.trim()));
        if says(&LOAD_ERRORS) {
            return Self::DidNotLoad;
        }
        if says(&TIME_LIMITS) { Self::TimedOut } else { Self::Failed }
    }
}

static LOAD_ERRORS: LazyLock<RegexSet> =
    LazyLock::new(|| pattern::set(include_str!("data/load_errors.regex")));
static TIME_LIMITS: LazyLock<RegexSet> =
    LazyLock::new(|| pattern::set(include_str!("data/time_limits.regex")));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_could_not_ask_did_not_load() {
        for error in [
            "ModuleNotFoundError: No module named 'pager'",
            "ImportError: cannot import name 'pages' from 'pager'",
            "NameError: name 'page_count' is not defined",
            "AttributeError: module 'pager.core' has no attribute 'pages'",
            "AttributeError: 'Account' object has no attribute 'transfer'",
            "AttributeError: type object 'Account' has no attribute 'open'",
            "TypeError: Pager.pages() got an unexpected keyword argument 'size'",
            "ReferenceError: pages is not defined",
            "TypeError: pager.pages is not a function",
            "Cannot find module './nothing' from 'src/c.test.js'",
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/x/a.js'",
            "SyntaxError: Unexpected token '}'",
            "collection failure",
            "failed on setup with \"fixture 'x' not found\"",
            "error[E0425]: cannot find function `pages` in this scope",
            "[build failed]",
        ] {
            assert_eq!(TestOutcome::of_error(error), TestOutcome::DidNotLoad, "{error}");
        }
    }

    #[test]
    fn a_test_that_asked_failed_whatever_its_error_is_called() {
        for error in [
            "AssertionError: 1 != 2",
            "assertion `left == right` failed",
            "AttributeError: 'NoneType' object has no attribute 'pages'",
            "TypeError: Cannot read properties of undefined (reading 'pages')",
            "expected \"ImportError\" in the message",
            "ValueError: not a number",
            "",
        ] {
            assert_eq!(TestOutcome::of_error(error), TestOutcome::Failed, "{error}");
        }
        for error in
            ["Exceeded timeout of 5000 ms for a test.", "test timed out after 100ms", "Timeout >10.0s"]
        {
            assert_eq!(TestOutcome::of_error(error), TestOutcome::TimedOut, "{error}");
        }
    }
}
