//! What a person reads whose repair by hand is waited for: a reviewer stopped the phase, or evidence did (seed 001, B-22).
//! Says what was decided, where the problems are and what failed; how to answer stands with every question.

use super::state::PhaseState;
use model::event::{CheckResult, CheckStatus, Place};
use model::finding::{Finding, Severity};
use model::policy::{OnFail, OnUnavailable};
use model::verdict::Judgment;

/// The most required fixes of one check that are listed.
const MOST_FIXES: usize = 10;

/// Why a phase stopped, for the question.
pub(super) struct Stopped {
    pub(super) heading: &'static str,
    pub(super) lines: Vec<String>,
}

/// Says what stopped a phase that is blocked; nothing when neither a reviewer nor a check did.
pub(super) fn stopped(phase: &PhaseState) -> Option<Stopped> {
    if let Some((judgment, why)) = phase.evidence_judgment() {
        let stops = judgment == Judgment::Block;
        return stops.then(|| Stopped { heading: "Verification Failed", lines: verification(phase, &why) });
    }
    let reading = phase.reading()?;
    let (judgment, why) = phase.reviews_judgment(reading);
    let stops = judgment == Judgment::Block;
    stops.then(|| Stopped { heading: "Manual Intervention Required", lines: intervention(phase, &why) })
}

fn intervention(phase: &PhaseState, why: &str) -> Vec<String> {
    let grade = phase.reading().and_then(|reading| reading.grade);
    let grade = grade.map_or_else(|| "N/A".to_owned(), |grade| grade.to_string());
    let head = [
        format!("Decision: {}", decision(phase)),
        format!("Grade: {grade}"),
        format!("Reason: {why}"),
        "Critical issues:".to_owned(),
    ];
    let critical = phase.findings().iter().filter(|finding| finding.severity == Severity::Critical);
    let issues: Vec<String> =
        critical.enumerate().map(|(index, finding)| issue(index + 1, finding)).collect();
    let head = head.into_iter().take(if issues.is_empty() { 3 } else { 4 });
    head.chain(issues).collect()
}

/// Returns the word that stops in this policy: the stated one, else the first of them.
fn decision(phase: &PhaseState) -> String {
    let map = phase.def.policy.review.as_ref().map(|rule| &rule.verdict_map);
    let stops = |word: &String| map.and_then(|map| map.get(word)) == Some(&Judgment::Block);
    let stated = phase.reading().map(|reading| reading.stated.clone()).filter(|word| stops(word));
    let any = || map.into_iter().flatten().find(|(_, judgment)| **judgment == Judgment::Block);
    stated.or_else(|| any().map(|(word, _)| word.clone())).unwrap_or_else(|| "stop".into())
}

fn issue(number: usize, finding: &Finding) -> String {
    let suggestion = finding.suggestion.as_ref().map(|text| format!(" → {text}")).unwrap_or_default();
    format!("{number}. {}: {}{suggestion}", at(finding.file.as_deref(), finding.line), finding.issue)
}

fn at(file: Option<&str>, line: Option<u64>) -> String {
    let file = file.unwrap_or("-");
    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

fn verification(phase: &PhaseState, why: &str) -> Vec<String> {
    let mut lines = vec!["Decision: STOP".to_owned()];
    for result in phase.evidence.checks.iter().flatten().filter(|result| stops(phase, result)) {
        lines.push(format!("Failure type: {}", failure_type(result)));
        lines.push(format!("Failed command: {}", result.param("command").unwrap_or(&result.check)));
        lines.push(format!("Required fixes: {}", result.summary));
        let fixes = result.places.iter().take(MOST_FIXES).enumerate();
        lines.extend(fixes.map(|(index, place)| fix(index + 1, place)));
        let more = result.places.len().saturating_sub(MOST_FIXES);
        lines.extend((more > 0).then(|| format!("… and {more} more")));
    }
    if lines.len() == 1 {
        lines.push(format!("Required fixes: {why}"));
    }
    lines
}

fn fix(number: usize, place: &Place) -> String {
    let suggestion = place.suggestion.as_ref().map(|text| format!(" → {text}")).unwrap_or_default();
    format!("{number}. {}: {}{suggestion}", at(place.file.as_deref(), place.line), place.what)
}

fn stops(phase: &PhaseState, result: &CheckResult) -> bool {
    let rule = phase.def.policy.checks.iter().find(|rule| rule.id == result.check);
    match result.status {
        CheckStatus::Pass | CheckStatus::Skipped => false,
        CheckStatus::Fail => phase.on_fail(&result.check) == OnFail::Stop,
        CheckStatus::Unavailable => rule.is_none_or(|rule| rule.on_unavailable == OnUnavailable::Block),
    }
}

/// Returns the kind of a failure; what could not run says nothing about the code.
fn failure_type(result: &CheckResult) -> &'static str {
    match result.check.as_str() {
        _ if result.status == CheckStatus::Unavailable => "environment_error",
        "tests" | "red_green" => "test_failure",
        "build" | "typecheck" | "syntax" => "build_failure",
        "lint" | "format" => "lint_failure",
        _ => "check_failure",
    }
}
