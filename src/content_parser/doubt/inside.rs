//! Finds what makes an approving object doubtful in its own fields: a gate that fails, a check that did not pass, a label
//! of a verdict that denies. Findings are read elsewhere, by their severity.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::{denial, head, pattern};
use crate::strict::{self, Budget};
use crate::{second_thought, stated};

/// So much of a value is quoted, in bytes.
const LONGEST: usize = 120;
/// Fields that other rules read: words, grades and findings, each by its own meaning.
const READ_ELSEWHERE: [&str; 10] = [
    "result",
    "decision",
    "review_id",
    "grade",
    "viewpoints",
    "findings",
    "issues",
    "problems",
    "suggestions",
    "questions",
];

/// Returns the first field of a review object that does not go with an approval.
pub(super) fn find(text: &str, objects: &[Range<usize>]) -> Option<String> {
    let budget = Budget::default();
    let reviews = objects.iter().filter_map(|span| strict::object(&text[span.clone()], &budget));
    reviews.filter(|fields| !stated::verdicts(fields).is_empty()).find_map(|fields| in_fields(&fields, ""))
}

fn in_fields(fields: &Map<String, Value>, parent: &str) -> Option<String> {
    let is_own = |key: &str| !READ_ELSEWHERE.contains(&key.to_lowercase().as_str());
    fields.iter().filter(|(key, _)| is_own(key)).find_map(|(key, value)| in_value(key, value, parent))
}

fn in_value(key: &str, value: &Value, parent: &str) -> Option<String> {
    let says_no = match value {
        Value::Object(fields) => return in_fields(fields, key),
        Value::Array(items) => return items.iter().find_map(|item| in_value(key, item, parent)),
        Value::Bool(true) => FAILED.is_match(key),
        Value::Bool(false) => PASSED.is_match(key) || GATE.is_match(parent),
        Value::String(text) => is_no(text) || (PASSED.is_match(key) && DENIED.is_match(text)),
        Value::Null | Value::Number(_) => false,
    };
    says_no.then(|| head(&format!("\"{key}\": {value}"), LONGEST).to_owned())
}

fn is_no(text: &str) -> bool {
    let text = super::folded(head(text, super::REACH));
    second_thought::is_no(&text) || FAILS.is_match(&text) || denial::denies(&text, &denial::OF_ALL)
}

/// The whole value of a field that failed, in other words than a verdict's.
static FAILS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\W*(?:fail(?:ed|ing|ure)?|block(?:ed|ing)|broken|errors?|red|not met|ng|未達|不適合)\W*$|^[❌✗✘×]",
    )
});
static DENIED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\W*(?:no|not|false)\W*$"));

/// A field that says whether something passed.
static PASSED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?-i:[a-z]Pass(?:ed|es)?)$|(?:^|_)(?:pass(?:ed|es)?|ok|success(?:ful)?|succeeded|approved|accepted|valid|green|complete|completed|met|satisfied)$",
    )
});
/// A field that says whether something failed.
static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?-i:[a-z](?:Fail(?:ed|s)?|Rejected|Blocked))$|(?:^|_)(?:fail(?:ed|s|ing)?|rejected|blocked|blocking|broken)$",
    )
});
/// A field that holds what has to pass.
static GATE: LazyLock<Regex> = LazyLock::new(|| pattern(r"gate"));
