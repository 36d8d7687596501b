//! `rollback`: opens a phase again, with a reason that stands on top of its next prompt.

use serde_json::json;

use super::CommandResult;
use super::arguments::RollbackArgs;
use super::observer::TerminalObserver;
use super::output::show;
use app::failure::Failure;
use app::project::Project;
use app::rollback::{RollbackRequest, roll_back};

pub(super) fn run(arguments: &RollbackArgs) -> CommandResult {
    TerminalObserver::new(false);
    let project = Project::open_without_settings()?;
    let &RollbackArgs { issue, to_step, revert, dry_run, json, .. } = arguments;
    let (to_phase, reason) = (arguments.to_phase.clone(), reason(arguments)?);
    let request = RollbackRequest { issue, to_phase, to_step, reason, revert, dry_run };
    let app::rollback::RollbackOutcome { phase, commits } = roll_back(&project, &request)?;
    let next = format!("ai-workflow execute --phase all --issue {issue}");
    let lines = if dry_run {
        format!("{phase} and all later phases would be opened again; {commits} commits stay on the branch\n")
    } else {
        format!("{phase} is open again\nnext: {next}\n")
    };
    let reverted = revert && !dry_run;
    show(json, &json!({"phase": phase, "dry_run": dry_run, "reverted": reverted, "next": next}), &lines)
}

fn reason(arguments: &RollbackArgs) -> Result<String, Failure> {
    match (&arguments.reason, &arguments.reason_file) {
        (Some(text), _) => Ok(text.clone()),
        (None, Some(file)) => std::fs::read_to_string(file).map_err(|error| {
            Failure::usage(format!("failed to read {}: {error}", file.display()))
                .hint("`--reason-file` names a text file in UTF-8; `--reason TEXT` gives it directly")
        }),
        (None, None) => Ok(String::new()),
    }
}
