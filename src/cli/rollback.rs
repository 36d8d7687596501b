//! `rollback`: opens a phase again, with a reason that stands on top of its next prompt.

use serde_json::json;

use super::CommandResult;
use super::arguments::{Rollback, RollbackStep};
use super::observer::TerminalObserver;
use super::output::show;
use super::project::open_without_settings;
use app::failure::Failure;
use app::rollback::{RollbackRequest, roll_back};
use model::phase::Step;

pub(super) fn run(arguments: &Rollback) -> CommandResult {
    TerminalObserver::new(false);
    let project = open_without_settings()?;
    let request = RollbackRequest {
        issue: arguments.issue,
        to_phase: arguments.to_phase.clone(),
        to_step: step(arguments.to_step),
        reason: reason(arguments)?,
        revert: arguments.revert,
        dry_run: arguments.dry_run,
    };
    let done = roll_back(&project, &request)?;
    let (phase, commits) = (done.phase, done.commits);
    let next = format!("ai-workflow execute --phase all --issue {}", arguments.issue);
    let lines = if arguments.dry_run {
        format!("{phase} and all later phases would be opened again; {commits} commits stay on the branch\n")
    } else {
        format!("{phase} is open again\nnext: {next}\n")
    };
    let reverted = arguments.revert && !arguments.dry_run;
    show(
        arguments.json,
        &json!({"phase": phase, "dry_run": arguments.dry_run, "reverted": reverted, "next": next}),
        &lines,
    )
}

fn reason(arguments: &Rollback) -> Result<String, Failure> {
    match (&arguments.reason, &arguments.reason_file) {
        (Some(text), _) => Ok(text.clone()),
        (None, Some(file)) => std::fs::read_to_string(file).map_err(|error| {
            Failure::usage(format!("failed to read {}: {error}", file.display()))
                .hint("`--reason-file` names a text file in UTF-8; `--reason TEXT` gives it directly")
        }),
        (None, None) => Ok(String::new()),
    }
}

fn step(step: RollbackStep) -> Step {
    match step {
        RollbackStep::Execute => Step::Execute,
        RollbackStep::Review => Step::Review,
        RollbackStep::Revise => Step::Revise,
    }
}
