//! Reads one JSON object so that nothing in it can be told twice: a key that appears two times makes it unreadable.
//! Forgives raw line breaks inside strings, which agents write often. Decides nothing about what it read.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// How many values may be read out of one answer; a review has hundreds at most.
#[derive(Debug)]
pub(super) struct Budget(Cell<u32>);

impl Default for Budget {
    fn default() -> Self {
        Self(Cell::new(100_000))
    }
}

/// Reads a text that is one object and nothing else, with nothing in it told twice.
pub fn read_object(text: &str) -> Option<Map<String, Value>> {
    object(text, &Budget::default())
}

/// Reads a text that is one JSON value and nothing else, with nothing in it told twice.
pub fn read_value(text: &str) -> Option<Value> {
    parse(text, &Budget(Cell::new(u32::MAX)))
}

/// Returns the object; nothing when it is no JSON, tells a key twice, or is larger than the budget.
pub(super) fn object(text: &str, budget: &Budget) -> Option<Map<String, Value>> {
    let value = parse(text, budget)
        .or_else(|| if has_raw_breaks(text) { parse(&with_breaks_escaped(text), budget) } else { None })?;
    match value {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

fn parse(text: &str, budget: &Budget) -> Option<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Once(budget).deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(value)
}

fn has_raw_breaks(text: &str) -> bool {
    // The smallest byte of a piece is found without a way out, so the compiler compares many at once.
    let smallest = |piece: &[u8]| piece.iter().copied().fold(u8::MAX, u8::min);
    text.as_bytes().chunks(256).any(|piece| smallest(piece) < 0x20)
}

fn with_breaks_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    let (mut in_string, mut after_backslash) = (false, false);
    for c in text.chars() {
        if in_string && c < ' ' {
            escaped.push_str(match c {
                '\n' => "\\n",
                '\r' => "\\r",
                '\t' => "\\t",
                // Other control characters say nothing.
                _ => " ",
            });
        } else {
            escaped.push(c);
        }
        in_string ^= c == '"' && !after_backslash;
        after_backslash = in_string && c == '\\' && !after_backslash;
    }
    escaped
}

/// Reads a value whose keys are all different.
struct Once<'b>(&'b Budget);

impl Once<'_> {
    fn spend<E: Error>(&self) -> Result<(), E> {
        let left = self.0.0.get();
        self.0.0.set(left.saturating_sub(1));
        if left == 0 { Err(E::custom("too many values")) } else { Ok(()) }
    }
}

impl<'de> DeserializeSeed<'de> for Once<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.spend()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(truth.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Once(self.0))? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(Once(self.0))?;
            if fields.insert(key.clone(), value).is_some() {
                return Err(A::Error::custom(format!("the key `{key}` appears twice")));
            }
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Value> {
        object(text, &Budget::default()).map(Value::Object)
    }

    #[test]
    fn an_object_is_read_with_all_its_values() {
        let text = r#"{"a": [null, true, -1, 2, 0.5, "x\ty", "plain"], "b": {}}"#;
        assert_eq!(read(text), serde_json::from_str(text).ok());
    }

    #[test]
    fn a_key_that_appears_twice_makes_it_unreadable_at_any_depth() {
        assert_eq!(read(r#"{"a": 1, "a": 1}"#), None);
        assert_eq!(read(r#"{"x": [{"a": 1, "\u0061": 2}]}"#), None);
    }

    #[test]
    fn raw_line_breaks_in_strings_are_forgiven() {
        assert_eq!(
            read("{\n\"a\": \"one\ntwo\\\"\t\\\\\"\r\n}"),
            Some(serde_json::json!({"a": "one\ntwo\"\t\\"}))
        );
    }

    #[test]
    fn what_is_no_object_or_too_large_is_not_read() {
        assert_eq!(read("[1]"), None);
        assert_eq!(read("{\"a\": 1e400}"), None);
        assert_eq!(read("{\"a\": 1} x"), None);
        assert_eq!(read(&format!("{{\"a\": [{}0]}}", "0,".repeat(100_000))), None);
    }
}
