//! Where the run's branch was when the engine last left it, so that a person who moved it is told apart from a program that
//! took only files back; and where it was when nobody of ours worked any more who may commit, so that what came on top is
//! known to be a person's. Moves no branch.

use std::fs;
use std::path::{Path, PathBuf};

use super::{CommitId, IssueSpace, Result};

const LEFT_AT: &str = "left-at";
const RESTS: &str = "rests-at";

impl IssueSpace {
    /// Remembers where the run's branch is now.
    pub fn remember_tip(&self) -> Result<()> {
        if let Some(tip) = self.tip()? {
            self.left_at(&tip);
        }
        Ok(())
    }

    /// Remembers where we left the branch. What is not remembered leaves a log as it is found.
    pub(super) fn left_at(&self, commit: &CommitId) {
        self.write_down(LEFT_AT, commit.as_str());
    }

    /// Tells whether the branch is where we left it: who put a commit on it, or took one off, may have meant the files, too.
    pub fn stands_where_we_left(&self) -> Result<bool> {
        let left = commit_in(&self.state_dir.join(LEFT_AT));
        Ok(left.is_some() && self.tip()? == left)
    }

    /// Remembers where the branch is while nobody of ours works who may commit.
    pub fn tip_rests(&self) -> Result<()> {
        if let Some(tip) = self.tip()? {
            self.write_down(RESTS, tip.as_str());
        }
        Ok(())
    }

    /// Returns where git keeps the branch, and where it is remembered while nobody of ours works who may commit: for who is
    /// there when we are not.
    pub fn tip_files(&self) -> (PathBuf, PathBuf) {
        let branch = self.workspace.common.join("refs/heads").join(self.branch());
        (branch, self.state_dir.join(RESTS))
    }

    /// From here on somebody of ours may commit: what comes on top is not known to be a person's.
    pub fn tip_may_move(&self) {
        let _ = fs::remove_file(self.state_dir.join(RESTS));
    }

    /// Returns where people brought the branch since nobody of ours worked; nothing when that cannot be known, or when all
    /// that is there now is in this commit or a record of the run's.
    pub fn moved_by_people(&self, run: &str, known: &CommitId) -> Result<Option<CommitId>> {
        let Some(tip) = self.on_top_of(run, known)? else { return Ok(None) };
        let rests = commit_in(&self.state_dir.join(RESTS));
        if rests.is_none() {
            tracing::warn!(
                "What was committed on {} may be the interrupted agent's: it goes into the next commit, and was at {tip}",
                self.branch()
            );
        }
        Ok(rests.is_some_and(|rests| rests != tip).then_some(tip))
    }

    /// Returns where the branch is when it holds what is neither in this commit nor a record of how the run halted.
    pub fn on_top_of(&self, run: &str, known: &CommitId) -> Result<Option<CommitId>> {
        let Some(tip) = self.tip()? else { return Ok(None) };
        if tip == *known || self.below_records(run)?.as_ref() == Some(known) {
            return Ok(None);
        }
        Ok((!self.workspace.is_before(&tip, known)?).then_some(tip))
    }

    fn tip(&self) -> Result<Option<CommitId>> {
        let name = format!("refs/heads/{}", self.branch());
        let tip = self.workspace.references_now()?.tips.remove(&name);
        Ok(tip.map(|tip| CommitId::try_from(tip.as_str())).transpose()?)
    }

    /// What cannot be noted is not known later, which is told and stops nothing.
    fn write_down(&self, name: &str, tip: &str) {
        let place = self.state_dir.join(name);
        let written = fs::create_dir_all(&self.state_dir).and_then(|()| fs::write(&place, tip));
        if let Err(error) = written {
            tracing::debug!("{}: {error}", place.display());
            let _ = fs::remove_file(place);
        }
    }
}

fn commit_in(place: &Path) -> Option<CommitId> {
    CommitId::try_from(fs::read_to_string(place).ok()?.trim()).ok()
}
