//! Holds an object to the schema that was asked for, once more than the program did, and knows which schemas a program
//! that generates strictly can be given.

use serde_json::{Map, Value};

use settings::validator;

/// The words that generate strictly: everything else is refused by the service, call and all.
const STRICT: [&str; 9] = [
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "description",
];

/// Tells whether a value is what the schema asks for. A schema that cannot be used is met by nothing.
pub(super) fn meets(value: &Value, schema: &Value) -> bool {
    validator(schema).is_ok_and(|validator| validator.is_valid(value))
}

/// Tells whether a service that generates strictly takes a schema: every object is closed and requires all it names.
pub(super) fn is_strict(schema: &Value) -> bool {
    let Value::Object(words) = schema else { return false };
    let known = words.keys().all(|word| STRICT.contains(&word.as_str()));
    let properties = words.get("properties").and_then(Value::as_object);
    let closed =
        words.get("type").is_none_or(|kind| !names(kind, "object")) || requires_all(words, properties);
    let inside = properties.into_iter().flat_map(Map::values);
    let items = words.get("items").into_iter();
    let choices = words.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    known && closed && inside.chain(items).chain(choices).all(is_strict)
}

fn names(kinds: &Value, kind: &str) -> bool {
    kinds == kind || kinds.as_array().is_some_and(|kinds| kinds.iter().any(|one| one == kind))
}

fn requires_all(words: &Map<String, Value>, properties: Option<&Map<String, Value>>) -> bool {
    let required = words.get("required").and_then(Value::as_array);
    let is_required = |name: &String| required.is_some_and(|all| all.iter().any(|one| one == name));
    let all = properties.is_some_and(|properties| properties.keys().all(is_required));
    all && words.get("additionalProperties") == Some(&Value::Bool(false))
}

#[cfg(test)]
mod tests {
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
    fn an_object_of_the_right_form_meets_its_schema() {
        assert!(meets(
            &json!({"result": "PASS", "line": null, "findings": [{"issue": "x", "more": 1}]}),
            &schema()
        ));
        assert!(meets(&json!({"result": "FAIL", "line": 3, "findings": []}), &schema()));
    }

    #[test]
    fn anything_else_does_not() {
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
            assert!(!meets(&wrong, &schema()), "{wrong}");
        }
    }

    #[test]
    fn every_word_of_a_schema_counts() {
        let schema = json!({"anyOf": [{"const": "x"}, {"type": "integer", "minimum": 3}]});
        assert!(meets(&json!("x"), &schema) && meets(&json!(3), &schema));
        assert!(!meets(&json!("y"), &schema) && !meets(&json!(2), &schema));
    }

    #[test]
    fn a_schema_that_cannot_be_used_is_met_by_nothing() {
        assert!(!meets(&json!("x"), &json!({"type": "text"})));
        assert!(!meets(&json!({}), &json!({"$ref": "https://example.org/schema.json"})));
        assert!(meets(&json!("x"), &json!({"type": "string", "description": "a word"})));
    }

    #[test]
    fn strict_is_what_is_closed_and_requires_all_in_words_that_generate() {
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
}
