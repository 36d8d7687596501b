//! Objects with a key twice, raw breaks and the last object of an answer.

use super::*;

fn read(text: &str) -> Option<Value> {
    object(text, &Budget::default()).map(Value::Object)
}

#[test]
fn an_object_is_read_with_all_its_values() {
    let text = r#"{"a": [null, true, -1, 2, 0.5, "x\ty", "plain"], "b": {}}"#;
    assert_eq!(read(text), serde_json::from_str(text).ok());
}

#[test]
fn a_key_that_appears_twice_makes_it_unreadable_at_any_depth() {
    assert_eq!(read(r#"{"a": 1, "a": 1}"#), None);
    assert_eq!(read(r#"{"x": [{"a": 1, "\u0061": 2}]}"#), None);
}

#[test]
fn raw_line_breaks_in_strings_are_forgiven() {
    assert_eq!(
        read("{\n\"a\": \"one\ntwo\\\"\t\\\\\"\r\n}"),
        Some(serde_json::json!({"a": "one\ntwo\"\t\\"}))
    );
}

#[test]
fn what_is_no_object_or_too_large_is_not_read() {
    assert_eq!(read("[1]"), None);
    assert_eq!(read("{\"a\": 1e400}"), None);
    assert_eq!(read("{\"a\": 1} x"), None);
    assert_eq!(read(&format!("{{\"a\": [{}0]}}", "0,".repeat(100_000))), None);
}

#[test]
fn the_last_object_counts_wherever_it_stands() {
    let name = |text: &str| last_object(text).and_then(|object| Some(object.get("n")?.to_string()));
    for (text, expected) in [
        ("{\"n\": 1}", Some("1")),
        ("{\"n\": 1}\nand\n```json\n{\"n\": 2, \"in\": {\"n\": 3}}\n```\nDone.", Some("2")),
        ("x {\"n\": 1} {\"n\": 2}", Some("2")),
        ("x {\"n\": 1} {\"n\": 2, \"n\": 3}", None),
        ("none", None),
        ("", None),
    ] {
        assert_eq!(name(text).as_deref(), expected, "{text}");
    }
}
