//! Makes one schema of a schema's own words and the parts it is made of (`allOf`, `$ref`). Resolves nothing.

use serde_json::{Map, Value};

use super::SchemaError;

/// Words that say nothing about a value: the later part's counts.
const REMARKS: [&str; 5] = ["title", "description", "default", "examples", "deprecated"];
/// Words that cannot be merged: a part with one of them stays a part.
const COMPOSED: [&str; 7] = ["anyOf", "oneOf", "allOf", "not", "if", "dependentSchemas", "contains"];
/// Words whose entries are merged one by one.
const NAMED: [&str; 2] = ["properties", "patternProperties"];

/// What a schema is made of.
#[derive(Debug, Default)]
pub(super) struct Parts {
    own: Map<String, Value>,
    bases: Vec<Value>,
}

impl Parts {
    /// Adds a part that the schema includes.
    pub(super) fn base(&mut self, schema: Value) {
        self.bases.push(schema);
    }

    /// Adds a word of the schema itself.
    pub(super) fn own(&mut self, word: &str, value: Value) {
        self.own.insert(word.to_owned(), value);
    }

    /// Returns the whole: the schema's own words above those of its parts.
    pub(super) fn merged(self, disagree: &dyn Fn(&str) -> SchemaError) -> Result<Value, SchemaError> {
        if self.own.is_empty() && self.bases.len() == 1 {
            return Ok(self.bases.into_iter().next().unwrap_or_default());
        }
        let (mut whole, mut kept) = (Map::new(), Vec::new());
        for base in self.bases {
            match base {
                Value::Bool(true) => {}
                Value::Object(words) if !is_composed(&words) => join(&mut whole, words, disagree)?,
                other => kept.push(other),
            }
        }
        lay_over(&mut whole, self.own);
        if !kept.is_empty() {
            whole.insert("allOf".to_owned(), kept.into());
        }
        Ok(whole.into())
    }
}

fn is_composed(words: &Map<String, Value>) -> bool {
    COMPOSED.iter().any(|word| words.contains_key(*word))
}

/// Adds a part to others of the same rank: they have to agree.
fn join(
    whole: &mut Map<String, Value>,
    part: Map<String, Value>,
    disagree: &dyn Fn(&str) -> SchemaError,
) -> Result<(), SchemaError> {
    for (word, value) in part {
        match (whole.get_mut(&word), value) {
            (Some(Value::Array(names)), Value::Array(more)) if word == "required" => add(names, more),
            (Some(Value::Object(known)), Value::Object(more)) if NAMED.contains(&word.as_str()) => {
                for (name, schema) in more {
                    match known.get(&name) {
                        Some(other) if *other != schema => return Err(disagree(&name)),
                        _ => known.insert(name, schema),
                    };
                }
            }
            (Some(known), value) if *known == value || REMARKS.contains(&word.as_str()) => *known = value,
            (Some(_), _) => return Err(disagree(&word)),
            (None, value) => drop(whole.insert(word, value)),
        }
    }
    Ok(())
}

/// Puts a schema's own words over what its parts say.
fn lay_over(whole: &mut Map<String, Value>, own: Map<String, Value>) {
    for (word, value) in own {
        match (whole.get_mut(&word), value) {
            (Some(Value::Array(names)), Value::Array(more)) if word == "required" => add(names, more),
            (Some(Value::Object(known)), Value::Object(more)) if NAMED.contains(&word.as_str()) => {
                known.extend(more);
            }
            (_, value) => drop(whole.insert(word, value)),
        }
    }
}

fn add(names: &mut Vec<Value>, more: Vec<Value>) {
    let new: Vec<Value> = more.into_iter().filter(|name| !names.contains(name)).collect();
    names.extend(new);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(own: &Value, bases: Vec<Value>) -> Result<Value, SchemaError> {
        let own = own.as_object().cloned().unwrap_or_default();
        let contradiction =
            |word: &str| SchemaError::Contradiction { place: "a".into(), word: word.to_owned() };
        Parts { own, bases }.merged(&contradiction)
    }

    #[test]
    fn c_08_all_of_becomes_one_schema_and_its_own_words_win() {
        let base = json!({"type": "object", "description": "base", "required": ["a"],
            "properties": {"a": {"type": "string", "enum": ["x"]}, "b": {"type": "integer"}}});
        let own = json!({"description": "own", "required": ["c", "a"],
            "properties": {"a": {"type": "string"}, "c": {}}});
        let expected = json!({"type": "object", "description": "own", "required": ["a", "c"],
            "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {}}});
        assert_eq!(merged(&own, vec![base]), Ok(expected));
    }

    #[test]
    fn parts_that_contradict_each_other_are_refused() {
        let parts = vec![json!({"minimum": 1, "title": "x"}), json!({"minimum": 2, "title": "y"})];
        let error = merged(&json!({}), parts).expect_err("a contradiction");
        assert_eq!(error.to_string(), "a: the parts of `allOf` disagree about `minimum`");
        let parts = vec![json!({"properties": {"a": {"type": "string"}}}), json!({"properties": {"a": {}}})];
        assert!(merged(&json!({}), parts).is_err());
    }

    #[test]
    fn a_part_that_cannot_be_merged_stays_a_part() {
        let choice = json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
        let expected = json!({"type": "object", "allOf": [choice, false]});
        assert_eq!(merged(&json!({"type": "object"}), vec![choice, json!(false)]), Ok(expected));
    }
}
