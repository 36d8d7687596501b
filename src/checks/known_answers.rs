//! Answers of tests that the product knows by heart: a condition that asks for the values of a test, or a table of them. There may be
//! a rule behind it, so it is a question.

use std::collections::HashSet;
use std::fs;

use super::paths::files_of_tests;
use super::{ChangedFile, MOST_SHOWN, Place, Site, at, one_line, side_by_side};
use source::{Part, SourceFile, Test};

/// A text that is no longer may be part of another by chance.
const BY_CHANCE: usize = 3;
/// Fewer values may be there by chance.
const FEWEST: usize = 2;
/// A longer table is no answer for tests.
const MOST_ENTRIES: usize = 50;
/// So many values may stand beside those of an answer, which may have a key each.
const BETWEEN: usize = 2;

// A value, and no signs alone such as what is trimmed or split by.
pattern!(WORD, r"\w");

/// Returns the first such place of each file of the product.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let files = ChangedFile::of_product(site);
    let mut cases: Vec<_> = files.iter().zip(side_by_side::each(&files, special_cases)).collect();
    cases.retain(|(_, cases)| !cases.is_empty());
    if cases.is_empty() {
        return Vec::new();
    }
    let tests = tests(site);
    side_by_side::places(&cases, |(file, cases)| {
        let is_known = |entries: &[Entry]| {
            let known = known(entries, &tests).count();
            known > 0 && known * 2 >= entries.len()
        };
        let (part, _) = cases.iter().find(|(_, entries)| is_known(entries))?;
        let shown = one_line(part.text, MOST_SHOWN);
        let what = format!("`{shown}` holds the values of a test. Is there a rule behind them?");
        Some(at(file.path(), part.line, what))
    })
}

/// The values of a condition with what is done under it, or of an entry of a table.
type Entry = Vec<String>;

fn special_cases<'f>(file: &ChangedFile<'f>) -> Vec<(Part<'f>, Vec<Entry>)> {
    let Some(now) = file.now() else { return Vec::new() };
    let mut parts = file.added_parts(SourceFile::special_cases);
    // A table that grows has the values of more than a test.
    parts.retain(|part| !now.is_test_code(part.line) && file.is_added(part.line));
    // What a list or an object is made of beside values is no answer.
    parts.retain(|part| !part.text.starts_with(['[', '{']) || now.names(&part.range).is_empty());
    let cases = parts.into_iter().map(|part| (part.clone(), now.entries(&part)));
    cases.filter(|(_, entries)| entries.len() <= MOST_ENTRIES).collect()
}

/// Returns the entries that stand in one of the tests; those of a table side by side.
fn known<'e>(entries: &'e [Entry], tests: &[Test]) -> impl Iterator<Item = &'e Entry> {
    let reach = |entry: &Entry| if entries.len() > 1 { entry.len() * 2 + BETWEEN } else { usize::MAX };
    entries.iter().filter(move |entry| {
        let tells = entry.iter().filter(|value| !matches!(value.as_str(), "0" | "1") && WORD.is_match(value));
        tells.collect::<HashSet<_>>().len() >= FEWEST
            && tests.iter().any(|test| holds(&test.values, reach(entry), entry))
    })
}

/// Tells whether values stand in a test, so close to each other, each whole or as most of a text, or as a text of several of them.
fn holds(test: &[String], reach: usize, entry: &Entry) -> bool {
    let held = |others: &[String], value: &String| {
        let is_in = |other: &String| value.len() > BY_CHANCE.max(other.len() / 2) && other.contains(value);
        let parts = others.iter().filter(|other| other.len() > BY_CHANCE && value.contains(*other));
        others.iter().any(|other| other == value || is_in(other))
            || parts.map(String::len).sum::<usize>() > value.len() / 2
    };
    let mut places = test.windows(reach.min(test.len()).max(1));
    places.any(|others| entry.iter().all(|value| !WORD.is_match(value) || held(others, value)))
}

/// Returns the tests of the files that changed, before and now, and of those that lie in the worktree.
fn tests(site: &Site<'_>) -> Vec<Test> {
    let changed = ChangedFile::all(site);
    let of_changed = changed.iter().flat_map(ChangedFile::tests).flatten().map(|test| Test::clone(test));
    let mut others = files_of_tests(site.worktree);
    others.retain(|path| !site.changes.iter().any(|change| change.path == *path));
    let of_others = side_by_side::each(&others, |path| {
        let text = fs::read_to_string(site.worktree.join(path)).unwrap_or_default();
        SourceFile::parse(path, text).map_or_else(Vec::new, |file| file.tests())
    });
    of_changed.chain(of_others.into_iter().flatten()).collect()
}

#[cfg(test)]
mod tests;
