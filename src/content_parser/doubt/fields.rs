//! Finds what makes an approving object doubtful in its own fields: a gate that fails, a check that did not pass, a label
//! of a verdict that denies, a question or a finding that holds the work back. How severe a finding is, is read elsewhere.

use std::ops::Range;

use serde_json::Value;

use super::{in_prose, lines};
use crate::clause::{self, PassagePlace};
use crate::json::{self, Budget, Fields};
use crate::lexicon::{self, Sense, pattern};
use crate::passages::PassageKind;
use crate::review_object;
use crate::text::head;

/// So much of a value is quoted, in bytes.
const LONGEST: usize = 120;
/// Larger objects are not looked through, in bytes: no review has so much to say.
const MOST: usize = 300_000;
/// A longer value is a sentence, and so is one with blanks, in bytes.
const LONGEST_WORD: usize = 24;
/// Fields whose values other rules read: words and grades, each by its own meaning.
const READ_ELSEWHERE: [&str; 5] = ["result", "decision", "review_id", "grade", "viewpoints"];
/// Lists of findings, each with a severity of its own.
const FINDINGS: [&str; 3] = ["findings", "issues", "problems"];

/// Returns the first field of a review object that does not go with an approval.
pub(super) fn find(text: &str, objects: &[Range<usize>]) -> Option<String> {
    if objects.iter().map(ExactSizeIterator::len).sum::<usize>() > MOST {
        return Some("an object of more fields than can be read".to_owned());
    }
    let budget = Budget::default();
    let mut reviews = objects.iter().filter_map(|span| json::object(&text[span.clone()], &budget));
    reviews.find_map(
        |fields| {
            if review_object::verdicts(&fields).is_empty() { None } else { in_fields(&fields, "") }
        },
    )
}

fn in_fields(fields: &Fields, parent: &str) -> Option<String> {
    // Deeper inside, `result` and `decision` state something of their own.
    let read_elsewhere = if parent.is_empty() { READ_ELSEWHERE.as_slice() } else { &READ_ELSEWHERE[2..] };
    let is_own = |key: &str| {
        !read_elsewhere.iter().any(|name| key.eq_ignore_ascii_case(name))
            && !pattern("fields.earlier").is_match(key)
    };
    let is_history = |key: &str, value: &Value| {
        (value.is_array() || value.is_object()) && lexicon::is_all(&clause::fold(key), Sense::Settled)
    };
    let mut own = fields.iter().filter(|(key, value)| is_own(key) && !is_history(key, value));
    own.find_map(|(key, value)| in_value(key, value, parent))
}

fn in_value(key: &str, value: &Value, parent: &str) -> Option<String> {
    let says_no = match value {
        Value::Object(fields) => return in_fields(fields, key),
        Value::Array(items) if FINDINGS.contains(&key) => return items.iter().find_map(finding),
        Value::Array(items) if key == "questions" => return items.iter().find_map(question),
        Value::Array(items) if pattern("fields.lists_failures").is_match(key) => {
            items.iter().any(|item| item.as_str().is_none_or(|text| !pattern("fields.none").is_match(text)))
        }
        Value::Array(items) => return items.iter().find_map(|item| in_value(key, item, parent)),
        Value::String(text) => {
            let is_no = is_denying_word(key, text);
            if !is_no && (text.len() > LONGEST_WORD || text.contains(char::is_whitespace)) {
                return in_prose(text, &[]);
            }
            is_no
        }
        other => is_denied_by_name(key, other, parent),
    };
    if says_no { Some(quoted(key, value)) } else { None }
}

fn quoted(key: &str, value: &Value) -> String {
    head(&format!("\"{key}\": {value}"), LONGEST).to_owned()
}

/// Tells whether a flag or a number denies by the name of its field: `ready: false`, `blocking: true`, `failed: 2`.
fn is_denied_by_name(key: &str, value: &Value, parent: &str) -> bool {
    match value {
        Value::Bool(true) => pattern("fields.bad").is_match(key),
        Value::Bool(false) => {
            pattern("fields.good").is_match(key)
                || (pattern("fields.gate").is_match(parent) && !pattern("fields.bad").is_match(key))
                || is_denied(key, "false")
        }
        Value::Number(count) => {
            pattern("fields.counts").is_match(key) && count.as_f64().is_some_and(|count| count > 0.0)
        }
        _ => false,
    }
}

fn is_denying_word(key: &str, word: &str) -> bool {
    pattern("fields.fails").is_match(word)
        || clause::states_denial(word)
        || (pattern("fields.good").is_match(key) && pattern("fields.no").is_match(word))
        || (pattern("fields.bad").is_match(key) && pattern("fields.yes").is_match(word))
        || (word.len() <= LONGEST && is_denied(key, word))
}

/// Tells whether the value of a field denies its name, or refuses.
fn is_denied(key: &str, value: &str) -> bool {
    let field = format!("| {key} | {} |", value.replace('|', " "));
    clause::objection(PassageKind::Row, &field, PassagePlace::Now).is_some()
}

/// A question that names a defect asks for nothing.
fn question(item: &Value) -> Option<String> {
    let text = item.as_str().or_else(|| item.get("question")?.as_str())?;
    lines::denial(text).map(str::to_owned).or_else(|| in_prose(text, &[]))
}

/// A finding of a low severity may name a defect, but does not say that it holds the work back.
fn finding(item: &Value) -> Option<String> {
    let fields = item.as_object()?;
    fields.iter().find_map(|(key, value)| match value {
        Value::String(text) => clause::objection(PassageKind::Text, text, PassagePlace::Suggested)
            .or_else(|| text.lines().find(|line| lines::has("label", line)).map(str::to_owned)),
        other if is_denied_by_name(key, other, "") => Some(quoted(key, other)),
        _ => None,
    })
}
