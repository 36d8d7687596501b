//! The words for where a phase stands: its status for everybody, and its step pointer.

use std::fmt;

use serde::{Deserialize, Serialize};

use model::phase::Step;

/// The status of a phase, as `metadata.json` shows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    #[default]
    Pending,
    InProgress,
    Completed,
    Failed,
    Paused,
    Skipped,
}

impl Status {
    /// Returns the word used in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Paused => "paused",
            Self::Skipped => "skipped",
        }
    }

    /// Tells whether nothing is left to do in the phase.
    pub fn satisfies(self) -> bool {
        matches!(self, Self::Completed | Self::Skipped)
    }
}

/// The step pointer inside a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Not begun.
    Idle,
    /// The step comes next.
    Ready(Step),
    /// The call is under way, or was when the runner died.
    Working(Step),
    /// A ruling comes next.
    Deciding,
    /// The ruling was to advance: the commit comes next.
    Closing,
    /// Over, one way or another.
    Closed,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idle => f.write_str("not begun"),
            Self::Ready(step) => write!(f, "ready for {step}"),
            Self::Working(step) => write!(f, "working at {step}"),
            Self::Deciding => f.write_str("ready for a ruling"),
            Self::Closing => f.write_str("ready for the commit"),
            Self::Closed => f.write_str("closed"),
        }
    }
}
