//! Takes a run into our hands: its lock, its worktree, its journal. Whoever writes a fact holds a [`Hold`].

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::door::Door;
use super::failure::{Failure, Kind};
use super::finalized::no_run_of;
use super::find::{Place, brought, look, no_run};
use super::taken_back;
use crate::event::branch_of;
use crate::flow::Run;
use crate::issue::IssueNumber;
use crate::journal::Journal;
use crate::phase_runner::settle_commit;
use crate::store::copy::LogCopy;
use crate::store::folders::RunFolder;
use crate::store::lock::{Lock, LockError};
use crate::store::pointer;
use crate::workspace::{IssueSpace, Workspace};

/// A run in our hands.
pub(super) struct Hold {
    pub(super) journal: Journal,
    pub(super) space: IssueSpace,
    pub(super) folder: RunFolder,
    /// Given back when the hold is dropped.
    pub(super) lock: Lock,
}

impl Hold {
    /// Returns the run.
    pub(super) fn run(&self) -> Result<&Run, Failure> {
        self.journal.state().run.as_ref().ok_or_else(|| Failure::new(Kind::OurBug, "the run has not begun"))
    }
}

/// Takes the lock of an issue, or says who holds it.
pub(super) fn lock(door: &Door, issue: IssueNumber) -> Result<Lock, Failure> {
    let folder = pointer::private_folder(door.workspace.common(), issue);
    let words: Vec<String> = std::env::args().collect();
    let command = door.masker.mask(&words.join(" "));
    Lock::take(&folder, &command, door.clock.now()).map_err(|error| match error {
        LockError::Busy { .. } => Failure::new(Kind::Busy, &error)
            .hint(format!("watch it with `ai-workflow status --issue {issue}`, or end it with `ai-workflow cancel --issue {issue}`")),
        LockError::Io { .. } => error.hint().into_iter().fold(Failure::new(Kind::State, &error), Failure::hint),
    })
}

/// Takes away what a lock left under git's folder, so that a refusal leaves nothing behind.
/// What belongs to a run keeps its folder.
pub(super) fn forget_lock(door: &Door, issue: IssueNumber, lock: Lock) {
    let folder = pointer::private_folder(door.workspace.common(), issue);
    if pointer::read(door.workspace.common(), issue).is_ok_and(|found| found.is_none()) {
        let _ = fs::remove_file(folder.join("lock"));
    }
    drop(lock);
    // A folder that is not empty stays.
    let _ = fs::remove_dir(&folder);
    let _ = folder.parent().map(fs::remove_dir);
}

/// What a command refuses of a run as it stands.
pub(super) type Refuse<'a> = &'a dyn Fn(&Run) -> Result<(), Failure>;

/// Takes the run of an issue; nothing when there is none yet. What is refused is refused before the checkout goes to
/// the run's branch.
pub(super) fn take(
    door: &Door,
    issue: IssueNumber,
    refuse: Refuse,
) -> Result<(Lock, Option<(IssueSpace, RunFolder)>), Failure> {
    let lock = lock(door, issue)?;
    let root = match brought(door, issue)? {
        Place::Worktree(root) => {
            on_branch(door, issue, &root, refuse)?;
            Some(root)
        }
        Place::OnBranch(_) => Some(check_out(door, issue, refuse)?),
        Place::Nowhere => None,
    };
    let Some(root) = root else {
        door.workspace.for_issue(issue).sweep_stale_locks(SystemTime::now())?;
        return Ok((lock, None));
    };
    let workspace = if root == door.root() { door.workspace.clone() } else { Workspace::open(&root)? };
    let space = workspace.for_issue(issue);
    space.sweep_stale_locks(SystemTime::now())?;
    let folder = RunFolder::new(root, issue);
    taken_back::put_back(door, &space, &folder)?;
    Ok((lock, Some((space, folder))))
}

/// The files of a run may be there although another branch is checked out: somebody merged them, or went away.
fn on_branch(door: &Door, issue: IssueNumber, root: &Path, refuse: Refuse) -> Result<(), Failure> {
    let workspace = if root == door.root() { door.workspace.clone() } else { Workspace::open(root)? };
    let branch = workspace.branch(&branch_of(issue))?;
    let here =
        branch.as_ref().is_some_and(|branch| branch.worktree.as_deref().is_some_and(|at| same(at, root)));
    if here || branch.is_none() {
        return Ok(());
    }
    refuse_seen(door, issue, refuse)?;
    refuse_dirty(&workspace)?;
    Ok(workspace.switch(&branch_of(issue))?)
}

/// A run that cannot be read here is told of by who opens its journal.
fn refuse_seen(door: &Door, issue: IssueNumber, refuse: Refuse) -> Result<(), Failure> {
    match look(door, issue).ok().and_then(|seen| seen.state.run) {
        Some(run) => refuse(&run),
        None => Ok(()),
    }
}

fn same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// Takes the run of an issue that must exist, ready to be written to.
pub(super) fn take_existing(door: &Door, issue: IssueNumber, refuse: Refuse) -> Result<Hold, Failure> {
    if matches!(brought(door, issue)?, Place::Nowhere) {
        return Err(no_run_of(door, issue));
    }
    let (lock, found) = take(door, issue, refuse)?;
    let (space, folder) = found.ok_or_else(|| no_run(issue))?;
    let mut journal = open_journal(door, &folder)?;
    if journal.state().run.is_none() {
        return Err(no_run(issue));
    }
    settle_commit(&mut journal, &space)?;
    Ok(Hold { journal, space, folder, lock })
}

/// Opens the journal of a run.
pub(super) fn open_journal(door: &Door, folder: &RunFolder) -> Result<Journal, Failure> {
    let mut journal = Journal::open(&folder.at(&folder.relative()), door.clock.clone(), door.masker.clone())?;
    journal.keep_copy(LogCopy::of(door.workspace.common(), folder.issue()));
    Ok(journal)
}

/// Goes to the run's branch, if nothing of the user's could get lost.
fn check_out(door: &Door, issue: IssueNumber, refuse: Refuse) -> Result<PathBuf, Failure> {
    refuse_seen(door, issue, refuse)?;
    refuse_dirty(&door.workspace)?;
    door.workspace.switch(&branch_of(issue))?;
    let folder = RunFolder::new(door.root(), issue);
    if !folder.at(&folder.events()).is_file() {
        let (log, branch) = (folder.events(), branch_of(issue));
        return Err(Failure::new(Kind::State, format!("{log} is gone; the branch {branch} still has it"))
            .hint(format!("bring it back with `git checkout {branch} -- {}`", folder.relative())));
    }
    let pointer = pointer::Pointer { worktree: door.root().to_owned(), branch: branch_of(issue) };
    pointer::write(door.workspace.common(), issue, &pointer)?;
    Ok(door.root().to_owned())
}

/// Refuses a checkout with the user's own changes in it.
pub(super) fn refuse_dirty(workspace: &Workspace) -> Result<crate::workspace::Survey, Failure> {
    let survey = workspace.survey()?;
    if let Some(what) = survey.in_progress {
        return Err(Failure::usage(format!("a {what} is in progress in this checkout"))
            .hint(format!("end it with `git {what} --continue` or `git {what} --abort`")));
    }
    if survey.is_clean() {
        return Ok(survey);
    }
    let shown = survey.changed.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    let more = match survey.changed.len() {
        0..=5 => String::new(),
        all => format!(" and {} more", all - 5),
    };
    Err(Failure::usage(format!("the checkout has changes of yours: {shown}{more}"))
        .hint("commit or stash them, or leave the checkout alone with `--worktree`"))
}
