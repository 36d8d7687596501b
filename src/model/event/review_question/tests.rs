//! Tests of the questions to a reviewer: which there are, and in which order.

use super::*;
use serde_json::{Value, json};

/// Returns the result of a check with places in these lines.
fn result(check: &str, asks: bool, lines: &[u64]) -> CheckResult {
    let places: Vec<Value> =
        lines.iter().map(|line| json!({"file": "t.py", "line": line, "what": "weaker"})).collect();
    let result = json!({"check": check, "status": "fail", "summary": "s", "asks": asks, "places": places});
    serde_json::from_value(result).expect("a result")
}

fn ids_and_lines(questions: &ReviewQuestions) -> Vec<(&str, &str, u64)> {
    let each = questions.asked.iter();
    each.map(|asked| (asked.id.as_str(), asked.check.as_str(), asked.place.line.unwrap_or(0))).collect()
}

#[test]
fn places_of_checks_that_ask_are_numbered_in_their_order() {
    let results =
        [result("suspect", true, &[3, 7]), result("noted", false, &[1]), result("expectations", true, &[9])];
    let questions = ReviewQuestions::of(&results);
    let expected = [("S1", "suspect", 3), ("S2", "suspect", 7), ("S3", "expectations", 9)];
    assert_eq!((ids_and_lines(&questions), questions.more), (expected.to_vec(), 0));
}

#[test]
fn only_a_check_that_found_something_asks() {
    for status in
        [CheckStatus::Pass, CheckStatus::Skipped, CheckStatus::Unavailable, CheckStatus::FailedBefore]
    {
        let result = CheckResult { status, ..result("suspect", true, &[3]) };
        assert_eq!(ReviewQuestions::of(&[result]), ReviewQuestions::default(), "{status:?}");
    }
    assert_eq!(ReviewQuestions::of(&[]), ReviewQuestions::default());
}

#[test]
fn more_questions_than_a_reviewer_is_asked_are_counted() {
    let lines: Vec<u64> = (1..=25).collect();
    let questions = ReviewQuestions::of(&[result("suspect", true, &lines)]);
    assert_eq!((questions.asked.len(), questions.more), (MOST_REVIEW_QUESTIONS, 5));
    let mut listed = result("suspect", true, &lines);
    listed.params.insert("count".into(), json!(90));
    assert_eq!(ReviewQuestions::of(&[listed]).more, 70, "the result lists only the first places");
}

#[test]
fn results_of_earlier_logs_ask_nothing() {
    let old = json!({"check": "suspect", "status": "fail", "summary": "s", "places": [{"what": "weaker"}]});
    let old: CheckResult = serde_json::from_value(old).expect("a result");
    assert!(!old.asks);
    assert_eq!(ReviewQuestions::of(std::slice::from_ref(&old)), ReviewQuestions::default());
    assert!(
        serde_json::to_value(&old).expect("an object").get("asks").is_none(),
        "and are written as before"
    );
}
