//! The arguments of the commands that set a repository up, or that look at runs, files and settings. No behaviour.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::SettingFlags;
use model::issue::IssueNumber;

/// The arguments of `init`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Init {
    #[command(subcommand)]
    pub place: Option<InitPlace>,
    /// Write over an existing configuration
    #[arg(long)]
    pub force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Where runs are to happen besides this machine.
#[derive(Debug, Subcommand)]
pub enum InitPlace {
    /// Write a workflow that runs ai-workflow on GitHub, and make its labels
    Github(InitGithub),
}

/// The arguments of `init github`.
#[derive(Debug, Args)]
pub struct InitGithub {
    /// The action that the workflow uses, pinned by its commit; without it the one that this program was built for
    #[arg(long, value_name = "OWNER/NAME@COMMIT")]
    pub action: Option<String>,
    /// Keep the agents in a job that can only read; another job judges and publishes what they made
    #[arg(long)]
    pub two_job: bool,
    /// Write over an existing workflow
    #[arg(long)]
    pub force: bool,
    /// Only show what would happen
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `status`.
#[derive(Debug, Args)]
pub struct Status {
    /// The number of the issue; all runs of the repository when missing
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub issue: Option<IssueNumber>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `findings`.
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

/// The arguments of `explain`.
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

/// The arguments of `replay`.
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

/// How a result is printed, and the settings that are given.
#[derive(Debug, Clone, Args)]
pub struct CommonFlags {
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub settings: SettingFlags,
}

/// The arguments of `config`.
#[derive(Debug, Args)]
pub struct Config {
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// What `config` is asked for.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the settings in force and where each comes from
    Show(CommonFlags),
    /// Check all layers and say what is wrong
    Validate(CommonFlags),
    /// Print the JSON Schema of the configuration (or of metadata.json)
    Schema {
        /// The schema of metadata.json instead
        #[arg(long)]
        metadata: bool,
    },
}

/// The arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = include_str!("help/check.txt"))]
pub struct Check {
    /// Only these checks, by name, criterion or range: todo, Q2, Q1-Q6
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Also the checks of this template
    #[arg(long, value_name = "NAME")]
    pub template: Option<String>,
    /// A file that has to be there; may be given several times
    #[arg(long, value_name = "FILE")]
    pub expect: Vec<PathBuf>,
    /// The commit to compare with: a branch, a tag, a commit
    #[arg(long, value_name = "REV", allow_hyphen_values = true)]
    pub base: Option<String>,
    /// What an agent answered, to be judged as well; `-` reads stdin
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Run no command of the repository
    #[arg(long)]
    pub no_commands: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Read this file instead of `.ai-workflow/config.toml`
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub config: Option<PathBuf>,
    /// Any setting by its dotted key, such as commands.test="make test"; may be given several times
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Settings")]
    pub set: Vec<String>,
}

/// The arguments of `validate`.
#[derive(Debug, Args)]
#[command(after_help = include_str!("help/validate.txt"))]
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

/// The arguments of `parse-review`.
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

/// The arguments of `demo`.
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

/// The arguments of `completions`.
#[derive(Debug, Args)]
pub struct Completions {
    pub shell: clap_complete::Shell,
}
