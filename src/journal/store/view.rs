//! The view of a run, which people may read and nobody but the engine may write: JSON with a digest inside it.
//! A digest shows an edit by hand; it keeps no forger out, and nothing is ever decided from the view.
//! Views are not synced: one that a power cut loses is built again from the log.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::files::{StoreError, failed, sha256_hex};

/// A view longer than this, in bytes, was not written by us.
const LONGEST_VIEW: u64 = 16 * 1024 * 1024;

/// What a sealed view on disk is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// Not there, or lost by a power cut: to be built again.
    Missing,
    /// As the engine wrote it; an older one is built again.
    Good {
        /// The number of the entry that it was written after.
        seq: u64,
    },
    /// Edited by hand: refused.
    Edited,
}

/// Judges a sealed view on disk.
pub(crate) fn check_file(path: &Path) -> Result<View, StoreError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(View::Missing),
        other => other.map_err(failed("open", path))?,
    };
    let mut bytes = Vec::new();
    file.take(LONGEST_VIEW + 1).read_to_end(&mut bytes).map_err(failed("read", path))?;
    Ok(if bytes.len() as u64 > LONGEST_VIEW { View::Edited } else { check_view(&bytes) })
}

/// Judges the bytes of a sealed view.
fn check_view(bytes: &[u8]) -> View {
    let is_blank = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    if bytes.iter().all(is_blank) {
        return View::Missing;
    }
    let document = parse_strictly(bytes).filter(is_sealed);
    let seq = document.as_ref().and_then(|document| document.pointer("/engine/seq")?.as_u64());
    seq.map_or(View::Edited, |seq| View::Good { seq })
}

/// Returns the document with `engine.digest`, the SHA-256 of its JSON text without that field.
/// Fractions are rounded to a millionth first, so that they read back as they were written.
pub(crate) fn seal(mut document: Value) -> Value {
    round(&mut document);
    if let Some(fields) = document.as_object_mut() {
        fields.entry("engine").or_insert_with(|| Value::Object(Map::new()));
    }
    let digest = digest_of(&document);
    if let Some(engine) = document.get_mut("engine").and_then(Value::as_object_mut) {
        engine.insert("digest".to_owned(), Value::String(digest));
    }
    document
}

/// Tells whether the document is as it was sealed.
fn is_sealed(document: &Value) -> bool {
    let stated = document.pointer("/engine/digest").and_then(Value::as_str);
    stated.is_some_and(|stated| stated == digest_of(document))
}

/// Reads a JSON text in which no object has a key twice: which of the two would count?
fn parse_strictly(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice::<OneOfEachKey>(bytes).ok()?;
    serde_json::from_slice(bytes).ok()
}

fn digest_of(document: &Value) -> String {
    let mut document = document.clone();
    if let Some(engine) = document.get_mut("engine").and_then(Value::as_object_mut) {
        engine.remove("digest");
    }
    sha256_hex(&[document.to_string().as_bytes()])
}

/// Rounds every fraction: a fraction of up to 15 digits is read back exactly, a longer one may not be.
fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let rounded = number.as_f64().map(|figure| (figure * 1e6).round() / 1e6);
            *number = rounded
                .filter(|figure| figure.abs() < 1e9)
                .and_then(Number::from_f64)
                .unwrap_or_else(|| number.clone());
        }
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(fields) => fields.values_mut().for_each(round),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Any JSON value without a key twice in one object; holds nothing.
struct OneOfEachKey;

impl<'de> Deserialize<'de> for OneOfEachKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOfEachKey)
    }
}

impl<'de> Visitor<'de> for OneOfEachKey {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without a key twice")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            map.next_value::<OneOfEachKey>()?;
            if !seen.insert(key) {
                return Err(A::Error::custom("a key stands twice"));
            }
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<OneOfEachKey>()?.is_some() {}
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }
}

#[cfg(test)]
mod tests;
