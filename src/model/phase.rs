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

#[cfg(test)]
mod tests;
