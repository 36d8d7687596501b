//! Findings, tasks, check results and other lists as plain text, to be put into a block.

use std::collections::BTreeSet;

use serde_json::Value;

use super::fence::{Keep, cut, line};
use super::input::{NamedFinding, Task};
use model::event::{CheckResult, CheckStatus, Place};
use model::finding::{Finding, Severity, worst_first};
use model::policy::criterion;

/// More findings or tasks than this help no reader; the rest is counted.
const MOST_FINDINGS: usize = 60;
/// The longest parameter of several lines.
const LONGEST_PARAM: Keep = Keep::End(4 * 1024);
/// More elements of one parameter than this are counted.
const MOST_ITEMS: usize = 20;

/// Returns the findings, worst first.
pub(super) fn findings(findings: &[Finding]) -> String {
    let sorted = worst_first(findings);
    let first = sorted.iter().take(MOST_FINDINGS).enumerate();
    let lines = first.map(|(index, it)| entry(&format!("{}.", index + 1), it)).collect();
    with_rest(lines, sorted.len()).join("\n")
}

/// Returns one finding behind its number or id.
fn entry(label: &str, finding: &Finding) -> String {
    let mut head = vec![finding.severity.as_str().to_owned()];
    head.extend(located(finding.file.as_deref(), finding.line));
    let category = line(&finding.category);
    if !category.is_empty() {
        head.push(category);
    }
    let suggestion = finding.suggestion.as_deref().map(|text| format!("\n   Suggestion: {}", indented(text)));
    format!("{label} {}\n   {}{}", head.join(", "), indented(&finding.issue), suggestion.unwrap_or_default())
}

/// Returns a place as `file:line` or `file`; nothing without a file.
fn located(file: Option<&str>, number: Option<u64>) -> Option<String> {
    let file = line(file?);
    Some(number.map_or_else(|| file.clone(), |number| format!("{file}:{number}")))
}

/// A result, and the names of its parameters that stand elsewhere in the prompt.
pub(super) struct CheckEntry<'a> {
    pub(super) result: &'a CheckResult,
    pub(super) elsewhere: Vec<String>,
}

impl<'a> CheckEntry<'a> {
    /// Makes an entry with all parameters.
    pub(super) fn whole(result: &'a CheckResult) -> Self {
        Self { result, elsewhere: Vec::new() }
    }
}

/// Returns what checks saw: of each its status, its line, its places, what the failure is about and the evidence. Without places
/// only what stands nowhere else. All of them share the space, in bytes, so that a long one does not push others out.
pub(super) fn checks(entries: &[CheckEntry<'_>], with_places: bool, space: usize) -> String {
    let space = space / entries.len().max(1);
    let each = entries.iter().filter_map(|entry| check(entry, with_places, space));
    each.collect::<Vec<_>>().join("\n")
}

fn check(entry: &CheckEntry<'_>, with_places: bool, space: usize) -> Option<String> {
    let result = entry.result;
    let evidence = lines_beside(&result.evidence, &result.places);
    let mut details: Vec<String> = Vec::new();
    if with_places {
        let places = result.places.iter().filter(|place| !is_instructed(place, result));
        details.extend(places.map(|place| place_of(result, place)));
    }
    for (name, value) in &result.params {
        let of_places = OF_PLACES.contains(&name.as_str()) && !result.places.is_empty();
        let is_elsewhere = entry.elsewhere.contains(name) || ELSEWHERE.contains(&name.as_str());
        let text = value_text(value);
        let is_new = !text.trim().is_empty() && !evidence.contains(text.trim());
        if is_new && !of_places && !is_elsewhere {
            details.push(format!("{}: {}", line(name), param(value)));
        }
    }
    let evidence = indented(&cut(&evidence, Keep::End(space)));
    if !evidence.is_empty() {
        details.push(evidence);
    }
    if details.is_empty() && !with_places && !result.places.is_empty() {
        return None;
    }
    let criterion = criterion(&result.check).map(|criterion| format!(" ({criterion})")).unwrap_or_default();
    let head =
        format!("- {}{criterion}: {}: {}", line(&result.check), status(result.status), line(&result.summary));
    details.insert(0, head);
    Some(details.join("\n   "))
}

/// Parameters that stand with every check by themselves, and those that are there for programs alone.
const ELSEWHERE: [&str; 7] =
    ["instructions", "count", "code", "passed", "criteriaResults", "failed_criteria", "structured_reasons"];
/// Parameters that say what the places say.
const OF_PLACES: [&str; 4] = ["relatedFiles", "failedTests", "paths", "violations"];

/// Tells whether the instructions of a check, which stand below, hold what a place says.
fn is_instructed(place: &Place, result: &CheckResult) -> bool {
    let evidence = place.what.split_once(": ").map_or(place.what.as_str(), |(_, evidence)| evidence);
    result.param("instructions").is_some_and(|below| !evidence.is_empty() && below.contains(evidence))
}

fn param(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let each = items.iter().take(MOST_ITEMS).map(|item| line(&value_text(item))).collect();
            with_rest(each, items.len()).join(", ")
        }
        Value::String(text) if text.trim().contains('\n') => {
            format!("\n   {}", indented(&cut(text.trim(), LONGEST_PARAM)))
        }
        other => line(&value_text(other)),
    }
}

fn place_of(result: &CheckResult, it: &Place) -> String {
    let text = place(it);
    if is_of_a_command(result, it) { text.strip_prefix("answer: ").unwrap_or(&text).to_owned() } else { text }
}

/// Tells whether a place without a file is something that a command named, and not the author's answer.
pub(super) fn is_of_a_command(result: &CheckResult, place: &Place) -> bool {
    place.file.is_none() && result.params.contains_key("command")
}

fn place(place: &Place) -> String {
    let suggestion = place.suggestion.as_deref().map(|text| format!(". Suggestion: {}", line(text)));
    format!("{}{}", at(place), suggestion.unwrap_or_default())
}

fn at(place: &Place) -> String {
    let at = located(place.file.as_deref(), place.line).unwrap_or_else(|| "answer".to_owned());
    format!("{at}: {}", line(&place.what))
}

/// Returns the lines that name no place of the list.
fn lines_beside(evidence: &str, places: &[Place]) -> String {
    let known: BTreeSet<String> = places.iter().map(at).collect();
    evidence.lines().filter(|text| !known.contains(&line(text))).collect::<Vec<_>>().join("\n")
}

fn status(status: CheckStatus) -> &'static str {
    match status {
        CheckStatus::Pass => "passed",
        CheckStatus::Fail => "FAILED",
        CheckStatus::Unavailable => "COULD NOT RUN",
        CheckStatus::Skipped => "does not apply",
    }
}

/// Tells whether a result is something to repair.
pub(super) fn is_open(result: &CheckResult) -> bool {
    matches!(result.status, CheckStatus::Fail | CheckStatus::Unavailable)
}

/// Returns texts as a list, one line each.
pub(super) fn plain(items: &[String]) -> String {
    items.iter().map(|item| format!("- {}", indented(item))).collect::<Vec<_>>().join("\n")
}

fn indented(text: &str) -> String {
    text.trim().replace('\n', "\n   ")
}

/// Returns a value as text: texts as they are, everything else as JSON.
pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Adds how many of `all` are missing.
pub(super) fn with_rest(mut shown: Vec<String>, all: usize) -> Vec<String> {
    if all > shown.len() {
        shown.push(format!("… and {} more", all - shown.len()));
    }
    shown
}

/// Returns the tasks, each with its file and its items.
pub(super) fn tasks(tasks: &[Task]) -> String {
    tasks.iter().map(task).collect::<Vec<_>>().join("\n")
}

fn task(task: &Task) -> String {
    let tried = match task.tried {
        0 => String::new(),
        1 => ", tried once and not solved".to_owned(),
        often => format!(", tried {often} times and not solved"),
    };
    let mut lines = vec![format!("{} {}, {}{tried}", task.id, file(task), worst(task).as_str())];
    let first = task.items.iter().take(MOST_FINDINGS).enumerate();
    let items = first.map(|(index, it)| format!("{}. {}", index + 1, item(it))).collect();
    lines.extend(with_rest(items, task.items.len()).into_iter().map(|item| format!("   {item}")));
    lines.join("\n")
}

/// Returns a finding of a task: line, issue, suggestion.
fn item(named: &NamedFinding) -> String {
    let it = &named.finding;
    let place = it.line.map(|line| format!("L{line}: ")).unwrap_or_default();
    let remedy = it.suggestion.as_deref().map(|text| format!(" → {}", indented(text))).unwrap_or_default();
    format!("{place}{}{remedy} ({}, {})", indented(&it.issue), named.id, it.severity.as_str())
}

/// Returns the tasks that wait, a line each.
pub(super) fn later(tasks: &[Task]) -> String {
    let line = |task: &Task| {
        let problems = if task.items.len() == 1 { "problem" } else { "problems" };
        format!("- {} {}: {} {problems}, {}", task.id, file(task), task.items.len(), worst(task).as_str())
    };
    with_rest(tasks.iter().take(MOST_FINDINGS).map(line).collect(), tasks.len()).join("\n")
}

/// Returns findings with their ids, the worst first.
pub(super) fn named(findings: &[NamedFinding]) -> String {
    let mut sorted: Vec<&NamedFinding> = findings.iter().collect();
    sorted.sort_by_key(|named| std::cmp::Reverse(named.finding.severity));
    let first = sorted.iter().take(MOST_FINDINGS);
    let lines = first.map(|named| entry(&format!("{}:", named.id), &named.finding)).collect();
    with_rest(lines, sorted.len()).join("\n")
}

fn file(task: &Task) -> String {
    task.file.as_deref().map_or_else(|| "no file named".to_owned(), line)
}

fn worst(task: &Task) -> Severity {
    task.items.iter().map(|named| named.finding.severity).max().unwrap_or(Severity::Info)
}

#[cfg(test)]
mod tests;
