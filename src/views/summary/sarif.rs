//! Problems in the format that code scanners exchange: SARIF 2.1.0, one run, one rule for each category.
//! A place that is not a path inside the repository stands in the message and is no location.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::problems::Problem;
use engine::Run;
use model::finding::{Disposition, Severity};

/// Where the format is defined.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The name of our fingerprints; a change of how they are made needs another one.
const FINGERPRINT: &str = "aiWorkflow/v1";

/// Returns the problems of a run as a SARIF log: the open ones, and those that are still named but answered, suppressed.
pub fn sarif(run: &Run, problems: &[Problem], version: &str) -> Value {
    let rules = rules(problems);
    let reported = problems.iter().filter(|problem| is_reported(problem));
    let results: Vec<Value> = reported.map(|problem| result(problem, &rules)).collect();
    let rules: Vec<Value> = rules.iter().map(|rule| rule_object(rule)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "ai-workflow", "version": version, "rules": rules}},
            "automationDetails": {"id": format!("ai-workflow/issue-{}/", run.started.issue.number)},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn is_reported(problem: &Problem) -> bool {
    problem.open || problem.answered
}

/// Returns the categories of what is reported, in the order of the alphabet.
fn rules(problems: &[Problem]) -> Vec<String> {
    let reported = problems.iter().filter(|problem| is_reported(problem));
    reported.map(rule_of).collect::<BTreeSet<_>>().into_iter().collect()
}

fn rule_of(problem: &Problem) -> String {
    let category = problem.category.trim().to_lowercase();
    if category.is_empty() { "review".into() } else { category }
}

fn rule_object(rule: &str) -> Value {
    let text = match rule.strip_prefix("check/") {
        Some(check) => format!("What the check {check} of ai-workflow saw"),
        None => format!("What a reviewer found: {rule}"),
    };
    json!({"id": rule, "shortDescription": {"text": text}})
}

fn result(problem: &Problem, rules: &[String]) -> Value {
    let rule = rule_of(problem);
    let mut result = json!({
        "ruleId": rule,
        "ruleIndex": rules.iter().position(|known| *known == rule),
        "level": level(problem.severity),
        "message": {"text": message(problem)},
        "partialFingerprints": {FINGERPRINT: problem.fingerprint},
        "properties": {
            "severity": problem.severity, "phase": problem.phase,
            "firstRound": problem.first_round, "lastRound": problem.last_round,
        },
    });
    if let Some(location) = location(problem) {
        result["locations"] = json!([location]);
    }
    if problem.disposition != Disposition::Open {
        result["properties"]["disposition"] = json!(problem.disposition);
    }
    if problem.answered {
        let why = problem.reason.as_deref().unwrap_or("accepted by a person");
        let status = suppression_status(problem.severity);
        result["suppressions"] = json!([{"kind": "external", "status": status, "justification": why}]);
    }
    result
}

/// Returns how an answered problem stands: a critical or major one waits for the people who review the pull request.
fn suppression_status(severity: Severity) -> &'static str {
    if severity >= Severity::Major { "underReview" } else { "accepted" }
}

/// Returns the level of a severity in the words of the format.
pub(super) fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::Major => "error",
        Severity::Minor => "warning",
        Severity::Info => "note",
    }
}

fn message(problem: &Problem) -> String {
    let is_blank = problem.issue.trim().is_empty();
    let mut text = if is_blank { "no words".to_owned() } else { problem.issue.clone() };
    if let (Some(file), None) = (&problem.file, location(problem)) {
        let _ = write!(text, " ({file})");
    }
    if let Some(suggestion) = &problem.suggestion {
        let _ = write!(text, "\n\nSuggestion: {suggestion}");
    }
    text
}

fn location(problem: &Problem) -> Option<Value> {
    let uri = uri(problem.file.as_deref()?)?;
    let mut place = json!({"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}});
    match problem.line {
        Some(line) if line > 0 => place["region"] = json!({"startLine": line}),
        _ => {}
    }
    Some(json!({"physicalLocation": place}))
}

/// Returns a path inside the repository as a relative reference; nothing for any other.
fn uri(path: &str) -> Option<String> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let outside = path.is_empty() || path.starts_with('/') || path.split('/').any(|part| part == "..");
    if outside || path.contains('\0') {
        return None;
    }
    Some(path.bytes().fold(String::with_capacity(path.len()), |mut uri, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
        uri
    }))
}

#[cfg(test)]
mod tests;
