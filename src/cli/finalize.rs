//! `finalize`: makes the branch of a completed run ready to be merged.

use serde_json::json;

use super::CommandResult;
use super::arguments::FinalizeArgs;
use super::observer::TerminalObserver;
use super::output::show;
use app::finalize::{FinalizeOutcome, FinalizeRequest, finalize};
use app::project::Project;

pub(super) fn run(arguments: &FinalizeArgs) -> CommandResult {
    TerminalObserver::new(false);
    let &FinalizeArgs { issue, skip_squash, keep_files, include_unreviewed, dry_run, json } = arguments;
    let request = FinalizeRequest { issue, skip_squash, keep_files, include_unreviewed, dry_run };
    let (value, lines) = match finalize(&Project::open_without_settings()?, &request)? {
        FinalizeOutcome::Planned { steps, unreviewed } => {
            let value = json!({"dry_run": true, "steps": steps, "unreviewed": unreviewed});
            (value, format!("{}\n", steps.join("\n")))
        }
        FinalizeOutcome::Done { record, warning } => {
            let unreviewed = record.left.as_ref().map(|left| left.unreviewed.as_slice()).unwrap_or_default();
            let value = json!({
                "branch": record.branch, "commit": record.commit, "unreviewed": unreviewed,
                "pull_request": record.pull_request,
            });
            let warning = warning.map(|line| line + "\n").unwrap_or_default();
            let (branch, base) = (&record.branch, &record.base_branch);
            let lines = format!(
                "{warning}{branch} is ready at {}\nnext: git switch {base} && git merge refs/heads/{branch}\n",
                &record.commit[..9]
            );
            (value, lines)
        }
    };
    show(json, &value, &lines)
}
