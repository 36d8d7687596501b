//! The JSON Schema of a configuration file, made from the types in `keys`, and the shape that each value must have, read
//! from that schema: one walk finds what does not fit.
//! A file may leave out everything, so the published schema requires nothing; the merged whole is walked again at the end.
//! Knows no setting by name.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use serde_json::Value;
use toml::{Table, Value as Toml};

use super::command_line::line_of;
use super::error::{ConfigError, Origin, describe_bad_amount, did_you_mean, place_of, suggestion};
use super::keys::{Keys, split_at_commas};

/// Returns the JSON Schema of a configuration file.
pub fn schema() -> Value {
    let mut schema = COMPLETE.clone();
    let forget_required = |schema: &mut Schema| drop(schema.remove("required"));
    RecursiveTransform(forget_required).transform(&mut schema);
    schema.to_value()
}

/// The schema of the merged whole: nothing nullable, since TOML knows no null, and no references.
static COMPLETE: LazyLock<Schema> = LazyLock::new(|| {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let generator = settings.with_transform(RecursiveTransform(drop_null)).into_generator();
    generator.into_root_schema_for::<Keys>()
});

fn drop_null(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = choices.as_mut_slice() {
            let mut only = std::mem::take(only);
            object.remove("anyOf");
            only.append(object);
            *object = only;
        }
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
}

/// What a value must look like.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ValueType {
    /// A table with known keys; `required` have to be there in the end.
    Table {
        keys: BTreeMap<String, ValueType>,
        required: Vec<String>,
    },
    /// A table whose keys are names that the user chooses.
    Named(Box<ValueType>),
    List(Box<ValueType>),
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
pub(super) static ROOT: LazyLock<ValueType> = LazyLock::new(|| ValueType::of(COMPLETE.as_value()));

impl ValueType {
    fn of(schema: &Value) -> Self {
        if let Some(choices) = schema.get("oneOf").and_then(Value::as_array) {
            return Self::Words(choices.iter().flat_map(words).collect());
        }
        if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
            // Only a list that is a command has to have something in it.
            let is_command = choices.iter().any(|choice| choice.get("minItems").is_some());
            return if is_command { Self::Command } else { Self::Names };
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("object") => Self::of_table(schema),
            Some("array") => Self::List(Box::new(Self::of(&schema["items"]))),
            Some("boolean") => Self::Truth,
            Some("integer") => Self::Whole(most(schema)),
            Some("number") => Self::Number,
            _ if schema.get("enum").is_some() => Self::Words(words(schema)),
            _ => Self::Text,
        }
    }

    fn of_table(schema: &Value) -> Self {
        if let Some(named @ Value::Object(_)) = schema.get("additionalProperties") {
            return Self::Named(Box::new(Self::of(named)));
        }
        let properties = schema["properties"].as_object().into_iter().flatten();
        let keys = properties.map(|(key, inner)| (key.clone(), Self::of(inner))).collect();
        Self::Table { keys, required: strings(&schema["required"]) }
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

    fn holds(&self, value: &Toml) -> bool {
        match (self, value) {
            (Self::Text | Self::Command, Toml::String(_))
            | (Self::Number, Toml::Integer(_) | Toml::Float(_))
            | (Self::Truth, Toml::Boolean(_)) => true,
            (Self::Whole(most), Toml::Integer(number)) => (0..=*most).contains(number),
            (Self::Words(words), Toml::String(text)) => words.contains(text),
            _ => false,
        }
    }
}

/// Finds the first thing in values that does not fit, and splits texts where a list of names is wanted.
pub(super) struct ValueNormalizer<'a> {
    /// What is missing does not fit either.
    pub(super) is_complete: bool,
    pub(super) places: &'a BTreeMap<String, Origin>,
}

impl ValueNormalizer<'_> {
    /// Returns the values of a whole configuration as they fit.
    pub(super) fn whole(&self, values: Table) -> Result<Table, ConfigError> {
        let mut values = Toml::Table(values);
        self.value(&ROOT, &mut values, "")?;
        Ok(values.try_into().expect("a table stays a table"))
    }

    fn value(&self, shape: &ValueType, value: &mut Toml, key: &str) -> Result<(), ConfigError> {
        match (shape, value) {
            (ValueType::Table { keys, required }, Toml::Table(table)) => {
                for (name, inner) in table.iter_mut() {
                    let Some(shape) = keys.get(name) else {
                        let near = suggestion(name, keys.keys().map(String::as_str));
                        let near = near.map(|near| join_key(key, near));
                        return Err(self.unfit_error(join_key(key, name), no_setting(near.as_deref())));
                    };
                    self.value(shape, inner, &join_key(key, name))?;
                }
                match required.iter().find(|name| self.is_complete && !table.contains_key(*name)) {
                    Some(name) => Err(self.unfit_error(join_key(key, name), "is missing".to_owned())),
                    None => Ok(()),
                }
            }
            (ValueType::Named(shape), Toml::Table(table)) => {
                table.iter_mut().try_for_each(|(name, inner)| self.value(shape, inner, &join_key(key, name)))
            }
            (ValueType::List(shape), Toml::Array(items)) => self.items(shape, items, key),
            (ValueType::Names, Toml::Array(items)) => self.items(&ValueType::Text, items, key),
            (ValueType::Names, value @ Toml::String(_)) => {
                *value = split_at_commas(value.as_str().unwrap_or_default()).into();
                Ok(())
            }
            (ValueType::Command, value @ Toml::Array(_)) => {
                let words = value.as_array_mut().expect("it is a list");
                self.items(&ValueType::Text, words, key)?;
                let words: Vec<&str> = words.iter().filter_map(|word| word.as_str()).collect();
                if words.first().is_none_or(|program| program.trim().is_empty()) {
                    return Err(self.wrong_type_error(shape, key, "a list that names no program"));
                }
                *value = Toml::String(line_of(words));
                Ok(())
            }
            // JSON, by way of which the keys are read, has no such number. A layer above may have another amount.
            (ValueType::Number, Toml::Float(number)) if self.is_complete && !number.is_finite() => {
                let (place, what) = (place_of(key, self.places), describe_bad_amount(*number));
                Err(ConfigError::Contradiction { place, key: key.to_owned(), what })
            }
            (shape, value) if shape.holds(value) => Ok(()),
            (shape, value) => Err(self.wrong_type_error(shape, key, &describe_found(value))),
        }
    }

    /// In a list everything is complete.
    fn items(&self, shape: &ValueType, items: &mut [Toml], key: &str) -> Result<(), ConfigError> {
        let fit = ValueNormalizer { is_complete: true, places: self.places };
        items.iter_mut().try_for_each(|item| fit.value(shape, item, key))
    }

    fn wrong_type_error(&self, shape: &ValueType, key: &str, found: &str) -> ConfigError {
        self.unfit_error(key.to_owned(), format!("has to be {}, not {found}", shape.words()))
    }

    fn unfit_error(&self, key: String, what: String) -> ConfigError {
        ConfigError::Unfit { place: place_of(&key, self.places), key, what }
    }
}

/// Returns the path of a key inside a table.
pub(super) fn join_key(table: &str, key: &str) -> String {
    if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
}

/// Says that a key is none, and which one was probably meant.
pub(super) fn no_setting(near: Option<&str>) -> String {
    format!("is not a setting{}", did_you_mean(near))
}

fn words(schema: &Value) -> Vec<String> {
    match schema.get("const") {
        Some(Value::String(word)) => vec![word.clone()],
        _ => strings(&schema["enum"]),
    }
}

fn most(schema: &Value) -> i64 {
    if schema["format"] == "uint32" { i64::from(u32::MAX) } else { i64::MAX }
}

fn strings(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn describe_found(value: &Toml) -> String {
    match value {
        Toml::String(text) => format!("the text \"{}\"", text.escape_debug()),
        Toml::Integer(number) => number.to_string(),
        Toml::Float(number) => number.to_string(),
        Toml::Boolean(truth) => truth.to_string(),
        Toml::Datetime(time) => time.to_string(),
        Toml::Array(_) => "a list".to_owned(),
        Toml::Table(_) => "a table".to_owned(),
    }
}
