//! Finds what makes an approving object doubtful in its own fields: a gate that fails, a check that did not pass, a label
//! of a verdict that denies. Findings are read elsewhere, by their severity.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::{clause, head, in_prose, pattern};
use crate::passages::PassageKind;
use crate::stated;
use crate::strict::{self, Budget};

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
    let reviews = objects.iter().filter_map(|span| strict::object(&text[span.clone()], &budget));
    reviews.filter(|fields| !stated::verdicts(fields).is_empty()).find_map(|fields| in_fields(&fields, ""))
}

fn in_fields(fields: &Map<String, Value>, parent: &str) -> Option<String> {
    // Deeper inside, `result` and `decision` state something of their own.
    let read_elsewhere = if parent.is_empty() { READ_ELSEWHERE.as_slice() } else { &READ_ELSEWHERE[2..] };
    let is_own = |key: &str| {
        !read_elsewhere.iter().any(|name| key.eq_ignore_ascii_case(name)) && !EARLIER.is_match(key)
    };
    let is_history =
        |key: &str, value: &Value| (value.is_array() || value.is_object()) && clause::is_settled(key);
    fields
        .iter()
        .filter(|(key, value)| is_own(key) && !is_history(key, value))
        .find_map(|(key, value)| in_value(key, value, parent))
}

fn in_value(key: &str, value: &Value, parent: &str) -> Option<String> {
    let says_no = match value {
        Value::Object(fields) => return in_fields(fields, key),
        Value::Array(items) if WHAT_FAILED.is_match(key) => items.iter().any(is_something),
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
    says_no.then(|| head(&format!("\"{key}\": {value}"), LONGEST).to_owned())
}

/// Tells whether an item of a list names something.
fn is_something(item: &Value) -> bool {
    item.as_str().is_none_or(|text| !NONE.is_match(text))
}

/// Tells whether the value of a field denies its name, or refuses.
fn is_denied(key: &str, value: &str) -> bool {
    let field = format!("| {key} | {} |", value.replace('|', " "));
    clause::objection(PassageKind::Row, &field, clause::PassagePlace::Now).is_some()
}

static NONE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\W*(?:none|nothing|n/?a|なし)?\W*$"));

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
/// A list or number of what failed.
static WHAT_FAILED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:failed|failing|rejected|blocked|broken|unmet)_?(?:gates?|checks?|tests?|criteria|criterion|items?)$",
    )
});
/// A number of what failed.
static COUNT_FAILED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:^|_)fail(?:ed|ing|ures)$"));
/// A field that says whether there is a problem.
static PROBLEMS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^has_?(?:open_?|critical_?)?(?:blockers?|blocking_?issues|failures?|failed_?\w*)$")
});
/// What was, beside what is now.
static EARLIER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:before|previous(?:ly)?|earlier|baseline)(?:_|$)"));
/// A field that holds what has to pass.
static GATE: LazyLock<Regex> = LazyLock::new(|| pattern(r"gate|criteri(?:a|on)"));
