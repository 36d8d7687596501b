//! Reads the short answers of agents: how difficult the issue is, and an author's answer to a reviewer's questions.

use content_parser::{Fields, split_objects};
use serde_json::Value;

/// How difficult an issue is said to be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Estimate {
    /// `simple`, `moderate` or `complex`.
    pub(crate) word: String,
    /// From 0 to 1; nothing when it is missing or cannot be true.
    pub(crate) confidence: Option<f64>,
    /// The reason, in the agent's words.
    pub(crate) reason: String,
}

/// The words, the easiest first.
const WORDS: [&str; 3] = ["simple", "moderate", "complex"];

/// Reads the objects of a text that carry a difficulty; of several the hardest counts.
pub(crate) fn read_difficulty(text: &str) -> Option<Estimate> {
    let (objects, _) = split_objects(text)?;
    let stated = objects.iter().filter_map(|(_, fields)| estimate(fields.as_ref()?));
    stated.max_by_key(|estimate| rank(&estimate.word))
}

fn estimate(fields: &Fields) -> Option<Estimate> {
    let word = fields.get("difficulty")?.as_str()?.trim().to_lowercase();
    rank(&word)?;
    let confidence = fields.get("confidence").and_then(Value::as_f64);
    let reason = fields.get("reason").and_then(Value::as_str).unwrap_or_default();
    Some(Estimate {
        word,
        confidence: confidence.filter(|value| (0.0..=1.0).contains(value)),
        reason: reason.split_whitespace().collect::<Vec<_>>().join(" "),
    })
}

fn rank(word: &str) -> Option<usize> {
    WORDS.iter().position(|known| *known == word)
}

/// The longest answer to questions that is handed on, in characters.
const LONGEST: usize = 4_000;

/// Returns what an author answers to a reviewer's questions, as it is; nothing when nothing was said.
pub(crate) fn read_reply(text: &str) -> Option<String> {
    let text: String = text.trim().chars().take(LONGEST).collect();
    if text.is_empty() { None } else { Some(text.trim_end().to_owned()) }
}

#[cfg(test)]
mod tests;
