//! What is printed of a run that was finalized: its log is gone, so its record is shown.

use serde_json::{Value, json};

use super::output;
use app::run_location::{finalized_sentence, next_after_finalized};
use journal::store::common_dir::FinalizedRun;
use views::summary::plain;

/// Prints that the run is over, which is no failure.
pub(super) fn show(record: &FinalizedRun, json: bool) {
    let (issue, title) = (record.issue, plain(&record.title));
    let (sentence, next) = (finalized_sentence(record), next_after_finalized(record));
    let lines = format!("#{issue} {title}: completed\n\n{sentence}\n\nnext: {next}\n");
    output::print(json, &value(record), &lines);
}

/// Returns the record as a report.
pub(super) fn value(record: &FinalizedRun) -> Value {
    json!({
        "issue_number": record.issue, "issue_title": record.title, "outcome": "completed", "exit_code": 0,
        "branch_name": record.branch, "base_branch": record.base_branch, "pr_url": record.pull_request,
        "finalized": {"at": record.at.to_string(), "commit": record.commit}, "next": next_after_finalized(record),
    })
}
