//! The command line of `validate`.

use std::path::PathBuf;

use clap::Args;

use model::issue::IssueNumber;

/// How a step is validated.
const VALIDATE_EXAMPLES: &str = "\
Examples:
  ai-workflow validate complete.issue                             in this checkout, as it is now
  ai-workflow validate complete.issue --registry other.json
  ai-workflow validate complete.issue --issue 243 --json

Exits with 0 when every condition holds, 1 when one does not, 2 when the registry cannot be used.";

#[derive(Debug, Args)]
#[command(after_help = VALIDATE_EXAMPLES)]
pub struct Validate {
    /// The step by its name in the registry
    pub step: String,
    /// Read this registry instead of `.ai-workflow/steps_registry.json`
    #[arg(long, value_name = "FILE")]
    pub registry: Option<PathBuf>,
    /// The issue, for conditions that ask whether it is closed
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: Option<IssueNumber>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
