//! Problems in the format that code scanners exchange: SARIF 2.1.0, one run, one rule for each category.
//! A place that is not a path inside the repository is told in the message and is no location.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Problem;
use engine::Run;
use model::finding::{Disposition, Severity};

/// Where the format is defined.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The name of our fingerprints; a change of how they are made needs another one.
const FINGERPRINT: &str = "aiWorkflow/v1";

/// Returns the problems of a run as a SARIF log: the open ones, and those that are still named but answered, suppressed.
pub fn sarif(run: &Run, problems: &[Problem], version: &str) -> Value {
    let rules = rules(problems);
    let told = problems.iter().filter(|problem| is_told(problem));
    let results: Vec<Value> = told.map(|problem| result(problem, &rules)).collect();
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

fn is_told(problem: &Problem) -> bool {
    problem.open || problem.answered
}

/// Returns the categories of what is told in the order of the alphabet.
fn rules(problems: &[Problem]) -> Vec<String> {
    let mut rules: Vec<String> = problems.iter().filter(|problem| is_told(problem)).map(rule_of).collect();
    rules.sort();
    rules.dedup();
    rules
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
        result["suppressions"] = json!([{"kind": "external", "status": "accepted", "justification": why}]);
    }
    result
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::Major => "error",
        Severity::Minor => "warning",
        Severity::Info => "note",
    }
}

fn message(problem: &Problem) -> String {
    let mut text = problem.issue.clone();
    if text.trim().is_empty() {
        "no words".clone_into(&mut text);
    }
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
    if let Some(line) = problem.line.filter(|line| *line > 0) {
        place["region"] = json!({"startLine": line});
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
mod tests {
    use super::*;

    fn problem(file: Option<&str>, severity: Severity) -> Problem {
        Problem {
            phase: "planning".parse().expect("a name"),
            category: "Security".into(),
            severity,
            file: file.map(str::to_owned),
            line: Some(3),
            issue: "a problem".into(),
            suggestion: Some("mend it".into()),
            first_round: 1,
            last_round: 2,
            open: true,
            disposition: Disposition::Open,
            reason: None,
            answered: false,
            fingerprint: "security|src/lib.rs|aproblem".into(),
        }
    }

    #[test]
    fn only_a_path_inside_the_repository_is_a_location() {
        assert_eq!(uri("./src/größe a.rs").as_deref(), Some("src/gr%C3%B6%C3%9Fe%20a.rs"));
        assert_eq!(uri("c:/x.rs").as_deref(), Some("c%3A/x.rs"), "no scheme can be made of it");
        for outside in ["", "/etc/passwd", "../x.rs", "a/../../x.rs", "a\0b"] {
            assert_eq!(uri(outside), None, "{outside:?}");
        }
        assert_eq!(
            message(&problem(Some("/etc/passwd"), Severity::Info)),
            "a problem (/etc/passwd)\n\nSuggestion: mend it"
        );
    }

    #[test]
    fn levels_follow_the_severity_and_rules_the_category() {
        let all = [Severity::Critical, Severity::Major, Severity::Minor, Severity::Info];
        let results =
            all.map(|severity| result(&problem(Some("src/lib.rs"), severity), &["security".into()]));
        let levels = results.each_ref().map(|result| result["level"].as_str().unwrap_or_default().to_owned());
        assert_eq!(levels, ["error", "error", "warning", "note"]);
        assert_eq!((&results[0]["ruleId"], &results[0]["ruleIndex"]), (&json!("security"), &json!(0)));
        let region = &results[0]["locations"][0]["physicalLocation"]["region"];
        assert_eq!(*region, json!({"startLine": 3}));
        assert_eq!(results[0]["partialFingerprints"][FINGERPRINT], "security|src/lib.rs|aproblem");
    }

    #[test]
    fn what_was_answered_is_told_and_suppressed_with_its_reason() {
        let answered = Problem {
            open: false,
            answered: true,
            disposition: Disposition::NoFix,
            reason: Some("line 4 has it".into()),
            ..problem(None, Severity::Major)
        };
        let told = result(&answered, &rules(std::slice::from_ref(&answered)));
        assert_eq!(told["suppressions"][0]["justification"], "line 4 has it");
        assert_eq!((&told["properties"]["disposition"], &told["ruleIndex"]), (&json!("no_fix"), &json!(0)));
        let open = problem(None, Severity::Major);
        assert!(result(&open, &rules(std::slice::from_ref(&open))).get("suppressions").is_none());
        assert!(!is_told(&Problem { answered: false, ..answered }), "what is gone is not told");
    }

    #[test]
    fn a_line_that_is_none_and_a_category_that_is_empty_make_no_invalid_log() {
        let odd = Problem {
            line: Some(0),
            category: " ".into(),
            issue: String::new(),
            ..problem(Some("a.rs"), Severity::Minor)
        };
        let told = result(&odd, &rules(std::slice::from_ref(&odd)));
        assert_eq!((&told["ruleId"], &told["ruleIndex"]), (&json!("review"), &json!(0)));
        assert!(told["locations"][0]["physicalLocation"].get("region").is_none());
        assert!(told["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
    }
}
