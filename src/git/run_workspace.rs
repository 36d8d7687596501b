//! The methods that return the struct of each subject: of a worktree, and of the part of it that belongs to one issue's run.
//! Does nothing by itself.

use crate::branch::Branches;
use crate::clean_worktree::CleanWorktree;
use crate::diff::Changes;
use crate::history::History;
use crate::remote::{Credentials, Remote};
use crate::run_branch::RunBranch;
use crate::snapshot::Snapshots;
use crate::uncommitted_work::UncommittedWork;
use crate::workspace::{RunWorkspace, Workspace};

impl Workspace {
    /// Returns the branches.
    pub fn branches(&self) -> Branches<'_> {
        Branches { workspace: self }
    }

    /// Returns the commits.
    pub fn history(&self) -> History<'_> {
        History { workspace: self }
    }

    /// Returns the struct that compares states of the files.
    pub fn changes(&self) -> Changes<'_> {
        Changes { workspace: self }
    }

    /// Returns the remote of this name, used with these credentials.
    pub fn remote<'a>(&'a self, name: &'a str, credentials: Option<&'a Credentials>) -> Remote<'a> {
        Remote { workspace: self, name, credentials }
    }

    /// Returns the remote `origin`, used with the credentials that the user has set up.
    pub fn origin(&self) -> Remote<'_> {
        self.remote("origin", None)
    }
}

impl RunWorkspace {
    /// Returns the run's branch.
    pub fn run_branch(&self) -> RunBranch<'_> {
        RunBranch { run: self }
    }

    /// Returns the run's snapshots.
    pub fn snapshots(&self) -> Snapshots<'_> {
        Snapshots { run: self }
    }

    /// Returns the worktree in which the run's commands run.
    pub fn clean_worktree(&self) -> CleanWorktree<'_> {
        CleanWorktree { run: self }
    }

    /// Returns the work that is not committed.
    pub fn work(&self) -> UncommittedWork<'_> {
        UncommittedWork { run: self }
    }
}
