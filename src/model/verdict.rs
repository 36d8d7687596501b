//! The words for judging, ordered by strictness: the mildest is the smallest, so `max` is the strictest.
//! Knows how to compare and to name; how a text becomes a verdict is `content_parser`'s.

use std::collections::BTreeMap;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, SerializeDisplay};

/// What a reviewer states. `max` of several is the one that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum Verdict {
    Pass,
    PassWithSuggestions,
    Fail,
}

impl Verdict {
    /// Returns the word a reviewer writes.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Tells whether a word is one of the three that a reviewer may write under most policies.
    pub fn is_word(word: &str) -> bool {
        [Self::Pass, Self::PassWithSuggestions, Self::Fail].iter().any(|verdict| verdict.as_str() == word)
    }
}

/// Returns the words of the default policy: the three verdicts, and what they mean.
pub fn default_words() -> BTreeMap<String, Judgment> {
    let judgments = [Judgment::Approve, Judgment::ApproveWithNotes, Judgment::Revise];
    judgments.map(|judgment| (judgment.verdict().as_str().to_owned(), judgment)).into()
}

/// The engine's combination of outcome, checks, reviews and triage, mildest first.
/// `Redo` is about the step that broke; the state knows which one that was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum Judgment {
    Approve,
    ApproveWithNotes,
    Discuss,
    Revise,
    Unverifiable,
    Redo,
    Block,
}

impl Judgment {
    /// Returns the verdict a reader of three words sees: only the two approvals pass.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Approve => Verdict::Pass,
            Self::ApproveWithNotes => Verdict::PassWithSuggestions,
            Self::Discuss | Self::Revise | Self::Unverifiable | Self::Redo | Self::Block => Verdict::Fail,
        }
    }

    /// Tells whether this judgment may lead to `advance`.
    pub fn approves(self) -> bool {
        matches!(self, Self::Approve | Self::ApproveWithNotes)
    }
}

/// A grade from A (best) to D. Derived or stated, never decisive by itself: it may only tighten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
#[derive(strum::Display, strum::IntoStaticStr)]
pub enum Grade {
    A,
    B,
    C,
    D,
}

impl Grade {
    /// Returns the letter.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How a verdict was read out of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, SerializeDisplay, DeserializeFromStr, JsonSchema)]
#[schemars(with = "String")]
#[derive(strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum ReadAs {
    /// The agent enforced our schema.
    Schema,
    /// An object found in the text.
    Json,
    /// A marker line; the label as the reader knows it, such as `最終判定`.
    #[strum(to_string = "marker:{0}")]
    Marker(String),
    /// The triage table.
    Table,
    /// A GO/NOGO line.
    GoNogo,
    /// Nothing readable: FAIL by default.
    Default,
}

impl FromStr for ReadAs {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(label) = text.strip_prefix("marker:") {
            return Ok(Self::Marker(label.to_owned()));
        }
        let plain = [Self::Schema, Self::Json, Self::Table, Self::GoNogo, Self::Default];
        let named = plain.into_iter().find(|plain| plain.to_string() == text);
        named.ok_or_else(|| format!("`{text}` is not a way a verdict is read"))
    }
}

#[cfg(test)]
mod tests;
