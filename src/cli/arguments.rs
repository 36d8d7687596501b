//! The command line as a person types it. Names, defaults and help texts; no behaviour.

#![expect(clippy::struct_excessive_bools, reason = "each is a flag that a person gives or leaves out")]

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::issue::IssueNumber;

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
   75  another process holds this issue
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
    /// Answer the question of a paused run and go on
    Resume(Resume),
    /// End a run for good; asks the process that holds it to stop
    Cancel(OneIssue),
    /// Open a phase again, with a reason that stands on top of its next prompt
    Rollback(Rollback),
    /// Make the branch of a completed run ready: remove the run's files, squash, mark the pull request ready
    Finalize(Finalize),
    /// Remove a run: its branch, its worktree, its files
    Cleanup(Cleanup),
    /// List the presets and their phases
    ListPresets(Report),
    /// List the phases with their policy, limits and needs
    Phases(Report),
    /// Read a verdict out of a review, the way a run does
    ParseReview(ParseReview),
    /// Tell which rule led to each ruling of a run, or what differs between two runs
    Explain(Explain),
    /// Fold the log of a run again and show every fact
    Replay(OneIssue),
    /// Make a small project with a bug and take its issue through all phases
    Demo(Demo),
    /// Show or check the configuration
    Config(Config),
    /// Check what a run would need on this machine
    Doctor(Report),
    /// Print a completion script for a shell
    Completions(Completions),
}

impl Command {
    /// Tells whether a JSON document is wanted on stdout.
    pub fn json(&self) -> bool {
        match self {
            Self::Init(Init { json, .. })
            | Self::Execute(Execute { json, .. })
            | Self::Status(Look { json, .. })
            | Self::Explain(Explain { json, .. })
            | Self::Replay(OneIssue { json, .. })
            | Self::Cancel(OneIssue { json, .. })
            | Self::Resume(Resume { json, .. })
            | Self::Rollback(Rollback { json, .. })
            | Self::Finalize(Finalize { json, .. })
            | Self::Cleanup(Cleanup { json, .. })
            | Self::ListPresets(Report { json, .. })
            | Self::Phases(Report { json, .. })
            | Self::Doctor(Report { json, .. })
            | Self::ParseReview(ParseReview { json, .. })
            | Self::Demo(Demo { json, .. })
            | Self::Config(Config {
                command:
                    ConfigCommand::Show(Report { json, .. }) | ConfigCommand::Validate(Report { json, .. }),
            }) => *json,
            Self::Config(Config { command: ConfigCommand::Schema { .. } }) | Self::Completions(_) => false,
        }
    }
}

/// Settings that can stand in a file, a variable or here; here they win.
#[derive(Debug, Clone, Default, Args)]
pub struct SettingFlags {
    /// Read this file instead of `.ai-workflow/config.toml`
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub config: Option<PathBuf>,
    /// The author: claude[:MODEL], codex[:MODEL], command:PATH, scripted:FILE, auto, ...; a comma list falls back
    #[arg(long, value_name = "SPEC", help_heading = "Settings")]
    pub agent: Option<String>,
    /// The reviewer, in the same words; without it one that fits the author
    #[arg(long, value_name = "SPEC", help_heading = "Settings")]
    pub reviewer: Vec<String>,
    /// The language of documents and comments, such as en or ja
    #[arg(long, value_name = "CODE", help_heading = "Settings")]
    pub language: Option<String>,
    /// The branch to start from and to merge into
    #[arg(long, value_name = "BRANCH", help_heading = "Settings")]
    pub base_branch: Option<String>,
    /// Run a named list of phases only; `list-presets` shows them
    #[arg(long, value_name = "NAME", help_heading = "Settings")]
    pub preset: Option<String>,
    /// Leave these phases out
    #[arg(long, value_name = "A,B", help_heading = "Settings")]
    pub skip_phases: Option<String>,
    /// Where the issue lives: github or local
    #[arg(long, value_name = "FORGE", help_heading = "Settings")]
    pub forge: Option<String>,
    /// Work in a linked worktree and leave the checkout alone
    #[arg(long, help_heading = "Settings")]
    pub worktree: bool,
    /// When to push the branch: never, halt or phase
    #[arg(long, value_name = "WHEN", help_heading = "Settings")]
    pub push: Option<String>,
    /// Exit with 1 instead of 3 where a person would be asked
    #[arg(long, help_heading = "Settings")]
    pub no_wait: bool,
    /// Assess the difficulty first and let it choose the models of agents named without one
    #[arg(long, help_heading = "Settings")]
    pub auto_model: bool,
    /// Begin a session of its own with every call
    #[arg(long, help_heading = "Settings")]
    pub fresh_sessions: bool,
    /// Any other setting by its dotted key, such as budget.usd=5; may be given several times
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Settings")]
    pub set: Vec<String>,
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
pub struct Resume {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: IssueNumber,
    /// Go on with fresh limits
    #[arg(long = "continue", group = "answer")]
    pub go_on: bool,
    /// Accept the work as it is, on your responsibility
    #[arg(long, group = "answer")]
    pub accept: bool,
    /// Let the phase fail
    #[arg(long, group = "answer")]
    pub give_up: bool,
    /// What the author should know
    #[arg(long, value_name = "TEXT")]
    pub text: Option<String>,
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
pub struct Init {
    /// Write over an existing configuration
    #[arg(long)]
    pub force: bool,
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
