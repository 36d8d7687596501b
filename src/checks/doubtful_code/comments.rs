//! New comments that speak to whoever judges the change, and those that silence a checker as a whole. What they say has no
//! weight; the reviewer is told that they are there.

use std::sync::LazyLock;

use regex::Regex;

use crate::changed_file::ChangedFile;
use crate::constant::pattern;
use crate::outcome::at;
use crate::side_by_side;
use model::event::Place;
use source::SourceFile;

static READER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:(?:ai|code|automated)[- ])?(?:reviewers?|graders?|evaluators?|judges?)\b|\b(?:verdict|lgtm)\b|\bASSISTANT\b|\bignore (?:all |any )?(?:previous|prior)\b",
    )
});

const SILENT: &str = "silences a checker without naming a rule. What does it complain about?";

/// No rule is named.
static SILENCES_ALL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) ^/[/*]\s*eslint-disable(?:-next-line|-line)?\s*(?:\*/\s*)?$ | \#\s*type:\s*ignore\s*$ | \#\s*(?:flake8:\s*noqa|ruff:\s*noqa|noqa)\s*$
          | \#\s*mypy:\s*ignore-errors | \#\s*pylint:\s*(?:disable=all|skip-file) | ^/[/*]\s*@ts-(?:ignore|nocheck)\b | //\s*deno-lint-ignore(?:-file)?\s*$
          | \#!?\[\s*allow\(\s*(?:warnings|unused|clippy::all|clippy::pedantic)\b | //\s*nolint\s*$ | ^/[/*]\s*biome-ignore-all | ^/[/*]\s*(?:istanbul|c8|v8)\s+ignore\s+file | \#\s*coverage:\s*ignore-file",
    )
});

pub(super) fn places(files: &[ChangedFile<'_>]) -> Vec<Place> {
    side_by_side::each(files, of_file).into_iter().flatten().collect()
}

fn of_file(file: &ChangedFile<'_>) -> Option<Place> {
    if !file.change.added_lines().any(|(_, line)| READER.is_match(line) || silences(line)) {
        return None;
    }
    let comments = file.added_parts(SourceFile::comments);
    let place = |what: &str, line: usize, text: &str| {
        let shown: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(90).collect();
        at(file.path(), line, format!("`{shown}` {what}"))
    };
    let commented = comments.iter().find_map(|comment| match () {
        () if READER.is_match(comment.text) => Some(place(
            "may speak to whoever reviews the change. Whom is it for?",
            comment.line,
            comment.text,
        )),
        () if silences(comment.text) => Some(place(SILENT, comment.line, comment.text)),
        () => None,
    });
    let attribute = || {
        file.change.added_lines().find(|(_, line)| {
            line.trim_start().starts_with('#') && silences(line.trim()) && line.contains("allow(")
        })
    };
    commented.or_else(|| attribute().map(|(line, text)| place(SILENT, line, text)))
}

fn silences(text: &str) -> bool {
    SILENCES_ALL.is_match(text.trim_end())
}
