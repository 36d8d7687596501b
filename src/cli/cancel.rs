//! `cancel`: asks whoever holds the run to stop, then ends it for good.

use serde_json::json;

use super::CommandResult;
use super::arguments::OneIssueArgs;
use super::output::{print, words};
use app::cancel::cancel;
use app::project::Project;

pub(super) fn run(arguments: &OneIssueArgs) -> CommandResult {
    let issue = arguments.issue;
    let cancelled = cancel(&Project::open_without_settings()?, issue)?;
    let value = json!({"issue": issue, "outcome": "cancelled", "was": cancelled.before});
    print(arguments.json, &value, &format!("the run of issue {issue} is cancelled\n"));
    words(&format!("\n{}", cancelled.ending.lines()));
    Ok(0)
}
