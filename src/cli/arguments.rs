//! The command line as a person types it. Names, defaults and help texts; no behaviour.

#![expect(clippy::struct_excessive_bools, reason = "each is a flag that a person gives or leaves out")]

mod check;
mod doc_review;
mod event;
mod findings;
mod init;
mod pr_feedback;
mod replay;
mod resume;
mod settings;
mod validate;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use check::Check;
pub use doc_review::DocReview;
pub use event::{Apply, Event, EventSource};
pub use findings::{Findings, FindingsFormat};

pub use init::{Init, InitGithub, InitPlace};
use model::issue::IssueNumber;
pub use pr_feedback::PrFeedback;
pub use replay::{Replay, ReplayFormat};
pub use resume::Resume;
pub use settings::SettingFlags;

pub use validate::Validate;

/// Where to begin, and the exit codes of every command.
const AFTER_HELP: &str = "\
Begin here:
  ai-workflow demo                       a small project, its issue, and the whole way to the pull request
  ai-workflow doctor                     what is missing on this machine
  ai-workflow execute --issue 243        an issue of this repository

Exit codes:
    0  completed
    1  a phase failed or ended incomplete
    2  usage, configuration, unknown or closed issue, refusal to start
    3  waiting for a person, a budget or a quota (1 with --no-wait)
    4  no agent program usable
    5  forge: the issue, the pull request or the push
    6  damaged or foreign state, disk full
   70  our bug
   75  another process holds this issue or its checkout
  130  interrupted; the same command goes on";

/// GitHub issue in, reviewed pull request out, without ever taking the agent's word for it.
#[derive(Debug, Parser)]
#[command(name = "ai-workflow", bin_name = "ai-workflow", version, propagate_version = true)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write `.ai-workflow/config.toml` and what else a repository needs
    Init(Init),
    /// Take an issue through its phases; begins, resumes or goes on, whatever there is to do
    Execute(Execute),
    /// Show where a run stands; works while it runs
    Status(Look),
    /// Review the documents of a run before code is written: one round, or with `--autofix` until nothing is left
    DocReview(DocReview),
    /// Answer the question of a paused run and go on
    Resume(Resume),
    /// End a run for good; asks the process that holds it to stop
    Cancel(OneIssue),
    /// Open a phase again, with a reason that stands on top of its next prompt
    Rollback(Rollback),
    /// Take up what reviewers of the pull request asked for: revise, push, answer each thread once
    PrFeedback(PrFeedback),
    /// Make the branch of a completed run ready: remove the run's files, squash, mark the pull request ready
    Finalize(Finalize),
    /// Do what an event of GitHub asks for: a label, a comment with a command, a dispatch
    Event(Event),
    /// Publish what `event --bundle` handed over, after judging all of it; asks no agent
    Apply(Apply),
    /// Remove a run: its branch, its worktree, its files
    Cleanup(Cleanup),
    /// List the presets and their phases
    ListPresets(Report),
    /// List the phases with their policy, limits and needs
    Phases(Report),
    /// Judge the working tree, and an agent's answer, by the checks of a run; needs no run
    Check(Check),
    /// Read a verdict out of a review, the way a run does
    ParseReview(ParseReview),
    /// Tell what reviewers and checks found and what is open, for people, scripts or code scanners (SARIF)
    Findings(Findings),
    /// Tell which rule led to each ruling of a run, or what differs between two runs
    Explain(Explain),
    /// Fold the log of a run again and show every fact
    Replay(Replay),
    /// Make a small project with a bug and take its issue through all phases
    Demo(Demo),
    /// Show or check the configuration
    Config(Config),
    /// Check what a run would need on this machine
    Doctor(Report),
    /// Run the conditions of a step of `.ai-workflow/steps_registry.json` and show the retry prompt
    Validate(Validate),
    /// Print a completion script for a shell
    Completions(Completions),
}

impl Command {
    /// Tells whether it takes a run further, so that a job wants to know how that ended.
    pub fn drives(&self) -> bool {
        matches!(
            self,
            Self::Execute(_) | Self::Resume(_) | Self::DocReview(_) | Self::Event(_) | Self::Apply(_)
        )
    }

    /// Tells whether a JSON document is wanted on stdout.
    pub fn json(&self) -> bool {
        match self {
            Self::Init(init) => init.json(),
            Self::Execute(Execute { json, .. })
            | Self::DocReview(DocReview { json, .. })
            | Self::Status(Look { json, .. })
            | Self::Explain(Explain { json, .. })
            | Self::Replay(Replay { json, .. })
            | Self::Cancel(OneIssue { json, .. })
            | Self::Resume(Resume { json, .. })
            | Self::Rollback(Rollback { json, .. })
            | Self::PrFeedback(PrFeedback { json, .. })
            | Self::Finalize(Finalize { json, .. })
            | Self::Cleanup(Cleanup { json, .. })
            | Self::ListPresets(Report { json, .. })
            | Self::Phases(Report { json, .. })
            | Self::Doctor(Report { json, .. })
            | Self::Check(Check { json, .. })
            | Self::ParseReview(ParseReview { json, .. })
            | Self::Demo(Demo { json, .. })
            | Self::Validate(Validate { json, .. })
            | Self::Config(Config {
                command:
                    ConfigCommand::Show(Report { json, .. }) | ConfigCommand::Validate(Report { json, .. }),
            }) => *json,
            Self::Findings(Findings { format, .. }) => *format != FindingsFormat::Text,
            Self::Config(Config { command: ConfigCommand::Schema { .. } })
            | Self::Completions(_)
            | Self::Event(_)
            | Self::Apply(_) => false,
        }
    }
}

/// What is typed most.
const EXECUTE_EXAMPLES: &str = "\
Examples:
  ai-workflow execute --issue 243                                 begin, or go on where it stopped
  ai-workflow execute --issue 243 --dry-run                       what would happen, and at what cost
  ai-workflow execute --issue 243 --preset quick --worktree       five phases, beside the checkout
  ai-workflow execute --issue 243 --agent claude --reviewer codex
  ai-workflow execute --issue 243 --retry-failed                  once more, with fresh limits";

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

#[derive(Debug, Args)]
pub struct OneIssue {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: IssueNumber,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Explain {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: IssueNumber,
    /// Show what differs from the run of another issue: programs, models, prompts, limits
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub compare: Option<IssueNumber>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Look {
    /// The number of the issue; all runs of the repository when missing
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: Option<IssueNumber>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

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

#[derive(Debug, Args)]
pub struct Report {
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub settings: SettingFlags,
}

#[derive(Debug, Args)]
pub struct ParseReview {
    /// The review; `-` or nothing reads stdin
    pub file: Option<PathBuf>,
    /// The id that the answer has to carry
    #[arg(long, value_name = "ID")]
    pub review_id: Option<String>,
    /// Print the whole reading as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Demo {
    /// Where to make the project; a temporary folder when missing
    pub dir: Option<PathBuf>,
    /// Use a real agent on the same project
    #[arg(long, value_name = "SPEC")]
    pub agent: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Config {
    #[command(subcommand)]
    pub command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the settings in force and where each comes from
    Show(Report),
    /// Check all layers and say what is wrong
    Validate(Report),
    /// Print the JSON Schema of the configuration (or of metadata.json)
    Schema {
        /// The schema of metadata.json instead
        #[arg(long)]
        metadata: bool,
    },
}

#[derive(Debug, Args)]
pub struct Completions {
    pub shell: clap_complete::Shell,
}
