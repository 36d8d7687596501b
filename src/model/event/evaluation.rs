//! What the last phase decides about the whole run.

use serde::{Deserialize, Serialize};

/// The evaluation's decision about the whole run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The decision itself.
    pub decision: RunDecision,
    /// What is left for a later issue.
    #[serde(default)]
    pub remaining_tasks: Vec<RemainingTask>,
}

/// The words of an evaluation, mildest first; `max` of several counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunDecision {
    /// The run is done.
    Pass,
    /// The run is done, with remarks.
    PassWithIssues,
    /// The phase as written: its name or its folder number.
    FailPhase(String),
    /// The run is given up.
    Abort,
}

/// Work that the evaluation leaves for later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemainingTask {
    /// What has to be done.
    pub task: String,
    /// The phase it belongs to, as written.
    #[serde(default)]
    pub phase: String,
    /// How urgent it is, as written.
    #[serde(default)]
    pub priority: String,
}
