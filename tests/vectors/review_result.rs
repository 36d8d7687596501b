//! The record of a review, as a later version of the retake loop writes it, beside our `review-result.json`.

use std::collections::BTreeMap;

use content_parser::{Terms, read_structured};
use model::event::RunRequested;
use runner::review::result_file;
use serde_json::{Map, Value, json};

use super::{assert_deliberate, cases};
use crate::flow::policies::{agreement, phase, retake};
use crate::flow::world::{Script, World, name, passes};

/// What the later version keeps beside a verdict, and why our file has none of it.
const NOT_OURS: [(&str, &str); 5] = [
    ("schema_version", "the file is an export that nothing reads back; the log carries the format"),
    ("execution", "how a browser was driven is the business of the check that drives it"),
    ("checks", "evidence is in the log, not in the record of an opinion"),
    ("calibration_log_lines_min", "what a verdict was worth later is no part of it"),
    (
        "few_shot_bank_entries_min",
        "reviewers are not taught by earlier verdicts: their prompts are in the repository",
    ),
];

const DIFFERENCES: [(&str, &str); 2] = [
    ("browser pending", "a word that is in no verdict map is no verdict: it is read as a request of changes"),
    ("calibration log", "the verdict is the same; a label that somebody gives it later is not kept"),
];

#[test]
fn review_results_match_the_vectors() {
    let mut differing = BTreeMap::new();
    for case in cases("001_review_result.json") {
        let expected = without_foreign(&case["expected"]);
        let ours = in_their_words(&case["input"], &expected);
        if ours != expected {
            differing.insert(case["name"].as_str().expect("a name").to_owned(), (expected, ours));
        }
    }
    if !cases("001_review_result.json").is_empty() {
        assert_deliberate(&differing, &DIFFERENCES);
    }
}

fn without_foreign(expected: &Value) -> Value {
    let foreign = |key: &str| NOT_OURS.iter().any(|(name, _)| *name == key);
    let kept = expected.as_object().expect("an object").iter().filter(|(key, _)| !foreign(key));
    Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// Returns of our file what the case asks for.
fn in_their_words(input: &Value, asked: &Value) -> Value {
    let file = result_file(reviewed(input).run()).expect("a review");
    let verdict = file["decision"].clone();
    let known: Map<String, Value> = [
        ("verdict", verdict.clone()),
        ("commit_hash", file["commit_hash"].clone()),
        ("followups", json!(file["suggestions"].as_array().map_or(0, Vec::len))),
        ("approval_record", json!({"judgment": verdict, "commit_hash": file["commit_hash"]})),
    ]
    .into_iter()
    .filter(|(key, _)| asked.get(key).is_some())
    .map(|(key, value)| (key.to_owned(), value))
    .collect();
    Value::Object(known)
}

/// Plays a review that says what the case says, on the commit that the case names.
fn reviewed(input: &Value) -> World {
    let policy = retake();
    let words = policy.review.as_ref().map(|rule| rule.verdict_map.clone()).unwrap_or_default();
    let terms = Terms { review_id: Some("r-1"), require_review_id: false, words: &words, beyond: &[] };
    let answer = json!({
        "review_id": "r-1",
        "decision": input["verdict"],
        "summary": "looked at",
        "suggestions": input["recommendations"].as_array().cloned().unwrap_or_default(),
        "findings": input["gaps"].as_array().cloned().unwrap_or_default(),
    });
    let mut review = passes();
    review.reading = Some(read_structured(&answer, &terms));
    let script = Script { reviews: vec![review], ..Script::default() };
    let mut world = World::new(agreement(vec![phase("planning", policy)])).script(&name("planning"), script);
    let head = input["commit"].as_str().map(str::to_owned);
    world.ask(RunRequested { head, ..RunRequested::default() });
    world
}

/// The verdicts of the retake loop in their order, each with its grade.
#[test]
fn every_verdict_is_recorded_in_the_words_of_the_policy() {
    for (stated, severity, decision, grade) in [
        ("APPROVE", None, "APPROVE", "A"),
        ("PASS", None, "APPROVE", "A"),
        ("REQUEST_CHANGES", None, "REQUEST_CHANGES", "C"),
        ("APPROVE", Some("major"), "REQUEST_CHANGES", "C"),
        ("REJECT", None, "REJECT", "D"),
        ("APPROVE", Some("critical"), "REJECT", "D"),
        ("STOP", None, "STOP", "N/A"),
    ] {
        let findings: Vec<Value> = severity
            .map(|severity| json!({"severity": severity, "issue": "a problem"}))
            .into_iter()
            .collect();
        let world = reviewed(&json!({"verdict": stated, "gaps": findings, "commit": "abc1234"}));
        let file = result_file(world.run()).expect("a review");
        assert_eq!((&file["decision"], &file["grade"]), (&json!(decision), &json!(grade)), "{stated}");
        assert_eq!(file["commit_hash"], "abc1234");
        for key in ["timestamp", "reviewer", "session_id"] {
            assert!(file[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {file}");
        }
    }
}
