//! The arguments of `findings`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use model::issue::IssueNumber;

#[derive(Debug, Args)]
pub struct Findings {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: IssueNumber,
    /// Open problems for people or for a code scanner, or all of them as JSON
    #[arg(long, value_enum, default_value_t)]
    pub format: FindingsFormat,
    /// Write to this file instead of stdout; `-` is stdout
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// What `findings` prints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum FindingsFormat {
    #[default]
    Text,
    Json,
    Sarif,
}
