//! `status`: where a run stands, or every run of the repository in a line.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::CommandResult;
use super::arguments;
use super::observer::{finalized_value, show_finalized};
use super::output::show;
use app::failure::Failure;
use app::project::Project;
use app::run_location::{RunLocation, locate};
use app::status::{RunStatus, issues, status};
use journal::store::common_dir::FinalizedRun;
use views::metadata::metadata;
use views::summary::{next_command, padded, plain, used_line};

pub(super) fn run(arguments: &arguments::StatusArgs) -> CommandResult {
    let project = Project::open_without_settings()?;
    let Some(issue) = arguments.issue else { return all(&project, arguments.json) };
    if let RunLocation::Finalized(record) = locate(&project, issue)? {
        show_finalized(&record, arguments.json);
        return Ok(0);
    }
    let status = status(&project, issue)?;
    let run = status.view.run();
    let mut value = status_value(&status);
    value["held_by"] = json!(status.held_by.as_ref().map(ToString::to_string));
    value["worktree"] = json!(status.view.root);
    value["under_way"] = json!(status.under_way);
    value["next"] = json!(next_command(run));
    value["used"] = json!(used_line(run));
    show(arguments.json, &value, &status.text())
}

/// Returns what `metadata.json` says, and whether a process of this machine works on the run.
fn status_value(status: &RunStatus) -> Value {
    let view = metadata(&status.view.state, &status.view.chain);
    let mut value = view.and_then(|view| serde_json::to_value(view).ok()).unwrap_or_default();
    value["working"] = json!(status.held_by.is_some());
    value["pid"] = json!(status.held_by.as_ref().map(|holder| holder.pid));
    value
}

/// Shows every run of the repository in a line.
fn all(project: &Project, json: bool) -> CommandResult {
    let mut values = Vec::new();
    let mut text = String::new();
    for issue in issues(project)? {
        let (line, value) = match status(project, issue) {
            Ok(status) => (line(&status), status_value(&status)),
            Err(Failure { message, .. }) => {
                (plain(&message), json!({"issue_number": issue, "error": message}))
            }
        };
        let _ = writeln!(text, "{}{line}", padded(&format!("#{issue}"), 8));
        values.push(value);
    }
    let is_over =
        |record: &FinalizedRun| matches!(locate(project, record.issue), Ok(RunLocation::Finalized(_)));
    for record in FinalizedRun::list(project.workspace.common())?.iter().filter(|record| is_over(record)) {
        let line = format!("{}{}", padded("finalized", 34), plain(&record.title));
        let _ = writeln!(text, "{}{line}", padded(&format!("#{}", record.issue), 8));
        values.push(finalized_value(record));
    }
    if values.is_empty() {
        text.push_str("no runs in this repository\n");
    }
    show(json, &Value::Array(values), &text)
}

fn line(status: &RunStatus) -> String {
    let run = status.view.run();
    let place = run.current().map_or(String::new(), |phase| format!("{} ", phase.name()));
    format!("{}{}{}", padded(status.word(), 12), padded(&place, 22), plain(&run.started.issue.title))
}
