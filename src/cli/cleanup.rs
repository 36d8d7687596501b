//! `cleanup`: removes a run, or its prompts and answers only.

use serde_json::json;

use super::CommandResult;
use super::arguments::CleanupArgs;
use super::output::show;
use app::cleanup::{self, CleanupRequest, clean_up};
use app::project::Project;

pub(super) fn run(arguments: &CleanupArgs) -> CommandResult {
    let &CleanupArgs { issue, logs_only, force, dry_run, json } = arguments;
    let request = CleanupRequest { issue, logs_only, force, dry_run };
    match clean_up(&Project::open_without_settings()?, &request)? {
        cleanup::CleanupOutcome::Run { steps, tip } => {
            let tip = tip.map(|tip| tip.to_string());
            let value = json!({"dry_run": dry_run, "steps": steps, "tip": tip});
            show(json, &value, &(steps.join("\n") + "\n"))
        }
        cleanup::CleanupOutcome::Logs { folders } => {
            let value = json!({"dry_run": dry_run, "folders": folders});
            show(json, &value, &format!("{} folders of prompts and answers\n", folders.len()))
        }
    }
}
