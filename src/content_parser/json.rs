//! Reads one JSON object so that nothing in it can be told twice: a key that appears two times makes it unreadable.
//! Forgives raw line breaks inside strings, which agents write often. Decides nothing about what it read.

use std::cell::Cell;
use std::ops::Range;

use serde_json::{Map, Value};

use super::objects;
use super::text::{clipped, next_of};

/// The fields of an object.
pub type Fields = Map<String, Value>;

/// A longer value is cut, in characters.
const LONGEST_LINE: usize = 4_000;

/// How many values may be read out of one answer; a review has hundreds at most.
#[derive(Debug)]
pub(super) struct Budget(Cell<usize>);

impl Default for Budget {
    fn default() -> Self {
        Self(Cell::new(100_000))
    }
}

/// Reads a text that is one object and nothing else, with nothing in it told twice.
pub fn read_object(text: &str) -> Option<Fields> {
    object(text, &Budget::default())
}

/// Reads a text that is one JSON value and nothing else, with nothing in it told twice.
pub fn read_value(text: &str) -> Option<Value> {
    parse(text, &Budget(Cell::new(usize::MAX)))
}

/// Returns the last object of an answer, or the whole answer when it is one. Nothing when that object tells a key twice,
/// or when there are too many to tell which is the last.
pub fn last_object(text: &str) -> Option<Fields> {
    let last = || {
        split_objects(text)?.0.into_iter().max_by_key(|(object, _)| object.as_bytes().as_ptr_range().end)?.1
    };
    read_object(text.trim()).or_else(last)
}

/// An object of a text as it is written, with its fields where it can be read.
pub type WrittenObject<'t> = (&'t str, Option<Fields>);

/// Returns the outermost objects of a text, and what stands outside of them; nothing where there are too many to read.
pub fn split_objects(text: &str) -> Option<(Vec<WrittenObject<'_>>, String)> {
    let found = objects::find(text);
    if found.crowded {
        return None;
    }
    let budget = Budget::default();
    let read = |span: &Range<usize>| (&text[span.clone()], object(&text[span.clone()], &budget));
    let objects = found.whole.iter().map(read).collect();
    let mut rest = String::new();
    let mut from = 0;
    for span in objects::joined(found.whole) {
        rest.extend([&text[from..span.start], "\n"]);
        from = span.end;
    }
    rest.push_str(&text[from..]);
    Some((objects, rest))
}

/// Returns the object; nothing when it is no JSON, tells a key twice, or is larger than the budget.
pub(super) fn object(text: &str, budget: &Budget) -> Option<Fields> {
    let value = match parse(text, budget) {
        None if text.contains(|c| c < ' ') => parse(&with_breaks_escaped(text), budget),
        value => value,
    };
    match value? {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

/// Returns a value as a person would write it.
pub(super) fn line(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    clipped(&text, LONGEST_LINE).to_owned()
}

/// Returns the objects inside of one, however deep they stand.
pub(super) fn objects_inside(fields: &Fields) -> Vec<&Fields> {
    let mut inside = Vec::new();
    let mut left: Vec<&Value> = fields.values().collect();
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(inner) => {
                inside.push(inner);
                left.extend(inner.values());
            }
            _ => {}
        }
    }
    inside
}

/// Returns the value of a field as a person would write it; nothing where there is none.
pub(super) fn text(fields: &Fields, key: &str) -> String {
    fields.get(key).map(line).unwrap_or_default()
}

fn parse(text: &str, budget: &Budget) -> Option<Value> {
    let (colons, values) = signs(text.as_bytes());
    budget.0.set(budget.0.get().checked_sub(values)?);
    let value = serde_json::from_str(text).ok()?;
    // Of a key that appears twice the last value is kept.
    if fields(&value) == colons { Some(value) } else { None }
}

/// Counts outside of strings: the colons, as many as there are fields, and what is at least as much as there are values.
fn signs(bytes: &[u8]) -> (usize, usize) {
    let (mut colons, mut values) = (0, 1);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b':' => colons += 1,
            b',' | b'[' | b'{' => values += 1,
            b'"' => at = string_end(bytes, at + 1),
            _ => {}
        }
        at += 1;
    }
    (colons, values)
}

/// Returns where the quote stands that ends a string.
fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = next_of(bytes, from, *b"\"\\");
    while bytes.get(at) == Some(&b'\\') {
        at = next_of(bytes, bytes.len().min(at + 2), *b"\"\\");
    }
    at
}

fn fields(value: &Value) -> usize {
    match value {
        Value::Object(inner) => inner.len() + inner.values().map(fields).sum::<usize>(),
        Value::Array(items) => items.iter().map(fields).sum(),
        _ => 0,
    }
}

fn with_breaks_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    let (mut in_string, mut after_backslash) = (false, false);
    for c in text.chars() {
        match c {
            '\n' if in_string => escaped.push_str("\\n"),
            '\r' if in_string => escaped.push_str("\\r"),
            '\t' if in_string => escaped.push_str("\\t"),
            // Other control characters say nothing.
            '\0'..' ' if in_string => escaped.push(' '),
            _ => escaped.push(c),
        }
        in_string ^= c == '"' && !after_backslash;
        after_backslash = in_string && c == '\\' && !after_backslash;
    }
    escaped
}

#[cfg(test)]
mod tests;
