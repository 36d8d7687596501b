//! Tests of `schema`.

use serde_json::json;

use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["result", "findings"],
        "properties": {
            "result": {"type": "string", "enum": ["PASS", "FAIL"]},
            "line": {"type": ["integer", "null"]},
            "findings": {"type": "array", "items": {"type": "object", "required": ["issue"]}},
        },
    })
}

#[test]
fn answers_that_match_the_schema_are_accepted() {
    assert!(is_met(
        &json!({"result": "PASS", "line": null, "findings": [{"issue": "x", "more": 1}]}),
        &schema()
    ));
    assert!(is_met(&json!({"result": "FAIL", "line": 3, "findings": []}), &schema()));
}

#[test]
fn answers_outside_the_schema_are_refused() {
    for wrong in [
        json!("PASS"),
        json!([]),
        json!({"result": "PASS"}),
        json!({"result": "APPROVE", "findings": []}),
        json!({"result": "PASS", "findings": {}}),
        json!({"result": "PASS", "findings": [{}]}),
        json!({"result": "PASS", "findings": [], "line": 1.5}),
        json!({"result": "PASS", "findings": [], "extra": 1}),
    ] {
        assert!(!is_met(&wrong, &schema()), "{wrong}");
    }
}

#[test]
fn all_schema_keywords_are_enforced() {
    let schema = json!({"anyOf": [{"const": "x"}, {"type": "integer", "minimum": 3}]});
    assert!(is_met(&json!("x"), &schema) && is_met(&json!(3), &schema));
    assert!(!is_met(&json!("y"), &schema) && !is_met(&json!(2), &schema));
}

#[test]
fn unusable_schemas_accept_no_answer() {
    assert!(!is_met(&json!("x"), &json!({"type": "text"})));
    assert!(!is_met(&json!({}), &json!({"$ref": "https://example.org/schema.json"})));
    assert!(is_met(&json!("x"), &json!({"type": "string", "description": "a word"})));
}

#[test]
fn strict_schemas_are_closed_require_all_keys_and_use_supported_keywords() {
    let strict = json!({"type": "object", "additionalProperties": false, "required": ["a"],
        "properties": {"a": {"type": ["array", "null"], "items": {"anyOf": [{"type": "string"}, {"const": 1}]}}}});
    assert!(is_strict(&strict));
    assert!(!is_strict(&schema()), "`line` is optional and the items are open");
    for (place, word, value) in [
        ("", "required", json!([])),
        ("", "additionalProperties", json!(true)),
        ("/properties/a", "minItems", json!(1)),
        ("/properties/a/items", "oneOf", json!([])),
        ("/properties/a/items/anyOf/0", "type", json!("object")),
    ] {
        let mut other = strict.clone();
        other.pointer_mut(place).expect("it is there")[word] = value;
        assert!(!is_strict(&other), "{place} {word}");
    }
}
