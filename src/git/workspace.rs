//! An opened worktree, and the part of it that belongs to one issue's run: hands out the struct of each subject.
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
use crate::program::Git;
use crate::references::RunReferences;
use crate::remote::{Credentials, Remote};
use crate::repository::Repository;
use crate::run_branch::RunBranch;
use crate::run_files::RunFiles;
use crate::snapshot::Snapshots;
use crate::work::UncommittedWork;
use crate::worktree::Worktree;
use crate::{CommitId, Result};

/// A worktree of a repository.
#[derive(Debug, Clone)]
pub struct Workspace {
    repository: Repository,
}

impl Workspace {
    /// Opens the worktree that a folder lies in.
    pub fn open(dir: &Path) -> Result<Self> {
        Self::open_with(dir, Git::default())
    }

    /// Opens the worktree that a folder lies in, with a git program of the caller's.
    pub fn open_with(dir: &Path, git: Git) -> Result<Self> {
        Ok(Self { repository: Repository::open(dir, git)? })
    }

    /// Returns the repository.
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Returns the top folder of the worktree.
    pub fn root(&self) -> &Path {
        self.repository.root()
    }

    /// Returns git's common folder, the same for all worktrees of the repository.
    pub fn common(&self) -> &Path {
        self.repository.common()
    }

    /// Returns the part of the workspace that belongs to one issue's run.
    pub fn for_issue(&self, issue: IssueNumber) -> RunWorkspace {
        let state_dir = self.common().join("ai-workflow").join(format!("issue-{issue}"));
        RunWorkspace { workspace: self.clone(), issue, state_dir }
    }

    /// Returns the files of the worktree.
    pub fn worktree(&self) -> Worktree<'_> {
        Worktree { repository: &self.repository }
    }

    /// Returns the branches.
    pub fn branches(&self) -> Branches<'_> {
        Branches { repository: &self.repository }
    }

    /// Returns what finds bases.
    pub fn bases(&self) -> Bases<'_> {
        Bases { repository: &self.repository }
    }

    /// Returns the commits.
    pub fn history(&self) -> History<'_> {
        History { repository: &self.repository }
    }

    /// Returns the objects.
    pub fn objects(&self) -> Objects<'_> {
        Objects { repository: &self.repository }
    }

    /// Returns what compares states of the files.
    pub fn changes(&self) -> Changes<'_> {
        Changes { repository: &self.repository }
    }

    /// Returns the remote of this name, asked with these credentials.
    pub fn remote<'a>(&'a self, name: &'a str, credentials: Option<&'a Credentials>) -> Remote<'a> {
        Remote { repository: &self.repository, name, credentials }
    }

    /// Returns the remote `origin`, asked with what the user has set up.
    pub fn origin(&self) -> Remote<'_> {
        self.remote("origin", None)
    }

    /// Makes a linked worktree on a branch: a new one at the base, or the one that exists when no base is given.
    pub fn add_worktree(&self, path: &Path, branch: &str, base: Option<&CommitId>) -> Result<Self> {
        self.worktree().add_linked(path, branch, base)?;
        Ok(Self { repository: self.repository.open_other(path)? })
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
        let (repository, state_dir) = (self.repository(), &self.state_dir);
        RunBranch { repository, name: self.branch(), files: self.files(), state_dir }
    }

    /// Returns the run's snapshots.
    pub fn snapshots(&self) -> Snapshots<'_> {
        Snapshots { repository: self.repository(), files: self.files(), indexes: self.indexes() }
    }

    /// Returns what commits on the run's branch.
    pub fn commits(&self) -> CommitWriter<'_> {
        CommitWriter { repository: self.repository(), branch: self.run_branch(), snapshots: self.snapshots() }
    }

    /// Returns what shows differences to reviewers.
    pub fn diffs(&self) -> Diffs<'_> {
        Diffs { repository: self.repository(), files: self.files(), state_dir: &self.state_dir }
    }

    /// Returns the branches and tags as the run may touch them.
    pub fn references(&self) -> RunReferences<'_> {
        RunReferences { repository: self.repository(), branch: self.branch() }
    }

    /// Returns the locks that a killed git may have left.
    pub fn locks(&self) -> Locks<'_> {
        let indexes = self.indexes().folder;
        Locks { repository: self.repository(), branch: self.branch(), indexes }
    }

    /// Returns the worktree in which the run's commands run.
    pub fn clean_worktree(&self) -> CleanWorktree<'_> {
        CleanWorktree { repository: self.repository(), issue: self.issue, state_dir: &self.state_dir }
    }

    /// Returns the work that no commit holds.
    pub fn work(&self) -> UncommittedWork<'_> {
        UncommittedWork { repository: self.repository(), issue: self.issue, snapshots: self.snapshots() }
    }

    /// Returns the bundles of the run.
    pub fn bundles(&self) -> Bundles<'_> {
        Bundles { repository: self.repository(), branch: self.branch(), work: self.work() }
    }

    fn repository(&self) -> &Repository {
        &self.workspace.repository
    }

    fn indexes(&self) -> IndexFiles<'_> {
        IndexFiles::new(self.repository(), &self.state_dir)
    }
}
