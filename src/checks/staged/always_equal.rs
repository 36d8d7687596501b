//! Types whose equality holds whatever they are compared with: every assert about them passes. Stand-ins for "anything" and
//! types without a value of their own are made so on purpose; they are only told.

use std::sync::LazyLock;

use regex::Regex;

use crate::changed_file::ChangedFile;
use crate::outcome::at;
use crate::suspicion::Suspicion;
use source::{Function, Language, SourceFile, is_fixture, is_foreign, is_test};

/// Methods by which a language compares.
const EQUALITIES: [&str; 4] = ["__eq__", "eq", "equals", "Equal"];

static ANYTHING: LazyLock<Regex> = LazyLock::new(|| {
    let names = r"(?i)any|wild|every|ignor|match|stub|fake|dummy|mock|unit|null|empty|placeholder";
    Regex::new(names).expect("the pattern is a constant")
});
static DERIVED: LazyLock<Regex> = LazyLock::new(|| {
    let marks = r"derive\([^)]*\bPartialEq\b|^\s*(?:def\s+__eq__|@(?:dataclass|define|attr))|\bequals\s*\(";
    Regex::new(marks).expect("the pattern is a constant")
});

pub(super) fn suspicions(files: &[ChangedFile<'_>]) -> Vec<Suspicion> {
    let judged = files.iter().filter(|file| !is_fixture(file.path()) && !is_foreign(file.path()));
    judged.flat_map(of_file).collect()
}

fn of_file(file: &ChangedFile<'_>) -> Vec<Suspicion> {
    if !file.change.added_lines().any(|(_, line)| line.contains("rue")) {
        return Vec::new();
    }
    let equal = |side: Option<&SourceFile>| side.map_or_else(Vec::new, always_equal);
    let known: Vec<String> = equal(file.before()).into_iter().map(|function| function.name).collect();
    let new = equal(file.now()).into_iter().filter(|function| !known.contains(&function.name));
    new.map(|function| suspicion(file, &function)).collect()
}

/// Returns the equalities of a file that only say yes.
fn always_equal(file: &SourceFile) -> Vec<Function> {
    let says_yes = |function: &Function| {
        let Some(body) = function.body.clone() else { return false };
        let body: String = file.text()[body].split(|c: char| !c.is_alphanumeric()).collect();
        matches!(body.as_str(), "returnTrue" | "returntrue" | "true")
    };
    let mut functions = file.functions();
    functions.retain(|function| EQUALITIES.contains(&name_and_type(function).0) && says_yes(function));
    functions
}

fn name_and_type(function: &Function) -> (&str, &str) {
    let mut parts = function.name.rsplit([':', '.']).filter(|part| !part.is_empty());
    (parts.next().unwrap_or_default(), parts.next().unwrap_or("a value"))
}

fn suspicion(file: &ChangedFile<'_>, function: &Function) -> Suspicion {
    let (_, owner) = name_and_type(function);
    let place = at(file.path(), function.line, format!("`{owner}` is equal to everything"));
    let had_equality = file.change.removed_lines().any(|(_, text)| DERIVED.is_match(text));
    // Rust's derive asks for it where a field has no value of its own, such as a place in a source.
    let usual = Language::of(file.path()) == Some(Language::Rust) && !had_equality;
    Suspicion { place, sure: !usual && !is_test(file.path()) && !ANYTHING.is_match(owner) }
}
