//! The worktree and its history, through the `git` program: what is there, what changed, what is committed and published.
//!
//! Every call is short, synchronous, without a shell, and goes through one function of `git`, which counts it.
//! Deliberately not here: which paths a phase may change, what a commit message says, whether a push is wanted.
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

mod answered;
mod base;
mod branch;
mod bundle;
mod caches;
mod call;
mod changes;
mod clean;
mod commit;
mod diff;
mod disguised;
mod error;
mod fetch;
mod git;
mod guard;
mod hidden;
mod index_files;
mod kept;
mod left_at;
mod leftovers;
mod locks;
mod names;
mod other_tree;
mod output;
mod own_files;
mod people;
mod publish;
mod reference_files;
mod references;
mod restore;
mod retry;
mod said;
mod since;
mod snapshot;
mod status;
mod survey;
mod taken_in;
mod talk;
mod trailers;
mod work;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use answered::Became;
pub use base::Base;
pub use branch::{Branch, Origin};
pub use bundle::Step;
pub use diff::Diff;
pub use error::Error;
pub use git::Git;
pub use names::{CommitId, Head, Tree, check_branch_name};
pub use own_files::is_engines_own;
pub use people::Author;
pub use publish::Credentials;
pub use references::Moved;
pub use retry::{Retry, retried};
pub use said::Said;
pub use since::Since;
pub use snapshot::{Content, Snapshot};
pub use survey::Survey;
pub use trailers::{NO_PHASE, Trailers};

use call::Call;
use guard::Guard;
use model::issue::IssueNumber;
use output::Output;

type Result<T> = std::result::Result<T, Error>;

/// A worktree of a repository.
#[derive(Debug, Clone)]
pub struct Workspace {
    git: Git,
    root: PathBuf,
    common: PathBuf,
    git_dir: PathBuf,
    prefix: String,
    shallow: bool,
    head: CommitId,
    /// The files of that commit.
    tree: Tree,
    guard: Arc<Guard>,
}

impl Workspace {
    /// Opens the worktree that a folder lies in.
    pub fn open(dir: &Path) -> Result<Self> {
        Self::open_with(dir, Git::default())
    }

    /// Opens the worktree that a folder lies in, with a git program of the caller's.
    pub fn open_with(dir: &Path, git: Git) -> Result<Self> {
        let call = Call::new([
            "rev-parse",
            "--path-format=absolute",
            "--is-bare-repository",
            "--is-shallow-repository",
            "--git-common-dir",
            "--absolute-git-dir",
            "--show-prefix",
            "--show-toplevel",
            "HEAD",
            "HEAD^{tree}",
        ]);
        let output = git.run(dir, &call)?;
        let lines = output.text();
        let lines: Vec<&str> = lines.lines().collect();
        Self::from_answer(dir, git, &call, &output, &lines)
    }

    /// Reads the answer line by line: git prints what it could find before it says what it could not.
    fn from_answer(dir: &Path, git: Git, call: &Call, output: &Output, lines: &[&str]) -> Result<Self> {
        let &[bare, shallow, common, git_dir, prefix, ref rest @ ..] = lines else {
            return Err(not_opened(dir, call, output, lines));
        };
        if bare == "true" {
            return Err(Error::Bare { dir: common.into() });
        }
        let &[root, head, ref tree @ ..] = rest else {
            return Err(output.failure(call));
        };
        let head = CommitId::try_from(head).map_err(|_| Error::NoCommits { root: root.into() })?;
        let &[tree] = tree else { return Err(output.failure(call)) };
        let tree = Tree::try_from(tree).map_err(|_| output.unexpected(call))?;
        let (root, common, git_dir) = (PathBuf::from(root), PathBuf::from(common), PathBuf::from(git_dir));
        let guard = Arc::new(Guard::pin(&root, &common, &git_dir));
        let prefix = prefix.trim_end_matches('/').to_owned();
        Ok(Self { git, root, common, git_dir, prefix, shallow: shallow == "true", head, tree, guard })
    }

    /// Returns the top folder of the worktree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns git's common folder, the same for all worktrees of the repository.
    pub fn common(&self) -> &Path {
        &self.common
    }

    /// Returns git's folder of this worktree alone.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Returns the folder inside the worktree that the user stood in, empty for the top, without a final slash.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Tells whether the history is cut off.
    pub fn is_shallow(&self) -> bool {
        self.shallow
    }

    /// Tells whether this is a linked worktree.
    pub fn is_linked(&self) -> bool {
        self.git_dir != self.common
    }

    /// Returns the commit the worktree stood on when it was opened.
    pub fn opened_at(&self) -> &CommitId {
        &self.head
    }

    /// Returns how many git processes were started so far, by this workspace and those made from it.
    pub fn calls(&self) -> usize {
        self.git.calls()
    }

    /// Returns the part of the workspace that belongs to one issue's run.
    pub fn for_issue(&self, issue: IssueNumber) -> IssueSpace {
        let state_dir = self.common.join("ai-workflow").join(format!("issue-{issue}"));
        IssueSpace { workspace: self.clone(), issue, state_dir }
    }

    /// Runs git in the worktree; a failure is an error.
    fn git(&self, call: &Call) -> Result<Output> {
        let output = self.try_git(call)?;
        if output.succeeded() { Ok(output) } else { Err(output.failure(call)) }
    }

    /// Runs git in the worktree; the caller judges how it ended.
    fn try_git(&self, call: &Call) -> Result<Output> {
        self.guard.check()?;
        self.git.run(&self.root, call)
    }
}

/// The worktree in the hands of one issue's run: snapshots, commits on its branch, its locks.
#[derive(Debug, Clone)]
pub struct IssueSpace {
    workspace: Workspace,
    issue: IssueNumber,
    state_dir: PathBuf,
}

impl IssueSpace {
    /// Returns the worktree.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Returns the run's folder under git's common folder.
    pub fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    /// Returns the run's branch.
    pub fn branch(&self) -> String {
        model::event::branch_of(self.issue)
    }
}

fn not_opened(dir: &Path, call: &Call, output: &Output, lines: &[&str]) -> Error {
    // A git that does not know the option repeats it as its first line.
    if lines.first() == Some(&"--path-format=absolute") {
        return Error::TooOld;
    }
    if output.errors().contains("not a git repository") {
        return Error::NotARepository { dir: dir.to_owned() };
    }
    output.failure(call)
}
