//! Reads how hard an agent thinks an issue is. The hardest word counts, and what cannot be read is nothing:
//! what nothing means is for the engine to say.

use serde_json::{Map, Value};

use super::strict::{self, Budget};
use super::{findings, objects};

/// How hard an issue is said to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// `simple`, `moderate` or `complex`.
    pub word: String,
    /// From 0 to 1; nothing when it is missing or cannot be true.
    pub confidence: Option<f64>,
    /// The reason, in the agent's words.
    pub reason: String,
}

/// The words, the easiest first.
const WORDS: [&str; 3] = ["simple", "moderate", "complex"];

/// Reads the objects of a text that carry a difficulty; of several the hardest counts.
pub fn read_difficulty(text: &str) -> Option<Estimate> {
    let budget = Budget::default();
    let spans = objects::find(text).whole;
    let stated = spans.into_iter().filter_map(|span| estimate(&strict::object(&text[span], &budget)?));
    stated.max_by_key(|estimate| rank(&estimate.word))
}

fn estimate(fields: &Map<String, Value>) -> Option<Estimate> {
    let word = fields.get("difficulty")?.as_str()?.trim().to_lowercase();
    rank(&word)?;
    let confidence =
        fields.get("confidence").and_then(Value::as_f64).filter(|value| (0.0..=1.0).contains(value));
    Some(Estimate { word, confidence, reason: fields.get("reason").map(findings::line).unwrap_or_default() })
}

fn rank(word: &str) -> Option<usize> {
    WORDS.iter().position(|known| *known == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, Option<f64>)> {
        read_difficulty(text).map(|estimate| (estimate.word, estimate.confidence))
    }

    #[test]
    fn an_estimate_is_read_whole() {
        let text = r#"Well: {"difficulty": "Moderate", "confidence": 0.8, "reason": "three files"}"#;
        let expected =
            Estimate { word: "moderate".into(), confidence: Some(0.8), reason: "three files".into() };
        assert_eq!(read_difficulty(text), Some(expected));
    }

    #[test]
    fn the_hardest_of_several_counts() {
        let text = r#"{"difficulty": "complex", "confidence": 1} {"difficulty": "simple", "confidence": 1}"#;
        assert_eq!(read(text), Some(("complex".into(), Some(1.0))));
    }

    #[test]
    fn what_is_no_estimate_is_none() {
        for text in
            ["", "simple", r#"{"difficulty": "easy"}"#, r#"{"difficulty": 1}"#, r#"{"difficulty": "simple""#]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_confidence_that_cannot_be_true_is_none() {
        for confidence in ["2", "-0.1", "\"high\"", "null"] {
            let text = format!(r#"{{"difficulty": "simple", "confidence": {confidence}}}"#);
            assert_eq!(read(&text), Some(("simple".into(), None)), "{confidence}");
        }
    }
}
