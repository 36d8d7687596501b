//! The arguments of the commands that begin, move or end runs. No behaviour.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::CommonFlags;
use super::SettingFlags;
use model::issue::IssueNumber;

/// The arguments of `execute`.
#[derive(Debug, Args)]
#[command(after_help = include_str!("help/execute.txt"))]
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
    #[command(flatten)]
    pub common: CommonFlags,
}

/// The arguments of `doc-review`.
#[derive(Debug, Args)]
#[command(after_help = include_str!("help/doc-review.txt"))]
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
    #[command(flatten)]
    pub common: CommonFlags,
}

/// The arguments of `resume`.
#[derive(Debug, Clone, Args)]
#[command(after_help = include_str!("help/resume.txt"))]
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
    #[command(flatten)]
    pub common: CommonFlags,
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

/// The arguments of `pr-feedback`.
#[derive(Debug, Args)]
#[command(after_help = include_str!("help/pr-feedback.txt"))]
pub struct PrFeedback {
    /// The number of the pull request
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub pr: u64,
    /// Show what would be taken up, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub common: CommonFlags,
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

/// The arguments of `event`.
#[derive(Debug, Args)]
#[command(after_help = include_str!("help/event.txt"))]
pub struct Event {
    #[command(flatten)]
    pub source: EventSource,
    /// Write nothing to GitHub; put the run's branch and how it ended into this folder, for `apply`
    #[arg(long, value_name = "DIR")]
    pub bundle: Option<PathBuf>,
    #[command(flatten)]
    pub settings: SettingFlags,
}

/// The arguments of `apply`.
#[derive(Debug, Args)]
#[command(after_help = include_str!("help/apply.txt"))]
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
