//! Tests of `json`.

use super::*;

const TEXT: &str = r#"{
  "a": {"b": [1,
{"c": "}\"]"}], "d": null},
  "steps": {
"complete.issue": true
  }
}"#;

#[test]
fn json_keys_have_line_numbers_and_missing_ones_that_of_their_parent() {
    let lines = KeyLines::of(TEXT);
    let line = |names: &[&str]| {
        lines.line(&names.iter().fold(String::new(), |path, name| join_pointer(&path, name)))
    };
    assert_eq!(line(&["a"]), 2);
    assert_eq!(line(&["a", "b", "[0]"]), 2);
    assert_eq!(line(&["a", "b", "[1]", "c"]), 3);
    assert_eq!(line(&["a", "d"]), 3);
    assert_eq!(line(&["steps", "complete.issue"]), 5);
    assert_eq!(line(&["steps", "complete.issue", "missing"]), 5);
    assert_eq!(line(&["nowhere"]), 1);
    assert_eq!(lines.twice, None);
}

#[test]
fn duplicate_json_key_is_found_only_within_one_object() {
    let lines = KeyLines::of("{\"a\": {\"x\": 1}, \"b\": {\"x\": 1},\n\"a\": 2}");
    assert_eq!(lines.twice.map(|(pointer, line)| (display_pointer(&pointer), line)), Some(("a".into(), 2)));
}

#[test]
fn line_lookup_ends_on_truncated_json() {
    for end in 0..TEXT.len() {
        KeyLines::of(&TEXT[..end]);
        KeyLines::of(&TEXT[end..]);
    }
}

#[test]
fn json_pointer_is_shown_in_dotted_form() {
    let pointer = ["steps", "complete.issue", "completionConditions", "[0]", "validator"];
    let pointer = pointer.iter().fold(String::new(), |path, name| join_pointer(&path, name));
    assert_eq!(display_pointer(&pointer), "steps.complete.issue.completionConditions[0].validator");
}
