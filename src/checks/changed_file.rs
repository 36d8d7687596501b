//! The changed files of the project with their syntax trees. Each side is parsed at most once, whichever checks ask for it.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use super::{Change, Patterns, Site, is_code};
use source::{Part, Role, SourceFile, Test, is_fixture, is_foreign, is_test};

/// A changed file, before and now.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChangedFile<'s> {
    pub(super) change: &'s Change,
    read: &'s ReadSides,
}

/// What was read of the two sides of one change.
#[derive(Debug, Default)]
pub(super) struct ReadSides {
    /// Before and now.
    sides: [Arc<ReadSide>; 2],
    added: OnceLock<BTreeSet<usize>>,
}

/// What was read of a file.
#[derive(Debug, Default)]
struct ReadSide {
    file: OnceLock<Option<Arc<SourceFile>>>,
    tests: OnceLock<Vec<Arc<Test>>>,
}

impl ReadSides {
    /// Returns what is read of changes; of a side that is one of a known file no more than is not read yet.
    pub(super) fn of(changes: &[Change], known: &[ChangedFile<'_>]) -> Vec<Self> {
        let known: HashMap<&str, &ChangedFile<'_>> = known.iter().map(|file| (file.path(), file)).collect();
        let read = |change: &Change| {
            let mut read = Self::default();
            if let Some(file) = known.get(change.path.as_str()) {
                let texts = texts(change).into_iter().zip(texts(file.change)).enumerate();
                for (side, _) in texts.filter(|(_, (text, known))| text == known) {
                    read.sides[side] = file.read.sides[side].clone();
                }
            }
            read
        };
        changes.iter().map(read).collect()
    }
}

fn texts(change: &Change) -> [Option<&str>; 2] {
    [change.old_text(), change.new_text()]
}

impl<'s> ChangedFile<'s> {
    /// Returns the changed files of the project, those under `.ai-workflow/` left out.
    pub(super) fn all(site: &'s Site<'_>) -> Vec<Self> {
        Self::of_site(site).filter(|file| !file.path().starts_with(".ai-workflow/")).collect()
    }

    /// Returns them without what a person allowed to change freely, by `[checks] allowed`.
    pub(super) fn judged(site: &'s Site<'_>) -> Vec<Self> {
        let allowed = Patterns::exact(&site.settings.allowed);
        Self::all(site).into_iter().filter(|file| !allowed.hold(file.path())).collect()
    }

    /// Returns those of them that are code of the product.
    pub(super) fn of_product(site: &'s Site<'_>) -> Vec<Self> {
        let judged = Self::judged(site).into_iter();
        judged.filter(|file| Role::of(file.path()) == Role::Product).collect()
    }

    /// Returns the texts that the author wrote: files of the project that are no fixture and were not taken over or made by a
    /// program, and the deliverable of the phase.
    pub(super) fn of_author(site: &'s Site<'_>) -> Vec<Self> {
        let is_ours = |path: &str| !path.starts_with(".ai-workflow/") || path == site.output;
        let is_judged = |file: &Self| {
            let text = file.change.new_text();
            is_ours(file.path()) && text.is_some_and(|text| !is_left_out(file.path(), text))
        };
        Self::of_site(site).filter(is_judged).collect()
    }

    fn of_site(site: &'s Site<'_>) -> impl Iterator<Item = Self> {
        let read = site.read.files.get_or_init(|| ReadSides::of(site.changes, &[]));
        Self::each(site.changes, read)
    }

    /// Returns changed files, each with what was read of it.
    pub(super) fn each(changes: &'s [Change], read: &'s [ReadSides]) -> impl Iterator<Item = Self> {
        changes.iter().zip(read).map(|(change, read)| Self { change, read })
    }

    pub(super) fn path(&self) -> &'s str {
        &self.change.path
    }

    /// Returns the file before; none where it was not there, is no text, or is in a language without a grammar.
    pub(super) fn before(&self) -> Option<&'s SourceFile> {
        self.side(0).map(|file| &**file)
    }

    /// Returns the file now; none where it is gone, is no text, or is in a language without a grammar.
    pub(super) fn now(&self) -> Option<&'s SourceFile> {
        self.side(1).map(|file| &**file)
    }

    /// Returns the tests of the file before and now.
    pub(super) fn tests(&self) -> [&'s [Arc<Test>]; 2] {
        [0, 1].map(|side| {
            let tests = || self.side(side).map_or_else(Vec::new, SourceFile::tests);
            let read = || tests().into_iter().map(Arc::new).collect();
            self.read.sides[side].tests.get_or_init(read).as_slice()
        })
    }

    /// Returns the functions that are no tests, before and now.
    pub(super) fn helpers(&self) -> [Vec<Test>; 2] {
        [0, 1].map(|side| self.side(side).map_or_else(Vec::new, SourceFile::helpers))
    }

    fn side(&self, side: usize) -> Option<&'s Arc<SourceFile>> {
        let parse = || SourceFile::parse(self.path(), texts(self.change)[side]?);
        self.read.sides[side].file.get_or_init(parse).as_ref()
    }

    /// Returns the parts of the file now that it did not have before, each of the same text as often as it is new.
    pub(super) fn added_parts(&self, parts: fn(&'s SourceFile) -> Vec<Part<'s>>) -> Vec<Part<'s>> {
        let mut added = self.now().map_or_else(Vec::new, parts);
        if !added.is_empty() {
            let mut known: Vec<&str> =
                self.before().map_or_else(Vec::new, parts).into_iter().map(|part| part.text).collect();
            added.retain(|part| match known.iter().position(|text| *text == part.text) {
                Some(same) => {
                    known.swap_remove(same);
                    false
                }
                None => true,
            });
        }
        added
    }

    /// Tells whether a line, from 1, is new or changed.
    pub(super) fn is_added(&self, line: usize) -> bool {
        let added = || self.change.added_lines().map(|(number, _)| number).collect();
        self.read.added.get_or_init(added).contains(&line)
    }
}

/// A folder's name alone excuses no code: what is said to be generated and is as short as hand-writing is judged, and so is a
/// corpus that belongs to no test.
fn is_left_out(path: &str, text: &str) -> bool {
    let path_parts = path.to_lowercase();
    let lies_in = |folders: &[&str]| path_parts.split('/').any(|part| folders.contains(&part));
    let is_made = || lies_in(&["generated", "__generated__", "dist"]) || path_parts.contains(".generated.");
    let taken_over = || lies_in(&["vendor", "node_modules", "third_party", "third-party", ".yarn"]);
    let for_tests = ["fixture", "fixtures", "__fixtures__", "testdata", "test-data", "test_data", "fuzz"];
    if is_foreign(path) {
        let is_short = || text.lines().count() <= 200 && text.lines().all(|line| line.len() <= 400);
        return !(is_code(path) && is_made() && !taken_over() && is_short());
    }
    is_fixture(path) && (!is_code(path) || is_test(path) || lies_in(&for_tests))
}
