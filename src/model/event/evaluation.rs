//! What the last phase decides about the whole run.

use serde::{Deserialize, Serialize};

/// The evaluation's decision about the whole run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    pub decision: RunDecision,
    #[serde(default)]
    pub remaining_tasks: Vec<RemainingTask>,
}

/// The words of an evaluation, mildest first; `max` of several counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunDecision {
    Pass,
    PassWithIssues,
    /// The phase as written: its name or its folder number.
    FailPhase(String),
    Abort,
}

/// Work that the evaluation leaves for later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemainingTask {
    pub task: String,
    #[serde(default)]
    pub phase: String,
    #[serde(default)]
    pub priority: String,
}
