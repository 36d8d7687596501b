//! The arguments of `resume`.

use clap::Args;

use super::SettingFlags;
use model::issue::IssueNumber;

/// One of each answer.
const RESUME_EXAMPLES: &str = "\
Examples:
  ai-workflow resume --issue 243 --answer \"use the old name\"       go on with that advice
  ai-workflow resume --issue 243 --continue --rounds 1             one more revision, then ask again
  ai-workflow resume --issue 243 --edited                          you changed files: check and review them
  ai-workflow resume --issue 243 --accept --reason \"known limit\"   on your responsibility";

#[derive(Debug, Args)]
#[command(after_help = RESUME_EXAMPLES)]
pub struct Resume {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: IssueNumber,
    /// Go on with fresh limits
    #[arg(long = "continue", group = "choice")]
    pub go_on: bool,
    /// Go on with fresh limits, and tell the author this
    #[arg(long, value_name = "TEXT", group = "choice", conflicts_with = "text")]
    pub answer: Option<String>,
    /// You changed files by hand: check and review them, on the limits that are left
    #[arg(long, group = "choice")]
    pub edited: bool,
    /// Accept the work as it is, on your responsibility
    #[arg(long, group = "choice")]
    pub accept: bool,
    /// Let the phase fail
    #[arg(long, group = "choice")]
    pub give_up: bool,
    /// With `--continue`: so many revisions (rounds of a document review) instead of a fresh set
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,
    /// With `--accept`: why
    #[arg(long, value_name = "TEXT", conflicts_with = "text")]
    pub reason: Option<String>,
    /// What the author should know
    #[arg(long, value_name = "TEXT")]
    pub text: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub settings: SettingFlags,
}
