//! `doc-review` as a person types it.

use clap::Args;

use super::SettingFlags;
use model::issue::IssueNumber;

/// Which of the three is which, and what their exit codes mean.
const AFTER_HELP: &str = "\
Without a flag one review is made and written to document-review-N.md: exit code 0 when it passes, 1 when it does not.
It approves nothing: that does the answer, which counts what is to be fixed and what is to be discussed.

Examples:
  ai-workflow doc-review --issue 243               one review, nobody changes the documents
  ai-workflow doc-review --issue 243 --fix         answer that review: judge its findings, fix the documents
  ai-workflow doc-review --issue 243 --autofix     both in turn, until nothing is left or the limit is reached";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct DocReview {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: IssueNumber,
    /// Review and fix in turn, as `execute` does, until the documents are approved or a person is needed
    #[arg(long, conflicts_with = "fix")]
    pub autofix: bool,
    /// Answer the latest review, which nobody has answered yet, and fix what is right in it
    #[arg(long)]
    pub fix: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub settings: SettingFlags,
}
