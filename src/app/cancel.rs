//! Ends a run for good: the process that holds it is asked to stop first.

use std::time::{Duration, Instant};

use crate::failure::{Failure, FailureKind, Result};
use crate::locked_run::LockedRun;
use crate::project::Project;
use engine::Run;
use journal::store::common_dir::issue_folder;
use journal::store::lock::{LockHolder, holder};
use model::event::{Fact, RunOutcome};
use model::issue::IssueNumber;
use runner::record_end;
use views::summary::RunEnding;

/// How long the holder may take to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A run that was ended for good.
#[derive(Debug)]
pub struct CancelledRun {
    /// How it stood before.
    pub before: RunOutcome,
    /// How it stands now.
    pub ending: RunEnding,
}

/// Asks the process that holds the run to stop, then ends it for good.
pub fn cancel(project: &Project, issue: IssueNumber) -> Result<CancelledRun> {
    let mut locked = take_from_holder(project, issue)?;
    let before = locked.run().outcome;
    if before != RunOutcome::Cancelled {
        locked.journal.record(Fact::Cancelled { by: project.person.clone() })?;
    }
    locked.locks.begin_work();
    // A run whose branch is gone is cancelled all the same.
    if let Err(error) = record_end(&locked.journal, &locked.space, &locked.folder, &project.masker) {
        tracing::warn!("The end of the log is not on the branch: {error}");
    }
    locked.space.work().release_trees()?;
    Ok(CancelledRun { before, ending: RunEnding::of(locked.run()) })
}

/// Takes a run that is to be ended for good, also from the process that holds it.
pub(crate) fn take_from_holder(project: &Project, issue: IssueNumber) -> Result<LockedRun> {
    stop_holder(project, issue)?;
    let locked = LockedRun::take(project, issue, &refuse_completed)?;
    refuse_completed(locked.run())?;
    Ok(locked)
}

fn refuse_completed(run: &Run) -> Result<()> {
    if run.outcome != RunOutcome::Completed {
        return Ok(());
    }
    let number = run.started.issue.number;
    Err(Failure::usage(format!("the run of issue {number} is completed; there is nothing to cancel"))
        .hint(format!("remove it with `ai-workflow cleanup --issue {number}`"))
        .of_ended(run))
}

/// Sends SIGTERM to the holder on this machine and waits until the lock is free.
fn stop_holder(project: &Project, issue: IssueNumber) -> Result<()> {
    let folder = issue_folder(project.workspace.common(), issue);
    let Some(known) = holder(&folder) else { return Ok(()) };
    let busy = |why: &str| {
        let message = format!("the run of issue {issue} is held by another process: {why}");
        Err(Failure::new(FailureKind::Busy, message).hint(format!(
            "`ai-workflow status --issue {issue}` shows what it does; try again when it has ended"
        )))
    };
    if !known.is_here() {
        return busy(&format!("{known}; cancel it there"));
    }
    ask_to_stop(&known)?;
    let begun = Instant::now();
    while begun.elapsed() < STOP_TIMEOUT {
        if holder(&folder).is_none() {
            return Ok(());
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    busy(&format!("{known} did not stop within {} s", STOP_TIMEOUT.as_secs()))
}

fn ask_to_stop(holder: &LockHolder) -> Result<()> {
    let process = i32::try_from(holder.pid).ok().and_then(rustix::process::Pid::from_raw);
    let asked = process.map(|process| rustix::process::kill_process(process, rustix::process::Signal::TERM));
    match asked {
        // It ended by itself in the meantime.
        Some(Ok(()) | Err(rustix::io::Errno::SRCH)) => Ok(()),
        Some(Err(error)) => {
            Err(Failure::new(FailureKind::Busy, format!("{holder} cannot be asked to stop: {error}")))
        }
        None => Err(Failure::state(format!("the lock names no process: {holder}"))),
    }
}
