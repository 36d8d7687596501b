//! Which model an agent gets that was named without one: by how hard the issue is and by the kind of step.
//! Only data; which agent is called is the engine's.

use serde::{Deserialize, Serialize};

use crate::phase::Step;

/// How hard an issue is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum Difficulty {
    Simple,
    Moderate,
    Complex,
}

impl Difficulty {
    /// Returns the word used in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Moderate => "moderate",
            Self::Complex => "complex",
        }
    }
}

/// The model of an agent for each kind of step; where none is named the agent's own counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct ModelChoice {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execute: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revise: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triage: Option<String>,
}

impl ModelChoice {
    /// Returns the model for a step.
    pub fn of(&self, step: Step) -> Option<&str> {
        match step {
            Step::Execute | Step::Check | Step::Answer => self.execute.as_deref(),
            Step::Revise => self.revise.as_deref(),
            Step::Review => self.review.as_deref(),
            Step::Triage => self.triage.as_deref(),
        }
    }
}
