//! Constants in new code of the product that are the values of one call in the tests: a table of answers instead of a rule. Asked
//! about where a new line holds the first values of an assert, next to each other, and no line that it took the place of did.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::Site;
use crate::changed_file::ChangedFile;
use crate::changed_tests::ChangedTests;
use crate::outcome::{at, one_line};
use crate::paths::name;
use crate::side_by_side;
use crate::walk::walk;
use model::event::Place;
use source::{Assert, Language, Part, SourceFile, is_foreign, is_test};

/// So many files of tests are read at most.
const MOST_TEST_FILES: usize = 300;
/// Fewer values in a line may be there by chance.
const FEWEST: usize = 2;

pattern!(
    LITERAL,
    r#"(?x) "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | `[^`]*` | (?:\b|-)\d[\d_]*(?:\.\d+)?(?:e-?\d+)?"#
);

/// The first values of an assert.
type Values = [String; FEWEST];

pub(super) fn places(product: &[ChangedFile<'_>], site: &Site<'_>) -> Vec<Place> {
    let may_be_answers = |file: &&ChangedFile<'_>| {
        Language::of(file.path()).is_some() && lines_with_values(file).next().is_some()
    };
    let product: Vec<&ChangedFile<'_>> = product.iter().filter(may_be_answers).collect();
    if product.is_empty() {
        return Vec::new();
    }
    let asserts = asserts(site);
    product.into_iter().filter_map(|file| first_answer(file, &asserts)).collect()
}

/// Returns the first values of each assert in the tests that a run changed, and in those that lie in the worktree.
fn asserts(site: &Site<'_>) -> HashSet<Values> {
    let compared: HashSet<&str> = site.changes.iter().map(|change| change.path.as_str()).collect();
    let is_left = |path: &str| is_test(path) && !compared.contains(path);
    let earlier = site.since_base.iter().filter(|change| is_left(&change.path)).flat_map(|change| {
        [change.old_text(), change.new_text()].map(|text| Some((change.path.clone(), text?.to_owned())))
    });
    let there = texts_of_tests(site.worktree).filter(|(path, _)| is_left(path));
    let texts: HashSet<(String, String)> = earlier.flatten().chain(there).collect();
    let texts: Vec<(String, String)> = texts.into_iter().collect();
    let others = side_by_side::each(&texts, |(path, text)| values_of_asserts(path, text));
    let own = ChangedTests::of_phase(site).asserts();
    let own = own.filter_map(|assert| first_values(&values(assert)));
    others.into_iter().flatten().chain(own).collect()
}

fn values_of_asserts(path: &str, text: &str) -> Vec<Values> {
    let tests = SourceFile::parse(path, text).map_or_else(Vec::new, |file| file.tests());
    let asserts = tests.iter().flat_map(|test| &test.asserts);
    asserts.filter_map(|assert| first_values(&values(assert))).collect()
}

fn values(assert: &Assert) -> Vec<String> {
    assert.values().map(str::to_owned).collect()
}

/// Returns the first values of an assert that has more than those.
fn first_values(values: &[String]) -> Option<Values> {
    values.first_chunk().filter(|_| values.len() > FEWEST).cloned()
}

/// Reads the files of tests in a worktree, as many as are worth it.
fn texts_of_tests(worktree: &Path) -> impl Iterator<Item = (String, String)> {
    let mut found: Vec<String> = Vec::new();
    walk(worktree, |path, kind| {
        let Some(path) = path.to_str() else { return false };
        if kind.is_file() && is_test(path) && found.len() < MOST_TEST_FILES {
            found.push(path.to_owned());
        }
        let is_left_out = name(path).starts_with('.') || is_foreign(&format!("{}/x", name(path)));
        !is_left_out && found.len() < MOST_TEST_FILES
    });
    let worktree = worktree.to_owned();
    let read = move |path: String| {
        let text = fs::read_to_string(worktree.join(&path)).ok()?;
        SourceFile::may_have_tests(&path, &text).then_some((path, text))
    };
    found.into_iter().filter_map(read)
}

/// Returns the added lines that hold several values, with them.
fn lines_with_values<'f>(file: &'f ChangedFile<'_>) -> impl Iterator<Item = (usize, &'f str, Vec<String>)> {
    let lines = file.change.added_lines().map(|(number, line)| (number, line, literals(line)));
    lines.filter(|(_, _, values)| values.len() >= FEWEST)
}

/// Returns those lines but for tests beside the code and for comments.
fn lines_of_product<'f>(file: &'f ChangedFile<'_>) -> impl Iterator<Item = (usize, &'f str, Vec<String>)> {
    let now = file.now();
    let comments = now.map_or_else(Vec::new, SourceFile::comments);
    let lines = |comment: &Part<'f>| {
        let number = comment.line;
        comment
            .text
            .lines()
            .enumerate()
            .map(move |(index, line)| (number + index, line.trim()))
            .collect::<Vec<_>>()
    };
    let comments: HashSet<(usize, &str)> = comments.iter().flat_map(lines).collect();
    lines_with_values(file).filter(move |(number, line, _)| {
        let is_test = now.is_some_and(|now| now.is_test_code(*number));
        !is_test && !comments.contains(&(*number, line.trim()))
    })
}

fn first_answer(file: &ChangedFile<'_>, asserts: &HashSet<Values>) -> Option<Place> {
    let known: HashSet<Values> = file
        .change
        .removed_lines()
        .flat_map(|(_, line)| neighbours(&literals(line)).collect::<Vec<_>>())
        .collect();
    let is_answer = |values: &[String]| {
        neighbours(values).any(|values| asserts.contains(&values) && !known.contains(&values))
    };
    let (number, line, _) = lines_of_product(file).find(|(_, _, values)| is_answer(values))?;
    let doubt = format!("`{}` holds the values of a test. Is there a rule behind them?", one_line(line, 80));
    Some(at(file.path(), number, doubt))
}

/// Returns the values of a line that stand next to each other, without those that stand in any code.
fn neighbours(values: &[String]) -> impl Iterator<Item = Values> {
    let each = values.windows(FEWEST).filter_map(|window| window.first_chunk().cloned());
    each.filter(|values: &Values| values.iter().any(|value| !is_common(value)))
}

/// Returns the values in the order of the code, without quotation marks, signs and the white space at their ends.
fn literals(code: &str) -> Vec<String> {
    let bare =
        |literal: regex::Match<'_>| literal.as_str().trim_matches(['"', '\'', '`', '-']).trim().to_owned();
    LITERAL.find_iter(code).map(bare).collect()
}

/// Values that stand in any code.
fn is_common(value: &str) -> bool {
    matches!(value, "0" | "1" | "")
}
