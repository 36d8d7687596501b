//! The completion validators: schemas made of several files, values held to a schema, and the form of answers.

use std::collections::BTreeMap;
use std::fs;

use checks::{find_pattern, json_block, satisfies};
use serde_json::{Value, json};
use settings::{SchemaError, SchemaResolver};

use super::assert_deliberate;
use crate::support::beside;

/// Reads the vectors of a subject; nothing when they are not there.
fn vectors(name: &str) -> Option<Value> {
    let folder = beside("AI_WORKFLOW_VECTORS", "../shared/vectors")?;
    let text = fs::read_to_string(folder.join(format!("{name}.json"))).expect("vectors can be read");
    Some(serde_json::from_str(&text).expect("vectors are JSON"))
}

fn cases(vectors: &Value) -> &Vec<Value> {
    vectors["cases"].as_array().expect("vectors have cases")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// What stands beside `allOf` or `$ref` wins; the older system keeps the base's description, although a comment of it says otherwise.
/// Nothing but descriptions differs in these.
const OWN_DESCRIPTION: &str = "a schema's own description stands above that of its base";

/// Where the resolver differs, and why.
const RESOLVED_OTHERWISE: [(&str, &str); 8] = [
    ("common.schema.json $defs", "a list of schemas is none: as one it would be satisfied by everything"),
    ("common.schema.json #/$defs/stepResponse", OWN_DESCRIPTION),
    ("common.schema.json stepResponse", OWN_DESCRIPTION),
    ("issue.schema.json initial.issue", OWN_DESCRIPTION),
    ("issue.schema.json closure.issue", OWN_DESCRIPTION),
    ("issue.schema.json continuation.issue", OWN_DESCRIPTION),
    ("iteration.schema.json initial.iteration", OWN_DESCRIPTION),
    ("polling.schema.json initial.polling", OWN_DESCRIPTION),
];

#[test]
fn resolved_schemas_match_the_vectors() {
    let Some(vectors) = vectors("002_schema_resolver") else { return };
    let fixtures = &vectors["fixtures"];
    let read = |file: &str| match &fixtures[file] {
        Value::Null => Err("does not exist".to_owned()),
        schema => Ok(schema.to_string()),
    };
    let mut resolver = SchemaResolver::new(read);
    let mut differing = BTreeMap::new();
    for case in cases(&vectors) {
        let (file, name) = (text(&case["input"], "file"), text(&case["input"], "identifier"));
        let resolved = as_told(resolver.resolve(file, name));
        let mut expected = case["expected"].clone();
        if let Some(thrown) = expected.pointer("/throws/type") {
            expected = json!({"throws": thrown});
        }
        if resolved != expected {
            differing.insert(format!("{file} {name}"), (resolved, expected));
        }
    }
    assert_deliberate(&differing, &RESOLVED_OTHERWISE);
    for (name, why) in RESOLVED_OTHERWISE.iter().filter(|(_, why)| *why == OWN_DESCRIPTION) {
        let (mut ours, mut theirs) = differing[*name].clone();
        [&mut ours, &mut theirs].into_iter().for_each(drop_descriptions);
        assert_eq!(ours, theirs, "{name} differs in more than this: {why}");
    }
}

fn drop_descriptions(value: &mut Value) {
    match value {
        Value::Object(words) => {
            words.retain(|word, value| word != "description" || !value.is_string());
            words.values_mut().for_each(drop_descriptions);
        }
        Value::Array(all) => all.iter_mut().for_each(drop_descriptions),
        _ => {}
    }
}

/// Returns a schema, or the older system's name for the error.
fn as_told(resolved: Result<Value, SchemaError>) -> Value {
    let thrown = match resolved {
        Ok(schema) => return schema,
        Err(SchemaError::File { .. }) => "NotFound",
        Err(SchemaError::Missing { .. }) => "SchemaPointerError",
        Err(SchemaError::Malformed { .. }) => "MalformedSchemaIdentifierError",
        Err(other) => panic!("{other}"),
    };
    json!({"throws": thrown})
}

#[test]
fn schema_validation_matches_the_vectors() {
    let Some(vectors) = vectors("002_schema_validation") else { return };
    let mut differing = BTreeMap::new();
    for case in cases(&vectors) {
        let (input, expected) = (&case["input"], &case["expected"]);
        let errors = expected["errors"].as_array().expect("a list of errors").iter();
        let all: Vec<String> =
            errors.map(|error| format!("{}: {}", text(error, "path"), text(error, "message"))).collect();
        let told = format!("Schema validation failed: {}", all.join("; "));
        let expected = if expected["valid"] == true { Ok(()) } else { Err(told) };
        let judged = satisfies(&input["data"], &input["schema"]);
        if judged != expected {
            differing.insert(text(case, "name").to_owned(), (json!(judged.err()), json!(expected.err())));
        }
    }
    assert_deliberate(&differing, &[]);
}

/// Where the form of answers is judged otherwise, and why.
const JUDGED_OTHERWISE: [(&str, &str); 1] =
    [("[invalid(regex", "what is wrong with a pattern is said by our engine, not by that of JavaScript")];

#[test]
fn answer_format_validation_matches_the_vectors() {
    let Some(vectors) = vectors("002_format_validator") else { return };
    let mut differing = BTreeMap::new();
    for case in cases(&vectors) {
        let (input, expected) = (&case["input"], &case["expected"]);
        let said = input["summary"]["assistantResponses"].as_array().into_iter().flatten();
        let said: Vec<&str> = said.filter_map(Value::as_str).collect();
        let judged = match formed(&said.join("\n"), &input["format"]) {
            Ok(extracted) => json!({"valid": true, "extracted": extracted}),
            Err(error) => json!({"valid": false, "error": error}),
        };
        if judged != *expected {
            let name = input["format"]["pattern"].as_str().unwrap_or_else(|| text(case, "name"));
            differing.insert(name.to_owned(), (judged, expected.clone()));
        }
    }
    assert_deliberate(&differing, &JUDGED_OTHERWISE);
    for (ours, theirs) in differing.values() {
        let begins = |value: &Value| text(value, "error").starts_with("Invalid regex pattern: ");
        assert!(begins(ours) && begins(theirs), "{ours} {theirs}");
    }
}

/// Reads a format as the older system has it. Ours has no types but these, and none without its pattern.
fn formed(answer: &str, format: &Value) -> Result<Value, String> {
    match (text(format, "type"), format["pattern"].as_str()) {
        ("json", _) => {
            let value = json_block(answer)?;
            if !format["schema"].is_null() {
                satisfies(&value, &format["schema"])?;
            }
            Ok(value)
        }
        ("text-pattern", Some(pattern)) => find_pattern(answer, pattern),
        ("text-pattern", None) => Err("pattern is required for text-pattern format".to_owned()),
        (kind, _) => Err(format!("Unknown format type: {kind}")),
    }
}
