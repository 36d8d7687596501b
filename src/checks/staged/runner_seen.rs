//! Code that asks whether a test runner runs it. Of a runner's own marks nobody but tests has to know; modes that projects
//! name themselves (`NODE_ENV`, `cfg!(test)`) have honest uses and are only told.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::Site;
use crate::reading::added::{File, offences};
use crate::reading::language::Language;
use crate::reading::source::name;
use crate::suspicion::Suspicion;
use model::event::Place;

// What most lines hold nothing of.
pattern!(
    SUSPECT,
    r"PYTEST|pytest|unittest|JEST_WORKER|VITEST|NEXTEST|RUST_TEST|cfg!\(|cfg\(\s*not|NODE_ENV|_ENV|\.env\b|testing\.Testing|flag\.Lookup|sys\.argv"
);
pattern!(
    SURE,
    r#"(?x) (?:environ|getenv|Getenv|LookupEnv|\benv|ENV|\bvar(?:_os)?)(?:\.get|\.has)?\W{1,4}(?:PYTEST_(?:CURRENT_TEST|VERSION|XDIST\w*)|JEST_WORKER_ID|VITEST\w*|NEXTEST\w*|RUST_TEST_THREADS)\b
      | ['"](?:PYTEST_\w+|JEST_WORKER_ID|VITEST\w*|NEXTEST\w*)['"]\s+(?:not\s+)?in\s+(?:os\.)?environ
      | ['"](?:_?pytest|unittest)['"]\s*(?:not\s+)?in\s+(?:sys\.)?modules | \bmodules\.get\(\s*['"](?:_?pytest|unittest)['"]
      | \btesting\.Testing\(\) | \bflag\.Lookup\(\s*"test\. | ^\s*(?:return\s+)?(?:\}?\s*else\s+)?if\s+cfg!\(test\)\s*(?:&&[^{]*)?\{"#
);
pattern!(
    LIKELY,
    r#"(?x) \bcfg!\(\s*(?:not\(\s*)?test\b | \bcfg\(\s*not\(\s*test\s*\) | \b(?:NODE|APP|RAILS|RACK|FLASK|GO|APPLICATION)_ENV\b['"\])]*(?:\s*,[^)]*\))?\s*[!=]==?\s*['"](?:test|testing)['"]
      | \benv\.test\? | ['"](?:test|pytest)['"]\s+(?:not\s+)?in\s+sys\.argv | \bimport\.meta\.env\.VITEST\b"#
);
pattern!(TESTS_ITSELF, r"(?i)\b(?:pytest|jest|vitest|nextest|test[ -]runner|under test|test mode)\b");

pub(super) fn suspicions(site: &Site<'_>) -> Vec<Suspicion> {
    let mut sure: BTreeSet<(String, Option<u64>)> = BTreeSet::new();
    let places = offences(site, &SUSPECT, |file, number, line| {
        let found = is_product(file).then(|| asks(file, number, line, site)).flatten()?;
        sure.extend(found.then(|| (file.path.to_owned(), u64::try_from(number).ok())));
        Some(what(line))
    });
    let of = |place: Place| {
        let key = (place.file.clone().unwrap_or_default(), place.line);
        Suspicion { sure: sure.contains(&key), place }
    };
    places.into_iter().map(of).collect()
}

fn what(line: &str) -> String {
    let shown: String = line.trim().chars().take(80).collect();
    format!("asks whether it is tested: `{shown}`")
}

/// Tells whether a line asks, and whether no honest code would; nothing when it does not.
fn asks(file: &File<'_>, number: usize, line: &str, site: &Site<'_>) -> Option<bool> {
    let sure = SURE.is_match(line);
    if !sure && !LIKELY.is_match(line) || file.spelled().code(number).trim().is_empty() {
        return None;
    }
    let known = |text: &str| text.lines().any(|old| SURE.is_match(old));
    let is_news = !file.change.old_text().is_some_and(known);
    let open_threads = TESTS_ITSELF.is_match(&site.issue.title) || TESTS_ITSELF.is_match(&site.issue.body);
    let named = is_constant(line);
    Some(sure && is_news && !open_threads && !named && !holds_settings(file.path))
}

/// A limit may be smaller in tests: `const ROUNDS: u32 = if cfg!(test) { 2 } else { 2_000 };`.
fn is_constant(line: &str) -> bool {
    let bare = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
    bare.starts_with("const ") && bare.contains("cfg!") || bare.starts_with("static ")
}

/// Code that is shipped: not tests, what supports them, or the settings of tools.
fn is_product(file: &File<'_>) -> bool {
    const SUPPORT: [&str; 17] = [
        "test", "tests", "testing", "spec", "specs", "mock", "mocks", "fixture", "fixtures", "bench",
        "benches", "conftest", "e2e", "pytest", "jest", "vitest", "unittest",
    ];
    let path = file.path.to_lowercase();
    let supports = path.split(|c: char| !c.is_alphanumeric()).any(|part| SUPPORT.contains(&part));
    let tool = name(&path).contains(".config.") || name(&path).starts_with('.');
    file.language.is_code() && file.language != Language::Unknown && !file.is_test() && !supports && !tool
}

fn holds_settings(path: &str) -> bool {
    let path = path.to_lowercase();
    path.split(['/', '.', '_', '-']).any(|part| matches!(part, "settings" | "config" | "conf" | "setup"))
}
