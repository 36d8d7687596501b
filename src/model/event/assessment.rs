//! How hard the issue was found to be, once, before the first phase. Doubt counts as the hardest.

use serde::{Deserialize, Serialize};

use super::call::{Ended, ExecOutcome};
use crate::policy::Difficulty;

/// The least confidence with which an assessment counts.
const LEAST_CONFIDENCE: f64 = 0.5;

/// The assessing call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessed {
    /// The agent spec that was asked.
    pub agent: String,
    /// What its answer says; nothing when it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<Difficulty>,
    /// From 0 to 1, as its answer says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Why, in one line: the answer's own reason, or why there is none.
    #[serde(default)]
    pub reason: String,
    /// How the call ended.
    pub ended: Ended,
}

impl Assessed {
    /// Returns what the issue counts as: the hardest, unless the call ended well and was sure.
    pub fn counts_as(&self) -> Difficulty {
        let sure = self.confidence.is_some_and(|sure| (LEAST_CONFIDENCE..=1.0).contains(&sure));
        let whole = self.ended.outcome == ExecOutcome::Done && !self.ended.truncated;
        if sure && whole { self.difficulty.unwrap_or(Difficulty::Complex) } else { Difficulty::Complex }
    }
}
