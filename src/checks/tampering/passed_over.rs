//! Settings by which a runner passes over tests that it ran before, or repeats them until they pass. Folders in which nobody
//! keeps tests may be left out, and settings of other tools mean nothing here.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::narrowed::values;
use crate::outcome::at;
use crate::reading::source::{ending, name};
use model::change::Change;
use model::event::Place;

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("a constant"));
    };
}

pattern!(
    LEFT_OUT,
    r#"(?x) addopts\s*=.*(?:--deselect|-k\s|-m\s+['"]?not|--co\b|--collect-only) | \bpassWithNoTests\b | --reruns\b | ^\s*default-filter\s*="#
);
pattern!(NONE_FAIL, r"\bpassWithNoTests['\x22]?\s*[=:]\s*false");
pattern!(RETRIED, r"^\s*retries\s*[=:]\s*[1-9]");
pattern!(UNTESTED, r"^\s*(?:test|doctest)\s*=\s*false");
pattern!(NOT_FOUND, r"^\s*autotests\s*=\s*false");
pattern!(
    LIST,
    r#"\b(?P<key>testPathIgnorePatterns|modulePathIgnorePatterns|collect_ignore(?:_glob)?|norecursedirs)['"]?\s*[=:]"#
);
pattern!(OPTION, r#"--ignore(?:-glob)?[=\s]\s*['"]?(?P<path>[^\s'",]+)"#);
pattern!(DESELECTED, r"^\s*['\x22]?--(?:deselect|collect-only|co)\b");
pattern!(SECTION, r"^\s*\[+\s*(?P<name>[^\]]+?)\s*\]+\s*$");
pattern!(QUOTED, r#"['"`](?P<text>[^'"`\n]+)['"`]"#);

/// Folders that hold what is made, fetched or kept beside the code.
const MADE: [&str; 27] = [
    "node_modules",
    "dist",
    "build",
    "out",
    "lib",
    "target",
    "coverage",
    "vendor",
    "venv",
    "env",
    "CVS",
    "_darcs",
    "{arch}",
    "__pycache__",
    "tmp",
    "temp",
    "docs",
    "doc",
    "public",
    "static",
    "assets",
    "site-packages",
    "third_party",
    "generated",
    "bin",
    "obj",
    "examples",
];
/// Folders and files that hold what tests read.
const DATA: [&str; 18] = [
    "data",
    "testdata",
    "test-data",
    "test_data",
    "fixtures",
    "__fixtures__",
    "fixture",
    "snapshots",
    "__snapshots__",
    "resources",
    "samples",
    "mocks",
    "__mocks__",
    "corpus",
    "golden",
    "setup.py",
    "manage.py",
    "conftest.py",
];
/// Tests that have a runner of their own.
const OF_ANOTHER_RUNNER: [&str; 3] = ["e2e", "cypress", "playwright"];

/// Returns the added lines of a runner's settings that leave tests out. The text has no comments.
pub(super) fn places(change: &Change, code: &str) -> Vec<Place> {
    let lines: Vec<&str> = code.lines().collect();
    let added = change.added_lines().filter_map(|(line, _)| Some((line, *lines.get(line - 1)?)));
    let found = added.filter(|(line, text)| leaves_out(change, &lines, *line, text));
    found.map(|(line, _)| at(&change.path, line, "leaves tests out or repeats them")).collect()
}

fn leaves_out(change: &Change, lines: &[&str], line: usize, text: &str) -> bool {
    let section = || Section::of(&change.path, lines, line);
    let known = || change.old_text().is_some_and(|old| old.lines().any(|old| old.trim() == text.trim()));
    if LEFT_OUT.is_match(text) && !NONE_FAIL.is_match(text) {
        return true;
    }
    if let Some(found) = LIST.captures(text) {
        return section().is_of_tests() && lists_tests(change, lines, line, &found["key"]);
    }
    let mut options = OPTION.captures_iter(text).map(|found| found["path"].to_owned());
    options.any(|path| may_hold_tests(&path, change)) && !known()
        || DESELECTED.is_match(text) && !known()
        || RETRIED.is_match(text) && section().is_of_tests()
        || UNTESTED.is_match(text) && section().is_a_target()
        || NOT_FOUND.is_match(text) && section().name == "package"
}

/// Tells whether a list that begins on a line got an entry that may hold tests.
fn lists_tests(change: &Change, lines: &[&str], line: usize, key: &str) -> bool {
    let of = |text: &str| values(text, key).unwrap_or_default();
    let old = change.old_text().map(of).unwrap_or_default();
    let mut new = of(&lines[line - 1..].join("\n"));
    if new.is_empty() {
        new.extend(
            QUOTED
                .captures_iter(lines[line - 1])
                .map(|found| found["text"].to_owned())
                .filter(|text| text != key),
        );
    }
    let came: BTreeSet<&String> = new.difference(&old).collect();
    new.is_empty() || came.into_iter().any(|entry| may_hold_tests(entry, change))
}

/// Tells whether tests may lie where an entry points.
fn may_hold_tests(entry: &str, change: &Change) -> bool {
    let entry = entry.replace("<rootDir>", "").replace("\\\\", "").replace('\\', "");
    let parts: Vec<&str> = entry
        .split('/')
        .map(|part| part.trim_matches(['^', '$', '(', ')']))
        .filter(|part| !matches!(*part, "" | "." | "*" | "**"))
        .collect();
    let Some(last) = parts.last() else { return true };
    let of_tests = |part: &&str| matches!(*part, "test" | "tests" | "__tests__" | "spec" | "specs");
    let hidden =
        |part: &&str| part.starts_with('.') && !part.contains('*') || matches!(*part, ".*" | "*.egg");
    let made = parts.iter().any(|part| MADE.contains(part) || hidden(part)) && !parts.iter().any(of_tests);
    let elsewhere = change.is_new() && parts.iter().any(|part| OF_ANOTHER_RUNNER.contains(part));
    !(made || elsewhere || DATA.contains(last))
}

/// The part of a file of settings that a line stands in.
struct Section<'t> {
    file: &'t str,
    name: &'t str,
}

impl<'t> Section<'t> {
    fn of(path: &'t str, lines: &[&'t str], line: usize) -> Self {
        let mut above = lines[..line].iter().rev().filter_map(|text| SECTION.captures(text));
        let found = above.next().and_then(|found| found.name("name"));
        Self { file: name(path), name: found.map_or("", |name| name.as_str()) }
    }

    /// Tells whether a runner of tests reads it.
    fn is_of_tests(&self) -> bool {
        match self.file {
            "pyproject.toml" | "setup.cfg" | "tox.ini" => {
                self.name.contains("pytest") || self.name.is_empty()
            }
            file => ending(file) != "toml" || file == "nextest.toml",
        }
    }

    /// Tells a target of cargo whose tests would be run.
    fn is_a_target(&self) -> bool {
        self.file == "Cargo.toml" && matches!(self.name, "lib" | "test" | "bin" | "")
    }
}
