//! The JSON Schema of a configuration file, made from the types in `keys`, and the shape that each value must have, read
//! from that schema: one walk finds what does not fit.
//! A file may leave out everything, so the published schema requires nothing; the merged whole is walked again at the end.
//! Knows no setting by name.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value as Schema};
use toml::Value;

use super::command_line::line_of;
use super::error::{ConfigError, Place, place_of, suggestion};
use super::keys::Keys;

/// Returns the JSON Schema of a configuration file.
pub fn schema() -> Schema {
    let mut schema = COMPLETE.clone();
    visit(&mut schema, &mut |object| {
        if object.get("required").is_some_and(Schema::is_array) {
            object.remove("required");
        }
    });
    schema
}

/// The schema of the merged whole: nothing nullable, since TOML knows no null, and no references.
static COMPLETE: LazyLock<Schema> = LazyLock::new(|| {
    let generator = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = generator.into_generator().into_root_schema_for::<Keys>().to_value();
    visit(&mut schema, &mut drop_null);
    schema
});

fn drop_null(object: &mut Map<String, Schema>) {
    if let Some(Schema::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Schema::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        if let [Schema::Object(only)] = choices.as_mut_slice() {
            let mut only = std::mem::take(only);
            object.remove("anyOf");
            only.append(object);
            *object = only;
        }
    }
    if object.get("default").is_some_and(Schema::is_null) {
        object.remove("default");
    }
}

/// Calls a function for every object of a schema, outermost first.
fn visit(value: &mut Schema, change: &mut impl FnMut(&mut Map<String, Schema>)) {
    match value {
        Schema::Object(object) => {
            change(object);
            object.values_mut().for_each(|inner| visit(inner, change));
        }
        Schema::Array(items) => items.iter_mut().for_each(|inner| visit(inner, change)),
        Schema::Null | Schema::Bool(_) | Schema::Number(_) | Schema::String(_) => {}
    }
}

/// What a value must look like.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// A table with known keys; `required` have to be there in the end.
    Table {
        keys: BTreeMap<String, Shape>,
        required: Vec<String>,
    },
    /// A table whose keys are names that the user chooses.
    Named(Box<Shape>),
    List(Box<Shape>),
    /// A list of texts, or one text with commas.
    Names,
    /// A program with its arguments: one text, or a list of texts.
    Command,
    Text,
    Words(Vec<String>),
    /// A whole number from 0 to this.
    Whole(i64),
    Number,
    Truth,
}

/// The shape of a whole configuration.
pub(super) static ROOT: LazyLock<Shape> = LazyLock::new(|| Shape::of(&COMPLETE));

impl Shape {
    fn of(schema: &Schema) -> Self {
        if let Some(choices) = schema.get("oneOf").and_then(Schema::as_array) {
            return Self::Words(choices.iter().flat_map(words).collect());
        }
        if let Some(choices) = schema.get("anyOf").and_then(Schema::as_array) {
            // Only a list that is a command has to have something in it.
            let is_command = choices.iter().any(|choice| choice.get("minItems").is_some());
            return if is_command { Self::Command } else { Self::Names };
        }
        match schema.get("type").and_then(Schema::as_str) {
            Some("object") => Self::of_table(schema),
            Some("array") => Self::List(Box::new(Self::of(&schema["items"]))),
            Some("boolean") => Self::Truth,
            Some("integer") => Self::Whole(most(schema)),
            Some("number") => Self::Number,
            _ if schema.get("enum").is_some() => Self::Words(words(schema)),
            _ => Self::Text,
        }
    }

    fn of_table(schema: &Schema) -> Self {
        match schema.get("additionalProperties") {
            Some(named @ Schema::Object(_)) => Self::Named(Box::new(Self::of(named))),
            _ => Self::Table {
                keys: schema["properties"]
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(key, inner)| (key.clone(), Self::of(inner)))
                    .collect(),
                required: strings(&schema["required"]),
            },
        }
    }

    /// Returns the shape of a key inside this one.
    pub(super) fn inner(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Table { keys, .. } => keys.get(key),
            Self::Named(shape) => Some(shape),
            _ => None,
        }
    }

    /// Says in words what is expected.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Table { .. } | Self::Named(_) => "a table".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Names => "a list of texts, or one text with commas".to_owned(),
            Self::Command => "a program with its arguments, as one text or as a list of texts".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Words(words) => format!("one of {}", words.join(", ")),
            Self::Whole(i64::MAX) => "a whole number, 0 or more".to_owned(),
            Self::Whole(most) => format!("a whole number from 0 to {most}"),
            Self::Number => "a number".to_owned(),
            Self::Truth => "true or false".to_owned(),
        }
    }

    /// Finds the first thing in a value that does not fit, and splits texts where a list of names is wanted.
    /// With `complete`, what is missing does not fit either.
    pub(super) fn fit(
        &self,
        value: &mut Value,
        key: &str,
        complete: bool,
        places: &BTreeMap<String, Place>,
    ) -> Result<(), ConfigError> {
        match (self, value) {
            (Self::Table { keys, required }, Value::Table(table)) => {
                for (name, inner) in table.iter_mut() {
                    let Some(shape) = keys.get(name) else { return Err(unknown(key, name, keys, places)) };
                    shape.fit(inner, &joined(key, name), complete, places)?;
                }
                let Some(name) = required.iter().find(|name| complete && !table.contains_key(*name)) else {
                    return Ok(());
                };
                let key = joined(key, name);
                Err(ConfigError::Missing { place: place_of(&key, places), key })
            }
            (Self::Named(shape), Value::Table(table)) => {
                for (name, inner) in table.iter_mut() {
                    shape.fit(inner, &joined(key, name), complete, places)?;
                }
                Ok(())
            }
            (Self::List(shape), Value::Array(items)) => {
                items.iter_mut().try_for_each(|item| shape.fit(item, key, true, places))
            }
            (Self::Names, Value::Array(items)) => {
                items.iter_mut().try_for_each(|item| Self::Text.fit(item, key, true, places))
            }
            (Self::Names, value @ Value::String(_)) => {
                *value = split(value.as_str().unwrap_or_default());
                Ok(())
            }
            (Self::Command, value @ Value::Array(_)) => {
                let words = value.as_array_mut().expect("it is a list");
                words.iter_mut().try_for_each(|word| Self::Text.fit(word, key, true, places))?;
                let words: Vec<&str> = words.iter().filter_map(|word| word.as_str()).collect();
                if words.first().is_none_or(|program| program.trim().is_empty()) {
                    let found = "a list that names no program".to_owned();
                    return Err(self.wrong_type(key, found, places));
                }
                *value = Value::String(line_of(words));
                Ok(())
            }
            (shape, value) if shape.holds(value) => Ok(()),
            (shape, value) => Err(shape.wrong_type(key, found(value), places)),
        }
    }

    fn wrong_type(&self, key: &str, found: String, places: &BTreeMap<String, Place>) -> ConfigError {
        let (place, expected) = (place_of(key, places), self.words());
        ConfigError::WrongType { place, key: key.to_owned(), expected, found }
    }

    fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Text | Self::Command, Value::String(_))
            | (Self::Number, Value::Integer(_) | Value::Float(_))
            | (Self::Truth, Value::Boolean(_)) => true,
            (Self::Whole(most), Value::Integer(number)) => (0..=*most).contains(number),
            (Self::Words(words), Value::String(text)) => words.contains(text),
            _ => false,
        }
    }
}

/// Splits a text at its commas; empty parts are left out.
pub(super) fn split(text: &str) -> Value {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(Value::from).collect::<Vec<_>>().into()
}

/// Returns the path of a key inside a table.
pub(super) fn joined(table: &str, key: &str) -> String {
    if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
}

fn unknown(
    table: &str,
    name: &str,
    known: &BTreeMap<String, Shape>,
    places: &BTreeMap<String, Place>,
) -> ConfigError {
    let hint = suggestion(name, known.keys().map(String::as_str)).map(|near| joined(table, near));
    let key = joined(table, name);
    ConfigError::UnknownKey { place: place_of(&key, places), key, hint }
}

fn words(schema: &Schema) -> Vec<String> {
    match schema.get("const") {
        Some(Schema::String(word)) => vec![word.clone()],
        _ => strings(&schema["enum"]),
    }
}

fn most(schema: &Schema) -> i64 {
    if schema["format"] == "uint32" { i64::from(u32::MAX) } else { i64::MAX }
}

fn strings(list: &Schema) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Schema::as_str).map(str::to_owned).collect()
}

fn found(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the text \"{}\"", text.escape_debug()),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        Value::Datetime(time) => time.to_string(),
        Value::Array(_) => "a list".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}
