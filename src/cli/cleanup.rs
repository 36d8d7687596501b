//! `cleanup`: removes a run, or its prompts and answers only.

use serde_json::json;

use super::CommandResult;
use super::arguments::Cleanup;
use super::output::show;
use super::project::open_without_settings;
use app::cleanup::{self, CleanupRequest, clean_up};

pub(super) fn run(arguments: &Cleanup) -> CommandResult {
    let dry_run = arguments.dry_run;
    let request = CleanupRequest {
        issue: arguments.issue,
        logs_only: arguments.logs_only,
        force: arguments.force,
        dry_run,
    };
    match clean_up(&open_without_settings()?, &request)? {
        cleanup::Cleanup::Run { steps, tip } => {
            let tip = tip.map(|tip| tip.to_string());
            let value = json!({"dry_run": dry_run, "steps": steps, "tip": tip});
            show(arguments.json, &value, &(steps.join("\n") + "\n"))
        }
        cleanup::Cleanup::Logs { folders } => {
            let value = json!({"dry_run": dry_run, "folders": folders});
            show(arguments.json, &value, &format!("{} folders of prompts and answers\n", folders.len()))
        }
    }
}
