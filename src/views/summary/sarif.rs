//! Problems in the format that code scanners exchange: SARIF 2.1.0, one run, one rule for each category.
//! A place that is not a path inside the repository stands in the message and is no location.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::problems::{Problem, fingerprint, places_or_summary};
use engine::Run;
use model::event::{CheckResult, CheckStatus, Place, ReviewQuestions};
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
    log(&format!("issue-{}", run.started.issue.number), version, &rules, &results)
}

/// Returns what checks outside of a run found as a SARIF log: what failed, what could not run, and what is asked. Every result has
/// a line of a file, because GitHub shows no other; what is about no file stands at the top of `readme`.
pub fn sarif_of_checks(
    results: &[CheckResult],
    is_noted: &dyn Fn(&CheckResult) -> bool,
    readme: &str,
    version: &str,
) -> Value {
    let is_open =
        |result: &&CheckResult| matches!(result.status, CheckStatus::Fail | CheckStatus::Unavailable);
    let open: Vec<&CheckResult> = results.iter().filter(is_open).collect();
    let rules: BTreeSet<String> = open.iter().map(|result| format!("check/{}", result.check)).collect();
    let rules: Vec<String> = rules.into_iter().collect();
    let mut questions = ReviewQuestions::of(results).asked.into_iter().map(|question| question.id);
    let mut alerts = Vec::new();
    for result in open {
        let level = level_of_check(result, is_noted(result));
        for place in places_or_summary(result).iter() {
            let mut alert = alert(result, place, readme, &rules);
            alert["level"] = json!(level);
            if result.asks {
                alert["properties"]["question"] = json!(questions.next());
            }
            alerts.push(alert);
        }
    }
    log("check", version, &rules, &alerts)
}

/// What is asked is for a person to judge, and so is what could not run.
fn level_of_check(result: &CheckResult, is_noted: bool) -> &'static str {
    match result.status {
        _ if result.asks => "warning",
        _ if is_noted => "note",
        CheckStatus::Unavailable => "warning",
        _ => "error",
    }
}

fn alert(result: &CheckResult, place: &Place, readme: &str, rules: &[String]) -> Value {
    let rule = format!("check/{}", result.check);
    let inside = place.file.as_deref().and_then(uri);
    let mut text = if place.what.trim().is_empty() { result.summary.clone() } else { place.what.clone() };
    if let (Some(file), None) = (&place.file, &inside) {
        let _ = write!(text, " ({file})");
    }
    let line = place.line.filter(|line| *line > 0 && inside.is_some()).unwrap_or(1);
    let uri = inside.or_else(|| uri(readme)).unwrap_or_else(|| "README.md".to_owned());
    json!({
        "ruleId": rule,
        "ruleIndex": rules.iter().position(|known| *known == rule),
        "message": {"text": text},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}, "region": {"startLine": line},
        }}],
        "partialFingerprints": {FINGERPRINT: fingerprint(result, place)},
        "properties": {"check": result.check},
    })
}

/// Returns a log with one run. Its category tells scanners which earlier run it follows.
fn log(category: &str, version: &str, rules: &[String], results: &[Value]) -> Value {
    let rules: Vec<Value> = rules.iter().map(|rule| rule_object(rule)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "ai-workflow", "version": version, "rules": rules}},
            "automationDetails": {"id": format!("ai-workflow/{category}/")},
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
