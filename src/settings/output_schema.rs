//! The schema that the answers of a phase are held to: `[phases.X] schema = "FILE#NAME"`, resolved, bounded, compiled once.
//! Reads no file: the texts come through a function. Judges no answer.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use super::schema_resolver::{SchemaError, SchemaResolver};

/// A longer schema fits into no prompt, in bytes.
pub const LONGEST_SCHEMA: usize = 32 * 1024;

/// Returns the schema that a reference names: `FILE#/POINTER`, `FILE#NAME`, or `FILE` for all of it.
pub fn output_schema(
    reference: &str,
    read: impl Fn(&str) -> Result<String, String>,
) -> Result<Value, SchemaError> {
    let (file, name) = reference.split_once('#').unwrap_or((reference, ""));
    let name = if name.is_empty() || name.starts_with('/') { format!("#{name}") } else { name.to_owned() };
    for_answers(SchemaResolver::new(read).resolve(file, &name)?, reference)
}

/// Returns a schema that answers can be held to: it asks for an object, is short enough, and can be compiled.
pub fn for_answers(schema: Value, place: &str) -> Result<Value, SchemaError> {
    let refused = |why: String| SchemaError::NotASchema { place: place.to_owned(), why };
    if schema.get("type") != Some(&Value::from("object")) {
        return Err(refused("the schema of an answer needs `type = \"object\"`".into()));
    }
    let size = schema.to_string().len();
    if size > LONGEST_SCHEMA {
        return Err(refused(format!("the resolved schema has {size} bytes; {LONGEST_SCHEMA} is the most")));
    }
    validator(&schema).map(|_| schema).map_err(refused)
}

/// Compiles a schema, or says why it is none. Patterns are matched in linear time; nothing is fetched.
pub fn validator(schema: &Value) -> Result<Validator, String> {
    let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
    options.build(schema).map_err(|error| {
        let place = error.instance_path().as_str();
        if place.is_empty() { error.to_string() } else { format!("{place}: {error}") }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(reference: &str, text: &Value) -> Result<Value, String> {
        output_schema(reference, |_| Ok(text.to_string())).map_err(|error| error.to_string())
    }

    #[test]
    fn a_reference_names_a_file_and_a_place_in_it() {
        let file = json!({"$defs": {"a": {"type": "object"}}, "b.c": {"type": "object", "title": "b"}, "type": "object"});
        let closed = json!({"type": "object", "additionalProperties": false});
        assert_eq!(of("s.json#/$defs/a", &file), Ok(closed.clone()));
        assert_eq!(of("s.json#a", &file), Ok(closed));
        assert_eq!(of("s.json#b.c", &file).expect("a schema")["title"], "b");
        assert!(of("s.json", &file).is_ok() && of("s.json#z", &file).is_err());
    }

    #[test]
    fn what_no_answer_could_be_held_to_is_refused() {
        let list = of("s.json", &json!({"type": "array"})).expect_err("no object");
        assert_eq!(list, "s.json: the schema of an answer needs `type = \"object\"`");
        let slip = of("s.json", &json!({"type": "object", "required": "a"})).expect_err("no list");
        assert_eq!(slip, "s.json: /required: \"a\" is not of type \"array\"");
        let pattern = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}});
        assert!(of("s.json", &pattern).is_err());
        let long = json!({"type": "object", "description": "x".repeat(LONGEST_SCHEMA)});
        assert!(of("s.json", &long).expect_err("too long").contains("is the most"));
    }
}
