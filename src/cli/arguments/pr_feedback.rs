//! `pr-feedback` as a person types it.

use clap::Args;

use super::SettingFlags;

/// What counts, and what happens then.
const AFTER_HELP: &str = "\
What counts are unresolved threads with a word of somebody who may write to the repository, since our last answer there.
They become findings, the implementation is revised, checked and reviewed once more, and so is every phase after it. Each
thread gets one answer with the commit that changed its place; only what changed is resolved. A second call without new
words does nothing.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct PrFeedback {
    /// The number of the pull request
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub pr: u64,
    /// Show what would be taken up, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub settings: SettingFlags,
}
