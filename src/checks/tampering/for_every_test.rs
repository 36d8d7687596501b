//! Fixtures that run for every test and replace what the tests are about. A fixture replaces the clock, the network or a part of
//! another module for good reasons: only what an assert calls by the same name is sure, what a test calls is told.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::stand_in::replaced;
use super::strength::is_assert;
use crate::Site;
use crate::outcome::at;
use crate::reading::source::{ending, name, without_comments};
use crate::suspicion::Suspicion;
use model::change::Change;

/// So many files of tests below a `conftest.py` are read.
const MOST_FILES: usize = 200;

pub(super) fn suspicions(change: &Change, changes: &[&Change], site: &Site<'_>) -> Vec<Suspicion> {
    let Some(text) = change.new_text() else { return Vec::new() };
    if ending(&change.path) != "py" || !text.contains("autouse") {
        return Vec::new();
    }
    let code = without_comments(&change.path, text);
    let added: BTreeSet<usize> = change.added_lines().map(|(line, _)| line).collect();
    let replaced = in_fixtures(&code)
        .into_iter()
        .filter(|(line, text, _)| added.contains(line) && !was_there(text, changes));
    let replaced: Vec<(usize, &str, String)> = replaced.collect();
    if replaced.is_empty() {
        return Vec::new();
    }
    let tests = tests_of(change, changes, site);
    let found = replaced.into_iter().filter_map(|(line, _, name)| {
        let call = format!("{name}(");
        let calls = |line: &&str| line.contains(&call);
        let mut called = tests.iter().flat_map(|text| text.lines()).filter(calls).peekable();
        called.peek()?;
        let sure = called.any(is_assert);
        let what = format!("`{name}` is replaced for every test, and tests are about it");
        Some(Suspicion { place: at(&change.path, line, what), sure })
    });
    found.collect()
}

/// Returns what fixtures that every test gets replace: line, text and name.
fn in_fixtures(code: &str) -> Vec<(usize, &str, String)> {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    let mut inside: Option<(usize, bool)> = None;
    for (index, line) in code.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let bare = line.trim_start();
        if bare.starts_with('@') && bare.contains("autouse") && bare.contains("True") {
            inside = Some((depth(line), false));
        } else if let Some((own, begun)) = inside {
            let is_head = bare.starts_with("def ") || bare.starts_with("async def ");
            inside = (!begun || depth(line) > own).then_some((own, begun || is_head));
            if inside.is_some() && begun {
                found.extend(replaced(line).map(|name| (index + 1, line, name)));
            }
        }
    }
    found
}

/// Tells whether a line only moved.
fn was_there(line: &str, changes: &[&Change]) -> bool {
    changes.iter().flat_map(|change| change.removed_lines()).any(|(_, old)| old.trim() == line.trim())
}

/// Returns the texts of the tests that get a fixture: those of the file, and for a `conftest.py` those below it.
fn tests_of(change: &Change, changes: &[&Change], site: &Site<'_>) -> Vec<String> {
    let mut texts: Vec<String> = change.new_text().into_iter().map(str::to_owned).collect();
    if name(&change.path) != "conftest.py" {
        return texts;
    }
    let folder = change.path.strip_suffix("conftest.py").unwrap_or_default();
    let is_below = |path: &str| path.starts_with(folder) && is_test_of_python(name(path));
    let changed = changes.iter().filter(|other| is_below(&other.path)).filter_map(|other| other.new_text());
    texts.extend(changed.map(str::to_owned));
    texts.extend(on_disk(&site.worktree.join(folder)));
    texts
}

fn is_test_of_python(name: &str) -> bool {
    ending(name) == "py" && (name.starts_with("test") || name.ends_with("_test.py"))
}

fn on_disk(folder: &Path) -> Vec<String> {
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    let (mut texts, mut left) = (Vec::new(), MOST_FILES * 20);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            left -= 1;
            if left == 0 || texts.len() == MOST_FILES {
                return texts;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type();
            if kind.as_ref().is_ok_and(fs::FileType::is_dir)
                && !name.starts_with('.')
                && name != "node_modules"
            {
                folders.push(entry.path());
            } else if is_test_of_python(&name) && kind.is_ok_and(|kind| kind.is_file()) {
                texts.extend(fs::read_to_string(entry.path()));
            }
        }
    }
    texts
}
