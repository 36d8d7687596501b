//! Writes findings, check results and other lists as plain text, to be put into a block.

use std::collections::BTreeSet;

use serde_json::Value;

use super::block::{Keep, cut};
use super::clean::line;
use super::params;
use model::event::{CheckResult, CheckStatus, Place};
use model::finding::{Finding, worst_first};
use model::policy::criterion;

/// More findings than this help no author; the rest is counted.
const MOST_FINDINGS: usize = 60;
/// The longest parameter of several lines.
const LONGEST_PARAM: Keep = Keep::End(4 * 1024);
/// More elements of one parameter than this are counted.
const MOST_ITEMS: usize = 20;

/// Returns the findings, worst first.
pub(super) fn findings(findings: &[Finding]) -> String {
    let sorted = worst_first(findings);
    let mut text: Vec<String> = sorted
        .iter()
        .take(MOST_FINDINGS)
        .enumerate()
        .map(|(index, it)| entry(&format!("{}.", index + 1), it))
        .collect();
    if sorted.len() > MOST_FINDINGS {
        text.push(format!("… and {} more", sorted.len() - MOST_FINDINGS));
    }
    text.join("\n")
}

/// Returns one finding behind its number or id.
pub(super) fn entry(label: &str, finding: &Finding) -> String {
    let place = finding.file.as_deref().map(|file| match finding.line {
        Some(number) => format!("{}:{number}", line(file)),
        None => line(file),
    });
    let category = Some(line(&finding.category)).filter(|category| !category.is_empty());
    let head: Vec<String> =
        [Some(finding.severity.as_str().to_owned()), place, category].into_iter().flatten().collect();
    let suggestion = finding.suggestion.as_deref().map(|text| format!("\n   Suggestion: {}", indented(text)));
    format!("{label} {}\n   {}{}", head.join(", "), indented(&finding.issue), suggestion.unwrap_or_default())
}

/// Which part of what a check saw is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// Places stand elsewhere in the prompt.
    WithoutPlaces,
}

/// A result, and the names of its parameters that stand elsewhere in the prompt.
pub(super) type Told<'a> = (&'a CheckResult, Vec<String>);

/// Returns what checks saw: of each its status, its line, its places, what the failure is about and the evidence.
/// All of them share the room, so that a long one does not push others out.
pub(super) fn checks(results: &[Told<'_>], part: Part, room: usize) -> String {
    let room = room / results.len().max(1);
    let each = results.iter().filter_map(|(result, told)| check(result, told, part, room));
    each.collect::<Vec<_>>().join("\n")
}

fn check(result: &CheckResult, told: &[String], part: Part, room: usize) -> Option<String> {
    let places: Vec<String> = result
        .places
        .iter()
        .filter(|place| !is_instructed(place, result))
        .map(|place| place_of(result, place))
        .collect();
    let evidence = unknown_lines(&result.evidence, &result.places);
    let params = result.params.iter().filter(|(name, value)| {
        let of_places = OF_PLACES.contains(&name.as_str()) && !result.places.is_empty();
        let shown = of_places || told.contains(name) || ELSEWHERE.contains(&name.as_str());
        !shown && !params::plain(value).trim().is_empty() && !evidence.contains(params::plain(value).trim())
    });
    let params = params.map(|(name, value)| format!("{}: {}", line(name), param(value)));
    let evidence = Some(indented(&cut(&evidence, Keep::End(room)))).filter(|evidence| !evidence.is_empty());
    let whole = part == Part::Whole;
    let places = if whole { places } else { Vec::new() };
    let details: Vec<String> = places.into_iter().chain(params).chain(evidence).collect();
    if details.is_empty() && !whole && !result.places.is_empty() {
        return None;
    }
    let criterion = criterion(&result.check).map(|criterion| format!(" ({criterion})")).unwrap_or_default();
    let head =
        format!("- {}{criterion}: {}: {}", line(&result.check), status(result.status), line(&result.summary));
    Some(std::iter::once(head).chain(details).collect::<Vec<_>>().join("\n   "))
}

/// Parameters that are told with every check by themselves, and those that are there for programs alone.
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
            let each = items.iter().take(MOST_ITEMS).map(|item| line(&params::plain(item))).collect();
            params::told(each, items.len()).join(", ")
        }
        Value::String(text) if text.trim().contains('\n') => {
            format!("\n   {}", indented(&cut(text.trim(), LONGEST_PARAM)))
        }
        other => line(&params::plain(other)),
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
    let what = line(&place.what);
    match (&place.file, place.line) {
        (Some(file), Some(number)) => format!("{}:{number}: {what}", line(file)),
        (Some(file), None) => format!("{}: {what}", line(file)),
        (None, _) => format!("answer: {what}"),
    }
}

/// Returns the lines that name no place of the list.
fn unknown_lines(evidence: &str, places: &[Place]) -> String {
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

pub(super) fn indented(text: &str) -> String {
    text.trim().replace('\n', "\n   ")
}
