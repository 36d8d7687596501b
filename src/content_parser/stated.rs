//! Reads one review object: its words, id, findings and grades, and tightens a verdict that they contradict.
//! Does not choose between several objects; that is `review`'s.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::questions::questions;
use super::word::{self, Words};
use super::{Terms, clipped, findings};
use model::event::Reading;
use model::finding::{Finding, Severity};
use model::verdict::{Grade, Judgment, ReadAs};

const MOST_TEXTS: usize = 100;
const LONGEST_FEEDBACK: usize = 20_000;

/// Whose answer an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// It carries the id that was asked for.
    Right,
    /// It carries another one.
    Wrong,
    /// It carries none, or none was asked for.
    Unnamed,
}

/// Returns whose answer an object is.
pub(super) fn origin(fields: &Map<String, Value>, terms: &Terms) -> Origin {
    match (terms.review_id, fields.get("review_id")) {
        (None, _) | (_, None) => Origin::Unnamed,
        (Some(asked), Some(Value::String(given))) if given.trim() == asked => Origin::Right,
        _ => Origin::Wrong,
    }
}

/// Returns the values that state a verdict; an object without any is no review.
pub(super) fn verdicts(fields: &Map<String, Value>) -> Vec<&Value> {
    let states = |key: &str| key.eq_ignore_ascii_case("result") || key.eq_ignore_ascii_case("decision");
    fields.iter().filter(|(key, _)| states(key)).map(|(_, value)| value).collect()
}

/// Tells whether an object only repeats the words to choose from.
pub(super) fn is_template(fields: &Map<String, Value>, words: &Words) -> bool {
    let verdicts = verdicts(fields);
    verdicts.iter().all(|value| value.as_str().is_some_and(|word| words.is_choice(word)))
}

/// Reads an object that states a verdict.
pub(super) fn read(fields: &Map<String, Value>, words: &Words, terms: &Terms, read_as: ReadAs) -> Reading {
    let (judgment, stated) = strictest_word(fields, words);
    let (grade, unread_grade) = grade(fields.get("grade"));
    let (viewpoints, unread_viewpoint) = viewpoints(fields.get("viewpoints"));
    let mut reading = Reading {
        result: judgment.verdict(),
        judgment,
        reason: format!("the object says {stated}"),
        stated,
        read_as,
        doubt: None,
        feedback: feedback(fields),
        suggestions: texts(fields.get("suggestions")),
        findings: within(terms, findings::read_all(fields)),
        questions: questions(fields.get("questions")),
        grade,
        viewpoints,
    };
    tighten(&mut reading, unread_grade || unread_viewpoint);
    if reading.judgment.approves() && denies_approval(fields, words) {
        reason_to_revise(&mut reading, "an approval that it denies");
    }
    match strictest_inside(fields, words) {
        Some((judgment, word)) if judgment > reading.judgment => {
            let reason = format!("tightened: {} with {word} inside", reading.stated);
            Reading { result: judgment.verdict(), judgment, reason, ..reading }
        }
        _ => reading,
    }
}

/// Marks the findings that are out of scope.
fn within(terms: &Terms, mut findings: Vec<Finding>) -> Vec<Finding> {
    for finding in &mut findings {
        finding.in_scope = !terms.beyond.contains(finding);
    }
    findings
}

fn strictest_word(fields: &Map<String, Value>, words: &Words) -> (Judgment, String) {
    let meaning = |value: &Value| match value {
        Value::String(word) => {
            (words.meaning(word).unwrap_or_else(|| word::unknown(word)), word.trim().to_owned())
        }
        other => (Judgment::Revise, other.to_string()),
    };
    let strictest = verdicts(fields)
        .into_iter()
        .map(meaning)
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    let (judgment, stated) = strictest.unwrap_or((Judgment::Unverifiable, String::new()));
    (judgment, clipped(&stated, 80).to_owned())
}

/// Makes an approval stricter that its own findings or grades contradict.
fn tighten(reading: &mut Reading, unread_grade: bool) {
    let grades = reading.viewpoints.values().chain(&reading.grade);
    let contradiction = match reading.worst() {
        Some(Severity::Critical) => "a critical finding".to_owned(),
        Some(Severity::Major) => "a major finding".to_owned(),
        _ => match grades.max() {
            Some(Grade::C) => "grade C".to_owned(),
            Some(Grade::D) => "grade D".to_owned(),
            _ if unread_grade => "a grade that is none of A, B, C, D".to_owned(),
            _ => return,
        },
    };
    if reading.judgment.approves() {
        reason_to_revise(reading, &contradiction);
    }
}

fn reason_to_revise(reading: &mut Reading, contradiction: &str) {
    reading.judgment = reading.judgment.max(Judgment::Revise);
    reading.result = reading.judgment.verdict();
    reading.reason = format!("tightened: {} with {contradiction}", reading.stated);
}

/// Fields that some write a verdict in, beside the one that is asked for; alone they state none.
const OTHER_NAMES: [&str; 8] = [
    "verdict",
    "status",
    "judgment",
    "judgement",
    "outcome",
    "conclusion",
    "final_verdict",
    "overall_verdict",
];

/// Fields that hold a verdict or a sentence: only what is nothing but a verdict states one.
const VERDICT_OR_PROSE: [&str; 3] = ["overall", "recommendation", "assessment"];

/// Tells whether an object says in another field that it does not approve.
fn denies_approval(fields: &Map<String, Value>, words: &Words) -> bool {
    let is_no = |value: &Value| match value {
        Value::Bool(approved) => !approved,
        Value::String(word) => ["false", "no"].contains(&word.trim().to_lowercase().as_str()),
        _ => false,
    };
    let approval = |key: &str| ["approved", "passed", "accepted"].contains(&key.to_lowercase().as_str());
    let verdict = |key: &str| OTHER_NAMES.contains(&key.to_lowercase().as_str());
    let denies = |value: &Value| value.as_str().is_some_and(|word| words.denies(word));
    let blocks = |key: &str, value: &Value| {
        ["blocking", "blocked", "rejected"].contains(&key.to_lowercase().as_str())
            && value == &Value::Bool(true)
    };
    let or_prose = |key: &str| VERDICT_OR_PROSE.contains(&key.to_lowercase().as_str());
    let is_verdict = |word: &str| !word.trim().contains(' ') && words.denies(word);
    fields.iter().any(|(key, value)| {
        (approval(key) && is_no(value))
            || (verdict(key) && denies(value))
            || blocks(key, value)
            || (or_prose(key) && value.as_str().is_some_and(is_verdict))
    })
}

/// Returns the strictest known word that objects inside this one state.
fn strictest_inside(fields: &Map<String, Value>, words: &Words) -> Option<(Judgment, String)> {
    let mut strictest: Option<(Judgment, String)> = None;
    let mut left: Vec<&Value> = fields.values().collect();
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(inner) => {
                for word in verdicts(inner).into_iter().filter_map(Value::as_str) {
                    let judgment = words.meaning(word);
                    if judgment > strictest.as_ref().map(|(judgment, _)| *judgment) {
                        strictest = judgment.map(|judgment| (judgment, clipped(word.trim(), 80).to_owned()));
                    }
                }
                left.extend(inner.values());
            }
            _ => {}
        }
    }
    strictest
}

/// Returns a grade, and whether there is something else in its place.
fn grade(value: Option<&Value>) -> (Option<Grade>, bool) {
    let word = match value {
        None | Some(Value::Null) => return (None, false),
        Some(Value::String(word)) if word.trim().is_empty() => return (None, false),
        Some(Value::String(word)) => word.trim().to_uppercase(),
        Some(Value::Object(fields)) => return grade(fields.get("grade").or(Some(&Value::Bool(false)))),
        Some(_) => return (None, true),
    };
    let grade = match word.trim_end_matches(['+', '-']) {
        "A" => Grade::A,
        "B" => Grade::B,
        "C" => Grade::C,
        "D" => Grade::D,
        _ => return (None, true),
    };
    (Some(grade), false)
}

fn viewpoints(value: Option<&Value>) -> (BTreeMap<String, Grade>, bool) {
    let fields = match value {
        None | Some(Value::Null) => return (BTreeMap::new(), false),
        Some(Value::Object(fields)) => fields,
        Some(_) => return (BTreeMap::new(), true),
    };
    let read = fields.iter().map(|(name, value)| (name, grade(Some(value))));
    let unread = read.clone().any(|(_, (_, unread))| unread);
    let known = read.filter_map(|(name, (grade, _))| Some((clipped(name, 80).to_owned(), grade?)));
    (known.take(MOST_TEXTS).collect(), unread)
}

fn feedback(fields: &Map<String, Value>) -> String {
    let parts: Vec<String> = ["summary", "feedback", "reason"]
        .iter()
        .filter_map(|name| fields.get(*name))
        .map(|value| match value {
            Value::String(text) => clipped(text.trim(), LONGEST_FEEDBACK).to_owned(),
            other => findings::line(other),
        })
        .filter(|text| !text.is_empty())
        .collect();
    clipped(&parts.join("\n\n"), LONGEST_FEEDBACK).to_owned()
}

/// Reads a list of texts; an object in it is read by its main field.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::Object(fields) => {
            let names = ["suggestion", "question", "text", "issue", "description", "title"];
            let main = names.iter().find_map(|name| fields.get(*name).filter(|value| value.is_string()));
            findings::line(main.unwrap_or(value))
        }
        other => findings::line(other),
    };
    let items = match value {
        Some(Value::Array(items)) => items.as_slice(),
        Some(single) => std::slice::from_ref(single),
        None => &[],
    };
    items.iter().map(text).filter(|text| !text.is_empty()).take(MOST_TEXTS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{default_words, doubt, read_review, read_structured};
    use super::*;

    /// Both ways in which an object comes.
    fn approves(key: &str, value: &Value) -> [bool; 2] {
        let words = default_words();
        let terms = Terms { review_id: None, require_review_id: false, words: &words, beyond: &[] };
        let mut object = json!({"result": "PASS", "summary": "good", "findings": []});
        object[key] = value.clone();
        let readings = [read_structured(&object, &terms), read_review(&object.to_string(), &terms)];
        let is_doubted = doubt(&object.to_string()).is_some();
        readings.map(|reading| reading.judgment.approves() && !is_doubted)
    }

    #[test]
    fn an_object_that_takes_its_approval_back_in_another_field_does_not_approve() {
        for (key, value) in [
            ("summary", json!("On second thought I must reject this.")),
            ("feedback", json!("結論: 不合格")),
            ("notes", json!(["fine", "I cannot approve this change."])),
            ("overall", json!("FAIL")),
            ("overall", json!("not approved")),
            ("recommendation", json!("reject")),
            ("Recommendation", json!("Do not merge.")),
            ("blocking", json!(true)),
            ("suggestions", json!(["rename it", "must not be merged: the password is logged"])),
            ("suggestions", json!([{"severity": "minor", "text": "Do not merge this."}])),
        ] {
            assert_eq!(approves(key, &value), [false; 2], "{key}: {value}");
        }
    }

    #[test]
    fn an_object_that_tells_what_the_work_does_still_approves() {
        for (key, value) in [
            ("summary", json!("The handler must reject this input, and it does.")),
            ("feedback", json!("ただし、権限のない利用者は承認できません。これは仕様どおりです。")),
            ("notes", json!("In round 1 I had to reject this; it is fixed.")),
            ("overall", json!("PASS")),
            ("overall", json!("failed logins are logged")),
            ("recommendation", json!("request a follow-up for the docs")),
            ("recommendation", json!("reject longer names in a later change")),
            ("blocking", json!(false)),
            ("blocking", json!("none")),
            (
                "suggestions",
                json!(["rename `failed` to `rejected`", "the two helpers should not be merged yet"]),
            ),
            ("suggestions", json!([{"severity": "minor", "text": "a rejected request could be logged"}])),
            ("suggestions", json!([])),
        ] {
            assert_eq!(approves(key, &value), [true; 2], "{key}: {value}");
        }
    }
}
