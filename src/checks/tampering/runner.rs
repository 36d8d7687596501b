//! The settings and hooks of test runners: tests left out, a runner that is not run, outcomes forced, coverage that may be lower.

use std::sync::LazyLock;

use regex::Regex;

use super::{forced, passed_over};
use crate::outcome::{at, file};
use crate::reading::source::{ending, name, without_comments};
use model::change::Change;
use model::event::Place;
use source::is_test;

pattern!(
    NO_RUNNER,
    r#""(?:test|test:\w+|pretest|posttest)"\s*:\s*"\s*(?:exit\s+0|echo\b[^"&|]*|true|:|)\s*(?:(?:&&|;)\s*(?:exit\s+0|true)\s*)?""#
);
pattern!(
    FLOOR,
    r#"(?x) (?:fail_under|fail-under|--cov-fail-under|minimum_coverage|"?(?:branches|functions|lines|statements)"?)\s*[=:\s]\s*(?P<floor>\d+(?:\.\d+)?)"#
);

// Every test gets the mark, or a fixture of every test skips.
pattern!(
    HOOKED,
    r"(?m)^\s*for\s+\w+\s+in\s+items:\s*\n\s+\w+\.add_marker\([^\n]*(?:skip|xfail)|autouse\s*=\s*True[^\n]*\)\s*\n\s*def\s+\w+\([^\n]*\n\s+pytest\.(?:skip|xfail)\("
);

/// Returns what was added to a file so that tests run less or fail less.
pub(super) fn loosened(change: &Change) -> Vec<Place> {
    if matches!(name(&change.path), "sitecustomize.py" | "usercustomize.py") && change.is_new() {
        return vec![file(&change.path, "runs before every test and may change what they say")];
    }
    let settings = is_settings(&change.path);
    let sample =
        change.path.split('/').any(|part| matches!(part, "fixtures" | "testdata" | "helpers" | "scripts"));
    let program = matches!(ending(&change.path), "py" | "js" | "ts" | "mjs" | "cjs" | "go");
    let hooks = is_test(&change.path) && program && !sample;
    if !settings && !hooks {
        return Vec::new();
    }
    let code = change.new_text().map(|text| without_comments(&change.path, text)).unwrap_or_default();
    let lines: Vec<&str> = code.lines().collect();
    let hooked = hooked(change, &code);
    let had_runner = change.old_text().is_some_and(|text| !NO_RUNNER.is_match(text));
    let added = change.added_lines().filter_map(|(line, _)| Some((line, *lines.get(line - 1)?)));
    let found = added.filter_map(|(line, text)| {
        let what = match () {
            () if hooked.contains(&line) => "keeps every test from failing",
            () if settings && had_runner && NO_RUNNER.is_match(text) => "runs no tests",
            () if settings && is_lower(change, text) => "lowers a floor of coverage",
            () => return None,
        };
        Some(at(&change.path, line, what))
    });
    let mut places: Vec<Place> = found.collect();
    places.extend(settings.then(|| passed_over::places(change, &code)).into_iter().flatten());
    places.extend(hooks.then(|| forced::successes(change, &code)).into_iter().flatten());
    places
}

/// Returns the last lines of the hooks of Python that skip every test.
fn hooked(change: &Change, code: &str) -> Vec<usize> {
    if ending(&change.path) != "py" {
        return Vec::new();
    }
    HOOKED.find_iter(code).map(|found| code[..found.end()].matches('\n').count() + 1).collect()
}

fn is_settings(path: &str) -> bool {
    let name = name(path);
    matches!(
        name,
        "package.json"
            | "pytest.ini"
            | "pyproject.toml"
            | "tox.ini"
            | "setup.cfg"
            | "conftest.py"
            | "Cargo.toml"
            | "nextest.toml"
            | ".coveragerc"
            | ".mocharc.json"
            | ".nycrc"
            | ".nycrc.json"
            | "deno.json"
            | "codecov.yml"
    ) || ["jest.config.", "vitest.config.", "playwright.config.", "karma.conf.", "cypress.config."]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Tells whether a line sets a floor that was higher.
fn is_lower(change: &Change, added: &str) -> bool {
    let floor = |text: &str| FLOOR.captures(text).and_then(|found| found["floor"].parse::<f64>().ok());
    let head = |text: &str| text.split(|c: char| c.is_ascii_digit()).next().unwrap_or("").trim().to_owned();
    let Some(now) = floor(added) else { return false };
    change
        .removed_lines()
        .any(|(_, old)| head(old) == head(added) && floor(old).is_some_and(|before| before > now))
}
