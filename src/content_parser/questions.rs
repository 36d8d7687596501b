//! Reads what a reviewer asks the author: a bounded list of short questions, each with its place where one is named.
//! Anything else in the list is no question, and nothing but a list holds any: an exchange costs two agent calls.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::clipped;

/// More than so many are not put to an author at once.
const MOST: usize = 10;
/// The longest question, in characters.
const LONGEST: usize = 500;
const LONGEST_PATH: usize = 200;

/// Reads the questions of a review.
pub(super) fn questions(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    items.iter().filter_map(question).take(MOST).collect()
}

fn question(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => asked(text),
        Value::Object(fields) => {
            let text = asked(fields.get("question")?.as_str()?)?;
            Some(place(fields).map_or(text.clone(), |place| format!("{place}: {text}")))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

/// Returns what a text asks; "none" asks nothing.
fn asked(text: &str) -> Option<String> {
    static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
        let none =
            "none|no|nothing|nil|n/?a|(?:no|there are no) (?:open |further )?questions?|なし|無し|特になし";
        Regex::new(&format!(r"(?i)^\W*(?:{none})?\W*$")).expect("made of constants")
    });
    let text = text.trim();
    (!NOTHING.is_match(text)).then(|| clipped(text, LONGEST).to_owned())
}

fn place(fields: &Map<String, Value>) -> Option<String> {
    let file = fields.get("file")?.as_str()?.trim();
    let line = fields.get("line").and_then(Value::as_u64).map(|line| format!(":{line}"));
    (!file.is_empty()).then(|| format!("{}{}", clipped(file, LONGEST_PATH), line.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Vec<String> {
        questions(Some(value))
    }

    #[test]
    fn questions_are_texts_or_objects_with_a_place() {
        let both = json!([" Why twice? ", {"question": "Is 0 meant?", "file": "src/a.rs", "line": 7}]);
        assert_eq!(read(&both), ["Why twice?", "src/a.rs:7: Is 0 meant?"]);
        let odd_places =
            json!([{"question": "Why?", "file": "src/a.rs", "line": "x"}, {"question": "Why?", "file": 3}]);
        assert_eq!(read(&odd_places), ["src/a.rs: Why?", "Why?"]);
    }

    #[test]
    fn what_is_no_question_is_not_asked() {
        for nothing in [
            json!([]),
            json!(null),
            json!("Why?"),
            json!({"question": "Why?"}),
            json!([null, 3, true, ["Why?"], {}, {"question": 3}, {"text": "Why?"}]),
            json!(["", " ", "none", "None.", "N/A", "-", "なし", "No questions."]),
        ] {
            assert_eq!(read(&nothing), [""; 0], "{nothing}");
        }
        assert_eq!(questions(None), [""; 0]);
        assert_eq!(read(&json!(["Nothing is returned here: why?"])).len(), 1);
    }

    #[test]
    fn their_number_and_length_are_bounded() {
        let many: Vec<String> = (0..50).map(|n| format!("{n} {}", "あ".repeat(2_000))).collect();
        let read = read(&json!(many));
        assert_eq!(read.len(), MOST);
        assert!(read.iter().all(|question| question.chars().count() <= LONGEST));
    }
}
