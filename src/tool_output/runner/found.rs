//! What one runner was found to say. Collects and bounds; reads nothing itself.

use std::collections::HashMap;

use crate::place::Place;
use crate::{Counts, FailedTest, MOST_KEPT, TestReport, cut};

/// Failures and counts of one form.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) failed: Vec<FailedTest>,
    pub(super) counts: Option<Counts>,
    /// Where the tests of a name stand in `failed`.
    by_name: HashMap<String, Vec<usize>>,
}

/// What is known of a failure beside its name.
#[derive(Debug, Default)]
pub(super) struct Detail {
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
    pub(super) error: String,
}

impl Detail {
    pub(super) fn error(error: &str) -> Self {
        Self { error: error.to_owned(), ..Self::default() }
    }

    pub(super) fn at(place: Option<Place>, error: &str) -> Self {
        let (file, line) = place.map(|place| (place.file, place.line)).unzip();
        Self { file, line, error: error.to_owned() }
    }
}

impl Found {
    /// Names a failing test, or adds to one named before what was not known of it.
    pub(super) fn fail(&mut self, name: &str, detail: Detail) {
        let Detail { file, line, error } = detail;
        self.add(FailedTest { name: name.trim().to_owned(), file, line, error: cut(&error) });
    }

    fn add(&mut self, test: FailedTest) {
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

    /// A test that failed and passed when tried again.
    pub(super) fn forgive(&mut self, name: &str) {
        if self.by_name.contains_key(name) {
            let kept = std::mem::take(&mut self.failed);
            self.by_name.clear();
            kept.into_iter().filter(|test| test.name != name).for_each(|test| self.add(test));
        }
    }

    pub(super) fn count(&mut self, counts: Counts) {
        self.counts = Some(self.counts.unwrap_or_default().plus(counts));
    }

    pub(super) fn join(&mut self, other: Self) {
        other.failed.into_iter().for_each(|test| self.add(test));
        if let Some(counts) = other.counts {
            self.count(counts);
        }
    }

    pub(super) fn report(self) -> TestReport {
        TestReport { failed: self.failed, counts: self.counts, known: true }
    }
}
