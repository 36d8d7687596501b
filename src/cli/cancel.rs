//! `cancel`: asks whoever holds the run to stop, then ends it for good.

use std::time::{Duration, Instant};

use serde_json::json;

use super::Answer;
use super::arguments::OneIssue;
use super::door::Door;
use super::failure::{Failure, Kind};
use super::hold::{Hold, take_existing};
use super::show::show;
use app::runner::record_end;
use engine::Run;
use journal::store::common_dir::issue_folder;
use journal::store::lock::{Holder, holder};
use model::event::{Fact, Outcome};
use model::issue::IssueNumber;

/// How long the holder may take to stop.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);

pub(super) fn run(arguments: &OneIssue) -> Answer {
    let door = crate::project::open_without_settings()?;
    let issue = arguments.issue;
    let mut hold = taken(&door, issue)?;
    let before = hold.run()?.outcome;
    if before != Outcome::Cancelled {
        hold.journal.record(Fact::Cancelled { by: door.person.clone() })?;
    }
    hold.locks.begin_work(&door);
    // A run whose branch is gone is cancelled all the same.
    if let Err(error) = record_end(&hold.journal, &hold.space, &hold.folder, &door.masker) {
        tracing::warn!("The end of the log is not on the branch: {error}");
    }
    hold.space.work().release_trees()?;
    let lines = format!(
        "the run of issue {issue} is cancelled; remove it with `ai-workflow cleanup --issue {issue}`\n"
    );
    show(arguments.json, &json!({"issue": issue, "outcome": "cancelled", "was": before}), &lines);
    Ok(0)
}

/// Takes a run that is to be ended for good, whoever holds it.
pub(super) fn taken(door: &Door, issue: IssueNumber) -> Result<Hold, Failure> {
    stop_holder(door, issue)?;
    let hold = take_existing(door, issue, &refuse_completed)?;
    refuse_completed(hold.run()?)?;
    Ok(hold)
}

fn refuse_completed(run: &Run) -> Result<(), Failure> {
    if run.outcome != Outcome::Completed {
        return Ok(());
    }
    let number = run.started.issue.number;
    Err(Failure::usage(format!("the run of issue {number} is completed; there is nothing to cancel"))
        .hint(format!("remove it with `ai-workflow cleanup --issue {number}`")))
}

/// Sends SIGTERM to the holder on this machine and waits until the lock is free.
fn stop_holder(door: &Door, issue: IssueNumber) -> Result<(), Failure> {
    let folder = issue_folder(door.workspace.common(), issue);
    let Some(known) = holder(&folder) else { return Ok(()) };
    let busy = |why: &str| {
        let told = format!("the run of issue {issue} is held by another process: {why}");
        Err(Failure::new(Kind::Busy, told).hint(format!(
            "`ai-workflow status --issue {issue}` shows what it does; try again when it has ended"
        )))
    };
    if !known.is_here() {
        return busy(&format!("{known}; cancel it there"));
    }
    ask_to_stop(&known)?;
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if holder(&folder).is_none() {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
    busy(&format!("{known} did not stop within {} s", PATIENCE.as_secs()))
}

fn ask_to_stop(holder: &Holder) -> Result<(), Failure> {
    let process = i32::try_from(holder.pid).ok().and_then(rustix::process::Pid::from_raw);
    let asked = process.map(|process| rustix::process::kill_process(process, rustix::process::Signal::TERM));
    match asked {
        // It ended by itself in the meantime.
        Some(Ok(()) | Err(rustix::io::Errno::SRCH)) => Ok(()),
        Some(Err(error)) => {
            Err(Failure::new(Kind::Busy, format!("{holder} cannot be asked to stop: {error}")))
        }
        None => Err(Failure::new(Kind::State, format!("the lock names no process: {holder}"))),
    }
}
