//! Tests that an author says it changed or removed, each with the reason. An entry of the phase's document (a list item, a row
//! of a table, a paragraph) that holds the test's id in backquotes and some words beside it names the test: whether the reason
//! holds is a question to the reviewer. What nobody named stays refused. Judges no reason.

use std::cmp::Reverse;
use std::fs;

use super::{Loss, Site};
use crate::outcome::MOST_PLACES;
use crate::reading::source::{ending, name};
use crate::suspect;
use model::change::LONGEST_TEXT;
use model::event::Place;

/// So many words say why, at least; a script without spaces counts by its signs.
const FEWEST_WORDS: usize = 3;
const FEWEST_SIGNS: usize = 6;
/// More of what is said of a test is not told, in characters; each mention has the same part of it.
const MOST_TOLD: usize = 1200;
/// More mentions of a test are only counted.
const MOST_MENTIONS: usize = 10;

/// A test and what its author says of it.
struct Named {
    id: String,
    /// The whole entry, as it stands.
    entry: String,
}

/// What is refused, and what the reviewer is asked about.
#[derive(Default)]
pub(super) struct SortedOut {
    pub(super) refused: Vec<Loss>,
    /// Each with all that the documents say of it.
    pub(super) asked: Vec<(Loss, Vec<String>)>,
}

/// Tells apart which losses the document of this phase names.
pub(super) fn sort_out(losses: Vec<Loss>, site: &Site<'_>) -> SortedOut {
    let own = suspect::reaches_a_reviewer(site).then_some(site.output);
    named_in(losses, own, site)
}

/// Tells apart which losses of the whole run its documents name: that of this phase, and those that were reviewed before.
pub(super) fn sort_out_of_run(losses: Vec<Loss>, site: &Site<'_>) -> SortedOut {
    let own = suspect::reaches_a_reviewer(site).then_some(site.output);
    named_in(losses, site.reviewed.iter().map(String::as_str).chain(own), site)
}

fn named_in<'a>(
    losses: Vec<Loss>,
    documents: impl IntoIterator<Item = &'a str>,
    site: &Site<'_>,
) -> SortedOut {
    if losses.is_empty() {
        return SortedOut::default();
    }
    let read = |path: &str| {
        let path = site.worktree.join(path);
        let found = fs::symlink_metadata(&path).ok()?;
        (found.is_file() && found.len() <= LONGEST_TEXT).then(|| fs::read_to_string(path).ok()).flatten()
    };
    let texts = documents.into_iter().filter(|path| !path.is_empty()).filter_map(read);
    let named: Vec<Named> = texts.flat_map(|text| named(&text)).collect();
    assign(losses, &named)
}

/// Gives each id to one test at most.
fn assign(losses: Vec<Loss>, named: &[Named]) -> SortedOut {
    let mut free: Vec<&str> = named.iter().map(|named| named.id.as_str()).collect();
    // An id that says more is looked at first: a bare name may fit several tests, and stands for one.
    free.sort_by_key(|id| (Reverse(id.contains(['/', '.'])), Reverse(id.len()), *id));
    free.dedup();
    let mut given: Vec<(String, usize)> = Vec::new();
    let mut sorted = SortedOut::default();
    for loss in losses {
        let is_same = given.iter().any(|(path, line)| (path, line) == (&loss.path, &loss.line));
        let found = free.iter().position(|id| !is_same && is_id_of(id, &loss));
        if let Some(found) = found {
            free.remove(found);
            given.push((loss.path.clone(), loss.line));
        }
        if (is_same || found.is_some()) && sorted.asked.len() < MOST_PLACES {
            let said = said_of(&loss, named);
            sorted.asked.push((loss, said));
        } else {
            sorted.refused.push(loss);
        }
    }
    sorted
}

/// Returns the entries that mention a test, each once.
fn said_of(loss: &Loss, named: &[Named]) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for named in named.iter().filter(|named| is_id_of(&named.id, loss)) {
        if !said.contains(&named.entry) {
            said.push(named.entry.clone());
        }
    }
    said
}

/// Tells whether an id is that of a test: its name, alone or behind its file, its module, its class or its group.
fn is_id_of(id: &str, loss: &Loss) -> bool {
    let dotted = of_unittest(id).filter(|_| ending(&loss.path) == "py");
    let id = dotted.as_deref().unwrap_or(id);
    let called = id.trim_end_matches("()");
    let bare = called.split_once('[').map_or(called, |(bare, _)| bare);
    let of_name = |name: &str, groups: &[String]| {
        let mut ids = [id, called, bare].into_iter();
        ids.any(|id| id.strip_suffix(name).is_some_and(|before| is_place_of(before, &loss.path, groups)))
    };
    let mut names = [(&loss.name, &loss.groups), (&loss.new_name, &loss.new_groups)].into_iter();
    names.any(|(name, groups)| of_name(name, groups) || of_name(&without_escapes(name), groups))
}

/// Returns `module.Class.name` for what Python's unittest prints: `name (module.Class)`, or `name (module.Class.name)`.
fn of_unittest(id: &str) -> Option<String> {
    let (name, place) = id.strip_suffix(')')?.split_once(" (")?;
    let is_dotted = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let class = place.strip_suffix(name).and_then(|class| class.strip_suffix('.')).unwrap_or(place);
    (is_dotted(name) && is_dotted(class)).then(|| format!("{class}.{name}"))
}

/// Returns a name as it is printed: code has a backslash before a quotation mark.
fn without_escapes(name: &str) -> String {
    name.replace("\\'", "'").replace("\\\"", "\"").replace("\\`", "`")
}

/// Tells whether what stands before the name of a test says where it stands: its file, its groups, or groups behind the file.
fn is_place_of(before: &str, path: &str, groups: &[String]) -> bool {
    let mut before = before;
    for group in groups.iter().rev().map(Some).chain([None]) {
        if before.is_empty() {
            return true;
        }
        let Some(place) = without_separator(before) else { return false };
        if is_file(place, path) {
            return true;
        }
        let Some(outer) = group.and_then(|group| place.strip_suffix(group.as_str())) else { return false };
        before = outer;
    }
    before.is_empty()
}

fn without_separator(before: &str) -> Option<&str> {
    let before = before.trim_end();
    let separators = ["::", ">", "›", "#", ".", ":", "$", "\\"];
    separators.iter().find_map(|end| before.strip_suffix(end)).map(str::trim_end)
}

/// Tells whether this is a file: its path or the end of it, or the same as a module.
fn is_file(place: &str, path: &str) -> bool {
    let is_line = |line: &str| line.chars().all(|c| c.is_ascii_digit());
    let place = place.rsplit_once(':').filter(|(_, line)| is_line(line)).map_or(place, |(file, _)| file);
    let place = place.trim_start_matches("./");
    if place == path || path.ends_with(&format!("/{place}")) {
        return true;
    }
    let module = path.strip_suffix(&format!(".{}", ending(path))).unwrap_or(path);
    let folder = module.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_folder = matches!(name(module), "mod" | "lib" | "main" | "__init__");
    // A package of these languages is a folder.
    let is_package = matches!(ending(path), "go" | "java" | "kt");
    let dotted = |path: &str| path.replace("::", ".").replace(['/', '\\'], ".");
    let place = dotted(place.trim_start_matches("crate::"));
    let is_end = |module: &str| {
        let of_last = !module.is_empty() && format!(".{place}").ends_with(&format!(".{}", name(module)));
        of_last && format!(".{}", dotted(module)).ends_with(&format!(".{place}"))
    };
    is_end(module) || (is_folder || is_package) && is_end(folder)
}

/// Returns the ids of a document that have some words beside them.
fn named(document: &str) -> Vec<Named> {
    let mut found = Vec::new();
    for entry in entries(document) {
        // Every second part stands between backquotes; the last one, with none behind it, does not.
        let parts: Vec<&str> = entry.split('`').collect();
        let (mut beside, mut ids) = (Vec::new(), Vec::new());
        for (index, part) in parts.iter().enumerate() {
            let is_quoted = index % 2 == 1 && index + 1 < parts.len();
            if is_quoted { ids.push(part.trim()) } else { beside.push(*part) }
        }
        if says_why(&beside.join(" ")) {
            let ids = ids.into_iter().filter(|id| !id.is_empty());
            found.extend(ids.map(|id| Named { id: id.to_owned(), entry: entry.clone() }));
        }
    }
    found
}

fn says_why(words: &str) -> bool {
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
    let signs = words.chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).count();
    words.split_whitespace().filter(is_word).count() >= FEWEST_WORDS || signs >= FEWEST_SIGNS
}

/// Returns the list items, rows and paragraphs of a document, each as one line; blocks of code are left out.
fn entries(document: &str) -> Vec<String> {
    let (mut found, mut entry, mut in_code) = (Vec::new(), String::new(), false);
    for line in document.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
        }
        let begins =
            line.is_empty() || line.starts_with(['-', '*', '+', '|', '#', '>', '~']) || is_numbered(line);
        if begins || in_code || line.starts_with("```") {
            found.push(std::mem::take(&mut entry));
        }
        if !in_code {
            entry = format!("{entry} {line}");
        }
    }
    found.push(entry);
    found.into_iter().map(|entry| entry.trim().to_owned()).filter(|entry| entry.contains('`')).collect()
}

fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(['.', ')'])
}

/// Joins mentions; of a long one, only the beginning.
fn told(said: Vec<String>) -> String {
    let more = said.len().saturating_sub(MOST_MENTIONS);
    let most = MOST_TOLD / said.len().clamp(1, MOST_MENTIONS);
    let short = |entry: String| match entry.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &entry[..end]),
        None => entry,
    };
    let mut told: Vec<String> = said.into_iter().take(MOST_MENTIONS).map(short).collect();
    if more > 0 {
        told.push(format!("and {more} more in the document"));
    }
    told.join(" / ")
}

/// Returns the question that a named test is to the reviewer.
pub(super) fn question(loss: &Loss, said: &[String], site: &Site<'_>) -> Place {
    let said = told(said.iter().map(|entry| site.masker.mask(entry).as_str().to_owned()).collect());
    let Loss { name, groups, line, place, .. } = loss;
    let id = groups.iter().chain([name]).map(String::as_str).collect::<Vec<_>>().join(" > ");
    let what = format!(
        "question: {}. Does the issue make the test `{id}` (line {line} before the change) wrong? The author says: {said}",
        place.what
    );
    Place { what, ..loss.place.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(path: &str, name: &str, line: usize) -> Loss {
        let place = Place { file: Some(path.to_owned()), ..Place::default() };
        let (path, name, groups) = (path.to_owned(), name.to_owned(), vec!["TestPages".to_owned()]);
        Loss { path, new_name: name.clone(), name, new_groups: groups.clone(), groups, line, place, fewer: 0 }
    }

    /// Returns the names of the tests that a document does not name.
    fn unnamed(document: &str, losses: &[(&str, &str)]) -> Vec<String> {
        let losses = losses.iter().enumerate().map(|(line, (path, name))| loss(path, name, line + 1));
        let sorted = assign(losses.collect(), &named(document));
        sorted.refused.into_iter().map(|loss| loss.name).collect()
    }

    #[test]
    fn a_test_is_named_by_its_id_in_backquotes_and_a_reason_beside_it() {
        let test = [("tests/pages.py", "test_two")];
        for document in [
            "- `test_two`: the issue asks for another number\n",
            "* changed **`tests/pages.py::test_two`** because the issue asks for it\n",
            "| `tests/pages.py::TestPages::test_two` | it held the wrong number |\n",
            "- `tests/pages.py > TestPages > test_two` held the wrong number\n",
            "- `tests/pages.py:12 > test_two` held the wrong number\n",
            "- `tests.pages.test_two` and `pages.TestPages.test_two` held the wrong number\n",
            "1. `pages.py::test_two[80-2]`\n   held the wrong number of pages\n",
            "The number in `test_two()` was wrong, as the issue says.\n",
            "- `test_two`: 課題の要求に合わないため削除\n",
        ] {
            assert_eq!(unnamed(document, &test), [""; 0], "{document}");
        }
    }

    #[test]
    fn without_its_id_or_without_a_reason_nothing_is_named() {
        let test = [("tests/pages.py", "test_two")];
        for document in [
            "",
            "- `test_two`\n",
            "| T1 | `test_two` | `tests/pages.py` |\n",
            "- test_two: the issue asks for another number\n",
            "- `test_two_more`: the issue asks for another number\n",
            "- `my_test_two`: the issue asks for another number\n",
            "- `tests/book.py::test_two`: the issue asks for another number\n",
            "- `tests/pages.py::TestBook::test_two`: the issue asks for another number\n",
            "- `TestBook::TestPages::test_two`: the issue asks for another number\n",
            "- `my.pages.test_two`, `es.test_two`: the issue asks for another number\n",
            "- `tests/pages.py`: the issue asks for another number\n",
            "```\n- `test_two`: the issue asks for another number\n```\n",
            "- the issue asks for another number\n\n`test_two`\n",
        ] {
            assert_eq!(unnamed(document, &test), ["test_two"], "{document}");
        }
    }

    #[test]
    fn an_id_stands_for_one_test() {
        let twice = [("tests/a.py", "test_two"), ("tests/b.py", "test_two")];
        let why = "the issue asks for another number";
        assert_eq!(unnamed(&format!("- `test_two`: {why}\n"), &twice).len(), 1);
        let both = format!("- `tests/a.py::test_two`, `tests/b.py::test_two`: {why}\n");
        assert_eq!(unnamed(&both, &twice), [""; 0]);
        let first = format!("- `tests/b.py::test_two` and `test_three`: {why}\n");
        assert_eq!(unnamed(&first, &twice), ["test_two"]);
    }
}
