//! The arguments of `event`.

use std::path::PathBuf;

use clap::Args;

use super::SettingFlags;

/// What a job of GitHub Actions runs.
const EVENT_EXAMPLES: &str = "\
Examples:
  ai-workflow event                                     in a job: the event that started it
  ai-workflow event --path event.json --name issues     from a file";

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
