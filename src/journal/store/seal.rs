//! The seal of a document that people may read and nobody but the engine may write: a digest inside it.
//! Pure. A seal shows an edit by hand; it keeps no forger out, and nothing is ever decided from the document.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::sha256_hex;

/// Returns the document with `engine.digest`, the SHA-256 of its JSON text without that field.
/// Fractions are rounded to a millionth first, so that they read back as they were written.
pub fn seal(mut document: Value) -> Value {
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
pub fn is_sealed(document: &Value) -> bool {
    let stated = document.pointer("/engine/digest").and_then(Value::as_str);
    stated.is_some_and(|stated| stated == digest_of(document))
}

/// Reads a JSON text in which no object has a key twice: which of the two would count?
pub fn parse_strictly(bytes: &[u8]) -> Option<Value> {
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
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sealed_document_shows_every_edit() {
        let sealed = seal(
            json!({"engine": {"seq": 3}, "outcome": "failed", "phases": [{"a": null}, true, -1, 2, 0.5]}),
        );
        assert!(is_sealed(&sealed));
        let mut edited = sealed.clone();
        edited["outcome"] = json!("completed");
        assert!(!is_sealed(&edited));
        let mut unsealed = sealed;
        unsealed["engine"] = json!({"seq": 3});
        assert!(!is_sealed(&unsealed));
    }

    #[test]
    fn sealing_again_changes_nothing() {
        let sealed = seal(json!({"engine": {"seq": 3}, "x": 1}));
        assert_eq!(seal(sealed.clone()), sealed);
    }

    #[test]
    fn a_document_without_a_place_for_the_seal_is_not_sealed() {
        assert!(is_sealed(&seal(json!({}))));
        assert!(!is_sealed(&seal(json!([1]))));
        assert!(!is_sealed(&seal(json!({"engine": "x"}))));
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_at_any_depth() {
        assert_eq!(
            parse_strictly(br#"{"a": [{"b": 1.5}, null, -2, "x", true]}"#).map(|v| v["a"][2].clone()),
            Some(json!(-2))
        );
        assert_eq!(parse_strictly(br#"{"a": [{"b": 1, "b": 1}]}"#), None);
        assert_eq!(parse_strictly(b"{\"a\": 1"), None);
    }

    proptest! {
        #[test]
        fn a_sealed_document_survives_its_text(cost in -1e9..1e9f64, text in ".*") {
            let sealed = seal(json!({"engine": {"seq": 1}, "cost": cost, "text": text}));
            for written in [sealed.to_string(), serde_json::to_string_pretty(&sealed).expect("a value is text")] {
                let read = parse_strictly(written.as_bytes()).expect("it is JSON");
                prop_assert!(is_sealed(&read), "{written}");
            }
        }
    }
}
