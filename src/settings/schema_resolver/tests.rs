//! Tests of `schema_resolver`.

use serde_json::json;

use super::*;

fn resolve(files: &[(&str, Value)], file: &str, name: &str) -> Result<Value, SchemaError> {
    let texts: BTreeMap<String, String> =
        files.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect();
    let read = |file: &str| texts.get(file).cloned().ok_or_else(|| "does not exist".to_owned());
    SchemaResolver::new(read).resolve(file, name)
}

fn of(schema: Value) -> Result<Value, SchemaError> {
    resolve(&[("a.json", schema)], "a.json", "#")
}

#[test]
fn schema_references_are_resolved_within_and_across_files() {
    let a = json!({"$defs": {"n": {"type": "integer"}}, "top": {"type": "object", "properties": {
        "own": {"$ref": "#/$defs/n"}, "other": {"$ref": "sub/b.json#/$defs/list"}}}});
    let b = json!({"$defs": {"list": {"type": "array", "items": {"$ref": "../a.json#/$defs/n"}}}});
    let expected = json!({"type": "object", "additionalProperties": false, "properties": {
        "own": {"type": "integer"}, "other": {"type": "array", "items": {"type": "integer"}}}});
    assert_eq!(resolve(&[("a.json", a), ("sub/b.json", b)], "a.json", "top"), Ok(expected));
}

#[test]
fn schema_file_is_read_once() {
    let reads = std::cell::Cell::new(0);
    let mut resolver = SchemaResolver::new(|_: &str| {
        reads.set(reads.get() + 1);
        Ok(r##"{"$defs": {"x": {"type": "string"}}, "y": {"anyOf": [{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/x"}]}}"##.to_owned())
    });
    assert!(resolver.resolve("a.json", "y").is_ok() && resolver.resolve("a.json", "x").is_ok());
    assert_eq!(reads.get(), 1);
}

#[test]
fn circular_schema_references_are_refused_with_their_chain() {
    let a = json!({"$defs": {"tree": {"type": "object", "properties": {"child": {"$ref": "b.json#/$defs/node"}}}}});
    let b = json!({"$defs": {"node": {"$ref": "a.json#/$defs/tree"}}});
    let error = resolve(&[("a.json", a), ("b.json", b)], "a.json", "tree").expect_err("a circle");
    assert_eq!(
        error.to_string(),
        "`$ref` runs in a circle: a.json#/$defs/tree → b.json#/$defs/node → a.json#/$defs/tree"
    );
    let whole = of(json!({"properties": {"self": {"$ref": "#"}}})).expect_err("a circle");
    assert_eq!(whole.to_string(), "`$ref` runs in a circle: a.json# → a.json#");
}

#[test]
fn missing_schema_reference_is_named_with_its_file() {
    let schema = json!({"$ref": "b.json#/x"});
    assert_eq!(of(schema).expect_err("no file").to_string(), "b.json: does not exist");
    let missing = of(json!({"$ref": "#/$defs/none"})).expect_err("no pointer").to_string();
    assert!(missing.starts_with("a.json: there is no schema `#/$defs/none`"), "{missing}");
    let outside = of(json!({"$ref": "../../etc/passwd"})).expect_err("outside").to_string();
    assert_eq!(outside, "a.json: `$ref` leads to `../../etc/passwd`, outside the folder of schemas");
    for target in ["https://example.org/s.json", "/etc/x.json"] {
        let told = of(json!({"$ref": target})).expect_err("outside").to_string();
        assert_eq!(told, format!("a.json: `$ref` leads to `{target}`, outside the folder of schemas"));
    }
}

#[test]
fn exponentially_growing_schema_references_are_refused() {
    let mut definitions = json!({"d0": {"type": "string"}});
    for level in 1..40 {
        let below = json!({"$ref": format!("#/$defs/d{}", level - 1)});
        definitions[format!("d{level}")] = json!({"anyOf": [below, below]});
    }
    let schema = json!({"$defs": definitions, "top": {"$ref": "#/$defs/d39"}});
    let error = resolve(&[("a.json", schema)], "a.json", "top").expect_err("too large");
    assert!(error.to_string().ends_with(": the schema is too deep or too large"), "{error}");
}

#[test]
fn ref_keys_in_schema_values_are_not_resolved() {
    let schema = json!({"type": "object", "properties": {"$ref": {"type": "string"}},
        "required": ["$ref"], "default": {"$ref": "nowhere.json"}, "const": {"type": "object"}});
    let mut expected = schema.clone();
    expected["additionalProperties"] = json!(false);
    assert_eq!(of(schema), Ok(expected));
}

#[test]
fn schema_name_is_searched_at_the_top_level_and_in_definitions() {
    let document = json!({"a.b": {"x": 1}, "$defs": {"c/d": {}}, "definitions": {"e": {}}, "n": 3});
    let find = |name: &str| super::find("f".into(), name, &document).map(|(address, _)| address);
    assert_eq!(find("a.b").as_deref(), Ok("f#/a.b"));
    assert_eq!(find("c/d").as_deref(), Ok("f#/$defs/c~1d"));
    assert_eq!(find("e").as_deref(), Ok("f#/definitions/e"));
    assert_eq!(find("#").as_deref(), Ok("f#"));
    for name in ["n", "z", "##/a.b", "#//a.b", "$defs"] {
        assert!(find(name).is_err(), "{name}");
    }
}

#[test]
fn schema_paths_outside_the_folder_are_refused() {
    assert_eq!(resolve_path("s/a.json", "b.json").as_deref(), Ok("s/b.json"));
    assert_eq!(resolve_path("s/a.json", "../b.json").as_deref(), Ok("b.json"));
    assert_eq!(resolve_path("", "./s//b.json").as_deref(), Ok("s/b.json"));
    for path in ["../b.json", "/b.json", "file:///b.json", "c:\\b.json"] {
        assert!(resolve_path("a.json", path).is_err(), "{path}");
    }
}

fn merged(own: &Value, bases: Vec<Value>) -> Result<Value, SchemaError> {
    let own = own.as_object().cloned().unwrap_or_default();
    super::merge(own, bases, "a")
}

#[test]
fn all_of_is_merged_into_one_schema_and_own_keywords_take_priority() {
    let base = json!({"type": "object", "description": "base", "required": ["a"],
        "properties": {"a": {"type": "string", "enum": ["x"]}, "b": {"type": "integer"}}});
    let own = json!({"description": "own", "required": ["c", "a"],
        "properties": {"a": {"type": "string"}, "c": {}}});
    let expected = json!({"type": "object", "description": "own", "required": ["a", "c"],
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {}}});
    assert_eq!(merged(&own, vec![base]), Ok(expected));
}

#[test]
fn contradictory_all_of_parts_are_refused() {
    let parts = vec![json!({"minimum": 1, "title": "x"}), json!({"minimum": 2, "title": "y"})];
    let error = merged(&json!({}), parts).expect_err("a contradiction");
    assert_eq!(error.to_string(), "a: the parts of `allOf` disagree about `minimum`");
    let parts = vec![json!({"properties": {"a": {"type": "string"}}}), json!({"properties": {"a": {}}})];
    assert!(merged(&json!({}), parts).is_err());
}

#[test]
fn unmergeable_all_of_part_is_kept() {
    let choice = json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
    let expected = json!({"type": "object", "allOf": [choice, false]});
    assert_eq!(merged(&json!({"type": "object"}), vec![choice, json!(false)]), Ok(expected));
}

fn closed(mut schema: Value) -> Value {
    close(&mut schema, false);
    schema
}

#[test]
fn object_schemas_are_closed_by_default() {
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
fn any_of_with_complete_objects_is_closed_and_with_additions_is_not() {
    let one = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let whole = closed(json!({"anyOf": [one, {"type": "null"}]}));
    assert_eq!(whole["anyOf"][0]["additionalProperties"], json!(false));
    let addition = json!({"type": "object", "properties": {"kind": {}}, "oneOf": [one]});
    assert_eq!(closed(addition.clone()), addition);
    let asked = json!({"not": {"type": "object", "properties": {"a": {"type": "object"}}}});
    assert_eq!(closed(asked.clone()), asked);
}

fn referenced(reference: &str, text: &Value) -> Result<Value, String> {
    output_schema(reference, |_| Ok(text.to_string())).map_err(|error| error.to_string())
}

#[test]
fn schema_reference_names_a_file_and_a_place_in_it() {
    let file = json!({"$defs": {"a": {"type": "object"}}, "b.c": {"type": "object", "title": "b"}, "type": "object"});
    let closed = json!({"type": "object", "additionalProperties": false});
    assert_eq!(referenced("s.json#/$defs/a", &file), Ok(closed.clone()));
    assert_eq!(referenced("s.json#a", &file), Ok(closed));
    assert_eq!(referenced("s.json#b.c", &file).expect("a schema")["title"], "b");
    assert!(referenced("s.json", &file).is_ok() && referenced("s.json#z", &file).is_err());
}

#[test]
fn unusable_answer_schemas_are_refused() {
    let list = referenced("s.json", &json!({"type": "array"})).expect_err("no object");
    assert_eq!(list, "s.json: the schema of an answer needs `type = \"object\"`");
    let slip = referenced("s.json", &json!({"type": "object", "required": "a"})).expect_err("no list");
    assert_eq!(slip, "s.json: /required: \"a\" is not of type \"array\"");
    let pattern = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}});
    assert!(referenced("s.json", &pattern).is_err());
    let long = json!({"type": "object", "description": "x".repeat(LONGEST_SCHEMA)});
    assert!(referenced("s.json", &long).expect_err("too long").contains("is the most"));
}
