//! Takes a run into our hands: its lock, its worktree, its journal. Whoever writes a fact holds a [`Hold`].

use std::fs;
use std::path::Path;

use jiff::Timestamp;

use super::door::Door;
use super::failure::{Failure, Kind};
use super::finalized::no_run_of;
use super::find::{Place, brought, look, no_run};
use super::{own_worktree, taken_back};
use app::runner::settle_commit;
use engine::Run;
use git::{RunWorkspace, Workspace};
use journal::Journal;
use journal::store::common_dir::{RunLocation, issue_folder};
use journal::store::folders::RunFolder;
use journal::store::lock::CheckoutLock;
use journal::store::lock::{Holder, Lock, LockError};
use journal::store::log::LogCopy;
use model::event::branch_of;
use model::issue::IssueNumber;
use model::redact::Masked;

/// A run in our hands.
pub(super) struct Hold {
    pub(super) journal: Journal,
    pub(super) space: RunWorkspace,
    pub(super) folder: RunFolder,
    /// Given back when the hold is dropped.
    pub(super) locks: Locks,
}

/// The locks of a run in our hands.
#[derive(Debug)]
pub(super) struct Locks {
    issue: Lock,
    /// That of the worktree that the run works in; nothing as long as it has none.
    checkout: Option<CheckoutLock>,
}

impl Locks {
    /// Takes the worktree for the run of an issue, or says which run works in it. A run that works there is not
    /// waited for.
    pub(super) fn take_checkout(
        &mut self,
        door: &Door,
        issue: IssueNumber,
        workspace: &Workspace,
    ) -> Result<(), Failure> {
        self.checkout = Some(lock_checkout(door, issue, workspace)?);
        Ok(())
    }

    /// Removes what a killed git left behind, and refuses a worktree of ours in which another git is at work.
    fn sweep(&self, space: &RunWorkspace) -> Result<(), Failure> {
        let started = Timestamp::now();
        let worked = self.checkout.as_ref().and_then(CheckoutLock::last_work).map(|work| work.span(started));
        space.locks().remove_stale(started.into(), worked)?;
        if self.checkout.is_some() { Ok(space.workspace().worktree().refuse_locked()?) } else { Ok(()) }
    }

    /// Notes that what lies in the worktree is going to change.
    pub(super) fn begin_work(&mut self, door: &Door) {
        if let Some(checkout) = &mut self.checkout {
            checkout.begin_work(door.clock.now());
        }
    }
}

impl Hold {
    /// Returns the run.
    pub(super) fn run(&self) -> Result<&Run, Failure> {
        self.journal.state().run.as_ref().ok_or_else(|| Failure::new(Kind::OurBug, "the run has not begun"))
    }
}

/// Takes the lock of an issue, or says who holds it.
pub(super) fn lock(door: &Door, issue: IssueNumber) -> Result<Lock, Failure> {
    let folder = issue_folder(door.workspace.common(), issue);
    Lock::take(&folder, &command(door), door.clock.now()).map_err(|error| match error {
        LockError::Busy { .. } => Failure::new(Kind::Busy, &error)
            .hint(format!("watch it with `ai-workflow status --issue {issue}`, or end it with `ai-workflow cancel --issue {issue}`")),
        LockError::Io { .. } => error.hint().into_iter().fold(Failure::new(Kind::State, &error), Failure::hint),
    })
}

/// Takes a worktree for the run of an issue, or says which run works in it.
pub(super) fn lock_checkout(
    door: &Door,
    issue: IssueNumber,
    workspace: &Workspace,
) -> Result<CheckoutLock, Failure> {
    let taken = CheckoutLock::take(workspace.repository().git_dir(), issue, &command(door), door.clock.now());
    taken.map_err(|error| match error {
        LockError::Busy { holder } => in_use(issue, workspace, holder),
        LockError::Io { .. } => {
            error.hint().into_iter().fold(Failure::new(Kind::State, &error), Failure::hint)
        }
    })
}

fn in_use(issue: IssueNumber, workspace: &Workspace, holder: Option<Holder>) -> Failure {
    let root = workspace.root().display();
    let apart = format!("leave this checkout alone with `ai-workflow execute --issue {issue} --worktree`");
    let Some(holder) = holder else {
        return Failure::new(Kind::Busy, format!("another run works in {root}")).hint(apart);
    };
    let Some(other) = holder.issue else {
        return Failure::new(Kind::Busy, format!("another run works in {root}: {holder}")).hint(apart);
    };
    Failure::new(Kind::Busy, format!("the run of issue {other} works in {root}: {holder}"))
        .hint(apart)
        .hint(format!("or wait until it has ended: `ai-workflow status --issue {other}` shows how far it is"))
}

/// Returns how this process was called, for those who find its locks.
fn command(door: &Door) -> Masked {
    let words: Vec<String> = std::env::args().collect();
    door.masker.mask(&words.join(" "))
}

/// Gives back the locks of a run that was not begun or not taken, and leaves nothing of them behind.
pub(super) fn forget_locks(door: &Door, issue: IssueNumber, locks: Locks) {
    if let Some(checkout) = locks.checkout {
        checkout.release();
    }
    forget_lock(door, issue, locks.issue);
}

/// Takes away what a lock left under git's folder, so that a refusal leaves nothing behind.
/// What belongs to a run keeps its folder.
pub(super) fn forget_lock(door: &Door, issue: IssueNumber, lock: Lock) {
    let folder = issue_folder(door.workspace.common(), issue);
    if RunLocation::read(door.workspace.common(), issue).is_ok_and(|found| found.is_none()) {
        let _ = fs::remove_file(folder.join("lock"));
    }
    drop(lock);
    // A folder that is not empty stays.
    let _ = fs::remove_dir(&folder);
    let _ = folder.parent().map(fs::remove_dir);
}

/// What a command refuses of a run as it stands.
pub(super) type Refuse<'a> = &'a dyn Fn(&Run) -> Result<(), Failure>;

/// A run as it was taken: its locks, and its worktree and folder where there is one yet.
pub(super) type Taken = (Locks, Option<(RunWorkspace, RunFolder)>);

/// Takes the run of an issue; nothing when there is none yet. What is refused is refused before the checkout goes to
/// the run's branch.
pub(super) fn take(door: &Door, issue: IssueNumber, refuse: Refuse) -> Result<Taken, Failure> {
    let mut locks = Locks { issue: lock(door, issue)?, checkout: None };
    match enter(door, issue, &mut locks, refuse) {
        Ok(found) => Ok((locks, found)),
        Err(failure) => {
            forget_locks(door, issue, locks);
            Err(failure)
        }
    }
}

/// Goes to where the run is. The worktree is taken before anything in it changes.
fn enter(
    door: &Door,
    issue: IssueNumber,
    locks: &mut Locks,
    refuse: Refuse,
) -> Result<Option<(RunWorkspace, RunFolder)>, Failure> {
    let workspace = match brought(door, issue)? {
        Place::Worktree(root) => {
            let workspace =
                if root == door.root() { door.workspace.clone() } else { Workspace::open(&root)? };
            locks.take_checkout(door, issue, &workspace)?;
            locks.sweep(&workspace.for_issue(issue))?;
            on_branch(door, issue, locks, &workspace, refuse)?;
            workspace
        }
        Place::OnBranch(branch) if door.settings.worktree && branch.worktree.is_none() => {
            refuse_seen(door, issue, refuse)?;
            let workspace = own_worktree::of_branch(door, issue)?;
            locks.take_checkout(door, issue, &workspace)?;
            locks.sweep(&workspace.for_issue(issue))?;
            workspace
        }
        Place::OnBranch(_) => {
            locks.take_checkout(door, issue, &door.workspace)?;
            locks.sweep(&door.workspace.for_issue(issue))?;
            check_out(door, issue, locks, refuse)?;
            door.workspace.clone()
        }
        Place::Nowhere => {
            // A worktree of its own is taken when it is made.
            if !door.settings.worktree {
                locks.take_checkout(door, issue, &door.workspace)?;
            }
            locks.sweep(&door.workspace.for_issue(issue))?;
            return Ok(None);
        }
    };
    let space = workspace.for_issue(issue);
    let folder = RunFolder::new(workspace.root(), issue);
    taken_back::put_back(door, &space, &folder)?;
    Ok(Some((space, folder)))
}

/// The files of a run may be there although another branch is checked out: somebody merged them, or went away.
fn on_branch(
    door: &Door,
    issue: IssueNumber,
    locks: &mut Locks,
    workspace: &Workspace,
    refuse: Refuse,
) -> Result<(), Failure> {
    let root = workspace.root();
    let branch = workspace.branches().find(&branch_of(issue))?;
    let here =
        branch.as_ref().is_some_and(|branch| branch.worktree.as_deref().is_some_and(|at| same(at, root)));
    if here || branch.is_none() {
        return Ok(());
    }
    refuse_seen(door, issue, refuse)?;
    refuse_dirty(workspace)?;
    locks.begin_work(door);
    Ok(workspace.branches().switch(&branch_of(issue))?)
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
    let (locks, found) = take(door, issue, refuse)?;
    let (space, folder) = found.ok_or_else(|| no_run(issue))?;
    let mut journal = open_journal(door, &folder)?;
    if journal.state().run.is_none() {
        return Err(no_run(issue));
    }
    settle_commit(&mut journal, &space)?;
    Ok(Hold { journal, space, folder, locks })
}

/// Opens the journal of a run.
pub(super) fn open_journal(door: &Door, folder: &RunFolder) -> Result<Journal, Failure> {
    let mut journal = Journal::open(&folder.at(&folder.relative()), door.clock.clone(), door.masker.clone())?;
    journal.keep_copy(LogCopy::of(door.workspace.common(), folder.issue()));
    Ok(journal)
}

/// Goes to the run's branch, if nothing of the user's could get lost.
fn check_out(door: &Door, issue: IssueNumber, locks: &mut Locks, refuse: Refuse) -> Result<(), Failure> {
    refuse_seen(door, issue, refuse)?;
    refuse_dirty(&door.workspace)?;
    locks.begin_work(door);
    door.workspace.branches().switch(&branch_of(issue))?;
    let folder = RunFolder::new(door.root(), issue);
    if !folder.at(&folder.events()).is_file() {
        let (log, branch) = (folder.events(), branch_of(issue));
        return Err(Failure::new(Kind::State, format!("{log} is gone; the branch {branch} still has it"))
            .hint(format!("bring it back with `git checkout {branch} -- {}`", folder.relative())));
    }
    let location = RunLocation { worktree: door.root().to_owned(), branch: branch_of(issue) };
    Ok(location.write(door.workspace.common(), issue)?)
}

/// Refuses a checkout with the user's own changes in it.
pub(super) fn refuse_dirty(workspace: &Workspace) -> Result<git::Survey, Failure> {
    let survey = workspace.worktree().survey()?;
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
