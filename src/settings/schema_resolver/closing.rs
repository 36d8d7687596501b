//! Closes the objects of a resolved schema: one that does not speak of further properties takes none.
//! An object that is composed of several stays open where closing one of them would leave nothing that fits.

use serde_json::{Map, Value};

use super::Holds;

/// Words whose schemas look at the same value as the schema they stand in.
const SAME_VALUE: [&str; 6] = ["anyOf", "oneOf", "allOf", "then", "else", "dependentSchemas"];
/// Words whose schemas ask and demand nothing: closing them would turn their meaning round.
const ASKING: [&str; 2] = ["not", "if"];

/// Closes a schema and all inside it.
pub(super) fn close(schema: &mut Value) {
    close_inside(schema, false);
}

/// `in_part`: the schema is one of several for one value, so another one may know more properties.
fn close_inside(schema: &mut Value, in_part: bool) {
    let Value::Object(words) = schema else { return };
    let shares = in_part || words.contains_key("properties");
    let open = in_part || !is_object(words) || speaks_of_more(words) || parts_know_properties(words);
    for (word, value) in words.iter_mut() {
        let part = SAME_VALUE.contains(&word.as_str());
        if !ASKING.contains(&word.as_str()) {
            each_schema(Holds::of(word), value, &mut |inner| close_inside(inner, part && shares));
        }
    }
    if !open {
        words.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
}

fn is_object(words: &Map<String, Value>) -> bool {
    match words.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => words.contains_key("properties"),
    }
}

fn speaks_of_more(words: &Map<String, Value>) -> bool {
    words.contains_key("additionalProperties") || words.contains_key("unevaluatedProperties")
}

/// Tells whether a part for the same value names properties of its own.
fn parts_know_properties(words: &Map<String, Value>) -> bool {
    let parts = words.iter().filter(|(word, _)| SAME_VALUE.contains(&word.as_str()) || *word == "if");
    parts.into_iter().any(|(word, value)| match (Holds::of(word), value) {
        (Holds::Many, Value::Array(all)) => all.iter().any(knows_properties),
        (Holds::Named, Value::Object(named)) => named.values().any(knows_properties),
        _ => knows_properties(value),
    })
}

fn knows_properties(schema: &Value) -> bool {
    schema.as_object().is_some_and(|words| words.contains_key("properties") || parts_know_properties(words))
}

fn each_schema(holds: Holds, value: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    match (holds, value) {
        (Holds::One | Holds::Many, Value::Array(all)) => all.iter_mut().for_each(change),
        (Holds::One, one) => change(one),
        (Holds::Named, Value::Object(named)) => named.values_mut().for_each(change),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn closed(mut schema: Value) -> Value {
        close(&mut schema);
        schema
    }

    #[test]
    fn c_08_every_object_that_does_not_say_otherwise_is_closed() {
        let schema = json!({"type": "object", "properties": {
            "open": {"type": "object", "additionalProperties": true},
            "list": {"type": "array", "items": {"type": ["object", "null"]}},
            "word": {"type": "string"}}});
        let expected = json!({"type": "object", "additionalProperties": false, "properties": {
            "open": {"type": "object", "additionalProperties": true},
            "list": {"type": "array", "items": {"type": ["object", "null"], "additionalProperties": false}},
            "word": {"type": "string"}}});
        assert_eq!(closed(schema), expected);
    }

    #[test]
    fn a_choice_of_whole_objects_is_closed_and_one_of_additions_is_not() {
        let one = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let whole = closed(json!({"anyOf": [one, {"type": "null"}]}));
        assert_eq!(whole["anyOf"][0]["additionalProperties"], json!(false));
        let addition = json!({"type": "object", "properties": {"kind": {}}, "oneOf": [one]});
        assert_eq!(closed(addition.clone()), addition);
        let asked = json!({"not": {"type": "object", "properties": {"a": {"type": "object"}}}});
        assert_eq!(closed(asked.clone()), asked);
    }
}
