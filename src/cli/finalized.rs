//! A run that was finalized: its log is gone, so every command that asks for it is told from the record that is left.

use serde_json::{Value, json};

use super::Answer;
use super::door::Door;
use super::failure::Failure;
use super::find::{Place, no_run, place};
use super::show::show;
use super::taken_off;
use journal::store::common_dir::FinalizedRun;
use model::issue::IssueNumber;
use views::summary::plain;

/// Returns the record of a finalized run; a log that is still there counts more.
pub(super) fn of(door: &Door, issue: IssueNumber) -> Result<Option<FinalizedRun>, Failure> {
    match FinalizedRun::read(door.workspace.common(), issue)? {
        Some(record) if matches!(place(&door.workspace, issue)?, Place::Nowhere) => Ok(Some(record)),
        _ => Ok(None),
    }
}

/// Says why there is no run to work with.
pub(super) fn no_run_of(door: &Door, issue: IssueNumber) -> Failure {
    match of(door, issue) {
        Err(failure) => failure,
        Ok(None) => match taken_off::told(door, issue) {
            Ok(told) => told.unwrap_or_else(|| no_run(issue)),
            Err(failure) => failure,
        },
        Ok(Some(record)) if record.left.is_some() => {
            Failure::usage(ended(&record)).hint(format!("finish it with `{}`", next(&record)))
        }
        Ok(Some(record)) => Failure::usage(format!("{}; its log is gone", ended(&record)))
            .hint(format!("remove what is left with `ai-workflow cleanup --issue {issue}` to begin anew")),
    }
}

/// Prints that the run is over, which is no failure.
pub(super) fn told(record: &FinalizedRun, json: bool) -> Answer {
    let lines = format!(
        "#{} {}: completed\n\n{}\n\nnext: {}\n",
        record.issue,
        plain(&record.title),
        ended(record),
        next(record)
    );
    show(json, &value(record), &lines);
    Ok(0)
}

/// Returns the record as a report.
pub(super) fn value(record: &FinalizedRun) -> Value {
    json!({
        "issue_number": record.issue, "issue_title": record.title, "outcome": "completed", "exit_code": 0,
        "branch_name": record.branch, "base_branch": record.base_branch, "pr_url": record.pull_request,
        "finalized": {"at": record.at.to_string(), "commit": record.commit}, "next": next(record),
    })
}

fn ended(record: &FinalizedRun) -> String {
    let how = if record.left.is_some() { "`finalize` was cut short" } else { "finalized" };
    format!(
        "the run of issue {} was completed and {how}: {} at {}",
        record.issue,
        record.branch,
        record.commit.get(..9).unwrap_or(&record.commit)
    )
}

fn next(record: &FinalizedRun) -> String {
    if record.left.is_some() {
        return format!("ai-workflow finalize --issue {}", record.issue);
    }
    format!("git switch {} && git merge {}", record.base_branch, record.branch)
}
