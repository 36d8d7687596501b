//! Constants in new code of the product that are the values of one call in the tests: a table of answers instead of a rule. Asked
//! about where a new line holds the first values of an assert, next to each other, and no line that it took the place of did.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::fs;
use std::path::Path;

use crate::added::added_code;
use crate::side_by_side;
use crate::paths::walk;
use crate::{ChangedFile, Place, Site, at, name, one_line};
use source::{Language, SourceFile, is_foreign, is_test};

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
        let mut lines = file.change.added_lines();
        Language::of(file.path()).is_some() && lines.any(|(_, line)| !neighbours(line).is_empty())
    };
    let product: Vec<&ChangedFile<'_>> = product.iter().filter(may_be_answers).collect();
    if product.is_empty() {
        return Vec::new();
    }
    let asserts = asserts(site);
    side_by_side::places(&product, |file| first_answer(file, &asserts))
}

/// Returns the first values of each assert in the tests that changed, before and now, and in those that lie in the worktree.
fn asserts(site: &Site<'_>) -> HashSet<Values> {
    let mut changed = ChangedFile::all(site);
    changed.retain(|file| {
        let mut texts = [file.change.old_text(), file.change.new_text()].into_iter().flatten();
        texts.any(|text| SourceFile::may_have_tests(file.path(), text))
    });
    let of_changed = side_by_side::each(&changed, |file| {
        let sides = [file.before(), file.now()];
        sides.into_iter().flatten().flat_map(values_of_asserts).collect::<Vec<_>>()
    });
    let mut others = files_of_tests(site.worktree);
    others.retain(|path| !site.changes.iter().any(|change| change.path == *path));
    let of_others = side_by_side::each(&others, |path| {
        let text = fs::read_to_string(site.worktree.join(path)).unwrap_or_default();
        if !SourceFile::may_have_tests(path, &text) {
            return Vec::new();
        }
        SourceFile::parse(path, text).map_or_else(Vec::new, |file| values_of_asserts(&file))
    });
    of_changed.into_iter().chain(of_others).flatten().collect()
}

/// Returns the first values of each assert in a test that has more than those.
fn values_of_asserts(file: &SourceFile) -> Vec<Values> {
    let mut asserts = file.asserts();
    asserts.retain(|assert| is_test(file.path()) || file.is_test_code(assert.line));
    let values = asserts.iter().map(|assert| literals(assert.text)).filter(|values| values.len() > FEWEST);
    values.filter_map(|values| values.first_chunk().cloned()).collect()
}

/// Returns the files of tests in a worktree, as many as are worth it.
fn files_of_tests(worktree: &Path) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    walk(worktree, |path, kind| {
        let Some(path) = path.to_str() else { return false };
        if kind.is_file() && is_test(path) {
            found.push(path.to_owned());
        }
        let is_left_out = name(path).starts_with('.') || is_foreign(&format!("{path}/x"));
        !is_left_out && found.len() < MOST_TEST_FILES
    });
    found.truncate(MOST_TEST_FILES);
    found
}

fn first_answer(file: &ChangedFile<'_>, asserts: &HashSet<Values>) -> Option<Place> {
    let removed = || file.change.removed_lines().flat_map(|(_, line)| neighbours(line)).collect();
    let known: LazyCell<HashSet<Values>, _> = LazyCell::new(removed);
    let is_answer = |values: &Values| asserts.contains(values) && !known.contains(values);
    let mut answers: Vec<(usize, &str)> = file.change.added_lines().collect();
    answers.retain(|(_, line)| neighbours(line).iter().any(is_answer));
    // Few files have any: the others need not be read.
    if answers.is_empty() {
        return None;
    }
    let (number, line) = added_code(file).find(|line| answers.contains(line))?;
    let doubt = format!("`{}` holds the values of a test. Is there a rule behind them?", one_line(line, 80));
    Some(at(file.path(), number, doubt))
}

/// Returns the values of a line that stand next to each other, without those that stand in any code.
fn neighbours(line: &str) -> Vec<Values> {
    let is_common = |value: &String| matches!(value.as_str(), "0" | "1" | "");
    let values = literals(line);
    let each = values.windows(FEWEST).filter_map(|window| window.first_chunk().cloned());
    each.filter(|values: &Values| !values.iter().all(is_common)).collect()
}

/// Returns the values in the order of the code, without quotation marks, signs and the white space at their ends.
fn literals(code: &str) -> Vec<String> {
    let bare =
        |literal: regex::Match<'_>| literal.as_str().trim_matches(['"', '\'', '`', '-']).trim().to_owned();
    LITERAL.find_iter(code).map(bare).collect()
}
