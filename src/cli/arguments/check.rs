//! The command line of `check`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  ai-workflow check                             what changed since the branch left the default branch
  ai-workflow check --only Q1-Q6 --no-commands  the criteria of the quality gate that read text
  ai-workflow check --only tests,lint           the commands alone, in the files as they are
  ai-workflow check --base HEAD --json          what is not committed, as JSON
  ai-workflow check --output answer.md --template goal_drift_guard

Exit codes: 0 all that was judged passed, 1 something failed, could not run, or nothing was judged, 2 usage";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
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
