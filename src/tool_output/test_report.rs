//! What runners say of tests: how many there were, which failed, and how each ended, by an id that is the same from one tree to the
//! next and on every machine. Says nothing of what a result means for a change.

use std::sync::LazyLock;
use std::time::Duration;

use regex::RegexSet;
use serde::Serialize;

use crate::pattern;

/// What test runners said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TestReport {
    /// The failing tests, [`crate::MOST_KEPT`] at most.
    pub failed: Vec<FailedTest>,
    /// Each test and how it ended, in the order of the output; empty unless the runner names all that it counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<TestResult>,
    /// Summed over all suites; missing where no runner said how many there were.
    pub counts: Option<Counts>,
    /// Whether the output has the form of a runner known here.
    pub known: bool,
}

impl TestReport {
    /// Takes what report files say beside an output. Their results count where they are those of all tests that the output
    /// counts, which may leave out files that could not be loaded; the failures of the output stay, because they carry places.
    #[must_use]
    pub fn with_report_files(mut self, files: Option<Self>) -> Self {
        let Some(files) = files else { return self };
        let ran = |report: &Self| report.counts.unwrap_or_default().collected();
        let is_not_loaded = |result: &&TestResult| result.outcome == TestOutcome::DidNotLoad;
        let not_loaded = files.results.iter().filter(is_not_loaded).count() as u64;
        let missing = ran(&files).checked_sub(ran(&self));
        if self.counts.is_none() || missing.is_some_and(|missing| missing <= not_loaded) {
            self.counts = self.counts.or(files.counts);
            self.results = files.results;
            self.known = true;
        }
        if self.failed.is_empty() {
            self.failed = files.failed;
        }
        self
    }
}

/// One failing test.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FailedTest {
    /// The name of the test, as the tool says it: what the id of its result ends with.
    pub name: String,
    /// The file that it stands in.
    pub file: Option<String>,
    /// The line, counted from 1.
    pub line: Option<u32>,
    /// What went wrong.
    pub error: String,
}

/// How many tests there were. Go without `-v` and `-json` lists no passing tests: a package counts as one there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Skipped, ignored, to do, or expected to fail: they prove nothing.
    pub ignored: u64,
}

impl Counts {
    /// Returns how many tests ran; nought means that a green exit proves nothing.
    pub fn collected(&self) -> u64 {
        self.passed.saturating_add(self.failed)
    }

    /// Returns how many tests there were, with those that prove nothing.
    pub(crate) fn all(self) -> u64 {
        self.collected().saturating_add(self.ignored)
    }

    /// Returns the count of one test that ended so.
    pub(crate) fn of(outcome: TestOutcome) -> Self {
        let [passed, ignored] =
            [TestOutcome::Passed, TestOutcome::Skipped].map(|other| u64::from(outcome == other));
        Self { passed, ignored, failed: 1 - passed - ignored }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed.saturating_add(other.passed),
            failed: self.failed.saturating_add(other.failed),
            ignored: self.ignored.saturating_add(other.ignored),
        }
    }
}

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
