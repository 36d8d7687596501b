//! Holds an object to the schema that was asked for, once more than the program did. Knows the few words that our own
//! schemas use: a schema with any other word is met by nothing, because what is not understood is not believed.

use serde_json::{Map, Value};

/// Words that say nothing about a value.
const REMARKS: [&str; 4] = ["$schema", "title", "description", "default"];

/// Tells whether a value is what the schema asks for.
pub(super) fn meets(value: &Value, schema: &Value) -> bool {
    let Value::Object(words) = schema else { return *schema == Value::Bool(true) };
    words.iter().all(|(word, asked)| meets_word(value, word, asked, words))
}

fn meets_word(value: &Value, word: &str, asked: &Value, schema: &Map<String, Value>) -> bool {
    match (word, asked) {
        ("type", Value::Array(kinds)) => kinds.iter().any(|kind| is_a(value, kind)),
        ("type", kind) => is_a(value, kind),
        ("enum", Value::Array(choices)) => choices.contains(value),
        ("required", Value::Array(names)) => names.iter().all(|name| has(value, name)),
        ("properties", Value::Object(schemas)) => each_fits(value, schemas),
        ("additionalProperties", Value::Bool(more)) => *more || is_closed(value, schema),
        ("items", item) => value.as_array().is_none_or(|items| items.iter().all(|found| meets(found, item))),
        (word, _) => REMARKS.contains(&word),
    }
}

fn is_a(value: &Value, kind: &Value) -> bool {
    match kind.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("number") => value.is_number(),
        Some("integer") => value.is_i64() || value.is_u64(),
        _ => false,
    }
}

fn has(value: &Value, name: &Value) -> bool {
    let Value::Object(object) = value else { return true };
    name.as_str().is_some_and(|name| object.contains_key(name))
}

fn each_fits(value: &Value, schemas: &Map<String, Value>) -> bool {
    let Value::Object(object) = value else { return true };
    object.iter().all(|(name, found)| schemas.get(name).is_none_or(|schema| meets(found, schema)))
}

fn is_closed(value: &Value, schema: &Map<String, Value>) -> bool {
    let Value::Object(object) = value else { return true };
    let known = schema.get("properties").and_then(Value::as_object);
    object.keys().all(|name| known.is_some_and(|known| known.contains_key(name)))
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
    fn a_schema_that_is_not_understood_is_met_by_nothing() {
        assert!(!meets(&json!({}), &json!({"anyOf": [{}]})));
        assert!(!meets(&json!("x"), &json!({"type": "text"})));
        assert!(meets(&json!("x"), &json!({"type": "string", "description": "a word"})));
    }

    #[test]
    fn it_agrees_with_a_validator_of_the_whole_language() {
        let validator = jsonschema::validator_for(&schema()).expect("a good schema");
        for value in [json!({"result": "PASS", "findings": []}), json!({"findings": [1]}), json!(null)] {
            assert_eq!(meets(&value, &schema()), validator.is_valid(&value), "{value}");
        }
    }
}
