//! A worktree of a repository, opened: where its folders are, how git is run in it, and the part of it that belongs to one
//! issue's run.
//!
//! Every call is short, synchronous and without a shell. None is made once the settings of the repository have changed
//! since it was opened. What the calls are for is known by the other modules.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::issue::IssueNumber;

use crate::damage;
use crate::last_use::LastUse;
use crate::pinned_config::PinnedConfig;
use crate::pipes::PipeSearch;
use crate::program::{Call, Git, GitOutput};
use crate::run_files::RunFiles;
use crate::tree_entry::TreeDifferences;
use crate::{CommitId, Error, Result, Tree};

/// What folders outside of a run are named by.
pub(crate) const CHECK: &str = "check";

/// HEAD of a worktree: a commit and, unless it is detached, a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The commit.
    pub commit: CommitId,
    /// The branch; nothing where HEAD is detached.
    pub branch: Option<String>,
}

/// A worktree of a repository, as it was opened.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub(crate) git: Git,
    root: PathBuf,
    common: PathBuf,
    git_dir: PathBuf,
    prefix: String,
    is_shallow: bool,
    head: CommitId,
    /// The files of that commit.
    tree: Tree,
    config: Arc<Mutex<PinnedConfig>>,
    /// What this process knows about the clean worktree; nothing before it was used.
    clean: Arc<Mutex<Option<LastUse>>>,
    /// The two trees that were compared last, and what differs.
    compared: Arc<Mutex<Option<TreeDifferences>>>,
    /// The folders in which pipes were looked for.
    pipes: Arc<Mutex<PipeSearch>>,
}

impl Workspace {
    /// Opens the worktree that a folder lies in.
    pub fn open(dir: &Path) -> Result<Self> {
        Self::open_with(dir, Git::default())
    }

    /// Opens the worktree that a folder lies in, with a git program of the caller's.
    pub fn open_with(dir: &Path, git: Git) -> Result<Self> {
        damage::refuse_pipes(dir)?;
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
        let text = output.text();
        let lines: Vec<&str> = text.lines().collect();
        Self::from_answer(dir, git, &output, &lines)
    }

    /// Reads the answer line by line: git prints what it could find before it says what it could not.
    fn from_answer(dir: &Path, git: Git, output: &GitOutput, lines: &[&str]) -> Result<Self> {
        let &[bare, shallow, common, git_dir, prefix, ref rest @ ..] = lines else {
            return Err(open_error(dir, output, lines));
        };
        if bare == "true" {
            return Err(Error::Bare { dir: common.into() });
        }
        let &[root, head, ref tree @ ..] = rest else {
            return Err(output.failure());
        };
        let (root, common, git_dir) = (PathBuf::from(root), PathBuf::from(common), PathBuf::from(git_dir));
        let head = CommitId::try_from(head).map_err(|_| damage::of_unborn_head(&root, &git_dir, &common))?;
        let &[tree] = tree else { return Err(output.failure()) };
        let tree = Tree::try_from(tree).map_err(|_| Error::MissingObjects { commit: head.to_string() })?;
        let config = Arc::new(Mutex::new(PinnedConfig::pin(&root, &common, &git_dir)));
        let prefix = prefix.trim_end_matches('/').to_owned();
        let (is_shallow, clean, compared, pipes) =
            (shallow == "true", Arc::default(), Arc::default(), Arc::default());
        Ok(Self {
            git,
            root,
            common,
            git_dir,
            prefix,
            is_shallow,
            head,
            tree,
            config,
            clean,
            compared,
            pipes,
        })
    }

    /// Opens another worktree with the git program of this one.
    pub(crate) fn open_other(&self, dir: &Path) -> Result<Self> {
        Self::open_with(dir, self.git.clone())
    }

    /// Returns the part of the workspace that belongs to one issue's run.
    pub fn for_issue(&self, issue: IssueNumber) -> RunWorkspace {
        let state_dir = self.common.join("ai-workflow").join(format!("issue-{issue}"));
        RunWorkspace { workspace: self.clone(), issue, state_dir }
    }

    /// Returns the part of the workspace that belongs to no run, for what is done without one.
    pub fn outside_a_run(&self) -> RunWorkspace {
        let state_dir = self.common.join("ai-workflow").join(CHECK);
        RunWorkspace { workspace: self.clone(), issue: IssueNumber::MAX, state_dir }
    }

    /// Returns what this process knows about the clean worktree.
    pub(crate) fn clean(&self) -> MutexGuard<'_, Option<LastUse>> {
        self.clean.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the two trees that were compared last, and what differs.
    pub(crate) fn compared(&self) -> MutexGuard<'_, Option<TreeDifferences>> {
        self.compared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the search for pipes, which knows the folders that were read.
    pub(crate) fn pipes(&self) -> MutexGuard<'_, PipeSearch> {
        self.pipes.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Returns the user's working directory inside the worktree, empty for the top, without a final slash.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Tells whether the history is cut off.
    pub fn is_shallow(&self) -> bool {
        self.is_shallow
    }

    /// Tells whether this is a linked worktree.
    pub fn is_linked(&self) -> bool {
        self.git_dir != self.common
    }

    /// Returns the checkout that the linked worktrees belong to, as far as it has one.
    pub fn main_root(&self) -> &Path {
        if !self.is_linked() {
            return &self.root;
        }
        match self.common.parent() {
            Some(parent) if self.common.ends_with(".git") => parent,
            _ => &self.common,
        }
    }

    /// Returns the commit of HEAD when the worktree was opened.
    pub fn opened_at(&self) -> &CommitId {
        &self.head
    }

    /// Returns the files of that commit.
    pub(crate) fn opened_tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns how many git processes were started so far, for this repository and those opened from it.
    pub fn calls(&self) -> usize {
        self.git.calls()
    }

    /// Asks git, which takes no lock for that; a failure is an error.
    pub(crate) fn ask<A: Into<OsString>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<GitOutput> {
        self.run(&Call::new(arguments).read_only())
    }

    /// Asks git; the caller judges how it ended.
    pub(crate) fn try_ask<A: Into<OsString>>(&self, words: impl IntoIterator<Item = A>) -> Result<GitOutput> {
        self.try_run(&Call::new(words).read_only())
    }

    /// Has git change something; a failure is an error.
    pub(crate) fn change<A: Into<OsString>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<()> {
        self.run(&Call::new(arguments)).map(drop)
    }

    /// Runs git in the worktree; a failure is an error.
    pub(crate) fn run(&self, call: &Call) -> Result<GitOutput> {
        self.run_in(&self.root, call)
    }

    /// Runs git in the worktree; the caller judges how it ended.
    pub(crate) fn try_run(&self, call: &Call) -> Result<GitOutput> {
        self.try_run_in(&self.root, call)
    }

    /// Runs git in another folder; a failure is an error.
    pub(crate) fn run_in(&self, dir: &Path, call: &Call) -> Result<GitOutput> {
        let output = self.try_run_in(dir, call)?;
        if output.succeeded() { Ok(output) } else { Err(output.failure()) }
    }

    /// Runs git in another folder; the caller judges how it ended.
    pub(crate) fn try_run_in(&self, dir: &Path, call: &Call) -> Result<GitOutput> {
        self.config.lock().unwrap_or_else(PoisonError::into_inner).check()?;
        self.git.run(dir, call)
    }

    /// Takes the settings as they are now for those that count.
    pub(crate) fn pin_config_again(&self) {
        let pinned = PinnedConfig::pin(&self.root, &self.common, &self.git_dir);
        *self.config.lock().unwrap_or_else(PoisonError::into_inner) = pinned;
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
        model::issue::run_branch_name(self.issue)
    }

    /// Returns the run's own files.
    pub fn files(&self) -> RunFiles {
        RunFiles { issue: self.issue }
    }

    /// Returns the issue that the run is about.
    pub(crate) fn issue(&self) -> IssueNumber {
        self.issue
    }

    /// Returns what its folders are named by: `issue-N`, or `check` outside of a run.
    pub(crate) fn name(&self) -> String {
        if self.issue == IssueNumber::MAX { CHECK.to_owned() } else { format!("issue-{}", self.issue) }
    }
}

fn open_error(dir: &Path, output: &GitOutput, lines: &[&str]) -> Error {
    // A git that does not know the option repeats it as its first line.
    if lines.first() == Some(&"--path-format=absolute") {
        return Error::TooOld;
    }
    if output.stderr().contains("not a git repository") {
        return damage::of_unopened(dir);
    }
    match output.failure() {
        Error::DamagedConfig { detail, .. } => {
            Error::DamagedConfig { detail, kept: damage::find_kept_config(dir) }
        }
        other => other,
    }
}
