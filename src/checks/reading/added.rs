//! The lines that a change brought, where a suspicion is worth a look: fixtures and files of others are left out, and so is
//! what only moved. Judges nothing: each check says what it takes offence at.

use std::cell::OnceCell;
use std::collections::HashMap;

use regex::Regex;

use super::language::Language;
use super::spelled::Spelled;
use crate::Site;
use crate::outcome::at;
use model::change::Change;
use model::event::Place;
use source::{is_fixture, is_foreign, is_test};

/// A changed file that is judged.
pub(crate) struct File<'s> {
    pub path: &'s str,
    pub language: Language,
    pub text: &'s str,
    pub change: &'s Change,
    spelled: OnceCell<Spelled<'s>>,
    tests_mark: OnceCell<Option<usize>>,
}

impl<'s> File<'s> {
    pub(crate) fn of(change: &'s Change) -> Option<Self> {
        let text = change.new_text()?;
        let path = change.path.as_str();
        let language = Language::of_path(path);
        (!is_left_out(path, language, text)).then(|| Self {
            path,
            language,
            text,
            change,
            spelled: OnceCell::new(),
            tests_mark: OnceCell::new(),
        })
    }

    pub(crate) fn spelled(&self) -> &Spelled<'s> {
        self.spelled.get_or_init(|| Spelled::new(self.text, self.language))
    }

    pub(crate) fn is_test(&self) -> bool {
        is_test(self.path)
    }

    /// Tells whether a line stands in or below the mark of Rust's tests within code.
    pub(crate) fn is_below_tests_mark(&self, number: usize) -> bool {
        let find = || self.text.lines().position(|line| line.trim() == "#[cfg(test)]");
        self.tests_mark.get_or_init(find).is_some_and(|mark| mark < number)
    }
}

/// Fixtures and what others or programs made are no work of the author. A folder's name alone excuses no code: what is
/// said to be generated, and is as short as hand-writing, is judged, and so is a corpus that belongs to no test.
fn is_left_out(path: &str, language: Language, text: &str) -> bool {
    let lower = path.to_lowercase();
    let under = |folders: &[&str]| lower.rsplit('/').skip(1).any(|folder| folders.contains(&folder));
    let code = language.is_code() && language != Language::Unknown;
    let made = under(&["generated", "__generated__", "dist"]) || lower.contains(".generated.");
    let taken_over = under(&["vendor", "node_modules", "third_party", "third-party", ".yarn"]);
    let judged = code && made && !taken_over && is_as_short_as_hand_writing(text);
    let loose = under(&["corpus", "golden", "goldens", "invalid", "broken", "snapshots", "cassettes"])
        && !under(&["fixture", "fixtures", "__fixtures__", "testdata", "test-data", "test_data", "fuzz"]);
    is_foreign(path) && !judged || is_fixture(path) && !(code && loose && !is_test(path))
}

fn is_as_short_as_hand_writing(text: &str) -> bool {
    text.lines().count() <= 200 && text.lines().all(|line| line.len() <= 400)
}

/// Returns the changed files that are judged: those of the project, and the deliverable of the phase.
pub(crate) fn files<'s>(site: &'s Site<'_>) -> impl Iterator<Item = File<'s>> {
    let ours = |change: &&Change| !change.path.starts_with(".ai-workflow/") || change.path == site.output;
    site.changes.iter().filter(ours).filter_map(File::of)
}

/// Returns the places of added lines that fit a pattern and that `offence` takes offence at.
pub(crate) fn offences(
    site: &Site<'_>,
    pattern: &Regex,
    mut offence: impl FnMut(&File<'_>, usize, &str) -> Option<String>,
) -> Vec<Place> {
    let mut moved = Moved::new(site.changes, pattern);
    let mut places = Vec::new();
    for file in files(site).filter(|file| pattern.is_match(file.text)) {
        for (number, line) in file.change.added_lines().filter(|(_, line)| pattern.is_match(line)) {
            let found = offence(&file, number, line);
            if let Some(what) = found.filter(|_| !moved.take(line)) {
                places.push(at(file.path, number, what));
            }
        }
    }
    places
}

/// The suspicious lines that went: a line that went here and came there only moved, once.
struct Moved<'p> {
    pattern: &'p Regex,
    gone: HashMap<String, usize>,
}

impl<'p> Moved<'p> {
    fn new(changes: &[Change], pattern: &'p Regex) -> Self {
        let mut moved = Self { pattern, gone: HashMap::new() };
        let suspicious =
            changes.iter().filter(|change| change.old_text().is_some_and(|text| pattern.is_match(text)));
        for (_, line) in suspicious.flat_map(Change::removed_lines) {
            if let Some(key) = moved.key(line) {
                *moved.gone.entry(key).or_default() += 1;
            }
        }
        moved
    }

    /// What counts is the suspicious part: the code before it may have changed.
    fn key(&self, line: &str) -> Option<String> {
        let found = self.pattern.find(line)?;
        Some(line[found.start()..].trim().to_owned())
    }

    fn take(&mut self, line: &str) -> bool {
        let Some(left) = self.key(line).and_then(|key| self.gone.get_mut(&key)) else { return false };
        let any = *left > 0;
        *left = left.saturating_sub(1);
        any
    }
}
