//! One layer of a configuration: its values, and where each of them was written.
//! Knows files, variables and flags alike; only how they are read differs.

use std::collections::BTreeMap;

use config::{Map, Source, Value as Merged, ValueKind};
use toml::{Table, Value};

use super::error::{ConfigError, Place};
use super::shape::{Misfit, ROOT, joined};

/// Values with their places, by the dotted path of the key.
#[derive(Debug, Clone, Default)]
pub(super) struct Layer {
    pub(super) values: Table,
    pub(super) places: BTreeMap<String, Place>,
}

impl Layer {
    /// Checks every value against the shape of a configuration.
    pub(super) fn checked(mut self) -> Result<Self, ConfigError> {
        let mut values = Value::Table(std::mem::take(&mut self.values));
        match ROOT.fit(&mut values, "", false) {
            Ok(()) => {
                self.values = values.try_into().expect("a table stays a table");
                Ok(self)
            }
            Err(misfit) => Err(misfit.placed(&self.places)),
        }
    }

    /// Puts a value at a path, making the tables on the way.
    pub(super) fn insert(&mut self, path: &[String], value: Value, place: &Place) {
        let mut table = &mut self.values;
        let mut key = String::new();
        let Some((last, parents)) = path.split_last() else { return };
        for name in parents {
            key = joined(&key, name);
            self.places.insert(key.clone(), place.clone());
            table = inner_table(table, name);
        }
        self.places.insert(joined(&key, last), place.clone());
        table.insert(last.clone(), value);
    }
}

impl Misfit {
    /// Makes the error that names the place of the key, or of the nearest table around it.
    pub(super) fn placed(self, places: &BTreeMap<String, Place>) -> ConfigError {
        match self {
            Self::Unknown { key, hint } => {
                ConfigError::UnknownKey { place: place_of(&key, places), key, hint }
            }
            Self::Missing { key } => ConfigError::Missing { place: place_of(&key, places), key },
            Self::Type { key, expected, found } => {
                ConfigError::WrongType { place: place_of(&key, places), key, expected, found }
            }
        }
    }
}

/// Returns the table under a name, made when something else or nothing stands there.
fn inner_table<'a>(table: &'a mut Table, name: &str) -> &'a mut Table {
    if !table.get(name).is_some_and(Value::is_table) {
        table.insert(name.to_owned(), Value::Table(Table::new()));
    }
    table.get_mut(name).and_then(Value::as_table_mut).expect("the table was made just now")
}

/// Returns where a key was written, or else the nearest table around it.
pub(super) fn place_of(key: &str, places: &BTreeMap<String, Place>) -> Place {
    let mut key = key;
    loop {
        if let Some(place) = places.get(key) {
            return place.clone();
        }
        match key.rsplit_once('.') {
            Some((table, _)) => key = table,
            None => return Place::Default,
        }
    }
}

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Merged>, config::ConfigError> {
        Ok(self.values.iter().map(|(key, value)| (key.clone(), merged(value))).collect())
    }
}

fn merged(value: &Value) -> Merged {
    let kind = match value {
        Value::String(text) => ValueKind::String(text.clone()),
        Value::Integer(number) => ValueKind::I64(*number),
        Value::Float(number) => ValueKind::Float(*number),
        Value::Boolean(truth) => ValueKind::Boolean(*truth),
        Value::Datetime(time) => ValueKind::String(time.to_string()),
        Value::Array(items) => ValueKind::Array(items.iter().map(merged).collect()),
        Value::Table(table) => {
            ValueKind::Table(table.iter().map(|(key, inner)| (key.clone(), merged(inner))).collect())
        }
    };
    Merged::new(None, kind)
}
