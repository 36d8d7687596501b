//! The arguments of `replay`.

use clap::{Args, ValueEnum};

use model::issue::IssueNumber;

#[derive(Debug, Args)]
pub struct Replay {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: IssueNumber,
    /// Every fact, or the review loops that they are: one event a line, as JSON
    #[arg(long, value_enum, default_value_t)]
    pub format: ReplayFormat,
    /// Only the review loops of this phase
    #[arg(long, value_name = "NAME")]
    pub phase: Option<String>,
    /// Print the facts as JSON
    #[arg(long)]
    pub json: bool,
}

/// What `replay` prints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ReplayFormat {
    #[default]
    Facts,
    ReviewLoop,
}
