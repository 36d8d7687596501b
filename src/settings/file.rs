//! Reads the text of a configuration file into a layer, with the line of every key.
//! The caller has read the file; its name is for messages only.

use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table};

use super::error::{ConfigError, Place};
use super::layer::Layer;
use super::shape::joined;

/// Reads a file.
pub(super) fn read(name: &str, text: &str) -> Result<Layer, ConfigError> {
    let file = File { name, text };
    let values: Table = toml::from_str(text).map_err(|error| file.syntax(&error))?;
    let lines = DeTable::parse(text).map_err(|error| file.syntax(&error))?;
    let mut layer = Layer { values, ..Layer::default() };
    file.note(lines.get_ref(), "", &mut layer);
    Ok(layer)
}

struct File<'a> {
    name: &'a str,
    text: &'a str,
}

impl File<'_> {
    fn syntax(&self, error: &toml::de::Error) -> ConfigError {
        let place = self.place(&error.span().unwrap_or(0..0));
        ConfigError::Syntax { place, message: error.message().trim().replace('\n', ", ") }
    }

    fn place(&self, span: &Range<usize>) -> Place {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        Place::File { name: self.name.to_owned(), line: before.matches('\n').count() + 1 }
    }

    fn note(&self, table: &DeTable<'_>, path: &str, layer: &mut Layer) {
        for (name, value) in table {
            let key = joined(path, name.get_ref());
            layer.places.insert(key.clone(), self.place(&name.span()));
            self.note_inside(value, &key, layer);
        }
    }

    fn note_inside(&self, value: &Spanned<DeValue<'_>>, key: &str, layer: &mut Layer) {
        if let DeValue::Table(inner) = value.get_ref() {
            self.note(inner, key, layer);
        }
    }
}
