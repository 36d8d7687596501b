//! Code that asks whether a test runner runs it. Of a runner's own marks nobody but tests has to know; modes that projects
//! name themselves (`NODE_ENV`, `cfg!(test)`) and code that asks who calls it have honest uses and are only told.

use std::sync::LazyLock;

use regex::Regex;

use crate::Site;
use crate::changed_file::ChangedFile;
use crate::outcome::at;
use crate::side_by_side;
use crate::suspicion::Suspicion;
use source::{Role, SourceFile};

static SURE: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r#"(?x) (?:environ|getenv|Getenv|LookupEnv|\benv|ENV|\bvar(?:_os)?)(?:\.get|\.has)?\W{1,4}(?:PYTEST_(?:CURRENT_TEST|VERSION|XDIST\w*)|JEST_WORKER_ID|VITEST\w*|NODE_TEST_CONTEXT|NEXTEST\w*|RUST_TEST_THREADS)\b
          | ['"](?:PYTEST_\w+|JEST_WORKER_ID|VITEST\w*|NEXTEST\w*)['"]\s+(?:not\s+)?in\s+(?:os\.)?environ
          | ['"](?:_?pytest|unittest)['"]\s*(?:not\s+)?in\s+(?:sys\.)?modules | \bmodules\.get\(\s*['"](?:_?pytest|unittest)['"]
          | \btesting\.Testing\(\) | \bflag\.Lookup\(\s*"test\. | ^\s*(?:return\s+)?(?:\}?\s*else\s+)?if\s+cfg!\(test\)\s*(?:&&[^{]*)?\{"#,
    )
});
static LIKELY: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r#"(?x) \bcfg!\(\s*(?:not\(\s*)?test\b | \bcfg\(\s*not\(\s*test\s*\) | \b(?:NODE|APP|RAILS|RACK|FLASK|GO|APPLICATION)_ENV\b['"\])]*(?:\s*,[^)]*\))?\s*[!=]==?\s*['"](?:test|testing)['"]
          | \benv\.test\? | ['"](?:test|pytest)['"]\s+(?:not\s+)?in\s+sys\.argv | \bimport\.meta\.env\.VITEST\b | os\.Args\[0\].*test
          | \bcurrent\(\)\s*\.name\(\) | \binspect\.(?:stack|currentframe)\( | \bsys\._getframe\( | \bruntime\.Callers?\("#,
    )
});
static TESTS_ITSELF: LazyLock<Regex> =
    LazyLock::new(|| constant(r"(?i)\b(?:pytest|jest|vitest|nextest|test[ -]runner|under test|test mode)\b"));

fn constant(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}

pub(super) fn suspicions(files: &[ChangedFile<'_>], site: &Site<'_>) -> Vec<Suspicion> {
    let is_asked_for = TESTS_ITSELF.is_match(&site.issue.title) || TESTS_ITSELF.is_match(&site.issue.body);
    let of_file = |file: &ChangedFile<'_>| of_file(file, is_asked_for);
    side_by_side::each(files, of_file).into_iter().flatten().collect()
}

fn of_file(file: &ChangedFile<'_>, is_asked_for: bool) -> Vec<Suspicion> {
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
    let shown: String = line.trim().chars().take(80).collect();
    format!("asks whether it is tested: `{shown}`")
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
