//! The run's branch: who made it, the tip that the engine left, and which of its commits are the engine's own.
//!
//! Two tips are noted in files. By the tip that the engine left last, a branch that a person moved is told apart from files
//! that a program took back. By the tip after the last agent that may commit, later commits are known as a person's.

use std::fs;
use std::path::{Path, PathBuf};

use crate::branch::{Branch, Branches};
use crate::damage::LEFT_AT;
use crate::diff::Changes;
use crate::history::{History, NO_PHASE, Trailers};
use crate::program::Call;
use crate::references::References;
use crate::workspace::{Head, RunWorkspace};
use crate::{CommitId, Error, Result, regular_file};

/// The file with the tip, written while no agent works that may commit.
pub(crate) const RESTS_AT: &str = "rests-at";
/// So many commits of the branch are looked at.
const LOOK_BACK: &str = "--max-count=20";
/// More records than these no process makes.
const MOST_RECORDS: usize = 100;

/// Who made the run's branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunBranchState {
    /// There is no such branch.
    Missing,
    /// The branch is at the base: nothing was committed yet.
    AtBase(Branch),
    /// It holds the log of this run.
    Ours(Branch),
    /// The branch has that name, and was not made by a run.
    Foreign(Branch),
}

/// The branch of a run.
#[derive(Debug, Clone)]
pub struct RunBranch<'a> {
    pub(crate) run: &'a RunWorkspace,
}

impl RunBranch<'_> {
    /// Returns who made the run's branch.
    pub fn state(&self, base: &CommitId) -> Result<RunBranchState> {
        let Some(branch) = self.find()? else { return Ok(RunBranchState::Missing) };
        if self.run.workspace().read_file(&branch.tip, &self.run.files().log())?.is_some() {
            return Ok(RunBranchState::Ours(branch));
        }
        Ok(if branch.tip == *base { RunBranchState::AtBase(branch) } else { RunBranchState::Foreign(branch) })
    }

    /// Refuses to work where the run's branch was deleted or renamed: nothing could be committed.
    pub fn refuse_missing(&self) -> Result<()> {
        if !self.branches().is_surely_missing(&format!("refs/heads/{}", self.run.branch())) {
            return Ok(());
        }
        let found = describe(self.branches().read_current_branch());
        Err(Error::BranchGone { name: self.run.branch(), found })
    }

    /// Refuses to commit where the worktree was, or is by now, on another branch than the run's.
    pub(crate) fn refuse_other(&self, head: &Head) -> Result<()> {
        let (expected, mut found) = (self.run.branch(), head.branch.clone());
        if found.as_ref() == Some(&expected) {
            found = self.branches().read_current_branch().or(found);
        }
        if found.as_ref() == Some(&expected) {
            return Ok(());
        }
        let found = describe(found);
        if self.branches().find(&expected)?.is_none() {
            return Err(Error::BranchGone { name: expected, found });
        }
        Err(Error::WrongBranch { expected, found })
    }

    /// Moves the run's branch from one commit to another; an error when its tip is another commit.
    pub fn move_to(&self, from: &CommitId, to: &CommitId) -> Result<()> {
        let reference = format!("refs/heads/{}", self.run.branch());
        let note = "ai-workflow: squash";
        self.run.workspace().change(["update-ref", "-m", note, &reference, to.as_str(), from.as_str()])
    }

    /// Returns the commit on the run's branch that was announced by this fact, newest first.
    pub fn find_commit(&self, run: &str, seq: u64) -> Result<Option<(CommitId, Trailers)>> {
        let is_announced = |trailers: &Trailers| trailers.run == run && trailers.seq == seq;
        let mut latest = self.read_latest_commits(&[])?.into_iter();
        Ok(latest.find_map(|(id, trailers)| Some((id, trailers.filter(is_announced)?))))
    }

    /// Returns the newest commit of the run's branch that is no record of how the run halted; nothing when it is not among
    /// the newest commits.
    pub fn find_below_records(&self, run: &str) -> Result<Option<CommitId>> {
        let is_record = |trailers: &Trailers| trailers.run == run && trailers.phase == NO_PHASE;
        let mut latest = self.read_latest_commits(&["--first-parent"])?.into_iter();
        Ok(latest.find(|(_, trailers)| !trailers.as_ref().is_some_and(is_record)).map(|(id, _)| id))
    }

    /// Returns the newest commits of the branch with what they say about a run.
    fn read_latest_commits(&self, options: &[&str]) -> Result<Vec<(CommitId, Option<Trailers>)>> {
        let Some(branch) = self.find()? else { return Ok(Vec::new()) };
        let call = Call::new(["log", "-z", "--format=%H%n%B", LOOK_BACK]).args(options.iter().copied());
        let text = self.run.workspace().run(&call.args([branch.tip.as_str(), "--"]).read_only())?.text();
        let commits = text.split('\0').filter_map(|record| record.split_once('\n'));
        commits.map(|(id, message)| Ok((CommitId::try_from(id)?, Trailers::read(message)))).collect()
    }

    /// Tells whether the run's branch is a commit and nothing on top but commits, each on the one before, that touch the
    /// run's folder alone.
    pub fn has_only_records_on(&self, commit: &CommitId) -> Result<bool> {
        let Some(branch) = self.find()? else { return Ok(false) };
        let mut at = commit.clone();
        let commits =
            History { workspace: self.run.workspace() }.commits_between(commit, &branch.tip, MOST_RECORDS)?;
        for next in commits {
            if next.parents != [at] {
                return Ok(false);
            }
            let (before, after) = (next.parents[0].as_tree(), next.commit.as_tree());
            let changed = Changes { workspace: self.run.workspace() }.paths_between(&before, &after)?;
            if !changed.iter().all(|path| self.run.files().contains(path)) {
                return Ok(false);
            }
            at = next.commit;
        }
        Ok(at == branch.tip)
    }

    /// Remembers where the run's branch is now.
    pub fn remember_tip(&self) -> Result<()> {
        if let Some(tip) = self.read_tip()? {
            self.remember_left_at(&tip);
        }
        Ok(())
    }

    /// Remembers where we left the branch. Where that fails, a later load takes the log as it is.
    pub(crate) fn remember_left_at(&self, commit: &CommitId) {
        self.note_tip(LEFT_AT, commit.as_str());
    }

    /// Tells whether the tip is the one that we left. A person who added or removed a commit may have meant the files, too.
    pub fn is_where_left(&self) -> Result<bool> {
        let left = read_noted_tip(&self.run.state_dir().join(LEFT_AT));
        Ok(left.is_some() && self.read_tip()? == left)
    }

    /// Remembers where the branch is while no agent works that may commit.
    pub fn remember_resting_tip(&self) -> Result<()> {
        if let Some(tip) = self.read_tip()? {
            self.note_tip(RESTS_AT, tip.as_str());
        }
        Ok(())
    }

    /// Returns the file in which git keeps the branch's tip, and the one in which the tip is noted while no agent works that
    /// may commit: the reaper copies one to the other when we are killed.
    pub fn tip_files(&self) -> (PathBuf, PathBuf) {
        let branch = self.run.workspace().common().join("refs/heads").join(self.run.branch());
        (branch, self.run.state_dir().join(RESTS_AT))
    }

    /// Forgets that tip: from here on an agent may commit, and later commits are not known as a person's.
    pub fn forget_resting_tip(&self) {
        let _ = regular_file::remove_all(&self.run.state_dir().join(RESTS_AT));
    }

    /// Returns the tip to which people moved the branch since no agent worked; nothing when that is not known, or when the
    /// branch holds only this commit and records of the run.
    pub fn find_moved_tip(&self, run: &str, known: &CommitId) -> Result<Option<CommitId>> {
        let Some(tip) = self.find_tip_beyond(run, known)? else { return Ok(None) };
        let rests = read_noted_tip(&self.run.state_dir().join(RESTS_AT));
        if rests.is_none() {
            tracing::warn!(
                "What was committed on {} may be the interrupted agent's: it goes into the next commit, and was at {tip}",
                self.run.branch()
            );
        }
        Ok(if rests.is_some_and(|rests| rests != tip) { Some(tip) } else { None })
    }

    /// Returns the tip when the branch holds commits that are neither in this commit nor records of how the run halted.
    pub fn find_tip_beyond(&self, run: &str, known: &CommitId) -> Result<Option<CommitId>> {
        let Some(tip) = self.read_tip()? else { return Ok(None) };
        if tip == *known || self.find_below_records(run)?.as_ref() == Some(known) {
            return Ok(None);
        }
        let is_known = History { workspace: self.run.workspace() }.is_ancestor(&tip, known)?;
        Ok(if is_known { None } else { Some(tip) })
    }

    fn read_tip(&self) -> Result<Option<CommitId>> {
        let name = format!("refs/heads/{}", self.run.branch());
        let tip = References::read(self.run.workspace())?.tips.remove(&name);
        Ok(tip.map(|tip| CommitId::try_from(tip.as_str())).transpose()?)
    }

    /// Writes a tip into a file of the run. A write that fails is logged and stops nothing; the tip is not known later.
    fn note_tip(&self, name: &str, tip: &str) {
        let place = self.run.state_dir().join(name);
        let written = fs::create_dir_all(self.run.state_dir())
            .and_then(|()| regular_file::write(&place, tip.as_bytes()));
        if let Err(error) = written {
            tracing::debug!("{}: {error}", place.display());
            let _ = regular_file::remove_all(&place);
        }
    }

    fn find(&self) -> Result<Option<Branch>> {
        self.branches().find(&self.run.branch())
    }

    fn branches(&self) -> Branches<'_> {
        Branches { workspace: self.run.workspace() }
    }
}

/// Says for people which branch a worktree is on.
fn describe(branch: Option<String>) -> String {
    branch.map_or("no branch (HEAD is detached)".to_owned(), |name| format!("`{name}`"))
}

fn read_noted_tip(place: &Path) -> Option<CommitId> {
    CommitId::try_from(regular_file::read_text(place).ok()?.trim()).ok()
}
