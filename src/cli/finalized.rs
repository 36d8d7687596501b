//! What is printed of a run that was finalized: its log is gone, so its record is shown.

use serde_json::{Value, json};

use super::Answer;
use super::show::show;
pub(crate) use app::run_location::finalized as of;
use app::run_location::{finalized_sentence as ended, next_after_finalized as next};
use journal::store::common_dir::FinalizedRun;
use views::summary::plain;

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
