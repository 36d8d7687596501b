//! Knows how reviewers announce something severe, and how they hold the whole back. Whether it is denied is `settled`'s.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::pattern;

/// Words of the worst severity, and what they may stand before.
const WORST: &str = r"(?:critical|blockers?|blocking|show-?stoppers?|must[- ]fix(?:es)?|must be fixed|致命的|重大|修正必須|要修正|ブロッカー|ブロッキング|クリティカル)";
const OF: &str = r"(?:な)?\s?(?:(?:the |open |remaining )?(?:issues?|findings?|problems?|bugs?|defects?|errors?|items?|points?|concerns?|flaws?|vulnerabilit(?:y|ies)|severity|before (?:merge|merging)|this|first|now|問題点?|欠陥|指摘事項|指摘|バグ|不具合|脆弱性|事項|項目)\s?)*";
/// What may stand before a label: list marks, numbers, names of findings, pictures.
const BEFORE: &str = r"^(?:[-*+•]\s+|\d{1,3}[.)]\s+|[\W_]|(?:open|remaining|new|finding|issue|severity|重要度)\s*:?\s+|[A-Z]{1,3}-?\d{1,3}\b)*";

/// Returns what a title says beyond announcing something severe; empty where the text below says it.
pub(super) fn announced(title: &str) -> Option<&str> {
    let title = Some(title).filter(|title| NAMES.is_match(title))?;
    let found = LABEL.captures(title).or_else(|| NAMED.captures(title))?;
    let whole = found.get(0)?;
    let rest = title[whole.end()..].trim_matches(|c: char| !c.is_alphanumeric());
    let alone = found.name("alone").is_some() || rest.is_empty();
    if !alone && found.name("sign").or(found.name("p0")).is_none() {
        return None;
    }
    Some(if alone && is_count(&title[whole.end()..]) { "0" } else { rest })
}

/// Tells whether a text names a severity at all.
pub(super) fn is_named(text: &str) -> bool {
    NAMES.is_match(text)
}

/// Tells whether a line says what the words of severities mean.
pub(super) fn is_legend(line: &str) -> bool {
    LEGEND.is_match(line)
}

/// Returns what a line states as severe.
pub(super) fn stated(line: &str) -> Option<&str> {
    if line.starts_with('|') {
        return row(line);
    }
    if !NAMES.is_match(line) || LEGEND.is_match(line) {
        return None;
    }
    let found = LABEL.captures(line).and_then(|found| found.get(0)).or_else(|| RED.find(line));
    let rest = found.map_or("", |found| line[found.end()..].trim());
    if rest.contains(char::is_alphanumeric) { Some(rest) } else { FIELD.is_match(line).then_some(line) }
}

/// Returns a line whose severities stand in no code: reviewers write them as values.
pub(super) fn unwrapped(line: &str) -> Cow<'_, str> {
    static VALUE: LazyLock<Regex> = LazyLock::new(|| pattern(&format!("`(?P<word>{WORST})`")));
    VALUE.replace_all(line, "$word")
}

/// Returns a row of a table that marks something as severe in a cell of its own, and says something in another.
fn row(line: &str) -> Option<&str> {
    (cells(line).any(|cell| CELL.is_match(cell)) && says_something(line)).then_some(line)
}

/// Tells whether an item says more than how severe something is and how often it was found.
pub(super) fn says_something(item: &str) -> bool {
    let says =
        |cell: &str| cell.contains(char::is_alphabetic) && !CELL.is_match(cell) && !HEAD.is_match(cell);
    if item.starts_with('|') { cells(item).any(says) } else { item.contains(char::is_alphanumeric) }
}

fn cells(row: &str) -> impl Iterator<Item = &str> {
    row.split('|').map(|cell| cell.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Tells whether a line is a title of something milder.
pub(super) fn is_milder(line: &str) -> bool {
    MILDER.is_match(line)
}

fn is_count(rest: &str) -> bool {
    static ZERO: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\W*0\W*$"));
    ZERO.is_match(rest)
}

/// One of these stands in everything that names something severe.
static NAMES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"critical|block|stopper|must|P0|HIGH|[🔴⛔🚫]|致命|重大|必須|要修正|ブロッ|クリティカル")
});

/// A word of the worst severity that begins a line, with the sign behind it that makes it a label.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"{BEFORE}(?:{WORST}{OF}[*_`)\]】\s]*(?P<sign>[:)\]】|]|\.\s|\s[-–—]\s|[*_]{{2}}\s|$)|[\[【](?:P0|HIGH)(?P<p0>[\]】]))[*_`\s]*"
    ))
});

/// A title that names a finding and marks it as severe.
static NAMED: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"^.*[(\[【](?P<alone>{WORST})[)\]】]\W*$")));
/// A field of a finding that says how severe it is.
static FIELD: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"^[\W_]*(?:severity|重要度)[\W_]*[:=][\W_]*{WORST}")));
static RED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[-*+\s]*[🔴⛔🚫]\W*"));
static CELL: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:critical|blocker|blocking|致命的|重大)$"));
static HEAD: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:major|minor|info|count|件数|軽微|中)$"));
static LEGEND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:critical|blocker|重大|致命的)\W.*\b(?:major|minor)\b\**\s*[::(]|(?:重大|致命的).*軽微\**\s*[::]|critical, |non-blocking",
    )
});
static MILDER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[\W_]*(?:major|minor|info|non-blocking|medium|low|suggestions?|nits?|nitpicks?|notes?|nice[- ]to[- ]have|could[- ]fix|should[- ]fix|軽微|改善提案|推奨|提案|中)(?:な)?(?:\s?(?:issues?|findings?|problems?|remarks?|指摘|問題|事項))*[\W\d_]*(?:[::(]|$)",
    )
});
