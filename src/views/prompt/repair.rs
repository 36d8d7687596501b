//! What an author reads that has to repair something: what the checks saw, every problem with its type and place, the standing
//! demands with those in front that were not met, and what it declared itself beside what was seen instead. Judges nothing.

use serde_json::{Map, Value, json};

use super::advice::Failed;
use super::fence::{Keep, Marks, line};
use super::input::PromptInput;
use super::lists::{self, CheckEntry, is_of_a_command};
use super::retry_texts::Library;
use super::templates::{Templates, is_gate};
use model::event::{CheckResult, CheckStatus, Claim, Place};
use model::phase::Step;
use model::policy::issue_type;

/// The longest text about all checks.
pub(super) const CHECKS: Keep = Keep::Start(32 * 1024);
/// The space that the evidence of all checks shares, in bytes.
pub(super) const EVIDENCE: usize = 16 * 1024;
/// Where the text about checks comes from.
pub(super) const FROM_CHECKS: &str = "what our checks saw, output of commands included";
/// More problems than this help no author; the rest is counted.
const MOST_PROBLEMS: usize = 60;
/// The longest declaration.
const DECLARATION: Keep = Keep::Start(4 * 1024);
/// More places of one check than this are counted.
const MOST_PLACES: usize = 3;

/// The standing demands in their order, each with the types of issues that break it.
const DEMANDS: [(&str, &[&str]); 4] = [
    ("whole", &["omission", "syntax_error"]),
    ("no_marks", &["todo_left"]),
    ("all_files", &["missing_file"]),
    ("no_early_end", &["early_termination"]),
];

/// Returns what the checks saw that did not pass, in its block; without places, where those stand elsewhere in the prompt.
pub(super) fn checks_block(failed: &[Failed<'_>], library: &Library<'_>, with_places: bool) -> String {
    let entries = failed.iter().map(|failed| CheckEntry {
        result: failed.result,
        elsewhere: params_in_text(&failed.path, library.templates),
    });
    let text = lists::checks(&entries.collect::<Vec<_>>(), with_places, EVIDENCE);
    library.marks.block(FROM_CHECKS, &text, CHECKS)
}

/// Returns the parameters that a retry text uses itself.
fn params_in_text(path: &str, templates: &Templates<'_>) -> Vec<String> {
    let names = templates.names(path);
    let declared = templates.params(path).iter();
    declared.filter(|param| names.asked.iter().any(|(name, _)| name == *param)).cloned().collect()
}

/// Returns the problems with their types and places, and how many more there are.
pub(super) fn problems(open: &[&CheckResult], marks: Marks<'_>) -> (Vec<Value>, usize) {
    let mut problems: Vec<Value> = open.iter().flat_map(|result| problems_of(result, marks)).collect();
    let more = problems.len().saturating_sub(MOST_PROBLEMS);
    problems.truncate(MOST_PROBLEMS);
    (problems, more)
}

fn problems_of(result: &CheckResult, marks: Marks<'_>) -> Vec<Value> {
    let kind = issue_type(&result.check);
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
fn place_text(place: &Place, marks: Marks<'_>) -> String {
    let Some(file) = &place.file else { return "the answer".to_owned() };
    let line = place.line.map_or(String::new(), |line| format!(":{line}"));
    format!("`{}{line}`", marks.line(file).replace('`', "'"))
}

/// Returns the demands, those first that were not met.
pub(super) fn demands(open: &[&CheckResult]) -> Vec<Value> {
    let broken = |types: &[&str]| open.iter().any(|result| types.contains(&issue_type(&result.check)));
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
pub(super) fn declaration(input: &PromptInput<'_>, open: &[&CheckResult], marks: Marks<'_>) -> String {
    let claim = match input.repair.declared {
        Some((_, claim)) if has_declaration(input) => claim,
        _ => return String::new(),
    };
    let declared = marks.block("what the author said of its work", &claim_text(claim), DECLARATION);
    format!("{declared}\nWhat we saw instead:\n{}", contradictions(input, open, marks).join("\n"))
}

/// Tells whether the prompt shows the declaration. Behind a quality gate work that is done over gets the same prompt again.
fn has_declaration(input: &PromptInput<'_>) -> bool {
    match input.step {
        Step::Revise => true,
        Step::Execute => !is_gate(input.phase),
        Step::Check | Step::Review | Step::Triage | Step::Answer => false,
    }
}

fn claim_text(claim: &Claim) -> String {
    let status: &str = claim.status.into();
    let mut lines = vec![format!("Reported status: {status}")];
    if let Some(next) = &claim.next_action {
        let reason = line(&next.reason);
        let reason = if reason.is_empty() { reason } else { format!(" ({reason})") };
        lines.push(format!("Declared next action: {}{reason}", line(&next.action)));
    }
    let summary = claim.summary.trim();
    if !summary.is_empty() {
        lines.push(format!("What was done: {summary}"));
    }
    lines.extend(claim.notices.iter().map(|notice| format!("Notice: {}", line(notice))));
    lines.join("\n")
}

fn contradictions(input: &PromptInput<'_>, open: &[&CheckResult], marks: Marks<'_>) -> Vec<String> {
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

fn failure_line(result: &CheckResult, marks: Marks<'_>) -> String {
    let check = marks.line(&result.check);
    let word = if result.status == CheckStatus::Fail { "failed" } else { "could not run" };
    if result.places.is_empty() {
        return format!("- `{check}` {word}: {}", marks.line(&result.summary));
    }
    let first = result.places.iter().take(MOST_PLACES).map(|place| {
        if is_of_a_command(result, place) { marks.line(&place.what) } else { place_text(place, marks) }
    });
    let places = lists::with_rest(first.collect(), result.places.len());
    format!("- `{check}` {word}: {}", places.join(", "))
}
