//! Settings that decide which tests run, what checkers see and what counts as a failure. Changes of them may be honest: each
//! file with one is a question to the reviewer. What the suite says with the old settings stands in `runner_settings`.

mod keys;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Site;
use super::changed_file::ChangedFile;
use super::outcome::{at, file};
use model::change::Change;
use model::event::Place;
use source::{is_fixture, is_foreign, is_test};

/// The names of changed keys that are told at most.
const MOST_NAMED: usize = 4;

#[derive(Deserialize)]
struct Table {
    file: Vec<DecidingFile>,
}

/// Files of some names, and what in them decides.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct DecidingFile {
    names: Vec<String>,
    starts: Vec<String>,
    ends: Vec<String>,
    keys: Vec<String>,
    words: Vec<String>,
    /// Instead of `words`, where the file is one of tests.
    words_in_tests: Vec<String>,
}

static FILES: LazyLock<Vec<DecidingFile>> = LazyLock::new(|| {
    let table: Table =
        toml::from_str(include_str!("data/deciding_settings.toml")).expect("the table is sound");
    table.file
});

/// Returns the places that a reviewer is asked about.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let files = ChangedFile::judged(site);
    let files = files.iter().filter(|file| !is_fixture(file.path()) && !is_foreign(file.path()));
    files.filter_map(|file| doubt(file.change, DecidingFile::of(file.path())?)).collect()
}

impl DecidingFile {
    fn of(path: &str) -> Option<&'static Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        FILES.iter().find(|file| file.is_named(name))
    }

    fn is_named(&self, name: &str) -> bool {
        let begins = self.starts.iter().any(|start| name.starts_with(start.as_str()));
        let ends = self.ends.iter().any(|end| name.ends_with(end.as_str()));
        let is_formed = match (self.starts.is_empty(), self.ends.is_empty()) {
            (true, true) => false,
            (true, false) => ends,
            (false, true) => begins,
            (false, false) => begins && ends,
        };
        is_formed || self.names.iter().any(|known| known == name)
    }

    fn decides(&self, key: &str) -> bool {
        self.keys.iter().any(|known| key.starts_with(known.as_str()))
    }
}

fn doubt(change: &Change, deciding: &DecidingFile) -> Option<Place> {
    let (old, new) = (change.old_text().unwrap_or_default(), change.new_text().unwrap_or_default());
    if deciding.keys.is_empty() {
        return changed_line(change, deciding);
    }
    let [before, now] = [old, new].map(|text| keys::of(&change.path, text));
    let (Some(before), Some(now)) = (before, now) else {
        return (!change.is_new()).then(|| changed_line(change, deciding)).flatten();
    };
    let all: BTreeSet<&String> =
        before.keys().chain(now.keys()).filter(|key| deciding.decides(key)).collect();
    let changed: Vec<String> = all
        .into_iter()
        .filter(|key| before.get(*key) != now.get(*key))
        .map(|key| format!("`{key}`"))
        .take(MOST_NAMED)
        .collect();
    let what = format!(
        "{} changed, which decides what tests or checkers see. Do they see as much?",
        changed.join(", ")
    );
    (!changed.is_empty()).then(|| file(&change.path, what))
}

fn changed_line(change: &Change, deciding: &DecidingFile) -> Option<Place> {
    let words = if is_test(&change.path) && !deciding.words_in_tests.is_empty() {
        &deciding.words_in_tests
    } else {
        &deciding.words
    };
    let counts = |line: &str| {
        let bare = line.trim();
        let is_comment = bare.starts_with('#') && !bare.starts_with("#!") || bare.starts_with("//");
        let is_meant = words.is_empty() || words.iter().any(|word| line.contains(word.as_str()));
        !bare.is_empty() && !is_comment && is_meant
    };
    let added = change.added_lines().find(|(_, line)| counts(line));
    let removed = || change.removed_lines().find(|(_, line)| counts(line));
    let what = |line: &str| {
        format!("`{}` decides what tests or checkers see. Do they see as much as before?", line.trim())
    };
    match added {
        Some((number, line)) => Some(at(&change.path, number, what(line))),
        None => removed().map(|(_, line)| file(&change.path, format!("no longer says {}", what(line)))),
    }
}

#[cfg(test)]
mod tests;
