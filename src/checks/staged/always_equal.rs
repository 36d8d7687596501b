//! Types whose equality holds whatever they are compared with: every assert about them passes. Stand-ins for "anything" and
//! types without a value of their own are made so on purpose; they are only told.

use std::sync::LazyLock;

use regex::Regex;

use crate::Site;
use crate::outcome::at;
use crate::reading::source::{ending, without_comments};
use crate::suspicion::Suspicion;
use model::change::Change;
use source::{is_fixture, is_foreign, is_test};

pattern!(
    ALWAYS,
    r"(?mx) ^[\ \t]*def\s+__eq__\s*\([^)]*\)[^:\n]*:\s*return\s+True\b | \bfn\s+eq\s*\(\s*&self[^)]*\)\s*->\s*bool\s*\{\s*(?:return\s+)?true;?\s*\}
      | \bboolean\s+equals\s*\([^)]*\)\s*\{\s*return\s+true;\s*\} | \bbool\s+Equals\s*\([^)]*\)\s*(?:=>\s*true;|\{\s*return\s+true;\s*\})
      | \bfun\s+equals\s*\([^)]*\)[^={]*(?:=\s*true\b|\{\s*return\s+true\s*\}) | ^[\ \t]*def\s+==\s*\(?\w+\)?\s*\n\s*true\s*\n"
);
pattern!(ANYTHING, r"(?i)any|wild|every|ignor|match|stub|fake|dummy|mock|unit|null|empty|placeholder");
pattern!(TYPE, r"\b(?:class|for|struct|object)\s+(?P<name>\w+)");
pattern!(
    DERIVED,
    r"derive\([^)]*\bPartialEq\b|^\s*(?:def\s+__eq__|@(?:dataclass|define|attr))|\bequals\s*\("
);

pub(super) fn suspicions(site: &Site<'_>) -> Vec<Suspicion> {
    site.project_changes()
        .filter(|change| !is_fixture(&change.path) && !is_foreign(&change.path))
        .flat_map(of)
        .collect()
}

fn of(change: &Change) -> Vec<Suspicion> {
    let (Some(text), true) = (change.new_text(), is_known(&change.path)) else { return Vec::new() };
    if !["__eq__", "fn eq", "quals", "def =="].iter().any(|part| text.contains(part)) {
        return Vec::new();
    }
    let code = without_comments(&change.path, text);
    let added: Vec<usize> = change.added_lines().map(|(line, _)| line).collect();
    let found = ALWAYS.find_iter(&code).filter_map(|found| {
        let first = 1 + code[..found.start()].matches('\n').count();
        let last = first + found.as_str().trim_end().matches('\n').count();
        let is_new = (first..=last).any(|line| added.binary_search(&line).is_ok());
        is_new.then(|| suspicion(change, first, owner(&code[..found.start()])))
    });
    found.collect()
}

fn suspicion(change: &Change, line: usize, owner: &str) -> Suspicion {
    let place = at(&change.path, line, format!("`{owner}` is equal to everything"));
    let had_equality = change.removed_lines().any(|(_, text)| DERIVED.is_match(text));
    // Rust's derive asks for it where a field has no value of its own, such as a place in a source.
    let usual = ending(&change.path) == "rs" && !had_equality;
    let sure = !usual && !is_test(&change.path) && !ANYTHING.is_match(owner);
    Suspicion { place, sure }
}

/// Returns the type whose equality begins behind a text.
fn owner(above: &str) -> &str {
    let found = TYPE.captures_iter(above).last();
    found.and_then(|found| found.name("name")).map_or("a value", |name| name.as_str())
}

fn is_known(path: &str) -> bool {
    matches!(ending(path), "py" | "rs" | "java" | "kt" | "cs" | "rb")
}
