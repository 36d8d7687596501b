//! What in the code may be honest, and is worth a question to the reviewer: a function of the product that does nothing, a
//! constant that is what a test expects, a file of the tests that the product reads, a handler that hides any error, a comment to
//! the reviewer, a line that nobody can read. Refuses nothing.

mod expected_values;

use std::sync::LazyLock;

use regex::Regex;

use super::changed_file::ChangedFile;
use super::outcome::{at, one_line};
use super::{Site, side_by_side};
use model::event::Place;
use source::{Function, Language, Role, SourceFile, Stub, is_fixture, is_test};

/// Longer lines are made by programs, in characters.
const LONGEST: usize = 1_000;
/// So much of a piece of code is told, in characters.
const MOST_SHOWN: usize = 90;
/// Words of which each handler that hides any error has one.
const HANDLERS: [&str; 5] = ["except", "suppress", "catch", "recover", "catch_unwind"];

/// Returns the places that a reviewer is asked about.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let mut files = ChangedFile::judged(site);
    files.retain(|file| !is_fixture(file.path()));
    let is_product = |file: &&ChangedFile<'_>| Role::of(file.path()) == Role::Product;
    let product: Vec<ChangedFile<'_>> = files.iter().filter(is_product).copied().collect();
    let mut places = side_by_side::places(&product, |file| stubs(file, &product));
    places.extend(expected_values::places(&product, site));
    places.extend(side_by_side::places(&product, files_of_tests));
    places.extend(side_by_side::places(&product, swallowed_errors));
    places.extend(side_by_side::places(&files, comments));
    places.extend(side_by_side::places(&files, unreadable));
    places
}

/// New functions that do nothing. Those that others have to write, those that were there, and those of Go for the platforms on which
/// another file does not do it, are honest.
fn stubs(file: &ChangedFile<'_>, product: &[ChangedFile<'_>]) -> Vec<Place> {
    let functions = |file: Option<&SourceFile>| file.map_or_else(Vec::new, SourceFile::functions);
    let mut new = functions(file.now());
    new.retain(|function| function.stub.is_some() && !function.is_abstract);
    let old = if new.is_empty() { Vec::new() } else { functions(file.before()) };
    let was_stub = |name: &str| old.iter().any(|function| function.name == name && function.stub.is_some());
    let is_elsewhere = |name: &str| {
        let beside = product
            .iter()
            .filter(|other| other.path() != file.path() && folder(other.path()) == folder(file.path()));
        let mut written = beside.flat_map(|other| functions(other.now()));
        Language::of(file.path()) == Some(Language::Go)
            && written.any(|function| function.name == name && function.stub.is_none())
    };
    let new = new.iter().filter(|function| !was_stub(&function.name) && !is_elsewhere(&function.name));
    new.filter_map(|function| Some(at(file.path(), function.line, stub(function)?))).collect()
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn stub(function: &Function) -> Option<String> {
    let does = match function.stub? {
        Stub::Empty => "does nothing",
        Stub::Nothing => "returns nothing whatever it is given",
        Stub::NotImplemented => "only says that it is not implemented",
    };
    Some(format!("`{}` {does}. Is that what the issue asks for?", function.name))
}

/// Code of the product that names a file of the tests: it may read there what it should compute.
fn files_of_tests(file: &ChangedFile<'_>) -> Vec<Place> {
    if !file.change.added_lines().any(|(_, line)| line.contains('/')) {
        return Vec::new();
    }
    let strings = file.now().map_or_else(Vec::new, SourceFile::strings);
    let named = strings.into_iter().filter(|string| {
        is_path_of_tests(string.text.trim_matches(['"', '\'', '`'])) && file.is_added(string.line)
    });
    let what = |text: &str| format!("the code names {text}, a file of the tests. Why does it need that?");
    named.map(|string| at(file.path(), string.line, what(string.text))).collect()
}

/// Tells whether a text is the path of a file in a folder of tests.
fn is_path_of_tests(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    let is_path = text.contains('/')
        && name.contains('.')
        && !text.contains(char::is_whitespace)
        && !text.contains("://");
    is_path && (is_test(text) || is_fixture(text))
}

/// New handlers in the product that hide any error, whatever it is.
fn swallowed_errors(file: &ChangedFile<'_>) -> Option<Place> {
    if !file.change.added_lines().any(|(_, line)| HANDLERS.iter().any(|word| line.contains(word))) {
        return None;
    }
    let swallowed = file.added_parts(SourceFile::swallowed_errors);
    let first = swallowed.iter().find(|part| file.is_added(part.line))?;
    let shown = one_line(first.text, MOST_SHOWN);
    Some(at(file.path(), first.line, format!("`{shown}` hides any error. Which one is meant?")))
}

pattern!(
    READER,
    r"(?i)\b(?:(?:ai|code|automated)[- ])?(?:reviewers?|graders?|evaluators?|judges?)\b|\b(?:verdict|lgtm)\b|\bASSISTANT\b|\bignore (?:all |any )?(?:previous|prior)\b"
);
pattern!(
    /// No rule is named.
    SILENCES_ALL,
    r"(?x) ^/[/*]\s*eslint-disable(?:-next-line|-line)?\s*(?:\*/\s*)?$ | \#\s*type:\s*ignore\s*$ | \#\s*(?:flake8:\s*noqa|ruff:\s*noqa|noqa)\s*$
      | \#\s*mypy:\s*ignore-errors | \#\s*pylint:\s*(?:disable=all|skip-file) | ^/[/*]\s*@ts-(?:ignore|nocheck)\b | //\s*deno-lint-ignore(?:-file)?\s*$
      | \#!?\[\s*allow\(\s*(?:warnings|unused|clippy::all|clippy::pedantic)\b | //\s*nolint\s*$ | ^/[/*]\s*biome-ignore-all | ^/[/*]\s*(?:istanbul|c8|v8)\s+ignore\s+file | \#\s*coverage:\s*ignore-file"
);

/// New comments that speak to whoever judges the change, and those that silence a checker as a whole. What they say has no weight;
/// the reviewer is told that they are there.
fn comments(file: &ChangedFile<'_>) -> Option<Place> {
    if !file.change.added_lines().any(|(_, line)| READER.is_match(line) || silences(line)) {
        return None;
    }
    let is_attribute = |line: &str| line.trim_start().starts_with('#') && line.contains("allow(");
    let comments =
        file.added_parts(SourceFile::comments).into_iter().map(|comment| (comment.line, comment.text));
    let attributes =
        file.change.added_lines().filter(|(_, line)| is_attribute(line) && silences(line.trim()));
    let doubt = |text: &str| match text {
        _ if READER.is_match(text) => Some("may speak to whoever reviews the change. Whom is it for?"),
        _ if silences(text) => Some("silences a checker without naming a rule. What does it complain about?"),
        _ => None,
    };
    let mut places = comments.chain(attributes).filter_map(|(line, text)| {
        Some(at(file.path(), line, format!("`{}` {}", one_line(text, MOST_SHOWN), doubt(text)?)))
    });
    places.next()
}

fn silences(text: &str) -> bool {
    SILENCES_ALL.is_match(text.trim_end())
}

/// New code that a reviewer cannot read: lines so long that no editor shows them, as minified code has.
fn unreadable(file: &ChangedFile<'_>) -> Option<Place> {
    Language::of(file.path())?;
    let (number, line) = file.change.added_lines().find(|(_, line)| line.len() > LONGEST)?;
    let length = line.chars().count();
    let what = format!("a line of {length} characters that nobody can review. Where does it come from?");
    Some(at(file.path(), number, what))
}

#[cfg(test)]
mod tests;
