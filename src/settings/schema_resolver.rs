//! The schemas that the answers of a phase are held to. Makes one JSON Schema without references out of schemas that lie in
//! several files: follows every `$ref`, merges `allOf`, closes objects; bounds and compiles it.
//! Reads no file itself, the texts come through a function; judges no answer.
//!
//! In `allOf` the schema's own words stand above those of its parts; parts that contradict each other are refused.
//! An object takes no further properties unless it says so; one that is composed (`anyOf`, `if`, …) is closed where that
//! cannot make it unsatisfiable.

use std::collections::BTreeMap;
use std::rc::Rc;

use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value};

/// A longer schema fits into no prompt, in bytes.
pub const LONGEST_SCHEMA: usize = 32 * 1024;

/// The deepest nesting of a schema, references included.
const DEEPEST: usize = 64;
/// The most schemas inside one: references can multiply without end.
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
    /// What stands at a place is no schema that can be used.
    #[error("{place}: {why}")]
    Unusable {
        /// File and pointer.
        place: String,
        /// What is wrong with it.
        why: String,
    },
    /// A reference leads back to itself; the places of the circle.
    #[error("`$ref` runs in a circle: {0}")]
    Cycle(String),
}

fn unusable_error(place: &str, why: String) -> SchemaError {
    SchemaError::Unusable { place: place.to_owned(), why }
}

/// Returns the schema that a reference names: `FILE#/POINTER`, `FILE#NAME`, or `FILE` for all of it. Answers can be held to
/// it: it asks for an object, is short enough, and can be compiled.
pub fn output_schema(
    reference: &str,
    read: impl Fn(&str) -> Result<String, String>,
) -> Result<Value, SchemaError> {
    let (file, name) = file_and_name(reference);
    let schema = SchemaResolver::new(read).resolve(file, &name)?;
    let refused = |why: String| unusable_error(reference, why);
    if schema.get("type") != Some(&Value::from("object")) {
        return Err(refused("the schema of an answer needs `type = \"object\"`".into()));
    }
    let size = schema.to_string().len();
    if size > LONGEST_SCHEMA {
        return Err(refused(format!("the resolved schema has {size} bytes; {LONGEST_SCHEMA} is the most")));
    }
    validator(&schema).map(|_| schema).map_err(refused)
}

/// Splits a reference into its file, empty for the one it stands in, and the pointer (with `#`) or name inside.
fn file_and_name(reference: &str) -> (&str, String) {
    let (file, name) = reference.split_once('#').unwrap_or((reference, ""));
    let is_pointer = name.is_empty() || name.starts_with('/');
    (file, if is_pointer { format!("#{name}") } else { name.to_owned() })
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
    /// The references that are being followed.
    chain: Vec<String>,
    left: usize,
    depth: usize,
}

impl<F: Fn(&str) -> Result<String, String>> SchemaResolver<F> {
    /// Makes a resolver. `read` returns the text of a file, or why there is none.
    pub fn new(read: F) -> Self {
        Self { read, files: BTreeMap::new(), chain: Vec::new(), left: MOST, depth: 0 }
    }

    /// Returns a schema of a file by its pointer (`#/$defs/x`) or its name, or the whole file for `#`.
    pub fn resolve(&mut self, file: &str, name: &str) -> Result<Value, SchemaError> {
        self.chain.clear();
        (self.left, self.depth) = (MOST, 0);
        let mut schema = self.follow("", file, name)?;
        close(&mut schema, false);
        Ok(schema)
    }

    /// Resolves the schema that `name` in `file` is, as seen from another file.
    fn follow(&mut self, from: &str, file: &str, name: &str) -> Result<Value, SchemaError> {
        let file = resolve_path(from, file)?;
        let document = self.document(&file)?;
        let (address, target) = find(file, name, &document)?;
        if let Some(first) = self.chain.iter().position(|seen| *seen == address) {
            return Err(SchemaError::Cycle(format!("{} → {address}", self.chain[first..].join(" → "))));
        }
        self.chain.push(address);
        let schema = self.walk(target);
        self.chain.pop();
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

    fn place(&self) -> &str {
        self.chain.last().map_or("", String::as_str)
    }

    fn unusable_error(&self, why: String) -> SchemaError {
        unusable_error(self.place(), why)
    }

    fn walk(&mut self, schema: &Value) -> Result<Value, SchemaError> {
        self.left = self.left.saturating_sub(1);
        self.depth += 1;
        if self.left == 0 || self.depth > DEEPEST {
            return Err(self.unusable_error("the schema is too deep or too large".into()));
        }
        let walked = match schema {
            Value::Bool(_) => Ok(schema.clone()),
            Value::Object(words) => self.walk_words(words),
            other => Err(self.unusable_error(format!("a schema is an object, not {}", clip(other)))),
        };
        self.depth -= 1;
        walked
    }

    fn walk_words(&mut self, words: &Map<String, Value>) -> Result<Value, SchemaError> {
        let (mut own, mut parts) = (Map::new(), Vec::new());
        for (word, value) in words {
            match (word.as_str(), value) {
                ("$ref", Value::String(target)) => parts.push(self.reference(target)?),
                ("allOf", Value::Array(all)) => {
                    for part in all {
                        parts.push(self.walk(part)?);
                    }
                }
                ("$ref" | "allOf" | "$dynamicRef" | "$recursiveRef", _) => {
                    return Err(self.unusable_error(format!("`{word}` of this kind cannot be resolved")));
                }
                ("$defs" | "definitions" | "$schema" | "$id" | "$anchor" | "$comment", _) => {}
                _ => drop(own.insert(word.clone(), self.value_of(word, value.clone())?)),
            }
        }
        merge(own, parts, self.place())
    }

    fn reference(&mut self, target: &str) -> Result<Value, SchemaError> {
        let here = file_and_name(self.place()).0.to_owned();
        let (file, name) = file_and_name(target);
        let own = here.rsplit('/').next().unwrap_or_default();
        self.follow(&here, if file.is_empty() { own } else { file }, &name)
    }

    /// Resolves the schemas inside a word.
    fn value_of(&mut self, word: &str, mut value: Value) -> Result<Value, SchemaError> {
        let Some(schemas) = schemas_in(word, &mut value) else {
            return Err(self.unusable_error(format!("`{word}` cannot be {}", clip(&value))));
        };
        for schema in schemas {
            *schema = self.walk(schema)?;
        }
        Ok(value)
    }
}

/// What stands behind a word of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subschemas {
    One,
    Many,
    Named,
    /// No schema: a number, a list of names, a value.
    Nothing,
}

/// The words behind which schemas stand, with spaces between.
const HOLDING: [(Subschemas, &str); 3] = [
    (
        Subschemas::One,
        "additionalProperties unevaluatedProperties propertyNames items additionalItems unevaluatedItems contains \
         not if then else contentSchema",
    ),
    (Subschemas::Many, "anyOf oneOf allOf prefixItems"),
    (Subschemas::Named, "properties patternProperties dependentSchemas"),
];

impl Subschemas {
    fn of(word: &str) -> Self {
        let known = HOLDING.iter().find(|(_, words)| words.split(' ').any(|known| known == word));
        known.map_or(Self::Nothing, |(holds, _)| *holds)
    }
}

/// Returns the schemas behind a word; nothing where something stands there that is none.
fn schemas_in<'v>(word: &str, value: &'v mut Value) -> Option<Vec<&'v mut Value>> {
    match (Subschemas::of(word), value) {
        (Subschemas::One, one @ (Value::Object(_) | Value::Bool(_))) => Some(vec![one]),
        (Subschemas::One | Subschemas::Many, Value::Array(all)) => Some(all.iter_mut().collect()),
        (Subschemas::Named, Value::Object(named)) => Some(named.values_mut().collect()),
        (Subschemas::Nothing, _) => Some(Vec::new()),
        (Subschemas::One | Subschemas::Many | Subschemas::Named, _) => None,
    }
}

fn clip(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}

/// Lists of schemas, which are none themselves.
const LISTS: [&str; 3] = ["$defs", "definitions", "properties"];

/// Finds what a pointer or a name means in a file: the whole of it, a place, a name at the top or among definitions. Returns
/// where it stands as well: its file, below the folder of schemas, and its pointer.
fn find<'d>(file: String, name: &str, document: &'d Value) -> Result<(String, &'d Value), SchemaError> {
    refuse_malformed(&file, name)?;
    let pointer = match name.strip_prefix('#').unwrap_or(name) {
        "" => Some(String::new()),
        pointer if pointer.starts_with('/') => Some(pointer.to_owned()),
        bare => pointer_of_name(bare, document),
    };
    match pointer.and_then(|pointer| Some((document.pointer(&pointer)?, pointer))) {
        Some((schema, pointer)) => Ok((format!("{file}#{pointer}"), schema)),
        None => Err(SchemaError::Missing { file, name: name.to_owned() }),
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

fn pointer_of_name(name: &str, document: &Value) -> Option<String> {
    let name = name.replace('~', "~0").replace('/', "~1");
    let places = ["", "/$defs", "/definitions"].map(|list| format!("{list}/{name}"));
    places.into_iter().find(|pointer| document.pointer(pointer).is_some_and(Value::is_object))
}

/// Returns the path of a file that another one names, below the folder of both.
fn resolve_path(from: &str, file: &str) -> Result<String, SchemaError> {
    let outside = || {
        let why = format!("`$ref` leads to `{file}`, outside the folder of schemas");
        unusable_error(if from.is_empty() { file } else { from }, why)
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

/// Returns the whole of what a schema includes and its own words, which stand above those of its parts.
fn merge(own: Map<String, Value>, mut parts: Vec<Value>, place: &str) -> Result<Value, SchemaError> {
    if own.is_empty() && parts.len() == 1 {
        return Ok(parts.remove(0));
    }
    let (mut whole, mut kept) = (Map::new(), Vec::new());
    for part in parts {
        match part {
            Value::Bool(true) => {}
            Value::Object(words) if !has_any(&words, &COMPOSED) => add_words(&mut whole, words, Some(place))?,
            other => kept.push(other),
        }
    }
    add_words(&mut whole, own, None)?;
    if !kept.is_empty() {
        whole.insert("allOf".to_owned(), kept.into());
    }
    Ok(whole.into())
}

fn has_any(words: &Map<String, Value>, wanted: &[&str]) -> bool {
    wanted.iter().any(|word| words.contains_key(*word))
}

/// Adds words to a schema: those of a part, which have to agree with others of the same rank, or its own, which stand above.
fn add_words(
    whole: &mut Map<String, Value>,
    words: Map<String, Value>,
    part_of: Option<&str>,
) -> Result<(), SchemaError> {
    let agree = |word: &str, agrees: bool| match part_of {
        Some(place) if !agrees => {
            Err(unusable_error(place, format!("the parts of `allOf` disagree about `{word}`")))
        }
        _ => Ok(()),
    };
    for (word, value) in words {
        match (whole.get_mut(&word), value) {
            (Some(Value::Array(names)), Value::Array(more)) if word == "required" => add(names, more),
            (Some(Value::Object(known)), Value::Object(more)) if NAMED.contains(&word.as_str()) => {
                for (name, schema) in more {
                    agree(&name, known.get(&name).is_none_or(|other| *other == schema))?;
                    known.insert(name, schema);
                }
            }
            (Some(known), value) => {
                agree(&word, *known == value || REMARKS.contains(&word.as_str()))?;
                *known = value;
            }
            (None, value) => drop(whole.insert(word, value)),
        }
    }
    Ok(())
}

fn add(names: &mut Vec<Value>, more: Vec<Value>) {
    let new: Vec<Value> = more.into_iter().filter(|name| !names.contains(name)).collect();
    names.extend(new);
}

/// Words whose schemas look at the same value as the schema they stand in.
const SAME_VALUE: [&str; 6] = ["anyOf", "oneOf", "allOf", "then", "else", "dependentSchemas"];
/// Words whose schemas ask and demand nothing: closing them would turn their meaning round.
const ASKING: [&str; 2] = ["not", "if"];

/// Words that say which further properties an object takes.
const OPEN: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];

/// Closes a schema and all inside it: an object that does not speak of further properties takes none, and one that is
/// composed of several stays open where closing one of them would leave nothing that fits.
/// `in_part`: the schema is one of several for one value, so another one may know more properties.
fn close(schema: &mut Value, in_part: bool) {
    let Value::Object(words) = schema else { return };
    let shares = in_part || words.contains_key("properties");
    let open = in_part || !is_object(words) || has_any(words, &OPEN) || parts_know_properties(words);
    for (word, value) in words.iter_mut() {
        let part = SAME_VALUE.contains(&word.as_str());
        if !ASKING.contains(&word.as_str()) {
            schemas_in(word, value).into_iter().flatten().for_each(|inner| close(inner, part && shares));
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

/// Tells whether a part for the same value names properties of its own.
fn parts_know_properties(words: &Map<String, Value>) -> bool {
    let parts = words.iter().filter(|(word, _)| SAME_VALUE.contains(&word.as_str()) || *word == "if");
    parts.into_iter().any(|(word, value)| match (Subschemas::of(word), value) {
        (Subschemas::Many, Value::Array(all)) => all.iter().any(knows_properties),
        (Subschemas::Named, Value::Object(named)) => named.values().any(knows_properties),
        _ => knows_properties(value),
    })
}

fn knows_properties(schema: &Value) -> bool {
    schema.as_object().is_some_and(|words| words.contains_key("properties") || parts_know_properties(words))
}

#[cfg(test)]
mod tests;
