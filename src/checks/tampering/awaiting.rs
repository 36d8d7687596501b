//! Tests of Python that are coroutines and that no runner awaits: they are collected, never run, and count as passed. Sure where
//! one was none before and nothing is there that may run it; a new one, or a decorator or base class of its own, is only told.

use std::sync::LazyLock;

use regex::Regex;

use super::cases::Case;
use super::doubts::Pair;
use crate::Site;
use crate::outcome::at;
use crate::reading::source::ending;
use crate::suspicion::Suspicion;
use model::change::Change;

pattern!(COROUTINE, r"(?m)^\s*async\s+def\s+test");
pattern!(MARKED, r"asyncio|anyio|trio|gen_test|curio|twisted|inlineCallbacks|run_loop|event_loop|async_test");
// What runs every coroutine of a file or of a project.
pattern!(
    FILE_RUNS_ALL,
    r"(?m)^pytestmark\b[^\n\[]*(?:\[[^\]]*)?(?:asyncio|anyio|trio)|IsolatedAsyncio|AsyncTestCase|AioHTTPTestCase|django|tornado|^\s*@pytest\.mark\.(?:asyncio|anyio|trio)[^\n]*\n(?:\s*@[^\n]*\n)*\s*class\s"
);
pattern!(
    PROJECT_RUNS_ALL,
    r#"asyncio_mode\s*=\s*['"]?auto|asyncio-mode[= ]auto|anyio_mode\s*=\s*['"]?auto|trio_mode\s*=\s*['"]?true|pytest_pyfunc_call|pytest_collection_modifyitems|pytest[_-](?:aiohttp|tornas|sanic|async\b)"#
);

pattern!(DECORATED, r"^\s*@\w");
pattern!(
    RUNS_NOTHING,
    r"^\s*@(?:pytest\.|(?:unittest\.)?mock\.|patch|unittest\.|skip|staticmethod|classmethod|given|settings|override)"
);

pub(super) fn may_apply(change: &Change) -> bool {
    let touched = |line: &str| line.contains("async def") || MARKED.is_match(line);
    ending(&change.path) == "py"
        && (change.added_lines().any(|(_, line)| touched(line))
            || change.removed_lines().any(|(_, line)| touched(line)))
}

pub(super) fn suspicion(pair: &Pair<'_>, site: &Site<'_>) -> Option<Suspicion> {
    let worked = !waits(&pair.old.text);
    if !worked
        || !waits(&pair.new.text)
        || FILE_RUNS_ALL.is_match(pair.new_file)
        || runs_all(&pair.new.path, site)
    {
        return None;
    }
    let what = format!("nobody awaits the test `{}`", pair.new.name);
    let place = at(&pair.new.path, pair.new.line, what);
    Some(Suspicion { place, sure: !may_be_run(pair.new, pair.new_file) })
}

/// Tells whether a file got a coroutine that is a new test.
pub(super) fn has_new(change: &Change) -> bool {
    ending(&change.path) == "py" && change.added_lines().any(|(_, line)| line.contains("async def test"))
}

/// Returns the new tests that perhaps nobody awaits. The code has no comments.
pub(super) fn new_ones(known: &[Case], now: &[Case], code: &str, site: &Site<'_>) -> Vec<Suspicion> {
    let is_new = |case: &&Case| !known.iter().any(|old| old.name == case.name);
    let waiting: Vec<&Case> =
        now.iter().filter(is_new).filter(|case| waits(&case.text) && !may_be_run(case, code)).collect();
    if waiting.is_empty() || FILE_RUNS_ALL.is_match(code) || runs_all(&waiting[0].path, site) {
        return Vec::new();
    }
    let told = |case: &Case| {
        let place = at(&case.path, case.line, format!("nobody may await the test `{}`", case.name));
        Suspicion { place, sure: false }
    };
    waiting.into_iter().map(told).collect()
}

/// Tells whether a decorator or a base class that is not a usual one may run a coroutine.
fn may_be_run(case: &Case, code: &str) -> bool {
    let decorated = case.text.lines().any(|line| DECORATED.is_match(line) && !RUNS_NOTHING.is_match(line));
    decorated
        || base_classes(case, code).is_some_and(|bases| bases.iter().any(|base| !runs_no_coroutine(base)))
}

/// Returns the base classes of the class around a test.
fn base_classes<'t>(case: &Case, code: &'t str) -> Option<Vec<&'t str>> {
    let lines: Vec<&str> = code.lines().take(case.line).collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let own = lines.last().map(|line| depth(line))?;
    let head = lines.iter().rev().find(|line| !line.trim().is_empty() && depth(line) < own)?;
    let bases = head.trim_start().strip_prefix("class ")?.split_once('(')?.1.split(')').next()?;
    Some(bases.split(',').map(str::trim).filter(|base| !base.is_empty()).collect())
}

fn runs_no_coroutine(base: &str) -> bool {
    matches!(base.rsplit('.').next().unwrap_or(base), "TestCase" | "object" | "ABC")
}

/// Tells a coroutine without a decorator and without a fixture that runs it.
fn waits(text: &str) -> bool {
    let head = |line: &&str| line.trim_start().starts_with('@') || COROUTINE.is_match(line);
    COROUTINE.is_match(text) && !text.lines().filter(head).any(|line| MARKED.is_match(line))
}

/// Tells whether the project's settings run coroutines without a mark.
fn runs_all(path: &str, site: &Site<'_>) -> bool {
    const SETTINGS: [&str; 8] = [
        "pyproject.toml",
        "pytest.ini",
        ".pytest.ini",
        "tox.ini",
        "setup.cfg",
        "conftest.py",
        "requirements.txt",
        "requirements-dev.txt",
    ];
    let mut folders = path.split('/').scan(String::new(), |folder, part| {
        let here = folder.clone();
        folder.push_str(part);
        folder.push('/');
        Some(here)
    });
    folders.any(|folder| {
        SETTINGS.iter().any(|name| {
            let text = git::regular_file::read_text(&site.worktree.join(format!("{folder}{name}")));
            text.is_ok_and(|text| PROJECT_RUNS_ALL.is_match(&text))
        })
    })
}
