//! What a person reads about a phase that is stopped at once: what is wrong with the work that no revision may mend, or what
//! failed so that the work could not be verified. Which phase is stopped is decided in `judge`.

use crate::history::StatedFailure;
use crate::phase_state::PhaseState;
use crate::stated_failure::{named_failure, words_beside_failure};
use model::event::{CheckResult, Place, Reading};
use model::finding::{Finding, Severity, worst_first};
use model::policy::{OnFail, VERIFICATION_FAILED};
use model::text::one_line;
use model::verdict::{Grade, Judgment};

/// The most issues, and the most required fixes of one check, that are listed.
const MOST_LISTED: usize = 10;

/// The longest reason, in characters.
const LONGEST_REASON: usize = 300;

/// What is said about a failure that is named in no form which we read.
const NOT_FOUND: &str = "none was found in the review";

/// A heading, and the lines below it.
pub(crate) struct StopReport {
    pub(crate) heading: &'static str,
    pub(crate) lines: Vec<String>,
}

/// Returns what stopped a phase that is blocked; nothing when neither a reviewer nor a check stopped it.
pub(crate) fn stop_report(phase: &PhaseState) -> Option<StopReport> {
    let decision = phase.decision(Judgment::Block).unwrap_or_else(|| VERIFICATION_FAILED.to_owned());
    if let Some((judgment, why)) = phase.evidence_judgment() {
        let lines = || describe_failed_checks(phase, &why);
        return (judgment == Judgment::Block).then(|| verification_failed(&decision, lines()));
    }
    let reading = phase.reading()?;
    let (judgment, why) = phase.reviews_judgment(reading);
    if judgment != Judgment::Block {
        return None;
    }
    let why = explain(&why, reading);
    Some(if decision == VERIFICATION_FAILED {
        verification_failed(&decision, describe_stated_failure(reading, &why))
    } else {
        manual_intervention_required(phase, &decision, &why)
    })
}

/// Returns the decision about a phase in the words of its policy and, where a reviewer refuses, its summary and what failed.
pub(crate) fn describe_refusal(phase: &PhaseState) -> Vec<String> {
    let decision = phase.decision(phase.judgment().0).map(|word| format!("Decision: {word}"));
    let summary = phase.refusal_summary().map(|summary| format!("The reviewer says: {summary}"));
    decision.into_iter().chain(summary).chain(describe_failure_in_refusal(phase)).collect()
}

/// Describes what failed, where a reviewer that refuses names it.
fn describe_failure_in_refusal(phase: &PhaseState) -> Vec<String> {
    let Some(StatedFailure { kind, command }) = phase.stated_failure() else { return Vec::new() };
    let command = command.map(|command| format!("Failed command: {command}"));
    std::iter::once(format!("Failure type: {kind}")).chain(command).collect()
}

fn manual_intervention_required(phase: &PhaseState, decision: &str, why: &str) -> StopReport {
    let grade = phase.grade(Judgment::Block).map_or("N/A", Grade::as_str);
    let mut lines =
        vec![format!("Decision: {decision}"), format!("Grade: {grade}"), format!("Reason: {why}")];
    let critical: Vec<&Finding> =
        phase.findings().iter().filter(|finding| finding.severity == Severity::Critical).collect();
    if !critical.is_empty() {
        lines.push("Critical issues:".to_owned());
        lines.extend(number(critical.into_iter().map(describe_issue)));
    }
    lines.extend(describe_failure_in_refusal(phase));
    StopReport { heading: "Manual Intervention Required", lines }
}

/// Nothing was graded: what could not be verified is neither good nor bad.
fn verification_failed(decision: &str, failure: Vec<String>) -> StopReport {
    let head = [format!("Decision: {decision}"), "Grade: N/A".to_owned()];
    StopReport { heading: "Verification Failed", lines: head.into_iter().chain(failure).collect() }
}

/// Adds the reviewer's own words to a reason. An object without a summary has none.
fn explain(why: &str, reading: &Reading) -> String {
    if reading.feedback.trim_start().starts_with('{') {
        return why.to_owned();
    }
    let words = words_beside_failure(&reading.feedback).join(" ");
    let short = one_line(&words, LONGEST_REASON);
    if short.is_empty() { why.to_owned() } else { format!("{why}: {short}") }
}

fn describe_failed_checks(phase: &PhaseState, why: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let stops = |result: &&CheckResult| result.demand(&phase.def.policy) == OnFail::Stop;
    for result in phase.evidence.results().filter(stops) {
        lines.push(format!("Failure type: {}", result.failure_type()));
        lines.push(format!("Failed command: {}", result.param("command").unwrap_or(&result.check)));
        lines.push(format!("Required fixes: {}", result.summary));
        lines.extend(number(result.places.iter().map(describe_place)));
    }
    if lines.is_empty() {
        lines.push(format!("Required fixes: {why}"));
    }
    lines
}

/// Describes what a reviewer could not verify, with the kind of the failure and the command where it names them.
fn describe_stated_failure(reading: &Reading, why: &str) -> Vec<String> {
    let findings = worst_first(&reading.findings);
    let (kind, command) = named_failure(&reading.feedback, &reading.findings);
    let head = [
        format!("Failure type: {}", kind.unwrap_or(NOT_FOUND)),
        format!("Failed command: {}", command.unwrap_or(NOT_FOUND)),
        format!("Required fixes: {why}"),
    ];
    head.into_iter().chain(number(findings.into_iter().map(describe_issue))).collect()
}

/// Returns the lines with their numbers; of many the first ones and how many there are besides.
fn number(lines: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let more = lines.len().saturating_sub(MOST_LISTED);
    let numbered = lines.take(MOST_LISTED).enumerate().map(|(index, line)| format!("{}. {line}", index + 1));
    let more = if more > 0 { Some(format!("… and {more} more")) } else { None };
    numbered.chain(more).collect()
}

/// Returns a finding as `path:line: issue → suggestion`.
pub(crate) fn describe_issue(finding: &Finding) -> String {
    let Finding { file, line, issue, suggestion, .. } = finding.clone();
    describe_place(&Place { file, line, what: issue, suggestion })
}

fn describe_place(place: &Place) -> String {
    let suggestion = place.suggestion.as_ref().map_or(String::new(), |text| format!(" → {text}"));
    let line = place.line.map_or(String::new(), |line| format!(":{line}"));
    format!("{}{line}: {}{suggestion}", place.file.as_deref().unwrap_or("-"), place.what)
}
