//! What in the code may be honest, and is worth a question to the reviewer: a function of the product that does nothing, a
//! constant that is what a test expects, a file of the tests that the product reads, a handler that hides any error, a comment to
//! the reviewer. Refuses nothing.

mod expected_values;
mod stubs;

use super::{ChangedFile, Place, Site, any_of, at, one_line, side_by_side};
use source::{Role, SourceFile, is_fixture, is_test};

/// So much of a piece of code is told, in characters.
const MOST_SHOWN: usize = 90;

pattern!(TO_REVIEWER, &any_of("doubtful_code", "to_the_reviewer"));
pattern!(SILENCES_ALL, &any_of("doubtful_code", "silences_all"));
// Each handler that hides any error has one of these words.
pattern!(HANDLER, "except|suppress|catch|recover");
// A text that may be the path of a file in a folder.
pattern!(PATH, r#"^["'`]*([^\s:]*/[^\s/:]*\.[^\s/:]*?)["'`]*$"#);

/// Returns the places that a reviewer is asked about.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let mut files = ChangedFile::judged(site);
    files.retain(|file| !is_fixture(file.path()));
    let is_product = |file: &&ChangedFile<'_>| Role::of(file.path()) == Role::Product;
    let product: Vec<ChangedFile<'_>> = files.iter().filter(is_product).copied().collect();
    let mut places = stubs::places(&product);
    places.extend(expected_values::places(&product, site));
    places.extend(side_by_side::places(&product, files_of_tests));
    places.extend(side_by_side::places(&product, swallowed_errors));
    places.extend(side_by_side::places(&files, comments));
    places
}

fn has_line(file: &ChangedFile<'_>, is_meant: impl Fn(&str) -> bool) -> bool {
    file.change.added_lines().any(|(_, line)| is_meant(line))
}

/// Code of the product that names a file of the tests: it may read there what it should compute.
fn files_of_tests(file: &ChangedFile<'_>) -> Vec<Place> {
    if !has_line(file, |line| line.contains('/') && line.contains(['"', '\'', '`'])) {
        return Vec::new();
    }
    let is_of_tests = |text: &str| {
        let path = PATH.captures(text).and_then(|found| found.get(1));
        path.is_some_and(|path| is_test(path.as_str()) || is_fixture(path.as_str()))
    };
    let mut named = file.now().map_or_else(Vec::new, SourceFile::strings);
    named.retain(|string| file.is_added(string.line) && is_of_tests(string.text));
    let what = |text: &str| format!("the code names {text}, a file of the tests. Why does it need that?");
    named.iter().map(|string| at(file.path(), string.line, what(string.text))).collect()
}

/// New handlers in the product that hide any error, whatever it is.
fn swallowed_errors(file: &ChangedFile<'_>) -> Option<Place> {
    if !has_line(file, |line| HANDLER.is_match(line)) {
        return None;
    }
    let swallowed = file.added_parts(SourceFile::swallowed_errors);
    let first = swallowed.iter().find(|part| file.is_added(part.line))?;
    let shown = one_line(first.text, MOST_SHOWN);
    Some(at(file.path(), first.line, format!("`{shown}` hides any error. Which one is meant?")))
}

/// The first new comment that speaks to whoever judges the change, or silences a checker as a whole.
fn comments(file: &ChangedFile<'_>) -> Option<Place> {
    if !has_line(file, |line| doubt(line).is_some()) {
        return None;
    }
    let comments = file.added_parts(SourceFile::comments).into_iter();
    let comments = comments.map(|comment| (comment.line, comment.text));
    let is_attribute = |line: &str| line.trim_start().starts_with('#') && line.contains("allow(");
    let attributes = file.change.added_lines().filter(|(_, line)| is_attribute(line));
    let mut places = comments.chain(attributes).filter_map(|(line, text)| {
        Some(at(file.path(), line, format!("`{}` {}", one_line(text, MOST_SHOWN), doubt(text)?)))
    });
    places.next()
}

fn doubt(text: &str) -> Option<&'static str> {
    if TO_REVIEWER.is_match(text) {
        return Some("may speak to whoever reviews the change. Whom is it for?");
    }
    let silences = SILENCES_ALL.is_match(text.trim());
    silences.then_some("silences a checker without naming a rule. What does it complain about?")
}

#[cfg(test)]
mod tests;
