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
fn every_key_has_its_line_and_what_has_none_the_line_around_it() {
    let lines = KeyLines::of(TEXT);
    let line =
        |names: &[&str]| lines.line(&names.iter().fold(String::new(), |path, name| inside(&path, name)));
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
fn a_key_that_stands_twice_is_found_and_the_same_key_elsewhere_is_not() {
    let lines = KeyLines::of("{\"a\": {\"x\": 1}, \"b\": {\"x\": 1},\n\"a\": 2}");
    assert_eq!(lines.twice.map(|(pointer, line)| (readable(&pointer), line)), Some(("a".into(), 2)));
}

#[test]
fn what_is_no_json_ends() {
    for end in 0..TEXT.len() {
        KeyLines::of(&TEXT[..end]);
        KeyLines::of(&TEXT[end..]);
    }
}

#[test]
fn a_pointer_is_shown_as_people_write_it() {
    let pointer = ["steps", "complete.issue", "completionConditions", "[0]", "validator"];
    let pointer = pointer.iter().fold(String::new(), |path, name| inside(&path, name));
    assert_eq!(readable(&pointer), "steps.complete.issue.completionConditions[0].validator");
}
