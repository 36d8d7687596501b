//! Holds an object to the schema that was asked for, once more than the program did, and knows which schemas a program
//! that generates strictly can be given.

use serde_json::{Map, Value};

use settings::validator;

/// The keywords that generate strictly: everything else is refused by the service, call and all.
const STRICT: &str = include_str!("data/strict_keywords.txt");

/// Tells whether a value is what the schema asks for. A schema that cannot be used is met by nothing.
pub(super) fn is_met(value: &Value, schema: &Value) -> bool {
    validator(schema).is_ok_and(|validator| validator.is_valid(value))
}

/// Tells whether a service that generates strictly takes a schema: every object is closed and requires all it names.
pub(super) fn is_strict(schema: &Value) -> bool {
    let Value::Object(words) = schema else { return false };
    let known = words.keys().all(|word| STRICT.lines().any(|known| known == word));
    let properties = words.get("properties").and_then(Value::as_object);
    let closed =
        words.get("type").is_none_or(|kind| !has_kind(kind, "object")) || requires_all(words, properties);
    let inside = properties.into_iter().flat_map(Map::values);
    let items = words.get("items").into_iter();
    let choices = words.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    known && closed && inside.chain(items).chain(choices).all(is_strict)
}

fn has_kind(kinds: &Value, kind: &str) -> bool {
    kinds == kind || kinds.as_array().is_some_and(|kinds| kinds.iter().any(|one| one == kind))
}

fn requires_all(words: &Map<String, Value>, properties: Option<&Map<String, Value>>) -> bool {
    let required = words.get("required").and_then(Value::as_array);
    let is_required = |name: &String| required.is_some_and(|all| all.iter().any(|one| one == name));
    let all = properties.is_some_and(|properties| properties.keys().all(is_required));
    all && words.get("additionalProperties") == Some(&Value::Bool(false))
}

#[cfg(test)]
mod tests;
