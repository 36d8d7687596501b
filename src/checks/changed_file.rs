//! The changed files of the project with their syntax trees. Each side is parsed at most once, whichever checks ask for it.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::Site;
use model::change::Change;
use source::{Part, SourceFile};

/// A changed file, before and now.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChangedFile<'s> {
    pub(super) change: &'s Change,
    read: &'s ReadSides,
}

/// What was read of the two sides of one change.
#[derive(Debug, Default)]
pub(super) struct ReadSides {
    old: OnceLock<Option<SourceFile>>,
    new: OnceLock<Option<SourceFile>>,
    added: OnceLock<BTreeSet<usize>>,
}

impl<'s> ChangedFile<'s> {
    /// Returns the changed files of the project, those under `.ai-workflow/` left out.
    pub(super) fn all(site: &'s Site<'_>) -> Vec<Self> {
        let read =
            site.read.files.get_or_init(|| site.changes.iter().map(|_| ReadSides::default()).collect());
        let files = site.changes.iter().zip(read).map(|(change, read)| Self { change, read });
        files.filter(|file| !file.path().starts_with(".ai-workflow/")).collect()
    }

    pub(super) fn path(&self) -> &'s str {
        &self.change.path
    }

    /// Returns the file before; none where it was not there, is no text, or is in a language without a grammar.
    pub(super) fn before(&self) -> Option<&'s SourceFile> {
        self.read.old.get_or_init(|| SourceFile::parse(self.path(), self.change.old_text()?)).as_ref()
    }

    /// Returns the file now; none where it is gone, is no text, or is in a language without a grammar.
    pub(super) fn now(&self) -> Option<&'s SourceFile> {
        self.read.new.get_or_init(|| SourceFile::parse(self.path(), self.change.new_text()?)).as_ref()
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
