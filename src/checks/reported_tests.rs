//! What the suite said of each test in the runs that are compared: at the base, now, the old tests on the new code, and the new tests
//! on the old code. For whoever reads the results; runs nothing and judges nothing.

use std::collections::BTreeSet;
use std::slice;

use serde::Serialize;

use super::Published;
use super::suite::Suite;
use tool_output::TestOutcome;

/// One test and how it ended in each run: nothing where a run does not have it or was not made. Of several tests with one id
/// the worst outcome counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportedTest {
    /// The id that the runner gives it.
    pub id: String,
    /// At the base.
    pub base: Option<TestOutcome>,
    /// In what would be published.
    pub now: Option<TestOutcome>,
    /// In the version of the base, on the code of now.
    pub old_tests_on_new_code: Option<TestOutcome>,
    /// In the version of now, on the code of the base.
    pub new_tests_on_old_code: Option<TestOutcome>,
}

/// Returns what the runs of a test command said that were made so far, in the order of the ids.
pub fn reported_tests(published: &Published<'_>, line: &str) -> Vec<ReportedTest> {
    let (base, trees) = (published.base.as_tree(), published.test_trees);
    let (base, now) = (slice::from_ref(&base), slice::from_ref(&published.tree));
    let looks = [base, now, &trees.old_tests, &trees.new_tests].map(|trees| {
        let mut known = trees.iter().filter_map(|tree| published.memory.known(line, tree));
        known.find(|look| !look.results.is_empty())
    });
    let suites = looks.each_ref().map(|look| look.as_ref().map(|look| Suite::of(&look.results)));
    let ids: BTreeSet<&str> = suites.iter().flatten().flat_map(Suite::ids).collect();
    let reported = |id: &str| {
        let outcomes = suites.each_ref().map(|suite| suite.as_ref()?.outcome(id));
        let [base, now, old_tests_on_new_code, new_tests_on_old_code] = outcomes;
        ReportedTest { id: id.to_owned(), base, now, old_tests_on_new_code, new_tests_on_old_code }
    };
    ids.into_iter().map(reported).collect()
}
