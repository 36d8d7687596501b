//! Finds what makes an approving object doubtful in its own fields: a gate that fails, a check that did not pass, a label
//! of a verdict that denies. Findings are read elsewhere, by their severity.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{frames, in_prose};
use crate::clause;
use crate::json::{self, Budget};
use crate::lexicon::{self, Pattern, Sense};
use crate::passages::PassageKind;
use crate::review_object;
use crate::text::head;

/// So much of a value is quoted, in bytes.
const LONGEST: usize = 120;
/// Larger objects are not looked through, in bytes: no review has so much to say.
const MOST: usize = 300_000;
/// A longer value is a sentence, and so is one with blanks, in bytes.
const LONGEST_WORD: usize = 24;
/// Fields that other rules read: words, grades and findings, each by its own meaning.
const READ_ELSEWHERE: [&str; 9] =
    ["result", "decision", "review_id", "grade", "viewpoints", "findings", "issues", "problems", "questions"];

/// Returns the first field of a review object that does not go with an approval.
pub(super) fn find(text: &str, objects: &[Range<usize>]) -> Option<String> {
    if objects.iter().map(ExactSizeIterator::len).sum::<usize>() > MOST {
        return Some("an object of more fields than can be read".to_owned());
    }
    let budget = Budget::default();
    let reviews = objects.iter().filter_map(|span| json::object(&text[span.clone()], &budget));
    reviews
        .filter(|fields| !review_object::verdicts(fields).is_empty())
        .find_map(|fields| in_fields(&fields, "").or_else(|| frames::field(&fields)))
}

fn in_fields(fields: &Map<String, Value>, parent: &str) -> Option<String> {
    // Deeper inside, `result` and `decision` state something of their own.
    let read_elsewhere = if parent.is_empty() { READ_ELSEWHERE.as_slice() } else { &READ_ELSEWHERE[2..] };
    let is_own = |key: &str| {
        !read_elsewhere.iter().any(|name| key.eq_ignore_ascii_case(name)) && !EARLIER.is_match(key)
    };
    let is_history = |key: &str, value: &Value| {
        (value.is_array() || value.is_object()) && lexicon::is_all(&clause::fold(key), Sense::Settled)
    };
    fields
        .iter()
        .filter(|(key, value)| is_own(key) && !is_history(key, value))
        .find_map(|(key, value)| in_value(key, value, parent))
}

fn in_value(key: &str, value: &Value, parent: &str) -> Option<String> {
    let says_no = match value {
        Value::Object(fields) => return in_fields(fields, key),
        Value::Array(items) if WHAT_FAILED.is_match(key) => {
            items.iter().any(|item| item.as_str().is_none_or(|text| !NONE.is_match(text)))
        }
        Value::Array(items) => return items.iter().find_map(|item| in_value(key, item, parent)),
        Value::Bool(true) => FAILED.is_match(key) || PROBLEMS.is_match(key),
        Value::Bool(false) => {
            let is_good = FAILED.is_match(key) || PROBLEMS.is_match(key);
            PASSED.is_match(key) || (GATE.is_match(parent) && !is_good) || is_denied(key, "false")
        }
        Value::String(text) => {
            let is_no = FAILS.is_match(text)
                || clause::states_denial(text)
                || (PASSED.is_match(key) && DENIED.is_match(text));
            if !is_no
                && (text.len() > LONGEST_WORD || text.contains(char::is_whitespace))
                && let Some(sentence) = in_prose(text, &[])
            {
                return Some(sentence);
            }
            is_no || (text.len() <= LONGEST && is_denied(key, text))
        }
        Value::Number(count) => {
            let counts_failures = COUNT_FAILED.is_match(key) || WHAT_FAILED.is_match(key);
            counts_failures && count.as_f64().is_some_and(|count| count > 0.0)
        }
        Value::Null => false,
    };
    if says_no { Some(head(&format!("\"{key}\": {value}"), LONGEST).to_owned()) } else { None }
}

/// Tells whether the value of a field denies its name, or refuses.
fn is_denied(key: &str, value: &str) -> bool {
    let field = format!("| {key} | {} |", value.replace('|', " "));
    clause::objection(PassageKind::Row, &field, clause::PassagePlace::Now).is_some()
}

static NONE: Pattern = Pattern::named("fields.none");

/// The whole value of a field that failed, in other words than a verdict's.
static FAILS: Pattern = Pattern::named("fields.fails");
static DENIED: Pattern = Pattern::named("fields.denied");

/// A field that says whether something passed.
static PASSED: Pattern = Pattern::named("fields.passed");
/// A field that says whether something failed.
static FAILED: Pattern = Pattern::named("fields.failed");
/// A list or number of what failed.
static WHAT_FAILED: Pattern = Pattern::named("fields.what_failed");
/// A number of what failed.
static COUNT_FAILED: Pattern = Pattern::named("fields.count_failed");
/// A field that says whether there is a problem.
static PROBLEMS: Pattern = Pattern::named("fields.problems");
/// What was, beside what is now.
static EARLIER: Pattern = Pattern::named("fields.earlier");
/// A field that holds what has to pass.
static GATE: Pattern = Pattern::named("fields.gate");
