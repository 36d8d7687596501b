//! The words for where a run is: the name of a phase and the steps inside one.
//! Which phases exist, in what order and with which limits is data (`defaults.toml`), not code.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::DeserializeFromStr;

/// The name of a phase: lower-case letters, digits and `_`, starting with a letter, at most 40 characters.
/// It becomes part of folder names, so nothing else is let in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, DeserializeFromStr, JsonSchema)]
#[schemars(with = "String")]
#[derive(derive_more::Display)]
pub struct PhaseName(String);

/// Says why a text is not a phase name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a phase name: lower-case letters, digits and `_`, starting with a letter, at most 40 characters"
)]
pub struct BadPhaseName(String);

impl PhaseName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PhaseName {
    type Err = BadPhaseName;

    fn from_str(text: &str) -> Result<Self, BadPhaseName> {
        let starts_well = text.starts_with(|c: char| c.is_ascii_lowercase());
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let is_name = starts_well && text.len() <= 40 && text.chars().all(plain);
        if is_name { Ok(Self(text.to_owned())) } else { Err(BadPhaseName(text.to_owned())) }
    }
}

/// A step inside a phase. `Answer` puts a reviewer's question to the author and changes no state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum Step {
    Execute,
    Check,
    Review,
    Triage,
    Revise,
    Answer,
}

impl Step {
    /// Returns the word used in folders, log lines and `AI_WORKFLOW_STEP`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Tells whether this step may change the tree: its agent is the author.
    pub fn writes(self) -> bool {
        matches!(self, Self::Execute | Self::Revise | Self::Triage)
    }
}

/// Returns the file name of the document that the engine makes of a reviewer's answer, in a phase that stores review documents.
pub fn review_document(round: u32) -> String {
    format!("document-review-{round}.md")
}

/// Returns the file name of the document that the engine makes of the reply to a review.
pub fn reply_document(round: u32) -> String {
    format!("document-review-{round}-reply.md")
}

/// Tells whether a file has the name of such a document: no phase delivers one, and the engine alone writes them.
pub fn is_answer_document(name: &str) -> bool {
    let inside = name.strip_prefix("document-review-").and_then(|rest| rest.strip_suffix(".md"));
    let round = inside.map(|inside| inside.strip_suffix("-reply").unwrap_or(inside));
    round.is_some_and(|round| !round.is_empty() && round.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests;
