//! The shape a value must have, read from the schema, and the one walk that finds what does not fit.
//! Knows no setting by name, and not where a value was written: that is `layer`'s.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value as Schema;
use toml::Value;

use super::command_words::line_of;
use super::schema::COMPLETE;
use super::suggestion::suggestion;

/// What a value must look like.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
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

/// What does not fit, and at which key.
#[derive(Debug, PartialEq)]
pub(super) enum Misfit {
    Unknown { key: String, hint: Option<String> },
    Type { key: String, expected: String, found: String },
    Missing { key: String },
}

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
    pub(super) fn fit(&self, value: &mut Value, key: &str, complete: bool) -> Result<(), Misfit> {
        match (self, value) {
            (Self::Table { keys, required }, Value::Table(table)) => {
                for (name, inner) in table.iter_mut() {
                    let below = keys.get(name).ok_or_else(|| unknown(key, name, keys))?;
                    below.fit(inner, &joined(key, name), complete)?;
                }
                let missing = required.iter().find(|name| complete && !table.contains_key(*name));
                missing.map_or(Ok(()), |name| Err(Misfit::Missing { key: joined(key, name) }))
            }
            (Self::Named(shape), Value::Table(table)) => {
                table.iter_mut().try_for_each(|(name, inner)| shape.fit(inner, &joined(key, name), complete))
            }
            (Self::List(shape), Value::Array(items)) => {
                items.iter_mut().try_for_each(|item| shape.fit(item, key, true))
            }
            (Self::Names, value @ Value::String(_)) => {
                *value = split(value.as_str().unwrap_or_default());
                Ok(())
            }
            (Self::Names, Value::Array(items)) => {
                items.iter_mut().try_for_each(|item| Self::Text.fit(item, key, true))
            }
            (Self::Command, value @ Value::Array(_)) => {
                *value = Value::String(command(value.as_array_mut().expect("it is a list"), key)?);
                Ok(())
            }
            (shape, value) if shape.holds(value) => Ok(()),
            (shape, value) => {
                Err(Misfit::Type { key: key.to_owned(), expected: shape.words(), found: found(value) })
            }
        }
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

/// Makes one line of a command that is written as a list.
fn command(words: &mut [Value], key: &str) -> Result<String, Misfit> {
    words.iter_mut().try_for_each(|word| Shape::Text.fit(word, key, true))?;
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    if words.first().is_none_or(|program| program.trim().is_empty()) {
        let found = "a list that names no program".to_owned();
        return Err(Misfit::Type { key: key.to_owned(), expected: Shape::Command.words(), found });
    }
    Ok(line_of(words))
}

/// Splits a text at its commas; empty parts are left out.
pub(super) fn split(text: &str) -> Value {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(Value::from).collect::<Vec<_>>().into()
}

/// Returns the path of a key inside a table.
pub(super) fn joined(table: &str, key: &str) -> String {
    if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
}

fn unknown(table: &str, name: &str, keys: &BTreeMap<String, Shape>) -> Misfit {
    let hint = suggestion(name, keys.keys().map(String::as_str)).map(|near| joined(table, near));
    Misfit::Unknown { key: joined(table, name), hint }
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
