//! The arguments of the commands that begin, move or end runs. No behaviour.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::SettingFlags;
use model::issue::IssueNumber;

/// What is typed most.
const EXECUTE_EXAMPLES: &str = "\
Examples:
  ai-workflow execute --issue 243                                 begin, or go on where it stopped
  ai-workflow execute --issue 243 --dry-run                       what would happen, and at what cost
  ai-workflow execute --issue 243 --preset quick --worktree       five phases, beside the checkout
  ai-workflow execute --issue 243 --agent claude --reviewer codex
  ai-workflow execute --issue 243 --retry-failed                  once more, with fresh limits";

/// The arguments of `execute`.
#[derive(Debug, Args)]
#[command(after_help = EXECUTE_EXAMPLES)]
pub struct Execute {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: IssueNumber,
    /// One phase, or all that are left; `phases` lists them
    #[arg(long, value_name = "NAME", default_value = "all")]
    pub phase: String,
    /// Open a failed phase again, with fresh limits
    #[arg(long)]
    pub retry_failed: bool,
    /// Do not look at whether earlier phases are completed
    #[arg(long)]
    pub skip_dependency_check: bool,
    /// Warn about unmet needs and go on
    #[arg(long)]
    pub ignore_dependencies: bool,
    /// Show phases, calls and limits; call nobody, write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub settings: SettingFlags,
}

/// Which of the three is which, and what their exit codes mean.
const DOC_REVIEW_HELP: &str = "\
Without a flag one review is made and written to document-review-N.md: exit code 0 when it passes, 1 when it does not.
It approves nothing: that does the answer, which counts what is to be fixed and what is to be discussed.

Examples:
  ai-workflow doc-review --issue 243               one review, nobody changes the documents
  ai-workflow doc-review --issue 243 --fix         answer that review: judge its findings, fix the documents
  ai-workflow doc-review --issue 243 --autofix     both in turn, until nothing is left or the limit is reached";

/// The arguments of `doc-review`.
#[derive(Debug, Args)]
#[command(after_help = DOC_REVIEW_HELP)]
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

/// One of each answer.
const RESUME_EXAMPLES: &str = "\
Examples:
  ai-workflow resume --issue 243 --answer \"use the old name\"       go on with that advice
  ai-workflow resume --issue 243 --continue --rounds 1             one more revision, then ask again
  ai-workflow resume --issue 243 --edited                          you changed files: check and review them
  ai-workflow resume --issue 243 --accept --reason \"known limit\"   on your responsibility";

/// The arguments of `resume`.
#[derive(Debug, Clone, Args)]
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

/// The arguments of `rollback`.
#[derive(Debug, Args)]
pub struct Rollback {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: IssueNumber,
    /// The phase to open again; it and all later ones become pending
    #[arg(long, value_name = "PHASE")]
    pub to_phase: String,
    /// The step it goes on with
    #[arg(long, value_name = "STEP", default_value = "revise")]
    pub to_step: RollbackStep,
    /// Why; stands on top of the next prompt
    #[arg(
        long,
        value_name = "TEXT",
        required_unless_present = "reason_file",
        conflicts_with = "reason_file"
    )]
    pub reason: Option<String>,
    /// Why, from a file
    #[arg(long, value_name = "FILE")]
    pub reason_file: Option<PathBuf>,
    /// Also add commits that revert what the reopened phases committed
    #[arg(long)]
    pub revert: bool,
    /// Only show what would happen
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The step a phase goes on with after a rollback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RollbackStep {
    Execute,
    Review,
    Revise,
}

/// The arguments of a command about one issue.
#[derive(Debug, Args)]
pub struct OneIssue {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: IssueNumber,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// What counts, and what happens then.
const PR_FEEDBACK_HELP: &str = "\
What counts are unresolved threads with a word of somebody who may write to the repository, since our last answer there.
They become findings, the implementation is revised, checked and reviewed once more, and so is every phase after it. Each
thread gets one answer with the commit that changed its place; only what changed is resolved. A second call without new
words does nothing.";

/// The arguments of `pr-feedback`.
#[derive(Debug, Args)]
#[command(after_help = PR_FEEDBACK_HELP)]
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

/// The arguments of `finalize`.
#[derive(Debug, Args)]
pub struct Finalize {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: IssueNumber,
    /// Keep one commit per phase
    #[arg(long)]
    pub skip_squash: bool,
    /// Keep the run's folder on the branch: its log and its documents
    #[arg(long)]
    pub keep_files: bool,
    /// Publish also what no reviewer was shown; the pull request says so
    #[arg(long)]
    pub include_unreviewed: bool,
    /// Only show what would happen
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `cleanup`.
#[derive(Debug, Args)]
pub struct Cleanup {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: IssueNumber,
    /// Remove prompts, answers and raw streams only; keep branch, log and documents
    #[arg(long)]
    pub logs_only: bool,
    /// Remove the run although it is not over
    #[arg(long)]
    pub force: bool,
    /// Only show what would happen
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// What a job of GitHub Actions runs.
const EVENT_EXAMPLES: &str = "\
Examples:
  ai-workflow event                                     in a job: the event that started it
  ai-workflow event --path event.json --name issues     from a file";

/// The arguments of `event`.
#[derive(Debug, Args)]
#[command(after_help = EVENT_EXAMPLES)]
pub struct Event {
    #[command(flatten)]
    pub source: EventSource,
    /// Write nothing to GitHub; put the run's branch and how it ended into this folder, for `apply`
    #[arg(long, value_name = "DIR")]
    pub bundle: Option<PathBuf>,
    #[command(flatten)]
    pub settings: SettingFlags,
}

/// What a job that may write runs after one that may not.
const APPLY_EXAMPLES: &str = "\
Examples:
  ai-workflow apply --bundle handed      in a job: for the event that started it";

/// The arguments of `apply`.
#[derive(Debug, Args)]
#[command(after_help = APPLY_EXAMPLES)]
pub struct Apply {
    /// The folder that `event --bundle` wrote
    #[arg(long, value_name = "DIR")]
    pub bundle: PathBuf,
    #[command(flatten)]
    pub source: EventSource,
    #[command(flatten)]
    pub settings: SettingFlags,
}

/// Where an event stands.
#[derive(Debug, Args)]
pub struct EventSource {
    /// The file with the event; without it the one that `GITHUB_EVENT_PATH` names
    #[arg(long, value_name = "FILE")]
    pub path: Option<PathBuf>,
    /// What kind of event it is, such as `issues` or `issue_comment`; without it what `GITHUB_EVENT_NAME` says
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}
