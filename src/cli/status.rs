//! `status`: where a run stands, or every run of the repository in a line.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::CommandResult;
use super::arguments;
use super::observer::{finalized_value, show_finalized};
use super::output::show;
use app::failure::Failure;
use app::project::Project;
use app::status::{RunStatus, StatusOutcome, list_runs, status};
use model::event::RunOutcome;
use views::metadata::metadata;
use views::summary::{pad, plain, used_line};

pub(super) fn run(arguments: &arguments::StatusArgs) -> CommandResult {
    let project = Project::open_without_settings()?;
    let Some(issue) = arguments.issue else { return all(&project, arguments.json) };
    let status = match status(&project, issue)? {
        StatusOutcome::Run(status) => status,
        StatusOutcome::Finalized(record) => {
            show_finalized(&record, arguments.json);
            return Ok(0);
        }
    };
    let run = status.view.run();
    let mut value = status_value(&status);
    value["held_by"] = json!(status.held_by.as_ref().map(ToString::to_string));
    value["worktree"] = json!(status.view.root);
    value["under_way"] = json!(status.under_way);
    value["unknown"] = json!(status.unknown);
    value["lost_documents"] = json!(status.lost_documents);
    value["next"] = json!(status.next_command());
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
    for (issue, found) in list_runs(project)? {
        let (line, value) = match found {
            Ok(StatusOutcome::Run(status)) => (line(&status), status_value(&status)),
            Ok(StatusOutcome::Finalized(record)) => {
                (format!("{}{}", pad("finalized", 34), plain(&record.title)), finalized_value(&record))
            }
            Err(Failure { message, .. }) => {
                (plain(&message), json!({"issue_number": issue, "error": message}))
            }
        };
        let _ = writeln!(text, "{}{line}", pad(&format!("#{issue}"), 8));
        values.push(value);
    }
    if values.is_empty() {
        text.push_str("no runs in this repository\n");
    }
    show(json, &Value::Array(values), &text)
}

fn line(status: &RunStatus) -> String {
    let run = status.view.run();
    let last = if run.outcome == RunOutcome::Completed { None } else { run.last_begun() };
    let place = run.current().or(last).map_or(String::new(), |phase| format!("{} ", phase.name()));
    format!("{}{}{}", pad(status.word(), 12), pad(&place, 22), plain(&run.started.issue.title))
}
