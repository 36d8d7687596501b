//! Reads one review object: its words, id, findings, questions and grades, and tightens a verdict that they contradict.
//! Findings are read the way agents write them: other names, texts instead of objects, numbers as text; an unknown severity is
//! major. Does not choose between several objects; that is `review`'s.

use std::collections::BTreeMap;

use serde_json::Value;

use super::json::{Fields, line, objects_inside};
use super::lexicon::pattern;
use super::text::clipped;
use super::word::{self, Words};
use super::{Terms, answers};
use model::event::Reading;
use model::finding::{Disposition, Finding, Severity};
use model::verdict::{Grade, Judgment, ReadAs};

const MOST_TEXTS: usize = 100;
/// A longer text for the author is cut, in characters.
pub(super) const LONGEST_FEEDBACK: usize = 20_000;
/// A longer word of a verdict is cut, in characters.
const LONGEST_WORD: usize = 80;
/// More findings than this are cut, the mildest first.
const MOST_FINDINGS: usize = 500;
/// More than so many questions are not put to an author at once: an exchange costs two agent calls.
const MOST_QUESTIONS: usize = 10;
const LONGEST_QUESTION: usize = 500;
const LONGEST_PATH: usize = 200;

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
pub(super) fn origin(fields: &Fields, terms: &Terms) -> Origin {
    match (terms.review_id, fields.get("review_id")) {
        (None, _) | (_, None) => Origin::Unnamed,
        (Some(asked), Some(Value::String(given))) if given.trim() == asked => Origin::Right,
        _ => Origin::Wrong,
    }
}

/// Returns the values that state a verdict; an object without any is no review.
pub(super) fn verdicts(fields: &Fields) -> Vec<&Value> {
    let states = |key: &str| key.eq_ignore_ascii_case("result") || key.eq_ignore_ascii_case("decision");
    fields.iter().filter(|(key, _)| states(key)).map(|(_, value)| value).collect()
}

/// Tells whether an object only repeats the words to choose from.
pub(super) fn is_template(fields: &Fields, words: &Words) -> bool {
    verdicts(fields).iter().all(|value| value.as_str().is_some_and(|word| words.is_choice(word)))
}

/// Reads an object that states a verdict.
pub(super) fn read(fields: &Fields, words: &Words, terms: &Terms, read_as: ReadAs) -> Reading {
    let (judgment, stated) = strictest_word(fields, words);
    let (grade, unread_grade) = grade(fields.get("grade"));
    let (viewpoints, unread_viewpoint) = viewpoints(fields.get("viewpoints"));
    let mut findings = findings(fields);
    for finding in &mut findings {
        finding.in_scope = !terms.beyond.contains(finding);
    }
    let mut reading = Reading {
        reason: format!("the object says {stated}"),
        stated,
        read_as,
        suggestions: texts(fields.get("suggestions")),
        findings,
        questions: questions(fields.get("questions")),
        grade,
        viewpoints,
        answers: answers::of_object(fields),
        ..Reading::new(judgment, feedback(fields))
    };
    if let Some(contradiction) = contradiction(&reading, unread_grade || unread_viewpoint) {
        reading = reading.revised(contradiction);
    }
    if denies_approval(fields, words) {
        reading = reading.revised("an approval that it denies");
    }
    match strictest_inside(fields, words) {
        Some((judgment, word)) => reading.tightened(judgment, &format!("{word} inside")),
        None => reading,
    }
}

fn strictest_word(fields: &Fields, words: &Words) -> (Judgment, String) {
    let meaning = |value: &Value| match value {
        Value::String(word) => {
            (words.meaning(word).unwrap_or_else(|| word::unknown(word)), word.trim().to_owned())
        }
        other => (Judgment::Revise, other.to_string()),
    };
    let stated = verdicts(fields).into_iter().map(meaning);
    let strictest = stated.reduce(|best, next| if next.0 > best.0 { next } else { best });
    let (judgment, stated) = strictest.unwrap_or((Judgment::Unverifiable, String::new()));
    (judgment, clipped(&stated, LONGEST_WORD).to_owned())
}

/// Returns the strictest known word that objects inside this one state.
fn strictest_inside(fields: &Fields, words: &Words) -> Option<(Judgment, String)> {
    let inside = objects_inside(fields);
    let stated = inside.iter().flat_map(|inner| verdicts(inner)).filter_map(|value| {
        let word = value.as_str()?;
        Some((words.meaning(word)?, clipped(word.trim(), LONGEST_WORD).to_owned()))
    });
    stated.reduce(|best, next| if next.0 > best.0 { next } else { best })
}

/// Returns what in its findings or grades contradicts an approval.
fn contradiction(reading: &Reading, has_unread_grade: bool) -> Option<&'static str> {
    match (reading.worst(), reading.worst_grade()) {
        (Some(Severity::Critical), _) => Some("a critical finding"),
        (Some(Severity::Major), _) => Some("a major finding"),
        (_, Some(Grade::C)) => Some("grade C"),
        (_, Some(Grade::D)) => Some("grade D"),
        _ if has_unread_grade => Some("a grade that is none of A, B, C, D"),
        _ => None,
    }
}

/// Tells whether an object says in another field that it does not approve. Alone these fields state no verdict.
fn denies_approval(fields: &Fields, words: &Words) -> bool {
    let denies = |value: &Value| value.as_str().is_some_and(|word| words.denies(word));
    fields.iter().any(|(key, value)| match key.to_lowercase().as_str() {
        "approved" | "passed" | "accepted" => match value {
            Value::Bool(approved) => !approved,
            Value::String(word) => ["false", "no"].contains(&word.trim().to_lowercase().as_str()),
            _ => false,
        },
        "blocking" | "blocked" | "rejected" => value == &Value::Bool(true),
        "verdict" | "status" | "judgment" | "judgement" | "outcome" | "conclusion" | "final_verdict"
        | "overall_verdict" => denies(value),
        // They may also hold a sentence.
        "overall" | "recommendation" | "assessment" => {
            denies(value) && value.as_str().is_some_and(|word| !word.trim().contains(' '))
        }
        _ => false,
    })
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

fn feedback(fields: &Fields) -> String {
    let values = ["summary", "feedback", "reason"].iter().filter_map(|name| fields.get(*name));
    let parts = values.map(|value| match value {
        Value::String(text) => clipped(text.trim(), LONGEST_FEEDBACK).to_owned(),
        other => line(other),
    });
    let parts: Vec<String> = parts.filter(|text| !text.is_empty()).collect();
    clipped(&parts.join("\n\n"), LONGEST_FEEDBACK).to_owned()
}

/// Reads a list of texts; an object in it is read by its main field.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    let names = ["suggestion", "question", "text", "issue", "description", "title"];
    let text = |value: &Value| {
        let main = names.iter().find_map(|name| value.get(name).filter(|value| value.is_string()));
        line(main.unwrap_or(value))
    };
    items(value).iter().map(text).filter(|text| !text.is_empty()).take(MOST_TEXTS).collect()
}

/// Returns the items of a list; a value that is none is one item.
fn items(value: Option<&Value>) -> &[Value] {
    match value {
        Some(Value::Array(items)) => items,
        Some(single) => std::slice::from_ref(single),
        None => &[],
    }
}

/// Reads the findings of a review, and what it lists beside them under other names.
fn findings(fields: &Fields) -> Vec<Finding> {
    let list = |name: &str| items(fields.get(name)).iter().filter_map(finding);
    let mut findings: Vec<Finding> = list("findings").collect();
    for (name, are_critical) in
        [("issues", false), ("blockers", true), ("blocking_issues", true), ("critical_issues", true)]
    {
        // A number counts them; nought says that there are none.
        if fields.get(name).is_some_and(|value| value.as_f64() == Some(0.0)) {
            continue;
        }
        let from = findings.len();
        findings.extend(list(name));
        for finding in &mut findings[from..] {
            if are_critical {
                finding.severity = Severity::Critical;
            }
        }
    }
    if findings.len() > MOST_FINDINGS {
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        findings.truncate(MOST_FINDINGS);
    }
    findings
}

fn finding(value: &Value) -> Option<Finding> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Object(fields) if fields.is_empty() => None,
        Value::Object(fields) => Some(finding_of_object(fields)),
        Value::String(text) if pattern("review_object.no_finding").is_match(text) => None,
        other => Some(Finding::new(Severity::Major, "", line(other))),
    }
}

fn finding_of_object(fields: &Fields) -> Finding {
    let first = |names: &[&str]| {
        let named = names.iter().find_map(|name| fields.get(*name));
        named.filter(|value| !value.is_null())
    };
    let text = |names: &[&str]| first(names).map(line).filter(|text| !text.is_empty());
    let (file, line_of_file) = place(text(&["file", "path", "location"]));
    let issue = text(&["issue", "message", "description", "title", "text", "problem"]);
    Finding {
        severity: fields.get("severity").and_then(Value::as_str).map_or(Severity::Major, Severity::read),
        category: text(&["category", "type"]).unwrap_or_default(),
        file,
        line: first(&["line", "line_number", "lines"]).and_then(number).or(line_of_file),
        issue: issue.unwrap_or_else(|| line(&Value::Object(fields.clone()))),
        suggestion: text(&["suggestion", "fix", "recommendation"]),
        auto_fixable: text(&["auto_fixable"]).is_some_and(|text| text.eq_ignore_ascii_case("true")),
        disposition: Disposition::Open,
        in_scope: true,
    }
}

fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => leading_number(text.trim().trim_start_matches(['L', 'l'])),
        Value::Array(items) => number(items.first()?),
        _ => None,
    }
}

fn leading_number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Splits `src/a.rs:12`. A path that leaves the repository is dropped, its finding is kept.
fn place(file: Option<String>) -> (Option<String>, Option<u64>) {
    let Some(file) = file else { return (None, None) };
    let (path, line) = match file.split_once(':') {
        Some((path, rest)) if leading_number(rest).is_some() => (path, leading_number(rest)),
        _ => (file.as_str(), None),
    };
    let path = path.trim().trim_matches('`');
    let path = path.strip_prefix("./").unwrap_or(path);
    if stays_inside(path) { (Some(path.to_owned()), line) } else { (None, None) }
}

fn stays_inside(path: &str) -> bool {
    let absolute = path.starts_with(['/', '\\', '~']) || path.contains(':');
    let climbs = path.split(['/', '\\']).any(|part| part == "..");
    !path.is_empty() && path.len() <= 500 && !absolute && !climbs && !path.contains(char::is_control)
}

/// Reads the questions of a review: a bounded list of short ones, each with its place where one is named. Anything else in the list
/// is no question, and nothing but a list holds any.
fn questions(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    items.iter().filter_map(question).take(MOST_QUESTIONS).collect()
}

fn question(value: &Value) -> Option<String> {
    let (text, place) = match value {
        Value::String(text) => (text.trim(), None),
        Value::Object(fields) => (fields.get("question")?.as_str()?.trim(), place_asked_about(fields)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return None,
    };
    if pattern("review_object.nothing").is_match(text) {
        return None;
    }
    let text = clipped(text, LONGEST_QUESTION);
    Some(place.map_or(text.to_owned(), |place| format!("{place}: {text}")))
}

fn place_asked_about(fields: &Fields) -> Option<String> {
    let file = clipped(fields.get("file")?.as_str()?.trim(), LONGEST_PATH);
    match fields.get("line").and_then(Value::as_u64) {
        _ if file.is_empty() => None,
        Some(line) => Some(format!("{file}:{line}")),
        None => Some(file.to_owned()),
    }
}

#[cfg(test)]
mod tests;
