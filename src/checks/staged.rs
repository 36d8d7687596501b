//! Code of the product that plays to its tests: it asks who runs it, or is equal to everything. Tests and their support may.
//! A person makes exceptions with `[checks] allowed`.

use std::sync::LazyLock;

use regex::Regex;

use super::changed_file::ChangedFile;
use super::outcome::{at, judged, one_line};
use super::{Site, side_by_side};
use model::event::{CheckResult, Place};
use source::{Function, Language, Role, SourceFile, is_fixture, is_foreign, is_test};

pub(super) const ID: &str = "staged";

/// Methods by which a language compares.
const EQUALITIES: [&str; 4] = ["__eq__", "eq", "equals", "Equal"];

pattern!(ANYTHING, r"(?i)any|wild|every|ignor|match|stub|fake|dummy|mock|unit|null|empty|placeholder");
pattern!(
    DERIVED,
    r"derive\([^)]*\bPartialEq\b|^\s*(?:def\s+__eq__|@(?:dataclass|define|attr))|\bequals\s*\("
);
pattern!(
    SURE,
    r#"(?x) (?:environ|getenv|Getenv|LookupEnv|\benv|ENV|\bvar(?:_os)?)(?:\.get|\.has)?\W{1,4}(?:PYTEST_(?:CURRENT_TEST|VERSION|XDIST\w*)|JEST_WORKER_ID|VITEST\w*|NODE_TEST_CONTEXT|NEXTEST\w*|RUST_TEST_THREADS)\b
          | ['"](?:PYTEST_\w+|JEST_WORKER_ID|VITEST\w*|NEXTEST\w*)['"]\s+(?:not\s+)?in\s+(?:os\.)?environ
          | ['"](?:_?pytest|unittest)['"]\s*(?:not\s+)?in\s+(?:sys\.)?modules | \bmodules\.get\(\s*['"](?:_?pytest|unittest)['"]
          | \btesting\.Testing\(\) | \bflag\.Lookup\(\s*"test\. | ^\s*(?:return\s+)?(?:\}?\s*else\s+)?if\s+cfg!\(test\)\s*(?:&&[^{]*)?\{"#
);
pattern!(
    LIKELY,
    r#"(?x) \bcfg!\(\s*(?:not\(\s*)?test\b | \bcfg\(\s*not\(\s*test\s*\) | \b(?:NODE|APP|RAILS|RACK|FLASK|GO|APPLICATION)_ENV\b['"\])]*(?:\s*,[^)]*\))?\s*[!=]==?\s*['"](?:test|testing)['"]
          | \benv\.test\? | ['"](?:test|pytest)['"]\s+(?:not\s+)?in\s+sys\.argv | \bimport\.meta\.env\.VITEST\b | os\.Args\[0\].*test
          | \bcurrent\(\)\s*\.name\(\) | \binspect\.(?:stack|currentframe)\( | \bsys\._getframe\( | \bruntime\.Callers?\("#
);
pattern!(TESTS_ITSELF, r"(?i)\b(?:pytest|jest|vitest|nextest|test[ -]runner|under test|test mode)\b");

/// A place that looks like a cheat.
#[derive(Debug, Clone)]
pub(super) struct Suspicion {
    place: Place,
    /// No honest change looks like this: it refuses the work. What is only likely is told to the reviewer.
    sure: bool,
}

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let clean = "no code asks whether it is tested";
    judged(ID, "staged", places(site, true), "code behaves for its tests", clean)
}

/// Returns what is only likely, and is a question.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    places(site, false)
}

fn places(site: &Site<'_>, sure: bool) -> Vec<Place> {
    let found = site.read.staged.get_or_init(|| suspicions(site)).iter();
    let wanted = found.filter(|suspicion| suspicion.sure == sure);
    let mut places: Vec<Place> = wanted.map(|suspicion| suspicion.place.clone()).collect();
    places.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    places.dedup_by(|a, b| (&a.file, a.line, &a.what) == (&b.file, b.line, &b.what));
    places
}

fn suspicions(site: &Site<'_>) -> Vec<Suspicion> {
    let is_asked_for = TESTS_ITSELF.is_match(&site.issue.title) || TESTS_ITSELF.is_match(&site.issue.body);
    let of_file = |file: &ChangedFile<'_>| [runner_seen(file, is_asked_for), always_equal(file)].concat();
    side_by_side::each(&ChangedFile::judged(site), of_file).into_iter().flatten().collect()
}

/// Code that asks whether a test runner runs it. Of a runner's own marks nobody but tests has to know; modes that projects
/// name themselves (`NODE_ENV`, `cfg!(test)`) and code that asks who calls it have honest uses and are only told.
fn runner_seen(file: &ChangedFile<'_>, is_asked_for: bool) -> Vec<Suspicion> {
    let asks = |line: &str| SURE.is_match(line) || LIKELY.is_match(line);
    if Role::of(file.path()) != Role::Product || supports_tests(file.path()) {
        return Vec::new();
    }
    let lines: Vec<(usize, &str)> = file.change.added_lines().filter(|(_, line)| asks(line)).collect();
    let Some(source) = file.now().filter(|_| !lines.is_empty()) else { return Vec::new() };
    let old = file.change.old_text().unwrap_or_default();
    let was_there = |line: &str| old.lines().any(|other| other.trim() == line.trim());
    let asked_before = old.lines().any(|line| SURE.is_match(line));
    let lines = lines.into_iter().filter(|(number, line)| !was_there(line) && is_code(source, *number));
    let may_ask = is_asked_for || asked_before || holds_settings(file.path());
    let suspicion = |(number, line): (usize, &str)| Suspicion {
        place: at(file.path(), number, what(line)),
        sure: SURE.is_match(line) && !may_ask && !is_constant(line),
    };
    lines.map(suspicion).collect()
}

fn what(line: &str) -> String {
    format!("asks whether it is tested: `{}`", one_line(line, 80))
}

/// Tells whether a line has code of the product: it is no comment, and no test beside the code.
fn is_code(file: &SourceFile, line: usize) -> bool {
    let last = |text: &str, first: usize| first + text.trim_end().matches('\n').count();
    let starts = |text: &str| {
        file.text()
            .lines()
            .nth(line - 1)
            .is_some_and(|whole| text.starts_with(whole.trim()) || whole.trim().starts_with(text.trim()))
    };
    let mut comments = file.comments().into_iter();
    let is_comment = comments.any(|comment| {
        comment.line < line && line <= last(comment.text, comment.line)
            || comment.line == line && starts(comment.text)
    });
    let tests_begin = file.text().lines().position(|line| line.trim() == "#[cfg(test)]");
    !is_comment && tests_begin.is_none_or(|mark| line <= mark + 1)
}

/// A limit may be smaller in tests: `const ROUNDS: u32 = if cfg!(test) { 2 } else { 2_000 };`.
fn is_constant(line: &str) -> bool {
    let bare = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
    bare.starts_with("const ") && bare.contains("cfg!") || bare.starts_with("static ")
}

/// Tells whether a path says that it is made for tests, or holds the settings of a tool.
fn supports_tests(path: &str) -> bool {
    const SUPPORT: [&str; 12] = [
        "testing", "spec", "mock", "mocks", "bench", "benches", "conftest", "e2e", "pytest", "jest",
        "vitest", "unittest",
    ];
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let supports = path.split(|c: char| !c.is_alphanumeric()).any(|part| SUPPORT.contains(&part));
    supports || name.contains(".config.") || name.starts_with('.')
}

fn holds_settings(path: &str) -> bool {
    let path = path.to_lowercase();
    path.split(['/', '.', '_', '-']).any(|part| matches!(part, "settings" | "config" | "conf" | "setup"))
}

/// Types whose equality holds whatever they are compared with: every assert about them passes. Stand-ins for "anything" and
/// types without a value of their own are made so on purpose; they are only told.
fn always_equal(file: &ChangedFile<'_>) -> Vec<Suspicion> {
    if is_fixture(file.path()) || is_foreign(file.path()) {
        return Vec::new();
    }
    if !file.change.added_lines().any(|(_, line)| line.contains("rue")) {
        return Vec::new();
    }
    let equal = |side: Option<&SourceFile>| side.map_or_else(Vec::new, equalities);
    let known: Vec<String> = equal(file.before()).into_iter().map(|function| function.name).collect();
    let new = equal(file.now()).into_iter().filter(|function| !known.contains(&function.name));
    new.map(|function| suspicion(file, &function)).collect()
}

/// Returns the equalities of a file that only say yes.
fn equalities(file: &SourceFile) -> Vec<Function> {
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

#[cfg(test)]
mod tests;
