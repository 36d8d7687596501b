//! Vectors of the retake loop: what findings, build and tests decide, how retakes are counted, and how findings become tasks.
//! The rows about a second reviewer are the panel's and stand in an adapter of their own.

use std::collections::BTreeMap;

use content_parser::{Terms, read_review};
use engine::{PhaseState, State, apply};
use model::event::{CheckStatus, Fact, PauseReason};
use model::policy::{OnFail, Policy};
use model::verdict::{Grade, Judgment, Verdict};
use serde_json::{Value, json};

use super::{assert_deliberate, cases};
use crate::flow::policies::{phase, retake};
use crate::flow::world::{Review, Script, World, states};

/// Rows that something else decides, by how their names begin.
const ELSEWHERE: [(&str, &str); 3] = [
    ("second reviewer", "the panel merges several opinions"),
    ("fast path", "an approval is bound to the files it judged; no review is skipped for an older one"),
    ("implementers", "one author works at a time"),
];

/// What we decide otherwise, and why.
const OTHERWISE: [(&str, &str); 0] = [];

/// The policy of the older system: a failed build and failed tests stop.
fn retake_policy() -> Policy {
    let mut policy = retake();
    for check in &mut policy.checks {
        check.on_fail = OnFail::Stop;
    }
    policy
}

/// Reads what a reviewer answers with these findings.
fn answers(word: &str, findings: &Value) -> Review {
    let words = retake_policy().review.expect("a review").verdict_map;
    let terms = Terms { review_id: None, require_review_id: false, words: &words, beyond: &[] };
    let text = json!({"result": word, "summary": "what I saw", "findings": findings}).to_string();
    Review { reading: Some(read_review(&text, &terms)), ..states(word, Verdict::Pass, Judgment::Approve) }
}

/// Returns the first phase as it was after this many rulings.
fn after(reviews: Vec<Review>, checks: &[(&str, CheckStatus)], rulings: usize) -> PhaseState {
    let checks = vec![checks.iter().map(|(check, status)| ((*check).to_owned(), *status)).collect()];
    let script = Script { checks, reviews, ..Script::default() };
    let world = World::play(phase("implementation", retake_policy()), script);
    let mut state = State::default();
    let mut seen = 0;
    for entry in &world.entries {
        apply(&mut state, entry).expect("a fact that fits");
        seen += usize::from(matches!(entry.fact, Fact::Ruled(_)));
        if seen == rulings {
            break;
        }
    }
    state.run.expect("a run").phases[0].clone()
}

/// Returns the older system's word for the last ruling.
fn decision(phase: &PhaseState) -> &'static str {
    match (
        phase.history.rulings.last().expect("a ruling").ruling.word(),
        phase.history.rounds.last().and_then(|round| round.verdict),
    ) {
        ("advance", _) => "APPROVE",
        ("revise", _) => "REQUEST_CHANGES",
        ("pause", Some(_)) => "REJECT",
        ("pause", None) => "STOP",
        (other, _) => other,
    }
}

fn next(phase: &PhaseState) -> &'static str {
    match phase.history.rulings.last().expect("a ruling").ruling.word() {
        "revise" => "retake",
        _ if phase.reason.as_deref() == Some(PauseReason::Exhausted.as_str()) => "escalate",
        _ => "stop",
    }
}

fn decided(input: &Value) -> Value {
    let failed = ["build", "tests"].into_iter().filter(|check| input[check] == "failed");
    let checks: Vec<_> = failed.map(|check| (check, CheckStatus::Fail)).collect();
    let severities = input["findings"].as_array().into_iter().flatten();
    let findings: Vec<Value> =
        severities.map(|severity| json!({"severity": severity, "issue": "a problem"})).collect();
    let review = answers("APPROVE", &Value::from(findings));
    let phase = after(vec![review], &checks, 1);
    let grade = phase.history.rounds.last().and_then(|round| round.grade);
    json!({"decision": decision(&phase), "grade": grade.map_or("N/A", Grade::as_str)})
}

fn retaken(verdicts: &[Value]) -> Value {
    let word = |verdict: &Value| answers(verdict.as_str().expect("a word"), &json!([]));
    let phase = after(verdicts.iter().map(word).collect(), &[], verdicts.len());
    let requests = phase.history.rounds.iter().filter(|round| round.judgment == Judgment::Revise).count();
    json!({"retake_count": requests, "next": next(&phase)})
}

/// The vectors give no texts, and to us a finding is its text: each gets one of its own.
fn tasks(findings: &Value) -> Value {
    let mut findings = findings.clone();
    for (finding, word) in
        findings.as_array_mut().expect("a list").iter_mut().zip(["slow", "wrong", "unsafe"])
    {
        finding["issue"] = word.into();
    }
    let phase = after(vec![answers("REQUEST_CHANGES", &findings)], &[], 1);
    let (given, _) = phase.tasks.latest();
    let told: Vec<Value> =
        given.iter().map(|task| json!({"owns": task.owns, "items": task.findings.len()})).collect();
    let order: Vec<&Value> = told.iter().map(|task| &task["owns"]).collect();
    json!({"tasks": told, "order": order})
}

/// Returns what we decide in a case, in the words of what is expected; nothing when something else decides it.
fn ours(name: &str, input: &Value, expected: &Value) -> Option<Value> {
    if ELSEWHERE.iter().any(|(start, _)| name.starts_with(start)) {
        return None;
    }
    let found = match (input.get("verdicts").and_then(Value::as_array), &input["findings"][0]) {
        (Some(verdicts), _) => retaken(verdicts),
        (None, Value::Object(_)) => tasks(&input["findings"]),
        (None, _) => decided(input),
    };
    Some(in_words_of(expected, &found))
}

/// Renames and leaves out what the case says in other words: of two readings of the text ours is the first one listed.
fn in_words_of(expected: &Value, found: &Value) -> Value {
    let mut told = expected.clone();
    for (key, value) in told.as_object_mut().expect("an object") {
        let ours = match key.as_str() {
            "decision_by_conditions" => &found["decision"],
            "next_by_inequality" => &found["next"],
            // What the text says elsewhere about the same case.
            "decision_in_example" | "next_by_message" => continue,
            "grade_in" if value.as_array().is_some_and(|grades| grades.contains(&found["grade"])) => continue,
            "grade_in" => &found["grade"],
            other => &found[other],
        };
        let not_approved = *value == "not APPROVE" && *ours != "APPROVE";
        if !not_approved {
            *value = ours.clone();
        }
    }
    told
}

#[test]
fn verdicts_match_the_vectors() {
    let mut differing = BTreeMap::new();
    let cases = cases("001_verdicts.json");
    for case in &cases {
        let name = case["name"].as_str().expect("a name");
        let Some(found) = ours(name, &case["input"], &case["expected"]) else { continue };
        if found != case["expected"] {
            differing.insert(name.to_owned(), (found, case["expected"].clone()));
        }
    }
    if !cases.is_empty() {
        assert_deliberate(&differing, &OTHERWISE);
    }
}
