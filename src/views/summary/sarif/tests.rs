//! Tests of the parts of a SARIF log.

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
        answered_by: None,
        withdrawn: None,
        fingerprint: "security|src/lib.rs|aproblem".into(),
    }
}

#[test]
fn only_paths_inside_the_repository_become_sarif_locations() {
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
fn sarif_level_follows_the_severity_and_rule_the_category() {
    let all = [Severity::Critical, Severity::Major, Severity::Minor, Severity::Info];
    let results = all.map(|severity| result(&problem(Some("src/lib.rs"), severity), &["security".into()]));
    let levels = results.each_ref().map(|result| result["level"].as_str().unwrap_or_default().to_owned());
    assert_eq!(levels, ["error", "error", "warning", "note"]);
    assert_eq!((&results[0]["ruleId"], &results[0]["ruleIndex"]), (&json!("security"), &json!(0)));
    let region = &results[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(*region, json!({"startLine": 3}));
    assert_eq!(results[0]["partialFingerprints"][FINGERPRINT], "security|src/lib.rs|aproblem");
}

#[test]
fn answered_problem_is_reported_as_suppressed_with_its_reason() {
    let answered = Problem {
        open: false,
        answered: true,
        disposition: Disposition::NoFix,
        reason: Some("line 4 has it".into()),
        ..problem(None, Severity::Major)
    };
    let told = result(&answered, &rules(std::slice::from_ref(&answered)));
    assert_eq!(
        told["suppressions"][0],
        json!({"kind": "external", "status": "underReview", "justification": "line 4 has it"})
    );
    let minor = Problem { severity: Severity::Minor, ..answered.clone() };
    let told_of_minor = result(&minor, &rules(std::slice::from_ref(&minor)));
    assert_eq!(told_of_minor["suppressions"][0]["status"], "accepted");
    assert_eq!((&told["properties"]["disposition"], &told["ruleIndex"]), (&json!("no_fix"), &json!(0)));
    let open = problem(None, Severity::Major);
    assert!(result(&open, &rules(std::slice::from_ref(&open))).get("suppressions").is_none());
    assert!(!is_reported(&Problem { answered: false, ..answered }), "what is gone is not told");
}

#[test]
fn zero_line_and_empty_category_still_give_valid_sarif() {
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

fn checked(check: &str, status: &str, asks: bool, places: &Value) -> CheckResult {
    let result =
        json!({"check": check, "status": status, "summary": "what is wrong", "asks": asks, "places": places});
    serde_json::from_value(result).expect("a result")
}

#[test]
fn every_open_result_of_checks_has_a_line_of_a_file() {
    let results = [
        checked(
            "todo",
            "fail",
            false,
            &json!([{"file": "src/a b.rs", "line": 3, "what": "is open"}, {"file": "c.rs", "what": "x"}]),
        ),
        checked("suspect", "fail", true, &json!([{"file": "/etc/passwd", "line": 9, "what": "is odd"}])),
        checked("noted", "fail", false, &json!([])),
        checked("build", "unavailable", false, &json!([])),
        checked("lint", "pass", false, &json!([])),
        checked("format", "skipped", false, &json!([])),
    ];
    let log = sarif_of_checks(&results, &|result| result.check == "noted", "README.rst", "1.0");
    let told = log["runs"][0]["results"].as_array().expect("results").iter().map(|result| {
        let place = &result["locations"][0]["physicalLocation"];
        let (uri, line) = (&place["artifactLocation"]["uri"], &place["region"]["startLine"]);
        let (text, question) = (&result["message"]["text"], &result["properties"]["question"]);
        format!("{} {} {uri}:{line} {text} {question}", result["level"], result["ruleId"]).replace('"', "")
    });
    let expected = [
        "error check/todo src/a%20b.rs:3 is open null",
        "error check/todo c.rs:1 x null",
        "warning check/suspect README.rst:1 is odd (/etc/passwd) S1",
        "note check/noted README.rst:1 what is wrong null",
        "warning check/build README.rst:1 what is wrong null",
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
}
