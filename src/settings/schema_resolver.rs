//! Makes one JSON Schema without references out of schemas that lie in several files: follows every `$ref`, merges `allOf`,
//! closes objects. Reads no file itself and judges no value.
//!
//! In `allOf` the schema's own words stand above those of its parts; parts that contradict each other are refused.
//! An object takes no further properties unless it says so; one that is composed (`anyOf`, `if`, …) is closed where that
//! cannot make it unsatisfiable.

mod address;
mod closing;
mod merging;

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map, Value};

use address::Address;
use merging::Parts;

/// Deeper nesting, references included, is nobody's schema.
const DEEPEST: usize = 64;
/// More schemas inside one are nobody's: references can multiply without end.
const MOST: usize = 10_000;

/// Says why there is no schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    #[error("{file}: {why}")]
    File { file: String, why: String },
    #[error(
        "{file}: there is no schema `{name}`; write `#/$defs/NAME`, or a name at the top or under `$defs`"
    )]
    Missing { file: String, name: String },
    #[error("{file}: `{name}` is no JSON pointer: {why}")]
    Malformed { file: String, name: String, why: &'static str },
    #[error("{file}: `$ref` leads to `{target}`, outside the folder of schemas")]
    Outside { file: String, target: String },
    #[error("{place}: {why}")]
    NotASchema { place: String, why: String },
    #[error("`$ref` runs in a circle: {chain}")]
    Cycle { chain: String },
    #[error("{place}: the parts of `allOf` disagree about `{word}`")]
    Contradiction { place: String, word: String },
    #[error("{place}: the schema is too deep or too large")]
    TooLarge { place: String },
}

/// Resolves schemas; every file is read once.
pub struct SchemaResolver<F> {
    read: F,
    files: BTreeMap<String, Rc<Value>>,
    left: usize,
    depth: usize,
}

impl<F: Fn(&str) -> Result<String, String>> SchemaResolver<F> {
    /// Makes a resolver. `read` returns the text of a file, or why there is none.
    pub fn new(read: F) -> Self {
        Self { read, files: BTreeMap::new(), left: MOST, depth: 0 }
    }

    /// Returns a schema of a file by its pointer (`#/$defs/x`) or its name, or the whole file for `#`.
    pub fn resolve(&mut self, file: &str, name: &str) -> Result<Value, SchemaError> {
        (self.left, self.depth) = (MOST, 0);
        let mut schema = self.follow("", file, name, &mut Vec::new())?;
        closing::close(&mut schema);
        Ok(schema)
    }

    /// Resolves the schema that `name` in `file` is, as seen from another file.
    fn follow(
        &mut self,
        from: &str,
        file: &str,
        name: &str,
        chain: &mut Vec<Address>,
    ) -> Result<Value, SchemaError> {
        let file = address::beside(from, file)?;
        let document = self.document(&file)?;
        let (address, target) = Address::find(file, name, &document)?;
        if let Some(first) = chain.iter().position(|seen| *seen == address) {
            let circle = chain[first..].iter().chain([&address]).map(ToString::to_string);
            return Err(SchemaError::Cycle { chain: circle.collect::<Vec<_>>().join(" → ") });
        }
        chain.push(address);
        let schema = self.walk(target, chain);
        chain.pop();
        schema
    }

    fn document(&mut self, file: &str) -> Result<Rc<Value>, SchemaError> {
        if let Some(known) = self.files.get(file) {
            return Ok(Rc::clone(known));
        }
        let failed = |why| SchemaError::File { file: file.to_owned(), why };
        let text = (self.read)(file).map_err(failed)?;
        let value = serde_json::from_str(&text).map_err(|error| failed(format!("not JSON: {error}")))?;
        let document = Rc::new(value);
        self.files.insert(file.to_owned(), Rc::clone(&document));
        Ok(document)
    }

    fn walk(&mut self, schema: &Value, chain: &mut Vec<Address>) -> Result<Value, SchemaError> {
        self.left = self.left.saturating_sub(1);
        self.depth += 1;
        if self.left == 0 || self.depth > DEEPEST {
            return Err(SchemaError::TooLarge { place: place(chain) });
        }
        let walked = match schema {
            Value::Bool(_) => Ok(schema.clone()),
            Value::Object(words) => self.walk_words(words, chain),
            other => Err(not_a_schema(chain, format!("a schema is an object, not {}", clipped(other)))),
        };
        self.depth -= 1;
        walked
    }

    fn walk_words(
        &mut self,
        words: &Map<String, Value>,
        chain: &mut Vec<Address>,
    ) -> Result<Value, SchemaError> {
        let mut parts = Parts::default();
        for (word, value) in words {
            match (word.as_str(), value) {
                ("$ref", Value::String(target)) => parts.base(self.reference(target, chain)?),
                ("allOf", Value::Array(all)) => {
                    for part in all {
                        parts.base(self.walk(part, chain)?);
                    }
                }
                ("$ref" | "allOf" | "$dynamicRef" | "$recursiveRef", _) => {
                    return Err(not_a_schema(chain, format!("`{word}` of this kind cannot be resolved")));
                }
                ("$defs" | "definitions" | "$schema" | "$id" | "$anchor" | "$comment", _) => {}
                _ => parts.own(word, self.value_of(word, value, chain)?),
            }
        }
        parts.merged(&|word| SchemaError::Contradiction { place: place(chain), word: word.to_owned() })
    }

    fn reference(&mut self, target: &str, chain: &mut Vec<Address>) -> Result<Value, SchemaError> {
        let here = chain.last().map(|address| address.file.clone()).unwrap_or_default();
        let (file, name) = target.split_once('#').map_or((target, "#".to_owned()), |(file, fragment)| {
            (file, if fragment.starts_with('/') { format!("#{fragment}") } else { fragment.to_owned() })
        });
        let own = here.rsplit('/').next().unwrap_or_default().to_owned();
        let file = if file.is_empty() { own } else { file.to_owned() };
        self.follow(&here, &file, &name, chain)
    }

    /// Resolves the schemas inside a word; what holds none is copied.
    fn value_of(
        &mut self,
        word: &str,
        value: &Value,
        chain: &mut Vec<Address>,
    ) -> Result<Value, SchemaError> {
        match (Holds::of(word), value) {
            (Holds::One, Value::Object(_) | Value::Bool(_)) => self.walk(value, chain),
            (Holds::One | Holds::Many, Value::Array(all)) => {
                all.iter().map(|inner| self.walk(inner, chain)).collect()
            }
            (Holds::Named, Value::Object(named)) => {
                let each = named.iter();
                each.map(|(name, inner)| Ok((name.clone(), self.walk(inner, chain)?))).collect()
            }
            (Holds::Nothing, _) => Ok(value.clone()),
            (Holds::One | Holds::Many | Holds::Named, _) => {
                Err(not_a_schema(chain, format!("`{word}` cannot be {}", clipped(value))))
            }
        }
    }
}

/// What stands behind a word of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    One,
    Many,
    Named,
    /// No schema: a number, a list of names, a value.
    Nothing,
}

impl Holds {
    fn of(word: &str) -> Self {
        match word {
            "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames"
            | "items"
            | "additionalItems"
            | "unevaluatedItems"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contentSchema" => Self::One,
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => Self::Many,
            "properties" | "patternProperties" | "dependentSchemas" => Self::Named,
            _ => Self::Nothing,
        }
    }
}

fn place(chain: &[Address]) -> String {
    chain.last().map(ToString::to_string).unwrap_or_default()
}

fn not_a_schema(chain: &[Address], why: String) -> SchemaError {
    SchemaError::NotASchema { place: place(chain), why }
}

fn clipped(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}

#[cfg(test)]
mod tests {
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
    fn c_08_references_are_followed_within_and_across_files() {
        let a = json!({"$defs": {"n": {"type": "integer"}}, "top": {"type": "object", "properties": {
            "own": {"$ref": "#/$defs/n"}, "other": {"$ref": "sub/b.json#/$defs/list"}}}});
        let b = json!({"$defs": {"list": {"type": "array", "items": {"$ref": "../a.json#/$defs/n"}}}});
        let expected = json!({"type": "object", "additionalProperties": false, "properties": {
            "own": {"type": "integer"}, "other": {"type": "array", "items": {"type": "integer"}}}});
        assert_eq!(resolve(&[("a.json", a), ("sub/b.json", b)], "a.json", "top"), Ok(expected));
    }

    #[test]
    fn c_08_a_file_is_read_once() {
        let reads = std::cell::Cell::new(0);
        let mut resolver = SchemaResolver::new(|_: &str| {
            reads.set(reads.get() + 1);
            Ok(r##"{"$defs": {"x": {"type": "string"}}, "y": {"anyOf": [{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/x"}]}}"##.to_owned())
        });
        assert!(resolver.resolve("a.json", "y").is_ok() && resolver.resolve("a.json", "x").is_ok());
        assert_eq!(reads.get(), 1);
    }

    #[test]
    fn c_08_circles_are_refused_with_their_chain() {
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
    fn what_is_missing_is_named_with_its_file() {
        let schema = json!({"$ref": "b.json#/x"});
        assert_eq!(of(schema).expect_err("no file").to_string(), "b.json: does not exist");
        let missing = of(json!({"$ref": "#/$defs/none"})).expect_err("no pointer").to_string();
        assert!(missing.starts_with("a.json: there is no schema `#/$defs/none`"), "{missing}");
        let outside = of(json!({"$ref": "../../etc/passwd"})).expect_err("outside").to_string();
        assert_eq!(outside, "a.json: `$ref` leads to `../../etc/passwd`, outside the folder of schemas");
        for target in ["https://example.org/s.json", "/etc/x.json"] {
            assert!(matches!(of(json!({"$ref": target})), Err(SchemaError::Outside { .. })), "{target}");
        }
    }

    #[test]
    fn references_that_multiply_end() {
        let mut definitions = json!({"d0": {"type": "string"}});
        for level in 1..40 {
            let below = json!({"$ref": format!("#/$defs/d{}", level - 1)});
            definitions[format!("d{level}")] = json!({"anyOf": [below, below]});
        }
        let schema = json!({"$defs": definitions, "top": {"$ref": "#/$defs/d39"}});
        let error = resolve(&[("a.json", schema)], "a.json", "top").expect_err("too large");
        assert!(matches!(error, SchemaError::TooLarge { .. }), "{error}");
    }

    #[test]
    fn values_are_no_schemas() {
        let schema = json!({"type": "object", "properties": {"$ref": {"type": "string"}},
            "required": ["$ref"], "default": {"$ref": "nowhere.json"}, "const": {"type": "object"}});
        let mut expected = schema.clone();
        expected["additionalProperties"] = json!(false);
        assert_eq!(of(schema), Ok(expected));
    }
}
