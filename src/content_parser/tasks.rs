//! Reads what an answer lists in Markdown: the tasks that an evaluation leaves, the suggestions of a review.
//! Does not decide whether they count. What is quoted is no task.

use super::markdown::{self, Quoted};
use super::text::{clipped, folded, head};
use model::event::RemainingTask;

/// More remaining tasks than this are not kept.
const MOST_REMAINING: usize = 200;
/// A line longer than this, in bytes, is cut.
const LONGEST_LINE: usize = 4_000;
const TITLES_OF_REMAINING: &str = "remaining tasks|remaining issues|remaining work|open issues|follow-up tasks|残タスク|残課題|残作業|残りのタスク";

/// Returns the tasks that an evaluation lists below a title such as `## Remaining tasks`, up to the next heading.
pub(super) fn remaining(text: &str) -> Vec<RemainingTask> {
    let quoted = Quoted::new(text);
    let mut tasks = Vec::new();
    let mut below = false;
    for line in quoted.own_lines() {
        let line = head(line, LONGEST_LINE);
        if is_title_of_remaining(line) {
            below = true;
        } else if line.trim_start().starts_with('#') {
            below = false;
        } else if below && tasks.len() < MOST_REMAINING {
            tasks.extend(remaining_task(line));
        }
    }
    tasks
}

/// Tells whether a line is a heading or a bold label with one of the titles, and a number at most.
fn is_title_of_remaining(line: &str) -> bool {
    let folded = folded(line);
    let marked = folded.trim_start().starts_with(['#', '*']) || folded.trim_end().ends_with(':');
    let bare =
        folded.trim_matches(|c: char| c.is_whitespace() || "#*_:.()".contains(c) || c.is_ascii_digit());
    marked && TITLES_OF_REMAINING.split('|').any(|title| title == bare.to_lowercase())
}

/// Reads an item that is still to be done.
fn remaining_task(line: &str) -> Option<RemainingTask> {
    let item = markdown::item(line)?;
    let item = item.strip_prefix("[ ]").unwrap_or(item).trim();
    let is_done = item.starts_with("[x]") || item.starts_with("[X]");
    let bare = item.trim_end_matches(['.', '。']).to_lowercase();
    if is_done || ["", "none", "なし", "特になし", "n/a", "-"].contains(&bare.as_str()) {
        return None;
    }
    let task = clipped(item, 500).to_owned();
    Some(RemainingTask { task, phase: String::new(), priority: String::new() })
}

/// More suggestions than this are not kept.
const MOST_SUGGESTIONS: usize = 30;

/// A plain line that introduces suggestions is no longer, in bytes.
const LONGEST_INTRODUCTION: usize = 80;

/// Returns the items under headings about suggestions, each once. Best effort: they are shown and handed on, nothing is decided by
/// them.
pub(super) fn suggestions(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    // Below a title, and whether that is a plain line, which the next one ends.
    let (mut below, mut is_plain) = (false, true);
    // Reviews are short; a flood is not worth reading for something nothing depends on.
    for line in head(text, 1 << 20).lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(title) = heading(line) {
            (below, is_plain) = (is_about_suggestions(title), false);
        } else if let Some(item) = markdown::item(line) {
            let item = clipped(item.trim_start_matches("[ ] ").trim_start_matches("[x] "), 500);
            if below && !item.is_empty() && !found.iter().any(|known| known == item) {
                found.push(item.to_owned());
            }
        } else if line.len() <= LONGEST_INTRODUCTION && line.ends_with([':', '：']) {
            let is_about = is_about_suggestions(line);
            (below, is_plain) = (is_about || (below && !is_plain), is_plain || (is_about && !below));
        }
        if found.len() == MOST_SUGGESTIONS {
            break;
        }
    }
    found
}

fn is_about_suggestions(title: &str) -> bool {
    let title = title.to_lowercase();
    ["提案", "suggestion", "recommendation", "improvement", "改善点"].iter().any(|word| title.contains(word))
}

/// Returns the words of a heading, or of a line that is bold as a whole.
fn heading(line: &str) -> Option<&str> {
    if line.starts_with('#') {
        return Some(line.trim_start_matches('#'));
    }
    line.strip_prefix("**").filter(|rest| rest.trim_end_matches([':', '：']).ends_with("**"))
}

#[cfg(test)]
mod tests;
