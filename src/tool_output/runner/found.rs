//! What one runner was found to say. Collects and bounds; reads nothing itself.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{Counts, FailedTest, MOST_KEPT, MOST_RESULTS, TestOutcome, TestReport, TestResult, cut};

/// Failures and counts of one form.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) failed: Vec<FailedTest>,
    pub(super) counts: Option<Counts>,
    results: Vec<TestResult>,
    /// What failing tests say, by the ids of their results where the failures are named otherwise.
    errors: HashMap<String, String>,
    /// How many of the results are groups of others, which some runners count and some do not.
    groups: u64,
    /// Where the tests of a name stand in `failed`.
    by_name: HashMap<String, Vec<usize>>,
}

impl Found {
    /// Names a failing test, or adds to one named before what was not known of it.
    pub(super) fn fail(&mut self, test: FailedTest) {
        let test = FailedTest { name: test.name.trim().to_owned(), error: cut(&test.error), ..test };
        let is_same =
            |have: &FailedTest| have.file.is_none() || test.file.is_none() || have.file == test.file;
        let named = self.by_name.get(&test.name).into_iter().flatten().copied();
        let same = named.into_iter().find(|index| is_same(&self.failed[*index]));
        if let Some(have) = same.map(|index| &mut self.failed[index]) {
            if have.file.is_none() || (have.line.is_none() && have.file == test.file) {
                (have.file, have.line) = (test.file, test.line);
            }
            if have.error.is_empty() {
                have.error = test.error;
            }
        } else if self.failed.len() < MOST_KEPT {
            self.by_name.entry(test.name.clone()).or_default().push(self.failed.len());
            self.failed.push(test);
        }
    }

    pub(super) fn has_failed(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    pub(super) fn count(&mut self, counts: Counts) {
        self.counts = Some(self.counts.unwrap_or_default().plus(counts));
    }

    /// Takes how one test ended.
    pub(super) fn result(&mut self, result: TestResult) {
        if self.results.len() <= MOST_RESULTS {
            self.results.push(result);
        }
    }

    /// Counts the results, of a runner that prints no numbers.
    pub(super) fn count_results(&mut self) {
        let counts = self.results.iter().map(|result| Counts::of(result.outcome));
        self.counts = Some(counts.fold(Counts::default(), Counts::plus));
    }

    /// Takes that all tests are so many: those that neither failed nor were skipped passed.
    pub(super) fn count_rest_of(&mut self, total: u64) {
        if let Some(counts) = &mut self.counts {
            let rest = total.saturating_sub(counts.failed).saturating_sub(counts.ignored);
            counts.passed = counts.passed.max(rest);
        }
    }

    /// Keeps the latest result of each test; one that passed when it was tried again did not fail.
    pub(super) fn keep_latest(&mut self) {
        let latest: BTreeMap<_, _> =
            self.results.drain(..).map(|result| (result.id.clone(), result)).collect();
        self.results = latest.into_values().collect();
        let passed = self.results.iter().filter(|result| result.outcome == TestOutcome::Passed);
        let passed: HashSet<String> = passed.map(|result| result.id.replace(SEPARATOR, " ")).collect();
        self.failed.retain(|test| !passed.contains(&test.name));
    }

    /// Takes what the failing test of a result says.
    pub(super) fn explain(&mut self, id: String, error: &str) {
        self.errors.insert(id, cut(error));
    }

    /// Takes that a group of tests ended, which is no test or one more.
    pub(super) fn group(&mut self) {
        self.groups += 1;
    }

    /// Takes how one test ended that nobody else counts.
    pub(super) fn counted(&mut self, result: TestResult) {
        self.count(Counts::of(result.outcome));
        self.result(result);
    }

    pub(super) fn joined(mut self, other: Self) -> Self {
        other.failed.into_iter().for_each(|test| self.fail(test));
        other.results.into_iter().for_each(|result| self.result(result));
        self.groups += other.groups;
        self.errors.extend(other.errors);
        if let Some(counts) = other.counts {
            self.count(counts);
        }
        self
    }

    pub(super) fn report(self) -> TestReport {
        let results = if self.names_all() { self.judged_results() } else { Vec::new() };
        TestReport { failed: self.failed, results, counts: self.counts, known: true }
    }

    /// Tells whether there is a result for each test that ran; runners do not name all that they skip. A test can print a line that looks like one.
    fn names_all(&self) -> bool {
        let Some(counts) = self.counts else { return false };
        let ran = self.results.iter().filter(|result| result.outcome != TestOutcome::Skipped).count() as u64;
        ran > 0 && ran <= counts.collected() && counts.collected() <= ran.saturating_add(self.groups)
    }

    /// Returns the results; of those that failed the message says whether they could assert anything.
    fn judged_results(&self) -> Vec<TestResult> {
        let named = self.failed.iter().map(|test| (test.name.as_str(), test.error.as_str()));
        let errors: HashMap<&str, &str> =
            named.chain(self.errors.iter().map(|(id, error)| (id.as_str(), error.as_str()))).collect();
        let error =
            |id: &str| errors.get(id).or_else(|| errors.get(last_part(id))).copied().unwrap_or_default();
        let judged = |result: &TestResult| match result.outcome {
            TestOutcome::Failed => {
                TestResult { outcome: TestOutcome::of_error(error(&result.id)), ..result.clone() }
            }
            _ => result.clone(),
        };
        self.results.iter().map(judged).collect()
    }
}

/// Returns the name of a test without the groups in front of it.
fn last_part(id: &str) -> &str {
    id.rsplit_once(SEPARATOR).map_or(id, |(_, name)| name)
}

/// Stands between the groups of a test and its name.
pub(super) const SEPARATOR: &str = " › ";
