//! Linters and type checkers that were silenced. What names no rule, or a whole file, is refused; what names its rule in its line
//! is left to the reviewer.

use std::sync::LazyLock;

use regex::Regex;

use crate::change::Change;
use crate::check::outcome::at;
use crate::check::reading::source::{ending, name};
use crate::event::Place;

static SILENCED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x) /[/*]\s*eslint-disable(?:-next-line|-line)?\s*(?:\*/\s*)?$ | \#\s*type:\s*ignore\s*$ | \#\s*(?:flake8:\s*noqa|ruff:\s*noqa|noqa)\s*$
          | \#\s*mypy:\s*ignore-errors | \#\s*pylint:\s*(?:disable=all|skip-file) | /[/*]\s*@ts-(?:ignore|nocheck)\b | //\s*deno-lint-ignore(?:-file)?\s*$
          | \#!?\[\s*allow\(\s*(?:warnings|unused|clippy::all|clippy::pedantic)\s*[,)] | //\s*nolint\s*$ | @SuppressWarnings\(\s*\x22all\x22
          | /[/*]\s*biome-ignore-all | \#\s*rubocop:disable\s+all | /[/*]\s*(?:istanbul|c8|v8)\s+ignore\s+file | \#\s*coverage:\s*ignore-file",
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

/// Returns the added lines of a file that silence something as a whole.
pub(super) fn silenced(change: &Change) -> Vec<Place> {
    let (code, script) = (is_code(&change.path), is_script(&change.path));
    if !code && !script {
        return unread(change);
    }
    let lines = change.added_lines().filter_map(|(line, text)| {
        if code && text.len() < 400 && may_silence(text) && SILENCED.is_match(text.trim_end()) {
            return Some(at(&change.path, line, "silences a checker without naming a rule"));
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
        Regex::new("ignore|disable|noqa|nolint|allow|skip-file|nocheck|Suppress").expect("a constant")
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
