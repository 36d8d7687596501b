//! Linters and type checkers that were silenced. In product code that is told to the reviewer, who sees the code beside it. In
//! tests and in the settings of tools what names no rule, or a whole file, is refused.

use std::sync::LazyLock;

use regex::Regex;

use crate::outcome::at;
use crate::reading::added::File;
use crate::reading::source::{ending, name};
use crate::suspicion::Suspicion;
use model::change::Change;
use model::event::Place;
use source::{is_fixture, is_test};

static SILENCED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x) /[/*]\s*eslint-disable(?:-next-line|-line)?\s*(?:\*/\s*)?$ | \#\s*type:\s*ignore\s*$ | \#\s*(?:flake8:\s*noqa|ruff:\s*noqa|noqa)\s*$
          | \#\s*mypy:\s*ignore-errors | \#\s*pylint:\s*(?:disable=all|skip-file) | /[/*]\s*@ts-(?:ignore|nocheck)\b | //\s*deno-lint-ignore(?:-file)?\s*$
          | \#!?\[\s*allow\(\s*(?:warnings|unused|clippy::all|clippy::pedantic)\s*[,)] | //\s*nolint\s*$ | @SuppressWarnings\(\s*\x22all\x22
          | /[/*]\s*biome-ignore-all | \#\s*rubocop:disable\s+all | /[/*]\s*(?:istanbul|c8|v8)\s+ignore\s+file | \#\s*coverage:\s*ignore-file",
    )
    .expect("a constant")
});

/// What silences one rule, or more with an end.
static RULE_SILENCED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x) /[/*]\s*eslint-disable | \#\s*(?:type|pyright):\s*ignore | \#\s*(?:(?:flake8|ruff):\s*)?noqa\b | \#\s*pylint:\s*disable | /[/*]\s*@ts-expect-error\b
          | //\s*deno-lint-ignore | \#!?\[\s*allow\( | //\s*nolint\b | @SuppressWarnings\( | /[/*]\s*biome-ignore | \#\s*rubocop:disable
          | /[/*]\s*(?:istanbul|c8|v8)\s+ignore | \#\s*pragma:\s*no\s+cover",
    )
    .expect("a constant")
});

/// What may follow a test or a lint so that nobody sees it fail.
static IGNORED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x) \b(?:test|tests|pytest|jest|vitest|lint|clippy|eslint|ruff|mypy|tsc|check|nextest)\b[^\#]*(?:\|\|\s*(?:true|:|exit\s+0|echo)|;\s*(?:true|exit\s+0)\s*[\x22']?,?$)
          | ^\s*continue-on-error:\s*true | ^\s*allow_failure:\s*true | ^\t-\S.*\b(?:test|lint|check)\b | ^\t-\s*(?:pytest|jest|vitest|mocha|tox|clippy)\b",
    )
    .expect("a constant")
});

const NAMES_NO_RULE: &str = "silences a checker without naming a rule";

/// Returns the added lines of product code that silence something: what the code needs is the reviewer's to say.
pub(super) fn suspicions(change: &Change) -> Vec<Suspicion> {
    if !is_code(&change.path) {
        return Vec::new();
    }
    let file = File::of(change);
    let lines = change.added_lines().filter_map(|(line, text)| {
        let what = match () {
            () if silences_all(text) => NAMES_NO_RULE,
            () if silences_a_rule(text) => "silences a rule of a checker",
            () => return None,
        };
        let is_told = is_product(change, file.as_ref(), line);
        is_told.then(|| Suspicion { place: at(&change.path, line, what), sure: false })
    });
    lines.collect()
}

fn silences_all(text: &str) -> bool {
    text.len() < 400 && may_silence(text) && SILENCED.is_match(text.trim_end())
}

fn silences_a_rule(text: &str) -> bool {
    text.len() < 400 && may_silence(text) && RULE_SILENCED.is_match(text)
}

/// Tells whether a line stands in code that is shipped: not in tests, and not in the settings of a tool.
fn is_product(change: &Change, file: Option<&File<'_>>, line: usize) -> bool {
    let path = change.path.as_str();
    let is_setting = name(path).starts_with('.') || name(path).contains(".config.");
    let in_tests = ending(path) == "rs" && file.is_some_and(|file| file.is_below_tests_mark(line));
    !is_test(path) && !is_fixture(path) && !is_setting && !in_tests
}

/// Returns the added lines of a file that silence something as a whole, where no product needs it, or let a failure pass.
pub(super) fn silenced(change: &Change) -> Vec<Place> {
    let (code, script) = (is_code(&change.path), is_script(&change.path));
    if !code && !script {
        return unread(change);
    }
    let file = File::of(change);
    let lines = change.added_lines().filter_map(|(line, text)| {
        if code && silences_all(text) && !is_product(change, file.as_ref(), line) {
            return Some(at(&change.path, line, NAMES_NO_RULE));
        }
        (script && IGNORED.is_match(text)).then(|| at(&change.path, line, "lets a failure pass"))
    });
    lines.chain(unread(change)).collect()
}

/// Returns the lines with which a checker passes over everything, or is no longer strict.
fn unread(change: &Change) -> Vec<Place> {
    let file = name(&change.path);
    let list = matches!(file, ".eslintignore" | ".prettierignore" | ".stylelintignore");
    let all = |text: &str| {
        list && matches!(text.trim(), "**" | "*" | "**/*" | "." | "/" | "src" | "src/" | "src/**")
    };
    let strict = |text: &str, value: &str| {
        let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        bare.trim_end_matches(',') == format!("\"strict\":{value}")
    };
    let was_strict = file.starts_with("tsconfig")
        && change.removed_lines().any(|(_, text)| strict(text, "true"))
        && !change.added_lines().any(|(_, text)| strict(text, "true"));
    let added = change.added_lines().filter_map(|(line, text)| match () {
        () if all(text) => Some(at(&change.path, line, "lets a checker pass over everything")),
        () if was_strict && strict(text, "false") => Some(at(&change.path, line, "is no longer strict")),
        () => None,
    });
    added.collect()
}

/// Most lines hold none of these words.
fn may_silence(line: &str) -> bool {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("ignore|disable|noqa|nolint|allow|skip-file|nocheck|expect-error|no cover|Suppress")
            .expect("a constant")
    });
    WORDS.is_match(line)
}

fn is_code(path: &str) -> bool {
    matches!(
        ending(path),
        "rs" | "py"
            | "pyi"
            | "js"
            | "jsx"
            | "mjs"
            | "cjs"
            | "ts"
            | "tsx"
            | "mts"
            | "cts"
            | "go"
            | "java"
            | "kt"
            | "rb"
            | "vue"
            | "svelte"
    )
}

fn is_script(path: &str) -> bool {
    matches!(ending(path), "sh" | "bash" | "yml" | "yaml" | "mk" | "toml" | "json" | "ini" | "cfg")
        || matches!(name(path), "Makefile" | "justfile" | "Justfile" | "Dockerfile")
}
