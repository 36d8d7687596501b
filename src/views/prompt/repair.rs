//! What an author reads that has to repair something, and a reviewer of it: findings, tasks and what the checks saw as plain text,
//! every problem with its type and place, the standing demands with those in front that were not met, and what the author
//! declared itself beside what was seen instead. Judges nothing.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::fence::{FenceMarks, Truncation, cut};
use super::input::{NamedFinding, PromptInput, PromptTask};
use super::retry_texts::{FailedCheck, RetryTexts, add_rest, value_text};
use super::templates::{Templates, repeats_task};
use crate::text::{self, counted, fill_template, indent, line};
use model::event::{CheckResult, CheckStatus, Place};
use model::finding::{Finding, Severity, worst_first};
use model::phase::Step;
use model::policy::{criterion, finding_type};

/// The longest text about all checks.
pub(super) const CHECKS: Truncation = Truncation::Start(32 * 1024);
/// The space that the evidence of all checks shares, in bytes.
const EVIDENCE: usize = 16 * 1024;
/// Where the text about checks comes from.
pub(super) const FROM_CHECKS: &str = "what our checks saw, output of commands included";
/// More problems than this help no author; the rest is counted.
const MOST_PROBLEMS: usize = 60;
/// The longest declaration.
const DECLARATION: Truncation = Truncation::Start(4 * 1024);
/// More places of one check than this are counted.
const MOST_PLACES: usize = 3;

/// The standing demands in their order, each with the types of issues that break it.
const DEMANDS: [(&str, &[&str]); 4] = [
    ("whole", &["omission", "syntax_error"]),
    ("no_marks", &["todo_left"]),
    ("all_files", &["missing_file"]),
    ("no_early_end", &["early_termination"]),
];
/// More findings or tasks than this help no reader; the rest is counted.
const MOST_FINDINGS: usize = 60;
/// The longest parameter of several lines.
const LONGEST_PARAM: Truncation = Truncation::End(4 * 1024);
/// More elements of one parameter than this are counted.
const MOST_ITEMS: usize = 20;

/// Returns what the checks saw that did not pass, in its block; without places, where those stand elsewhere in the prompt.
pub(super) fn checks_block(failed: &[FailedCheck<'_>], library: &RetryTexts<'_>, places: bool) -> String {
    let entries = failed.iter().map(|failed| CheckInPrompt {
        result: failed.result,
        elsewhere: params_in_text(&failed.path, library.templates),
    });
    let text = checks(&entries.collect::<Vec<_>>(), places);
    library.marks.block(FROM_CHECKS, &text, CHECKS)
}

/// Returns the parameters that a retry text uses itself.
fn params_in_text(path: &str, templates: &Templates<'_>) -> Vec<String> {
    let names = templates.names(path);
    let declared = templates.params(path).iter();
    declared.filter(|param| names.asked.iter().any(|(name, _)| name == *param)).cloned().collect()
}

/// Returns the problems with their types and places, and how many more there are.
pub(super) fn problems(open: &[&CheckResult], marks: FenceMarks<'_>) -> (Vec<Value>, usize) {
    let mut problems: Vec<Value> = open.iter().flat_map(|result| problems_of(result, marks)).collect();
    let more = problems.len().saturating_sub(MOST_PROBLEMS);
    problems.truncate(MOST_PROBLEMS);
    (problems, more)
}

fn problems_of(result: &CheckResult, marks: FenceMarks<'_>) -> Vec<Value> {
    let kind = finding_type(&result.check);
    if result.places.is_empty() {
        let failed = result.status == CheckStatus::Fail;
        let summary = marks.line(&result.summary);
        let what = if failed { summary } else { format!("could not be checked: {summary}") };
        return vec![problem(kind, &format!("`{}`: {what}", marks.line(&result.check)), "", "")];
    }
    let each = result.places.iter().map(|place| {
        let suggestion = place.suggestion.as_deref().map(|text| marks.line(text)).unwrap_or_default();
        let at = if is_of_a_command(result, place) { String::new() } else { place_text(place, marks) };
        problem(kind, &marks.line(&place.what), &at, &suggestion)
    });
    each.collect()
}

fn problem(kind: &str, description: &str, place: &str, suggestion: &str) -> Value {
    json!({"type": kind, "description": description, "place": place, "suggestion": suggestion})
}

/// Returns a place as an author finds it.
fn place_text(place: &Place, marks: FenceMarks<'_>) -> String {
    let Some(file) = &place.file else { return "the answer".to_owned() };
    let line = place.line.map_or(String::new(), |line| format!(":{line}"));
    format!("`{}{line}`", marks.line(file).replace('`', "'"))
}

/// Returns the demands, those first that were not met.
pub(super) fn demands(open: &[&CheckResult]) -> Vec<Value> {
    let broken = |types: &[&str]| open.iter().any(|result| types.contains(&finding_type(&result.check)));
    let mut demands: Vec<(bool, &str)> = DEMANDS.iter().map(|(name, types)| (broken(types), *name)).collect();
    demands.sort_by_key(|(broken, _)| !broken);
    let each = demands.into_iter().map(|(broken, name)| {
        let mut demand: Map<String, Value> =
            DEMANDS.iter().map(|(other, _)| ((*other).to_owned(), Value::Bool(*other == name))).collect();
        demand.insert("unmet".to_owned(), Value::Bool(broken));
        Value::Object(demand)
    });
    each.collect()
}

/// Returns what the author declared about its last work, in its fence, and below it what did not hold: so that a declaration that
/// did not hold is not simply made again. Nothing when nothing was declared.
pub(super) fn declaration(input: &PromptInput<'_>, open: &[&CheckResult], marks: FenceMarks<'_>) -> String {
    let claim = match input.repair.declared {
        Some((_, claim)) if has_declaration(input) => claim,
        _ => return String::new(),
    };
    let claim =
        fill_template(include_str!("claim.hbs"), &json!({"claim": claim, "summary": claim.summary.trim()}));
    let declared = marks.block("what the author said of its work", &claim, DECLARATION);
    format!("{declared}\nWhat we saw instead:\n{}", contradictions(input, open, marks).join("\n"))
}

/// Tells whether the prompt shows the declaration. Behind a quality gate work that is done over gets the same prompt again.
fn has_declaration(input: &PromptInput<'_>) -> bool {
    match input.step {
        Step::Revise => true,
        Step::Execute => !repeats_task(input.phase),
        Step::Check | Step::Review | Step::Triage | Step::Answer => false,
    }
}

fn contradictions(input: &PromptInput<'_>, open: &[&CheckResult], marks: FenceMarks<'_>) -> Vec<String> {
    if !open.is_empty() {
        return open.iter().map(|result| failure_line(result, marks)).collect();
    }
    let refused = !input.repair.findings.is_empty() || !input.repair.feedback.is_empty();
    let words = if refused {
        "- Our checks passed; the reviewer refused the work, for the reasons given."
    } else {
        "- Nothing has failed that we check; the work is not accepted yet."
    };
    vec![words.to_owned()]
}

fn failure_line(result: &CheckResult, marks: FenceMarks<'_>) -> String {
    let check = marks.line(&result.check);
    let word = if result.status == CheckStatus::Fail { "failed" } else { "could not run" };
    if result.places.is_empty() {
        return format!("- `{check}` {word}: {}", marks.line(&result.summary));
    }
    let first = result.places.iter().take(MOST_PLACES).map(|place| {
        if is_of_a_command(result, place) { marks.line(&place.what) } else { place_text(place, marks) }
    });
    let places = add_rest(first.collect(), result.places.len());
    format!("- `{check}` {word}: {}", places.join(", "))
}

/// Returns the findings, worst first.
pub(super) fn findings(findings: &[Finding]) -> String {
    let sorted = worst_first(findings).into_iter().enumerate();
    let numbered = sorted.map(|(index, finding)| (format!("{}.", index + 1), finding));
    fill_list(include_str!("findings.hbs"), &numbered.collect::<Vec<_>>())
}

/// Returns findings with their ids, the worst first.
pub(super) fn list_findings(findings: &[NamedFinding]) -> String {
    let mut sorted: Vec<(String, &Finding)> =
        findings.iter().map(|named| (format!("{}:", named.id), &named.finding)).collect();
    sorted.sort_by_key(|(_, finding)| std::cmp::Reverse(finding.severity));
    fill_list(include_str!("findings.hbs"), &sorted)
}

/// Returns the tasks, each with its file and its items.
pub(super) fn tasks(tasks: &[PromptTask]) -> String {
    let texts = tasks.iter().map(|task| fill_template(include_str!("task.hbs"), &values(task)));
    texts.collect::<String>().trim_end_matches('\n').to_owned()
}

/// Returns the tasks that wait, a line each.
pub(super) fn list_waiting_tasks(tasks: &[PromptTask]) -> String {
    fill_list(include_str!("later.hbs"), &tasks.iter().map(values).collect::<Vec<_>>())
}

fn values(task: &PromptTask) -> Value {
    let worst = task.items.iter().map(|named| named.finding.severity).max();
    let items = task.items.iter().enumerate();
    let items = items.map(|(index, item)| json!({"n": index + 1, "id": item.id, "finding": item.finding}));
    json!({
        "id": task.id,
        "file": task.file,
        "tried": task.tried,
        "worst": worst.unwrap_or(Severity::Info),
        "problems": counted(task.items.len() as u64, "problem"),
        "items": fill_list(include_str!("items.hbs"), &items.collect::<Vec<_>>()),
    })
}

/// Fills a template with the first of these items and the number of the others.
fn fill_list(template: &str, items: &[impl Serialize]) -> String {
    let shown = &items[..items.len().min(MOST_FINDINGS)];
    let text = fill_template(template, &json!({"shown": shown, "more": items.len() - shown.len()}));
    text.trim_end_matches('\n').to_owned()
}

/// A result, and the names of its parameters that stand elsewhere in the prompt.
pub(super) struct CheckInPrompt<'a> {
    pub(super) result: &'a CheckResult,
    pub(super) elsewhere: Vec<String>,
}

impl<'a> CheckInPrompt<'a> {
    /// Makes an entry with all parameters.
    pub(super) fn whole(result: &'a CheckResult) -> Self {
        Self { result, elsewhere: Vec::new() }
    }
}

/// Returns what checks saw: of each its status, its line, its places, what the failure is about and the evidence. Without places
/// only what stands nowhere else. All of them share the space, in bytes, so that a long one does not push others out.
pub(super) fn checks(entries: &[CheckInPrompt<'_>], with_places: bool) -> String {
    let space = EVIDENCE / entries.len().max(1);
    let each = entries.iter().filter_map(|entry| check(entry, with_places, space));
    each.collect::<Vec<_>>().join("\n")
}

fn check(entry: &CheckInPrompt<'_>, with_places: bool, space: usize) -> Option<String> {
    let result = entry.result;
    let evidence = lines_beside(&result.evidence, &result.places);
    let mut details: Vec<String> = Vec::new();
    if with_places {
        let places = result.places.iter().filter(|place| !is_instructed(place, result));
        details.extend(places.map(|place| place_of(result, place)));
    }
    for (name, value) in &result.params {
        let of_places =
            OF_PLACES.contains(&name.as_str()) && (!result.places.is_empty() || is_told(value, &evidence));
        let is_elsewhere = entry.elsewhere.contains(name) || ELSEWHERE.contains(&name.as_str());
        let text = value_text(value);
        let is_new = !text.trim().is_empty() && !evidence.contains(text.trim());
        if is_new && !of_places && !is_elsewhere {
            details.push(format!("{}: {}", line(name), param(value)));
        }
    }
    let evidence = indent(&cut(&evidence, Truncation::End(space)));
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

/// Tells whether the evidence names each item of a list.
fn is_told(value: &Value, evidence: &str) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(|item| evidence.contains(value_text(item).trim())))
}

/// Parameters that stand with every check by themselves, and those that are there for programs alone.
const ELSEWHERE: [&str; 9] = [
    "instructions",
    "count",
    "code",
    "passed",
    "criteriaResults",
    "failed_criteria",
    "structured_reasons",
    "severity",
    "suggestedAction",
];
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
            add_rest(each, items.len()).join(", ")
        }
        Value::String(text) if text.trim().contains('\n') => {
            format!("\n   {}", indent(&cut(text.trim(), LONGEST_PARAM)))
        }
        other => line(&value_text(other)),
    }
}

fn place_of(result: &CheckResult, place: &Place) -> String {
    let suggestion = place.suggestion.as_deref().map(|text| format!(". Suggestion: {}", line(text)));
    let text = format!("{}{}", at(place), suggestion.unwrap_or_default());
    if is_of_a_command(result, place) {
        text.strip_prefix("answer: ").unwrap_or(&text).to_owned()
    } else {
        text
    }
}

/// Tells whether a place without a file is something that a command named, and not the author's answer.
fn is_of_a_command(result: &CheckResult, place: &Place) -> bool {
    place.file.is_none() && result.params.contains_key("command")
}

fn at(place: &Place) -> String {
    let at = text::place(place.file.as_deref().map(line).as_deref(), place.line)
        .unwrap_or_else(|| "answer".to_owned());
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
        CheckStatus::FailedBefore => crate::summary::FAILED_BEFORE,
    }
}

/// Returns texts as a list, one line each.
pub(super) fn list_texts(items: &[String]) -> String {
    items.iter().map(|item| format!("- {}", indent(item))).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
