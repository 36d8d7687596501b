//! Knows how reviewers announce something severe, and how they say that it is not there: denied, repaired, told of an earlier
//! round, or only a word that is explained. When in doubt it is there: then the reviewer is asked.

use std::borrow::Cow;

use regex::Captures;

use super::lexicon::pattern;
use super::text::head;
use model::finding::Severity;

/// Returns what a title says beyond announcing something severe; empty where the text below says it.
pub(super) fn announced(title: &str) -> Option<&str> {
    if !pattern("severity.names").is_match(title) {
        return None;
    }
    let found =
        pattern("severity.label").captures(title).or_else(|| pattern("severity.named").captures(title))?;
    let behind = &title[found.get(0)?.end()..];
    let rest = behind.trim_matches(|c: char| !c.is_alphanumeric());
    Some(if pattern("severity.zero").is_match(behind) { "0" } else { rest })
}

/// Returns how severe an item such as `1. [CRITICAL] src/a.rs:3 …` is, where that is not settled.
pub(super) fn item(line: &str) -> Option<&str> {
    let found = pattern("severity.marked_item").captures(head(line, 2_000).trim_end())?;
    if is_settled(&found["rest"]) { None } else { Some(found.name("word")?.as_str()) }
}

/// Returns what a line states as severe. A row of a table marks it in a cell of its own, and says something in another.
pub(super) fn stated(line: &str) -> Option<&str> {
    if field(line) == Some(Severity::Critical) {
        return Some(line);
    }
    graded(line)
        .filter(|(severity, words)| *severity == Severity::Critical && words.contains(char::is_alphanumeric))
        .map(|(_, words)| words)
}

/// Returns the severity with which a line is marked, and what it says besides: all of a row of a table.
pub(super) fn graded(line: &str) -> Option<(Severity, &str)> {
    if line.starts_with('|') {
        let found = cells(line).find_map(|cell| pattern("severity.graded_cell").captures(cell))?;
        return if says_something(line) { Some((grade(&found), line)) } else { None };
    }
    if pattern("severity.legend").is_match(line) {
        return None;
    }
    if let Some(found) = pattern("severity.graded").captures(line) {
        return Some((grade(&found), &line[found.get(0)?.end()..]));
    }
    let found = pattern("severity.graded_behind").captures(line)?;
    Some((grade(&found), found.name("words")?.as_str()))
}

/// Returns the severity that a line holds as a field of a finding.
pub(super) fn field(line: &str) -> Option<Severity> {
    pattern("severity.graded_field").captures(line).map(|found| grade(&found))
}

/// Returns the severity that is all that a cell says.
pub(super) fn of_cell(cell: &str) -> Option<Severity> {
    pattern("severity.row").captures(cell).map(|found| grade(&found))
}

fn grade(found: &Captures) -> Severity {
    let words = [("major", Severity::Major), ("minor", Severity::Minor), ("info", Severity::Info)];
    let named = words.into_iter().find(|(name, _)| found.name(name).is_some());
    named.map_or(Severity::Critical, |(_, severity)| severity)
}

/// Returns a line whose severities stand in no code: reviewers write them as values.
pub(super) fn unwrapped(line: &str) -> Cow<'_, str> {
    pattern("severity.value").replace_all(line, "$word")
}

/// Tells whether an item says more than how severe something is and how often it was found.
pub(super) fn says_something(item: &str) -> bool {
    let says = |cell: &str| {
        cell.contains(char::is_alphabetic)
            && of_cell(cell).is_none()
            && !pattern("severity.head").is_match(cell)
    };
    if item.starts_with('|') { cells(item).any(says) } else { item.contains(char::is_alphanumeric) }
}

fn cells(row: &str) -> impl Iterator<Item = &str> {
    row.split('|').map(|cell| cell.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Tells whether the title of a section says that what stands below is no problem of now.
pub(super) fn is_excused(title: &str) -> bool {
    pattern("severity.earlier").is_match(title) || pattern("severity.explains").is_match(title)
}

/// Tells whether what is stated as severe is denied, repaired or explained.
pub(super) fn is_settled(statement: &str) -> bool {
    if is_none(statement)
        || pattern("severity.explains_word").is_match(statement)
        || statement.trim_end().ends_with('?')
    {
        return true;
    }
    if pattern("severity.still").is_match(statement) {
        return false;
    }
    pattern("severity.settled").is_match(statement)
        || (pattern("severity.praised").is_match(statement) && !pattern("severity.amiss").is_match(statement))
}

/// Tells whether a section holds nothing that is a problem now: one of its items says so of all, or each of itself.
pub(super) fn is_settled_section(text: &str) -> bool {
    let items = items(text);
    let says_something = |item: &&String| says_something(item);
    pattern("severity.all_gone").is_match(text)
        || items.iter().any(|item| is_none(item))
        || items.iter().filter(says_something).all(|item| is_settled(item))
}

fn is_none(statement: &str) -> bool {
    pattern("severity.none").is_match(statement) || pattern("severity.none_japanese").is_match(statement)
}

/// Returns the items and paragraphs of a section, without the head of a table.
fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines().map(str::trim) {
        match items.last_mut() {
            Some(_) if is_below_head(line) => drop(items.pop()),
            _ if line.is_empty() => {}
            Some(last) if goes_on && !pattern("severity.item").is_match(line) => last.extend([" ", line]),
            _ => items.push(line.to_owned()),
        }
        goes_on = !line.is_empty() && !line.starts_with('|');
    }
    items
}

/// Returns the lines of a review without those below a heading that tells of an earlier round or explains words.
pub(super) fn current_lines<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut excused = None;
    let is_current = |line: &&str| {
        let depth = depth(line);
        if depth > 0 && excused.is_none_or(|above| depth <= above) {
            excused = is_excused(line).then_some(depth);
        }
        excused.is_none()
    };
    lines.filter(is_current).collect()
}

/// Returns the depth of a heading; 0 for another line.
fn depth(line: &str) -> usize {
    let line = line.trim();
    let title = line.trim_start_matches('#');
    if title.is_empty() || title.starts_with(' ') { line.len() - title.len() } else { 0 }
}

/// Tells whether a line stands between the head of a table and its rows.
fn is_below_head(line: &str) -> bool {
    line.starts_with('|') && !line.contains(char::is_alphanumeric) && line.contains('-')
}
