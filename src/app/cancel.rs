//! Ends a run for good: the process that holds it is asked to stop first.

use std::fs;
use std::path::PathBuf;
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
    let request = CancelRequest::write(project, issue);
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
    drop(request);
    Ok(CancelledRun { before, ending: RunEnding::of(locked.run()) })
}

/// A file that says for as long as a run is being cancelled by whom, so that the process that is stopped for it does not say that
/// the run goes on.
pub(crate) struct CancelRequest(PathBuf);

impl CancelRequest {
    fn file(project: &Project, issue: IssueNumber) -> PathBuf {
        issue_folder(project.workspace.common(), issue).join("cancel-requested")
    }

    /// Writes it where there is a run. Without it the run is cancelled all the same.
    fn write(project: &Project, issue: IssueNumber) -> Self {
        let file = Self::file(project, issue);
        if let Err(error) = fs::write(&file, &project.person) {
            tracing::debug!("{}: {error}", file.display());
        }
        Self(file)
    }

    /// Returns who cancels the run of an issue at this moment, if anybody does. An older file is of a process that was killed.
    pub(crate) fn read(project: &Project, issue: IssueNumber) -> Option<String> {
        let file = Self::file(project, issue);
        let age = fs::metadata(&file).ok()?.modified().ok()?.elapsed().unwrap_or_default();
        if age < 2 * STOP_TIMEOUT { fs::read_to_string(file).ok() } else { None }
    }
}

impl Drop for CancelRequest {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
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
