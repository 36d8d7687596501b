//! Takes a run for this process: its lock, the lock of its worktree, its journal. Code that writes a fact holds a
//! [`LockedRun`].

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::failure::{Failure, FailureKind, Halt, Result, exit_code};
use crate::log_repair::{log_failure, refuse_log_behind_branch, refuse_lost_log};
use crate::project::Project;
use crate::run_location::{
    RunLocation, is_on_other_branch, link_branch, locate_or_fetch, no_run, no_run_failure, record_location,
    refuse_missing_log, require_clean, view,
};
use engine::{Run, fold};
use git::{Error as GitError, GitFiles, KilledCall, RunWorkspace, Workspace, remove_stale_locks};
use journal::Journal;
use journal::store::common_dir::{RunPointer, issue_folder};
use journal::store::folders::RunFolder;
use journal::store::lock::{CheckoutLock, Lock, LockError, LockHolder};
use journal::store::log::{self, LogCopy};
use model::event::{Fact, Reopened, ReopenedBy};
use model::issue::{IssueNumber, run_branch_name};
use model::phase::{PhaseName, Step};
use runner::report::LogLines;
use runner::settle_commit;
use views::metadata::metadata;
use views::summary::{Unknown, find_unknown, next_command};

/// A run that this process holds.
pub struct LockedRun {
    /// Its log, open for writing.
    pub journal: Journal,
    /// Its worktree and branch.
    pub space: RunWorkspace,
    /// Its folder in that worktree.
    pub folder: RunFolder,
    /// Released when this is dropped.
    pub(crate) locks: RunLocks,
}

/// An issue whose locks are held.
pub(crate) enum LockedIssue {
    /// It has a run.
    Begun(Box<LockedRun>),
    /// It has none yet.
    NotBegun(RunLocks),
}

impl LockedRun {
    /// Takes the run of an issue that must exist, ready to be written to.
    pub(crate) fn take(project: &Project, issue: IssueNumber, refuse: RefusalCheck) -> Result<Self> {
        let found = locate_or_fetch(project, issue)?;
        if !found.has_log() {
            return Err(no_run_failure(&found, issue));
        }
        match Self::take_if_begun(project, issue, refuse)? {
            LockedIssue::Begun(run) => Ok(*run),
            LockedIssue::NotBegun(_) => Err(no_run(issue)),
        }
    }

    /// Takes the run of an issue, ready to be written to, or the locks alone where none has begun.
    pub(crate) fn take_if_begun(
        project: &Project,
        issue: IssueNumber,
        refuse: RefusalCheck,
    ) -> Result<LockedIssue> {
        let (mut locks, found) = take_locks(project, issue, refuse)?;
        let Some((space, folder)) = found else { return Ok(LockedIssue::NotBegun(locks)) };
        let mut journal = open_journal(project, &folder)?;
        if journal.state().run.is_none() {
            refuse_lost_log(project, issue)?;
            return Ok(LockedIssue::NotBegun(locks));
        }
        if locks.lacks_git_files
            && let Some(began) = find_open_call(project, &folder)?
            && !GitFiles::are_of_new_repository(&space, began.into())
        {
            // The next process is stopped by the note, and no more by this.
            locks.begin_work();
            return Err(GitFiles::note_unknown(&space).into());
        }
        space.snapshots().remove_damaged_indexes()?;
        settle_commit(&mut journal, &space)?;
        Ok(LockedIssue::Begun(Box::new(Self { journal, space, folder, locks })))
    }

    /// Returns the run.
    pub fn run(&self) -> &Run {
        self.journal.state().run.as_ref().expect("only a run that has begun is held")
    }

    /// Records a fact of the run.
    pub(crate) fn record(&mut self, fact: Fact) -> Result<()> {
        Ok(self.journal.record(fact)?)
    }

    /// Has each fact logged in a line from now on.
    pub(crate) fn log_facts(&mut self) {
        self.journal.add_reporter(Box::new(LogLines::default()));
    }

    /// Puts back the approved documents that no person changed, before a phase is opened again, and notes what else a killed
    /// program may have changed.
    pub(crate) fn put_back_documents(&mut self, phase: &PhaseName) -> Result<()> {
        self.locks.begin_work();
        let note = runner::put_back_before_reopening(&self.journal, &self.space, &self.folder, phase)?;
        note.map_or(Ok(()), |note| self.record(note))
    }

    /// Begins a phase anew by itself.
    pub(crate) fn reopen(&mut self, phase: PhaseName, reason: &str) -> Result<()> {
        let (step, by, reason) = (Step::Execute, ReopenedBy::Retry, reason.to_owned());
        self.record(Fact::Reopened(Reopened { phase, step, reason, by }))
    }

    /// Returns the JSON report of the run: its view, the exit code of this halt, the command that comes next.
    pub fn report(&self, halt: Halt) -> Value {
        let view = metadata(self.journal.state(), self.journal.chain());
        let mut value = serde_json::to_value(view).unwrap_or_default();
        value["exit_code"] = json!(exit_code(halt));
        value["next"] = json!(next_command(self.run()));
        value
    }
}

/// Opens the journal of a run.
pub(crate) fn open_journal(project: &Project, folder: &RunFolder) -> Result<Journal> {
    let path = folder.at(&folder.relative());
    let opened = Journal::open(&path, project.masker.clone());
    let mut journal = opened.map_err(|error| log_failure(project, folder, error))?;
    journal.keep_copy(LogCopy::of(project.workspace.common(), folder.issue()));
    Ok(journal)
}

/// Returns when the call of an agent began whose end the log does not show.
fn find_open_call(project: &Project, folder: &RunFolder) -> Result<Option<Timestamp>> {
    let contents = log::read_file(&folder.at(&folder.events()));
    let entries = contents.map_err(|error| log_failure(project, folder, error.into()))?.entries;
    // A log that does not fit is refused when it is opened.
    let unknown = fold(&entries).ok().and_then(|state| find_unknown(&state, &entries));
    if !matches!(unknown, Some(Unknown::Call { .. })) {
        return Ok(None);
    }
    let began = entries.iter().rfind(|entry| matches!(entry.fact, Fact::StepStarted(_)));
    Ok(began.map(|entry| entry.at))
}

/// What a command refuses of a run as it stands.
pub(crate) type RefusalCheck<'a> = &'a dyn Fn(&Run) -> Result<()>;

/// The locks of a run: of its issue, and of the worktree that it works in.
#[derive(Debug)]
pub(crate) struct RunLocks {
    issue: Lock,
    /// That of the worktree; nothing as long as the run has none.
    pub(crate) checkout: Option<CheckoutLock>,
    /// A process may have been killed in that worktree, and no state of git's own files is kept.
    lacks_git_files: bool,
}

impl RunLocks {
    /// Notes that the files of the worktree are going to change.
    pub(crate) fn begin_work(&mut self) {
        if let Some(checkout) = &mut self.checkout {
            checkout.begin_work(journal::now());
        }
    }

    /// Releases the locks of a run that was not begun or not taken, and leaves nothing of them behind.
    pub(crate) fn remove(self, project: &Project, issue: IssueNumber) {
        if let Some(checkout) = self.checkout {
            checkout.release();
        }
        remove_lock(project, issue, self.issue);
    }

    /// Removes the lock files of a git that was killed, and refuses a worktree of ours in which another git is at work.
    fn clear_stale_locks(&mut self, space: &RunWorkspace) -> Result<()> {
        let started = Timestamp::now();
        let work = self.checkout.as_ref().and_then(CheckoutLock::last_work);
        remove_stale_locks(space, started.into(), work.as_ref().map(|work| work.span(started)))?;
        let settled = GitFiles::settle_killed_call(space);
        if let Err(GitError::ConfigUnknown { .. }) = settled {
            // When a person has looked and removed the file, nothing is missing.
            self.begin_work();
        }
        let settled = settled?;
        // An agent can delete the record of the work as well.
        self.lacks_git_files = settled.is_none() && work.is_none_or(|work| work.until.is_none());
        warn_of_killed_call(space, &settled.unwrap_or_default());
        if self.checkout.is_some() { Ok(space.workspace().refuse_locked()?) } else { Ok(()) }
    }
}

/// Tells what a program of a killed run changed in git's own files and references.
fn warn_of_killed_call(space: &RunWorkspace, call: &KilledCall) {
    if !call.changed.is_empty() {
        let kept = GitFiles::removed_folder(space);
        tracing::warn!(
            "Git's own files changed while a program of the killed run worked, which was undone: {} (kept in {kept})",
            call.changed.join(", ")
        );
    }
    if !call.moved.undone.is_empty() {
        tracing::warn!(
            "References moved while a program of the killed run worked, and were put back: {}",
            call.moved.undone.join(", ")
        );
    }
    if !call.moved.left.is_empty() {
        tracing::warn!(
            "References were moved or made since a program of the killed run began to work, and not put back: {}",
            call.moved.left.join(", ")
        );
    }
}

/// Takes the lock of an issue, or says who holds it.
pub(crate) fn lock_issue(project: &Project, issue: IssueNumber) -> Result<Lock> {
    let folder = issue_folder(project.workspace.common(), issue);
    let command_line = project.masker.mask(&project.command_line);
    Lock::take(&folder, &command_line, journal::now()).map_err(|error| match error {
        LockError::Busy { .. } => Failure::new(FailureKind::Busy, &error)
            .hint(format!("watch it with `ai-workflow status --issue {issue}`, or end it with `ai-workflow cancel --issue {issue}`")),
        LockError::Store(error) => error.into(),
    })
}

/// Takes a worktree for the run of an issue, or says which run works in it. A run that works there is not waited for.
pub(crate) fn lock_checkout(
    project: &Project,
    issue: IssueNumber,
    workspace: &Workspace,
) -> Result<CheckoutLock> {
    let command_line = project.masker.mask(&project.command_line);
    let taken = CheckoutLock::take(workspace.git_dir(), issue, &command_line, journal::now());
    taken.map_err(|error| match error {
        LockError::Busy { holder } => in_use_failure(issue, workspace, holder),
        LockError::Store(error) => error.into(),
    })
}

/// Opens the worktree in which the files of a run are, and takes it; without one nothing is to be taken.
pub(crate) fn lock_worktree(
    project: &Project,
    issue: IssueNumber,
    root: Option<&Path>,
) -> Result<(Workspace, Option<CheckoutLock>)> {
    let Some(root) = root else { return Ok((project.workspace.clone(), None)) };
    let workspace = project.open_worktree(root)?;
    let lock = lock_checkout(project, issue, &workspace)?;
    Ok((workspace, Some(lock)))
}

/// Removes what a lock left under git's folder, so that a refusal leaves nothing behind.
/// What belongs to a run keeps its folder.
pub(crate) fn remove_lock(project: &Project, issue: IssueNumber, lock: Lock) {
    let folder = issue_folder(project.workspace.common(), issue);
    if RunPointer::read(project.workspace.common(), issue).is_ok_and(|found| found.is_none()) {
        let _ = fs::remove_file(folder.join("lock"));
    }
    drop(lock);
    // A folder that is not empty stays.
    let _ = fs::remove_dir(&folder);
    let _ = folder.parent().map(fs::remove_dir);
}

fn in_use_failure(issue: IssueNumber, workspace: &Workspace, holder: Option<LockHolder>) -> Failure {
    let root = workspace.root().display();
    let busy = |message: String| {
        Failure::new(FailureKind::Busy, message)
            .hint(format!("leave this checkout alone with `ai-workflow execute --issue {issue} --worktree`"))
    };
    let Some(holder) = holder else { return busy(format!("another run works in {root}")) };
    let Some(other) = holder.issue else { return busy(format!("another run works in {root}: {holder}")) };
    busy(format!("the run of issue {other} works in {root}: {holder}"))
        .hint(format!("or wait until it has ended: `ai-workflow status --issue {other}` shows how far it is"))
}

/// Takes the locks of the run of an issue; without a worktree when there is no run yet. What is refused is refused before
/// the checkout goes to the run's branch.
fn take_locks(
    project: &Project,
    issue: IssueNumber,
    refuse: RefusalCheck,
) -> Result<(RunLocks, Option<(RunWorkspace, RunFolder)>)> {
    let locks = RunLocks { issue: lock_issue(project, issue)?, checkout: None, lacks_git_files: false };
    let mut entry = RunOpener { project, issue, refuse, locks };
    match entry.open() {
        Ok(found) => Ok((entry.locks, found)),
        Err(failure) => {
            entry.locks.remove(project, issue);
            Err(failure)
        }
    }
}

/// Goes to where a run is.
struct RunOpener<'a> {
    project: &'a Project,
    issue: IssueNumber,
    refuse: RefusalCheck<'a>,
    locks: RunLocks,
}

impl RunOpener<'_> {
    /// Goes to where the run is. The worktree is taken before anything in it changes.
    fn open(&mut self) -> Result<Option<(RunWorkspace, RunFolder)>> {
        let (project, issue) = (self.project, self.issue);
        let workspace = match locate_or_fetch(project, issue)? {
            RunLocation::Worktree(root) => {
                let workspace = project.open_worktree(&root)?;
                self.take_checkout(&workspace)?;
                if is_on_other_branch(&workspace, issue)? {
                    self.switch_to_branch(&workspace)?;
                }
                workspace
            }
            RunLocation::OnBranch(branch) if project.settings.worktree && branch.worktree.is_none() => {
                self.refuse_run()?;
                let workspace = link_branch(project, issue)?;
                self.take_checkout(&workspace)?;
                workspace
            }
            RunLocation::OnBranch(_) => {
                self.take_checkout(&project.workspace)?;
                // Where the branch is checked out, the log alone is missing; the changes there are the run's own.
                if is_on_other_branch(&project.workspace, issue)? {
                    self.switch_to_branch(&project.workspace)?;
                }
                refuse_missing_log(project, issue)?;
                record_location(project, issue, project.root())?;
                project.workspace.clone()
            }
            RunLocation::Finalized(_) | RunLocation::LogRemoved(_) | RunLocation::Missing => {
                // A linked worktree is taken when it is made.
                if project.settings.worktree {
                    self.locks.clear_stale_locks(&project.workspace.for_issue(issue))?;
                } else {
                    self.take_checkout(&project.workspace)?;
                }
                return Ok(None);
            }
        };
        let space = workspace.for_issue(issue);
        let folder = RunFolder::new(workspace.root(), issue);
        restore_log(project, &space, &folder)?;
        Ok(Some((space, folder)))
    }

    fn take_checkout(&mut self, workspace: &Workspace) -> Result<()> {
        self.locks.checkout = Some(lock_checkout(self.project, self.issue, workspace)?);
        self.locks.clear_stale_locks(&workspace.for_issue(self.issue))
    }

    /// Goes to the run's branch, if nothing of the user's could get lost.
    fn switch_to_branch(&mut self, workspace: &Workspace) -> Result<()> {
        self.refuse_run()?;
        require_clean(workspace)?;
        self.locks.begin_work();
        Ok(workspace.branches().switch(&run_branch_name(self.issue))?)
    }

    /// A run that cannot be read here is reported when its journal is opened.
    fn refuse_run(&self) -> Result<()> {
        match view(self.project, self.issue).ok().and_then(|view| view.state.run) {
            Some(run) => (self.refuse)(&run),
            None => Ok(()),
        }
    }
}

/// Restores what is missing from a log that was taken back to the last commit without a fact about it: an agent ran
/// `git checkout -- .`, `git stash` or `git reset --hard`, and the run was killed. Without it paid calls and findings would
/// be lost. Where the branch was moved since, a person may have meant the log, too: then it counts as it is found.
fn restore_log(project: &Project, space: &RunWorkspace, folder: &RunFolder) -> Result<()> {
    let log = folder.at(&folder.events());
    let copy = LogCopy::of(project.workspace.common(), folder.issue());
    copy.restore_cut_line(&log)?;
    if copy.is_ahead_of(&log)? && space.run_branch().is_where_left()? {
        copy.restore(&log)?;
    }
    refuse_log_behind_branch(project, folder)
}
