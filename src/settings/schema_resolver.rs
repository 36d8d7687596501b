//! The schemas that the answers of a phase are held to. Makes one JSON Schema without references out of schemas that lie in
//! several files: follows every `$ref`, merges `allOf`, closes objects; bounds and compiles it.
//! Reads no file itself, the texts come through a function; judges no answer.
//!
//! In `allOf` the schema's own words stand above those of its parts; parts that contradict each other are refused.
//! An object takes no further properties unless it says so; one that is composed (`anyOf`, `if`, …) is closed where that
//! cannot make it unsatisfiable.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value};

/// A longer schema fits into no prompt, in bytes.
pub const LONGEST_SCHEMA: usize = 32 * 1024;

/// Deeper nesting, references included, is nobody's schema.
const DEEPEST: usize = 64;
/// More schemas inside one are nobody's: references can multiply without end.
const MOST: usize = 10_000;

/// Says why there is no schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// A file cannot be read.
    #[error("{file}: {why}")]
    File {
        /// The file.
        file: String,
        /// Why it cannot be read.
        why: String,
    },
    /// A file has no schema of this name.
    #[error(
        "{file}: there is no schema `{name}`; write `#/$defs/NAME`, or a name at the top or under `$defs`"
    )]
    Missing {
        /// The file.
        file: String,
        /// The name or pointer.
        name: String,
    },
    /// A name cannot mean a schema.
    #[error("{file}: `{name}` is no JSON pointer: {why}")]
    Malformed {
        /// The file.
        file: String,
        /// The name or pointer.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A reference leads out of the folder of schemas.
    #[error("{file}: `$ref` leads to `{target}`, outside the folder of schemas")]
    Outside {
        /// The file with the reference.
        file: String,
        /// Where it leads.
        target: String,
    },
    /// What stands at a place is no schema that can be used.
    #[error("{place}: {why}")]
    NotASchema {
        /// File and pointer.
        place: String,
        /// What is wrong with it.
        why: String,
    },
    /// A reference leads back to itself.
    #[error("`$ref` runs in a circle: {chain}")]
    Cycle {
        /// The places of the circle.
        chain: String,
    },
    /// The parts of a schema contradict each other.
    #[error("{place}: the parts of `allOf` disagree about `{word}`")]
    Contradiction {
        /// File and pointer.
        place: String,
        /// The word that they disagree about.
        word: String,
    },
    /// References nest or multiply beyond reason.
    #[error("{place}: the schema is too deep or too large")]
    TooLarge {
        /// File and pointer.
        place: String,
    },
}

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
fn for_answers(schema: Value, place: &str) -> Result<Value, SchemaError> {
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
        close(&mut schema);
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
        let file = beside(from, file)?;
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

/// Lists of schemas, which are none themselves.
const LISTS: [&str; 3] = ["$defs", "definitions", "properties"];

/// Where a schema stands: its file, below the folder of schemas, and its pointer, without `#`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Address {
    file: String,
    pointer: String,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.file, self.pointer)
    }
}

impl Address {
    /// Finds what a pointer or a name means in a file: the whole of it, a place, a name at the top or among definitions.
    fn find<'d>(file: String, name: &str, document: &'d Value) -> Result<(Self, &'d Value), SchemaError> {
        refuse_malformed(&file, name)?;
        let pointer = match name.strip_prefix('#').unwrap_or(name) {
            "" => Some(String::new()),
            pointer if pointer.starts_with('/') => Some(pointer.to_owned()),
            bare => named(bare, document),
        };
        let found = pointer.and_then(|pointer| Some((document.pointer(&pointer)?, pointer)));
        let Some((schema, pointer)) = found else {
            return Err(SchemaError::Missing { file, name: name.to_owned() });
        };
        Ok((Self { file, pointer }, schema))
    }
}

fn refuse_malformed(file: &str, name: &str) -> Result<(), SchemaError> {
    let why = match name {
        _ if name.contains("##") => "it has a `#` too many",
        _ if name.contains("//") => "a part between slashes is empty",
        _ if LISTS.contains(&name) => "it is a list of schemas; name one of them",
        _ => return Ok(()),
    };
    Err(SchemaError::Malformed { file: file.to_owned(), name: name.to_owned(), why })
}

fn named(name: &str, document: &Value) -> Option<String> {
    let name = name.replace('~', "~0").replace('/', "~1");
    let places = ["", "/$defs", "/definitions"].map(|list| format!("{list}/{name}"));
    places.into_iter().find(|pointer| document.pointer(pointer).is_some_and(Value::is_object))
}

/// Returns the path of a file that another one names, below the folder of both.
fn beside(from: &str, file: &str) -> Result<String, SchemaError> {
    let outside = || SchemaError::Outside {
        file: if from.is_empty() { file.to_owned() } else { from.to_owned() },
        target: file.to_owned(),
    };
    if file.starts_with('/') || file.contains([':', '\\']) {
        return Err(outside());
    }
    let mut parts: Vec<&str> =
        from.rsplit_once('/').map_or(Vec::new(), |(folder, _)| folder.split('/').collect());
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop().ok_or_else(outside)?),
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

/// Words that say nothing about a value: the later part's counts.
const REMARKS: [&str; 5] = ["title", "description", "default", "examples", "deprecated"];
/// Words that cannot be merged: a part with one of them stays a part.
const COMPOSED: [&str; 7] = ["anyOf", "oneOf", "allOf", "not", "if", "dependentSchemas", "contains"];
/// Words whose entries are merged one by one.
const NAMED: [&str; 2] = ["properties", "patternProperties"];

/// What a schema is made of.
#[derive(Debug, Default)]
struct Parts {
    own: Map<String, Value>,
    bases: Vec<Value>,
}

impl Parts {
    /// Adds a part that the schema includes.
    fn base(&mut self, schema: Value) {
        self.bases.push(schema);
    }

    /// Adds a word of the schema itself.
    fn own(&mut self, word: &str, value: Value) {
        self.own.insert(word.to_owned(), value);
    }

    /// Returns the whole: the schema's own words above those of its parts.
    fn merged(self, disagree: &dyn Fn(&str) -> SchemaError) -> Result<Value, SchemaError> {
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

/// Words whose schemas look at the same value as the schema they stand in.
const SAME_VALUE: [&str; 6] = ["anyOf", "oneOf", "allOf", "then", "else", "dependentSchemas"];
/// Words whose schemas ask and demand nothing: closing them would turn their meaning round.
const ASKING: [&str; 2] = ["not", "if"];

/// Closes a schema and all inside it: an object that does not speak of further properties takes none, and one that is
/// composed of several stays open where closing one of them would leave nothing that fits.
fn close(schema: &mut Value) {
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
mod tests;
