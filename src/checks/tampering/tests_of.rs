//! The tests of a change, before and now, each file read once for all rules. Judges nothing.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use super::cases::{Case, cases, helpers_of};
use super::collected::is_collected;
use super::{Side, Site, side_by_side};
use model::change::Change;
use source::is_test;

/// The tests of the files that were there, and of new ones where they may have taken something over.
pub(super) struct Tests<'c> {
    pub(super) old: Vec<Case>,
    pub(super) new: Vec<Case>,
    files: Vec<Known<'c>>,
}

/// A file that was there, and where its tests stand among all.
struct Known<'c> {
    change: &'c Change,
    old: Range<usize>,
    new: Range<usize>,
}

/// A file that was there, with its tests of before and now.
pub(super) struct TestFile<'t> {
    pub(super) change: &'t Change,
    pub(super) old: &'t [Case],
    pub(super) new: &'t [Case],
}

impl<'c> Tests<'c> {
    /// Reads files of tests. New ones are read only when a test is missing.
    pub(super) fn of(tests: &[&'c Change], site: &Site<'_>) -> Self {
        let helpers = [shared(tests, Change::old_text), shared(tests, Change::new_text)];
        let of = |change: &Change, text: Option<&str>, side: usize| {
            text.map(|text| cases(&change.path, text, &helpers[side])).unwrap_or_default()
        };
        let (fresh, known): (Vec<&Change>, Vec<&'c Change>) =
            tests.iter().copied().partition(|change| change.is_new());
        let read = side_by_side::each(&known, |change| {
            (of(change, change.old_text(), 0), of(change, change.new_text(), 1))
        });
        let mut all = Self { old: Vec::new(), new: Vec::new(), files: Vec::new() };
        for (change, (old, new)) in known.into_iter().zip(read) {
            all.push(change, old, new);
        }
        if all.is_missing_some() {
            let paths: BTreeSet<&str> = all.old.iter().map(|case| case.path.as_str()).collect();
            let unusual = paths.into_iter().any(|path| !is_collected(path, site));
            let run = fresh.iter().filter(|change| unusual || is_collected(&change.path, site));
            all.new.extend(run.flat_map(|change| of(change, change.new_text(), 1)));
        }
        all
    }

    fn push(&mut self, change: &'c Change, old: Vec<Case>, new: Vec<Case>) {
        let before = self.old.len()..self.old.len() + old.len();
        let now = self.new.len()..self.new.len() + new.len();
        self.files.push(Known { change, old: before, new: now });
        self.old.extend(old);
        self.new.extend(new);
    }

    /// Tells whether a test has no namesake in its file, or some namesake of several is gone.
    fn is_missing_some(&self) -> bool {
        let names: HashSet<(&str, &str)> = self.new.iter().map(key).collect();
        self.old.iter().any(|case| !names.contains(&key(case)))
            || !self.old.is_empty() && self.old.len() > self.new.len()
    }

    /// Returns the files that were there.
    pub(super) fn files(&self) -> Vec<TestFile<'_>> {
        let file = |known: &Known<'c>| TestFile {
            change: known.change,
            old: &self.old[known.old.clone()],
            new: &self.new[known.new.clone()],
        };
        self.files.iter().map(file).collect()
    }
}

fn key(case: &Case) -> (&str, &str) {
    (&case.path, &case.name)
}

/// Returns the functions that assert for tests of other files, where a file of tests holds them.
fn shared(tests: &[&Change], side: Side) -> BTreeSet<String> {
    let changed: Vec<&Change> = tests.iter().copied().filter(|change| is_test(&change.path)).collect();
    let helpers = |change: &&Change| Some(helpers_of(&change.path, side(change)?));
    side_by_side::each(&changed, helpers).into_iter().flatten().flatten().collect()
}
