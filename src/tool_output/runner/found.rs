//! What one runner was found to say. Collects and bounds; reads nothing itself.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::iter::successors;

use crate::{Counts, FailedTest, MOST_KEPT, MOST_RESULTS, TestOutcome, TestReport, TestResult, cut};

/// Stands between the groups of a test and its name.
const SEPARATOR: &str = " › ";

/// Returns the names of groups and of a test as one; what has no name is left out.
pub(super) fn joined_names<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names = names.into_iter().filter(|name| !name.is_empty());
    names.collect::<Vec<_>>().join(SEPARATOR)
}

/// Failures, counts and results of one form.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) failed: Vec<FailedTest>,
    pub(super) counts: Option<Counts>,
    pub(super) results: Vec<TestResult>,
    /// How many groups of tests ended, which some runners count as tests and some do not.
    pub(super) groups: u64,
}

impl Found {
    /// Takes a failing test, by the name with which its id ends.
    pub(super) fn fail(&mut self, test: FailedTest) {
        self.failed.push(FailedTest { error: cut(test.error.trim()), ..test });
    }

    pub(super) fn count(&mut self, counts: Counts) {
        self.counts = Some(self.counts.unwrap_or_default().plus(counts));
    }

    /// Takes how one test ended that nobody else counts.
    pub(super) fn result(&mut self, result: TestResult) {
        self.count(Counts::of(result.outcome));
        self.results.push(result);
    }

    /// Keeps the latest result of each test; one that passed when it was tried again did not fail.
    pub(super) fn keep_latest(&mut self) {
        let latest: BTreeMap<_, _> =
            self.results.drain(..).map(|result| (result.id.clone(), result)).collect();
        self.results = latest.into_values().collect();
        let passed = self.results.iter().filter(|result| result.outcome == TestOutcome::Passed);
        let passed: HashSet<&str> = passed.map(|result| result.id.as_str()).collect();
        self.failed.retain(|test| !passed.contains(test.name.as_str()));
    }

    pub(super) fn joined(mut self, other: Self) -> Self {
        self.failed.extend(other.failed);
        self.results.extend(other.results);
        self.groups += other.groups;
        if let Some(counts) = other.counts {
            self.count(counts);
        }
        self
    }

    pub(super) fn report(mut self) -> TestReport {
        self.leave_out_parents();
        let names_all = self.names_all();
        let failed = merged(self.failed);
        let mut results = if names_all { self.results } else { Vec::new() };
        judge(&mut results, &failed);
        TestReport { failed, results, counts: self.counts, known: true }
    }

    /// Leaves out failing tests that say nothing and whose parts failed, as `TestA/sub` of Go.
    fn leave_out_parents(&mut self) {
        let parents = self.failed.iter().filter_map(|test| test.name.rsplit_once('/'));
        let parents: HashSet<String> = parents.map(|(parent, _)| parent.to_owned()).collect();
        self.failed.retain(|test| !test.error.is_empty() || !parents.contains(&test.name));
    }

    /// Tells whether there is a result for each test that ran; runners do not name all that they skip. A test can print a line that looks like one.
    fn names_all(&self) -> bool {
        let Some(counts) = self.counts else { return false };
        let ran = self.results.iter().filter(|result| result.outcome != TestOutcome::Skipped).count() as u64;
        let is_all = ran <= counts.collected() && counts.collected() <= ran.saturating_add(self.groups);
        ran > 0 && is_all && self.results.len() <= MOST_RESULTS
    }
}

/// Judges by the messages of results that failed whether they could assert anything.
fn judge(results: &mut [TestResult], failed: &[FailedTest]) {
    let errors: HashMap<&str, &str> =
        failed.iter().map(|test| (test.name.as_str(), test.error.as_str())).collect();
    for result in results.iter_mut().filter(|result| result.outcome == TestOutcome::Failed) {
        let mut names = successors(Some(result.id.as_str()), |id| Some(id.split_once(SEPARATOR)?.1));
        let error = names.find_map(|name| errors.get(name)).copied().unwrap_or_default();
        result.outcome = TestOutcome::of_error(error);
    }
}

/// Returns each failing test once, with what is known of it, and [`MOST_KEPT`] at most.
fn merged(all: Vec<FailedTest>) -> Vec<FailedTest> {
    let mut failed: Vec<FailedTest> = Vec::new();
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for test in all {
        let named = by_name.entry(test.name.clone()).or_default();
        let is_same = |index: &&usize| {
            let file = &failed[**index].file;
            file.is_none() || test.file.is_none() || *file == test.file
        };
        if let Some(index) = named.iter().find(is_same) {
            let known = &mut failed[*index];
            if known.line.is_none() {
                known.line = test.line;
                known.file = test.file.or(known.file.take());
            }
            if known.error.is_empty() {
                known.error = test.error;
            }
        } else if failed.len() < MOST_KEPT {
            named.push(failed.len());
            failed.push(test);
        }
    }
    failed
}
