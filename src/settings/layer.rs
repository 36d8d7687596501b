//! One layer of a configuration: its values, and where each of them was written. Layers are merged key by key.
//! Knows files, variables and flags alike. Reads no file: its text is handed in, and its name is for messages only.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::error::{ConfigError, Origin};
use super::schema::{ValueNormalizer, join_key};

/// Values with their places, by the dotted path of the key.
#[derive(Debug, Clone, Default)]
pub(super) struct ConfigLayer {
    pub(super) values: Table,
    pub(super) places: BTreeMap<String, Origin>,
}

impl ConfigLayer {
    /// Reads the text of a file, with the line of every key.
    pub(super) fn read(name: &str, text: &str) -> Result<Self, ConfigError> {
        let file = ConfigFile { name, text };
        let values: Table = toml::from_str(text).map_err(|error| file.syntax_error(&error))?;
        let lines = DeTable::parse(text).map_err(|error| file.syntax_error(&error))?;
        let mut places = BTreeMap::new();
        file.note_places(lines.get_ref(), "", &mut places);
        Ok(Self { values, places })
    }

    /// Checks every value against the shape of a configuration.
    pub(super) fn check(self) -> Result<Self, ConfigError> {
        let values = ValueNormalizer { is_complete: false, places: &self.places }.whole(self.values)?;
        Ok(Self { values, places: self.places })
    }

    /// Puts a value at a path, making the tables on the way.
    pub(super) fn insert(&mut self, path: &[impl AsRef<str>], value: Value, place: &Origin) {
        let mut key = String::new();
        for name in path {
            key = join_key(&key, name.as_ref());
            self.places.insert(key.clone(), place.clone());
        }
        let around =
            |inner, name: &_| Table::from_iter([(AsRef::<str>::as_ref(name).to_owned(), inner)]).into();
        if let Value::Table(values) = path.iter().rev().fold(value, around) {
            lay_over(&mut self.values, values);
        }
    }

    /// Lays another layer over this one: tables merge key by key, and everything else takes the place of what was there,
    /// lists included.
    pub(super) fn merge(&mut self, above: Self) {
        lay_over(&mut self.values, above.values);
        self.places.extend(above.places);
    }
}

fn lay_over(below: &mut Table, above: Table) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(more)) => lay_over(inner, more),
            (_, value) => {
                below.insert(key, value);
            }
        }
    }
}

/// A file that is being read.
struct ConfigFile<'a> {
    name: &'a str,
    text: &'a str,
}

impl ConfigFile<'_> {
    fn syntax_error(&self, error: &toml::de::Error) -> ConfigError {
        let place = self.place(&error.span().unwrap_or(0..0));
        let message = error.message().trim().replace('\n', ", ");
        ConfigError::Syntax { place, language: "TOML", message }
    }

    fn place(&self, span: &Range<usize>) -> Origin {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        Origin::File { name: self.name.to_owned(), line: before.matches('\n').count() + 1 }
    }

    fn note_places(&self, table: &DeTable<'_>, path: &str, places: &mut BTreeMap<String, Origin>) {
        for (name, value) in table {
            let key = join_key(path, name.get_ref());
            places.insert(key.clone(), self.place(&name.span()));
            if let DeValue::Table(inner) = value.get_ref() {
                self.note_places(inner, &key, places);
            }
        }
    }
}
