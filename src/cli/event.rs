//! `event` and `apply`: the one way in for what happens on GitHub, from a job or a webhook. Reads the event and has it obeyed.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use super::CommandResult;
use super::arguments::{ApplyArgs, EventArgs, EventSource, SettingFlags};
use super::observer::TerminalObserver;
use app::bundle;
use app::environment::variable;
use app::event::handle;
use app::failure::{Failure, exit_code};
use app::forge_connection;
use app::project::Project;
use forge::github::{Event, LARGEST_EVENT, read_event};
use runner::JobRole;

/// Runs `event`.
pub(super) fn run(arguments: &EventArgs) -> CommandResult {
    let role = if arguments.bundle.is_some() { JobRole::Work } else { JobRole::Both };
    take(&arguments.source, &arguments.settings, role, arguments.bundle.clone())
}

/// Runs `apply`: the same for what another process has worked on.
pub(super) fn apply(arguments: &ApplyArgs) -> CommandResult {
    take(&arguments.source, &arguments.settings, JobRole::Publish, Some(arguments.bundle.clone()))
}

fn take(source: &EventSource, flags: &SettingFlags, role: JobRole, bundle: Option<PathBuf>) -> CommandResult {
    let observer = TerminalObserver::new(false);
    let project = Project { role, ..crate::project::open(flags)? };
    project.warn_of_short_secrets();
    if let (JobRole::Work, Some(folder)) = (role, &bundle) {
        forge_connection::only_read();
        bundle::prepare(folder)?;
    }
    Ok(exit_code(handle(project, &observer, &read(source)?, bundle)?))
}

/// Reads the event from the file that is named, or that the job names.
fn read(source: &EventSource) -> Result<Event, Failure> {
    let path = source.path.clone().or_else(|| variable("GITHUB_EVENT_PATH").map(PathBuf::from));
    let name = source.name.clone().or_else(|| variable("GITHUB_EVENT_NAME"));
    let (Some(path), Some(name)) = (path, name) else {
        return Err(Failure::usage("there is no event: it comes with a job of GitHub Actions")
            .hint("outside of one give `--path FILE` and `--name issues`"));
    };
    let shown = path.display();
    let unreadable = |error: std::io::Error| Failure::usage(format!("failed to read {shown}: {error}"));
    let mut text = Vec::new();
    let file = File::open(&path).map_err(unreadable)?;
    file.take(LARGEST_EVENT + 1).read_to_end(&mut text).map_err(unreadable)?;
    if text.len() as u64 > LARGEST_EVENT {
        return Err(Failure::usage(format!("{shown} is larger than any event of GitHub")));
    }
    read_event(&name, &text).map_err(|error| Failure::usage(format!("{shown} is no event `{name}`: {error}")))
}
