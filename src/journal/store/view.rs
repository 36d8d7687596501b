//! `metadata.json`, the view of a run, which people may read and only the engine may write: JSON with a digest inside it.
//! A digest shows an edit by hand; it keeps no forger out, and nothing is ever decided from the view.
//! Views are not synced: one that a power cut loses is built again from the log.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Map, Number, Value};

use super::files::{StoreError, if_there, io_error, refuse_other_than_file, replace};
use content_parser::read_value;
use engine::State;
use model::redact::Masker;
use model::text::sha256_hex;
use views::metadata::metadata;

/// A view longer than this, in bytes, was not written by us.
const LONGEST_VIEW: u64 = 16 * 1024 * 1024;

/// What a sealed view on disk is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ViewOnDisk {
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

/// Returns the path of the view in a run's folder.
pub(crate) fn path(folder: &Path) -> PathBuf {
    folder.join("metadata.json")
}

/// Writes the view of a run by rename, masked and sealed; nothing before the run has begun.
pub(crate) fn write(folder: &Path, state: &State, chain: &str, masker: &Masker) -> Result<(), StoreError> {
    let Some(view) = metadata(state, chain) else { return Ok(()) };
    let mut value = serde_json::to_value(view).expect("a view holds text, numbers and lists only");
    masker.mask_value(&mut value);
    let text = masker.mask(&format!("{:#}\n", seal(value)));
    replace(&path(folder), text.as_str().as_bytes())
}

/// Judges a sealed view on disk.
pub(crate) fn check_file(path: &Path) -> Result<ViewOnDisk, StoreError> {
    refuse_other_than_file(path)?;
    let opened = if_there(File::open(path)).map_err(io_error("open", path))?;
    let Some(file) = opened else { return Ok(ViewOnDisk::Missing) };
    let mut bytes = Vec::new();
    file.take(LONGEST_VIEW + 1).read_to_end(&mut bytes).map_err(io_error("read", path))?;
    Ok(if bytes.len() as u64 > LONGEST_VIEW { ViewOnDisk::Edited } else { check_view(&bytes) })
}

/// Judges the bytes of a sealed view.
fn check_view(bytes: &[u8]) -> ViewOnDisk {
    let is_blank = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    if bytes.iter().all(is_blank) {
        return ViewOnDisk::Missing;
    }
    // Which of two equal keys would count?
    let document = str::from_utf8(bytes).ok().and_then(read_value).filter(is_sealed);
    let seq = document.as_ref().and_then(|document| document.pointer("/engine/seq")?.as_u64());
    seq.map_or(ViewOnDisk::Edited, |seq| ViewOnDisk::Good { seq })
}

/// Returns the document with `engine.digest`, the SHA-256 of its JSON text without that field.
/// Fractions are rounded to a millionth first, so that they read back as they were written.
fn seal(mut document: Value) -> Value {
    round_fractions(&mut document);
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

fn digest_of(document: &Value) -> String {
    let mut document = document.clone();
    if let Some(engine) = document.get_mut("engine").and_then(Value::as_object_mut) {
        engine.remove("digest");
    }
    sha256_hex(&[document.to_string().as_bytes()])
}

/// Rounds every fraction: a fraction of up to 15 digits is read back exactly, a longer one may not be.
fn round_fractions(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let rounded = number.as_f64().map(|figure| (figure * 1e6).round() / 1e6);
            *number = rounded
                .filter(|figure| figure.abs() < 1e9)
                .and_then(Number::from_f64)
                .unwrap_or_else(|| number.clone());
        }
        Value::Array(items) => items.iter_mut().for_each(round_fractions),
        Value::Object(fields) => fields.values_mut().for_each(round_fractions),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests;
