//! Hands out the struct of each subject: of an opened worktree, and of the part of it that belongs to one issue's run.
//! Does nothing by itself.

use std::path::{Path, PathBuf};

use model::issue::IssueNumber;

use crate::base::Bases;
use crate::branch::Branches;
use crate::bundle::Bundles;
use crate::changes::Changes;
use crate::clean_worktree::CleanWorktree;
use crate::commit::CommitWriter;
use crate::diff::Diffs;
use crate::history::History;
use crate::index::IndexFiles;
use crate::locks::Locks;
use crate::objects::Objects;
use crate::references::RunReferences;
use crate::remote::{Credentials, Remote};
use crate::run_branch::RunBranch;
use crate::run_files::RunFiles;
use crate::snapshot::Snapshots;
use crate::work::UncommittedWork;
use crate::workspace::Workspace;
use crate::worktree::Worktree;

impl Workspace {
    /// Returns the part of the workspace that belongs to one issue's run.
    pub fn for_issue(&self, issue: IssueNumber) -> RunWorkspace {
        let state_dir = self.common().join("ai-workflow").join(format!("issue-{issue}"));
        RunWorkspace { workspace: self.clone(), issue, state_dir }
    }

    /// Returns the files of the worktree.
    pub fn worktree(&self) -> Worktree<'_> {
        Worktree { workspace: self }
    }

    /// Returns the branches.
    pub fn branches(&self) -> Branches<'_> {
        Branches { workspace: self }
    }

    /// Returns what finds bases.
    pub fn bases(&self) -> Bases<'_> {
        Bases { workspace: self }
    }

    /// Returns the commits.
    pub fn history(&self) -> History<'_> {
        History { workspace: self }
    }

    /// Returns the objects.
    pub fn objects(&self) -> Objects<'_> {
        Objects { workspace: self }
    }

    /// Returns what compares states of the files.
    pub fn changes(&self) -> Changes<'_> {
        Changes { workspace: self }
    }

    /// Returns the remote of this name, asked with these credentials.
    pub fn remote<'a>(&'a self, name: &'a str, credentials: Option<&'a Credentials>) -> Remote<'a> {
        Remote { workspace: self, name, credentials }
    }

    /// Returns the remote `origin`, asked with what the user has set up.
    pub fn origin(&self) -> Remote<'_> {
        self.remote("origin", None)
    }
}

/// The worktree as one issue's run uses it: snapshots, commits on its branch, its locks.
#[derive(Debug, Clone)]
pub struct RunWorkspace {
    workspace: Workspace,
    issue: IssueNumber,
    state_dir: PathBuf,
}

impl RunWorkspace {
    /// Returns the worktree.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Returns the run's folder under git's common folder.
    pub fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    /// Returns the name of the run's branch.
    pub fn branch(&self) -> String {
        model::event::branch_of(self.issue)
    }

    /// Returns the run's own files.
    pub fn files(&self) -> RunFiles {
        RunFiles { issue: self.issue }
    }

    /// Returns the run's branch.
    pub fn run_branch(&self) -> RunBranch<'_> {
        let (workspace, state_dir) = (&self.workspace, &self.state_dir);
        RunBranch { workspace, name: self.branch(), files: self.files(), state_dir }
    }

    /// Returns the run's snapshots.
    pub fn snapshots(&self) -> Snapshots<'_> {
        Snapshots { workspace: &self.workspace, files: self.files(), indexes: self.indexes() }
    }

    /// Returns what commits on the run's branch.
    pub fn commits(&self) -> CommitWriter<'_> {
        CommitWriter { workspace: &self.workspace, branch: self.run_branch(), snapshots: self.snapshots() }
    }

    /// Returns what shows differences to reviewers.
    pub fn diffs(&self) -> Diffs<'_> {
        Diffs { workspace: &self.workspace, files: self.files(), state_dir: &self.state_dir }
    }

    /// Returns the branches and tags as the run may touch them.
    pub fn references(&self) -> RunReferences<'_> {
        RunReferences { workspace: &self.workspace, branch: self.branch() }
    }

    /// Returns the locks that a killed git may have left.
    pub fn locks(&self) -> Locks<'_> {
        let indexes = self.indexes().folder;
        Locks { workspace: &self.workspace, branch: self.branch(), indexes }
    }

    /// Returns the worktree in which the run's commands run.
    pub fn clean_worktree(&self) -> CleanWorktree<'_> {
        CleanWorktree { workspace: &self.workspace, issue: self.issue, state_dir: &self.state_dir }
    }

    /// Returns the work that no commit holds.
    pub fn work(&self) -> UncommittedWork<'_> {
        UncommittedWork { workspace: &self.workspace, issue: self.issue, snapshots: self.snapshots() }
    }

    /// Returns the bundles of the run.
    pub fn bundles(&self) -> Bundles<'_> {
        Bundles { workspace: &self.workspace, branch: self.branch(), work: self.work() }
    }

    fn indexes(&self) -> IndexFiles<'_> {
        IndexFiles::new(&self.workspace, &self.state_dir)
    }
}
