//! The arguments of `check`.

use std::path::PathBuf;

use clap::Args;

use model::issue::IssueNumber;

/// The arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = include_str!("help/check.txt"))]
pub(crate) struct CheckArgs {
    /// Only these checks, by name, criterion or range: todo, Q2, Q1-Q6
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Also the checks of this template
    #[arg(long, value_name = "NAME")]
    pub(crate) template: Option<String>,
    /// A file that has to be there; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) expect: Vec<PathBuf>,
    /// Compare with where HEAD left this branch, tag or commit; without it, with where it left the default branch
    #[arg(long, value_name = "REV", allow_hyphen_values = true)]
    pub(crate) base: Option<String>,
    /// The issue that the change is about, read as `execute` reads it
    #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with = "message")]
    pub(crate) issue: Option<IssueNumber>,
    /// What was asked for; without it and `--issue` the messages of the commits since the base say so
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// Run commands in the files as they are, not in a clean worktree, and compare no tests with the base
    #[arg(long)]
    pub(crate) in_place: bool,
    /// What an agent answered, to be judged as well; `-` reads stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Run no command of the repository
    #[arg(long)]
    pub(crate) no_commands: bool,
    /// Show what passed and what was skipped as well
    #[arg(long)]
    pub(crate) all: bool,
    /// Also write what is open into this file, for code scanners (SARIF); `-` prints only that
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Read this file instead of `.ai-workflow/config.toml`
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub(crate) config: Option<PathBuf>,
    /// Any setting by its dotted key, such as commands.test="make test"; may be given several times
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Settings")]
    pub(crate) set: Vec<String>,
}
