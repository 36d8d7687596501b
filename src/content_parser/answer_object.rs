//! Finds the object that an answer ends with, and the JSON block it ends with. Judges neither.

use serde_json::{Map, Value};

use super::objects;
use super::quoted::fenced;
use super::strict::read_object;

/// Returns the last object of an answer, or the whole answer when it is one. Nothing when that object tells a key twice,
/// or when there are too many to tell which is the last.
pub fn last_object(text: &str) -> Option<Map<String, Value>> {
    read_object(text.trim()).or_else(|| {
        let found = objects::find(text);
        let last = found.whole.iter().filter(|_| !found.crowded).max_by_key(|span| span.end)?;
        read_object(&text[last.clone()])
    })
}

/// Returns what stands in the last closed block with the language `json`.
pub fn last_json_block(text: &str) -> Option<&str> {
    fenced(text, "json").last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_object_counts_wherever_it_stands() {
        let name = |text: &str| last_object(text).and_then(|object| Some(object.get("n")?.to_string()));
        for (text, expected) in [
            ("{\"n\": 1}", Some("1")),
            ("{\"n\": 1}\nand\n```json\n{\"n\": 2, \"in\": {\"n\": 3}}\n```\nDone.", Some("2")),
            ("x {\"n\": 1} {\"n\": 2}", Some("2")),
            ("x {\"n\": 1} {\"n\": 2, \"n\": 3}", None),
            ("none", None),
            ("", None),
        ] {
            assert_eq!(name(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn only_a_closed_block_of_json_is_one() {
        assert_eq!(last_json_block("```json\n1\n```\n\n```JSON\n[2]\n```\n"), Some("[2]\n"));
        assert_eq!(last_json_block("```js\n1\n```\n```json\n2"), None);
        assert_eq!(last_json_block("````\n```json\n1\n```\n````"), None);
        assert_eq!(last_json_block("{\"a\": 1}"), None);
    }
}
