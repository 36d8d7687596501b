//! `cancel`: asks whoever holds the run to stop, then ends it for good.

use serde_json::json;

use super::CommandResult;
use super::arguments::OneIssueArgs;
use super::output::show;
use app::project::Project;

pub(super) fn run(arguments: &OneIssueArgs) -> CommandResult {
    let issue = arguments.issue;
    let before = app::cancel::cancel(&Project::open_without_settings()?, issue)?;
    let lines = format!(
        "the run of issue {issue} is cancelled; remove it with `ai-workflow cleanup --issue {issue}`\n"
    );
    show(arguments.json, &json!({"issue": issue, "outcome": "cancelled", "was": before}), &lines)
}
