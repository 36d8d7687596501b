//! `finalize`: makes the branch of a completed run ready to be merged.

use serde_json::json;

use super::CommandResult;
use super::arguments::Finalize;
use super::observer::TerminalObserver;
use super::output::show;
use super::project::open_without_settings;
use app::finalize::{FinalizeRequest, Finalized, finalize};

pub(super) fn run(arguments: &Finalize) -> CommandResult {
    TerminalObserver::new(false);
    let request = FinalizeRequest {
        issue: arguments.issue,
        skip_squash: arguments.skip_squash,
        keep_files: arguments.keep_files,
        include_unreviewed: arguments.include_unreviewed,
        dry_run: arguments.dry_run,
    };
    let (value, lines) = match finalize(&open_without_settings()?, &request)? {
        Finalized::Planned { steps, unreviewed } => {
            let value = json!({"dry_run": true, "steps": steps, "unreviewed": unreviewed});
            (value, format!("{}\n", steps.join("\n")))
        }
        Finalized::Done { record, warning } => {
            let unreviewed = record.left.as_ref().map(|left| left.unreviewed.as_slice()).unwrap_or_default();
            let value = json!({
                "branch": record.branch, "commit": record.commit, "unreviewed": unreviewed,
                "pull_request": record.pull_request,
            });
            let warning = warning.map(|line| line + "\n").unwrap_or_default();
            let (branch, base) = (&record.branch, &record.base_branch);
            let lines = format!(
                "{warning}{branch} is ready at {}\nnext: git switch {base} && git merge {branch}\n",
                &record.commit[..9]
            );
            (value, lines)
        }
    };
    show(arguments.json, &value, &lines)
}
