//! Looks for what a change leaves unfinished in the texts that the author wrote. What went here and came there only moved, to
//! another file, too, and once. What an offence is, the checks know.

use regex::Regex;

use super::{AnswerCode, Change, ChangedFile, Place, Site, at, of_answer, side_by_side};

/// What is unfinished in a line.
pub(super) struct Unfinished {
    /// From 1.
    pub(super) line: usize,
    /// How it is written.
    pub(super) text: String,
    /// What people are told.
    what: String,
}

impl Unfinished {
    pub(super) fn new(line: usize, text: &str, what: String) -> Self {
        Self { line, text: text.to_owned(), what }
    }
}

/// Returns what is found in the files that are wanted, and the first of it in the code of the answer. `suspect` fits every
/// offence, so that most texts need no second look.
pub(super) fn places(
    site: &Site<'_>,
    suspect: &Regex,
    is_wanted: impl Fn(&ChangedFile<'_>) -> bool + Sync,
    find: impl Fn(&ChangedFile<'_>) -> Vec<Unfinished> + Sync,
) -> Vec<Place> {
    let may_offend = |file: &ChangedFile<'_>| {
        file.change.new_text().is_some_and(|text| suspect.is_match(text)) && is_wanted(file)
    };
    let offends = |file: &ChangedFile<'_>| {
        may_offend(file) && file.change.added_lines().any(|(_, line)| suspect.is_match(line))
    };
    let files = ChangedFile::of_author(site);
    let found = side_by_side::each(&files, |file| if offends(file) { find(file) } else { Vec::new() });
    let mut removed = removed_lines(site.changes, suspect);
    let mut places = Vec::new();
    for (file, found) in files.iter().zip(found) {
        for unfinished in found {
            match removed.iter().position(|line| line.contains(&unfinished.text)) {
                Some(moved) => _ = removed.swap_remove(moved),
                None => places.push(at(file.path(), unfinished.line, unfinished.what)),
            }
        }
    }
    let code = AnswerCode::read(site, |line| suspect.is_match(line));
    let first = code.files().filter(may_offend).find_map(|file| find(&file).into_iter().next());
    places.extend(first.map(|first| of_answer(format!("code that is in no file: {}", first.what))));
    places
}

fn removed_lines<'s>(changes: &'s [Change], suspect: &Regex) -> Vec<&'s str> {
    let removed = |change: &'s Change| -> Vec<&'s str> {
        if !change.old_text().is_some_and(|text| suspect.is_match(text)) {
            return Vec::new();
        }
        change.removed_lines().map(|(_, line)| line).filter(|line| suspect.is_match(line)).collect()
    };
    let changes: Vec<&Change> = changes.iter().collect();
    side_by_side::each(&changes, |change| removed(change)).into_iter().flatten().collect()
}
