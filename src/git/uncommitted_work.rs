//! The files of a phase that is under way: no commit of the branch has them yet.
//!
//! On this machine a reference that is no branch and is never pushed keeps them from `git gc`. To another machine they are
//! pushed under a second reference, which is replaced each time and deleted when the run is completed. A tree that is lost
//! all the same is written again by a snapshot of the same files.
//!
//! A process that may not push writes them with the commits into one file, a bundle, and another process, which trusts
//! nothing in it, reads them out again under a reference of their own until they are judged; no branch moves.

use std::path::Path;

use model::redact::Masked;

use crate::branch::Branches;
use crate::program::Call;
use crate::remote::Remote;
use crate::run_branch::RunBranch;
use crate::snapshot::Snapshots;
use crate::workspace::RunWorkspace;
use crate::{CommitId, Result, Tree};

/// The most trees that are kept.
const MOST_TREES: usize = 20;
/// The name of the tree of the present files; the others are trees that it is compared with.
const NEWEST: &str = "00";
/// How much of a list of git is read, in bytes.
const LONGEST_LIST: usize = 8 << 20;

/// The work of a run that is not committed.
#[derive(Debug, Clone)]
pub struct UncommittedWork<'a> {
    pub(crate) run: &'a RunWorkspace,
}

impl UncommittedWork<'_> {
    /// Keeps trees until they are released or replaced; those that git does not have any more are passed over.
    pub fn keep_trees(&self, trees: &[Tree]) -> Result<()> {
        let mut trees = trees[..trees.len().min(MOST_TREES)].to_vec();
        let mut made = self.run.workspace().try_run(&make_tree_call(&trees))?;
        if !made.succeeded() {
            trees = self.keep_known(trees)?;
            made = self.run.workspace().run(&make_tree_call(&trees))?;
        }
        self.run.workspace().change(["update-ref", &self.kept_reference(), &made.line()])
    }

    /// Stops keeping trees. Where none is kept this costs no process.
    pub fn release_trees(&self) -> Result<()> {
        let branches = Branches { workspace: self.run.workspace() };
        if branches.is_surely_missing(&self.kept_reference()) {
            return Ok(());
        }
        self.run.workspace().change(["update-ref", "-d", &self.kept_reference()])
    }

    /// Returns the reference under which the work is sent. Its name ends differently from the branch's, so that git does not
    /// take one for the other.
    pub fn reference(&self) -> String {
        format!("refs/ai-workflow-work/issue-{}", self.run.issue())
    }

    /// Keeps trees under that reference, for a process that may send them.
    pub fn keep_for_sending(&self, trees: &[Tree], message: &Masked) -> Result<()> {
        let commit = self.pack(trees, message)?;
        self.run.workspace().change(["update-ref", &self.reference(), commit.as_str()])
    }

    /// Tells whether trees are kept for sending.
    fn is_kept(&self) -> Result<bool> {
        Ok(self.run.workspace().try_ask(["rev-parse", "--verify", "--quiet", &self.reference()])?.succeeded())
    }

    /// Deletes the reference of the trees that are kept for sending.
    pub fn forget(&self) -> Result<()> {
        self.run.workspace().change(["update-ref", "-d", &self.reference()])
    }

    /// Pushes trees to a remote, the newest first. No reference is made on this machine.
    pub fn send(&self, remote: &Remote<'_>, trees: &[Tree], message: &Masked) -> Result<()> {
        let commit = self.pack(trees, message)?;
        remote.push_reference(&self.reference(), Some(&commit))
    }

    /// Deletes the work on a remote.
    pub fn delete_on(&self, remote: &Remote<'_>) -> Result<()> {
        remote.push_reference(&self.reference(), None)
    }

    /// Fetches the work of another machine; tells whether there is any.
    pub fn fetch(&self, remote: &Remote<'_>) -> Result<bool> {
        let reference = self.reference();
        remote.fetch_reference(&format!("+{reference}:{reference}"))
    }

    /// Restores the files of another machine; tells whether the fetched work is that tree.
    pub fn unpack(&self, tree: &Tree) -> Result<bool> {
        let reference = self.reference();
        let newest = self.run.workspace().ask(["rev-parse", "--verify", &format!("{reference}:{NEWEST}")])?;
        let is_it = newest.line() == tree.as_str();
        if is_it {
            Snapshots { run: self.run }.restore(tree)?;
        }
        self.forget()?;
        Ok(is_it)
    }

    fn pack(&self, trees: &[Tree], message: &Masked) -> Result<CommitId> {
        let made = self.run.workspace().run(&make_tree_call(trees))?;
        let call = Call::new(["commit-tree", "-F", "-", &made.line()]).stdin(message.as_str());
        self.run.workspace().run(&call)?.id()
    }

    fn keep_known(&self, trees: Vec<Tree>) -> Result<Vec<Tree>> {
        let mut known = Vec::new();
        for tree in trees {
            if self.run.workspace().has_tree(&tree)? {
                known.push(tree);
            }
        }
        Ok(known)
    }

    fn kept_reference(&self) -> String {
        format!("refs/ai-workflow-kept/issue-{}", self.run.issue())
    }
}

/// Returns the call that makes one tree that holds others, named by their numbers.
fn make_tree_call(trees: &[Tree]) -> Call {
    let entry = |(n, tree): (usize, &Tree)| format!("040000 tree {tree}\t{n:02}\n");
    let listed: String = trees.iter().enumerate().map(entry).collect();
    Call::new(["mktree"]).stdin(listed)
}

/// The run's branch in a bundle.
impl RunBranch<'_> {
    /// Writes the commits of the run's branch after a base into a file, with the files of a phase under way.
    pub fn create_bundle(&self, base: &CommitId, file: &Path) -> Result<()> {
        let call = Call::new(["bundle", "create", "--quiet"]).arg(file);
        let work = UncommittedWork { run: self.run };
        let work = if work.is_kept()? { Some(work.reference()) } else { None };
        let call = call.arg(format!("refs/heads/{}", self.run.branch())).args(work).arg(format!("^{base}"));
        self.run.workspace().run(&call).map(drop)
    }

    /// Returns the names and commits that a bundle says it holds.
    pub fn bundle_heads(&self, file: &Path) -> Result<Vec<(String, String)>> {
        let call = Call::new(["bundle", "list-heads"]).arg(file).with_limit(LONGEST_LIST).read_only();
        let head = |line: &str| line.split_once(' ').map(|(id, name)| (name.to_owned(), id.to_owned()));
        Ok(self.run.workspace().run(&call)?.text().lines().filter_map(head).collect())
    }

    /// Fetches the run's branch from a bundle. Git checks that each object is whole and well formed, and that this repository
    /// has the commits that the bundle requires.
    pub fn fetch_bundle(&self, file: &Path) -> Result<CommitId> {
        self.run.workspace().run(&Call::new(["bundle", "verify", "--quiet"]).arg(file))?;
        let to = self.fetched_reference();
        let call = Call::new(["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--refmap="]);
        let call = call.setting("fetch.fsckObjects=true").setting("fetch.unpackLimit=1");
        let call = call.setting("protocol.file.allow=always").arg("--").arg(file);
        self.run.workspace().run(&call.arg(format!("+refs/heads/{}:{to}", self.run.branch())))?;
        self.run
            .workspace()
            .ask(["rev-parse", "--verify", "--end-of-options", &format!("{to}^{{commit}}")])?
            .id()
    }

    /// Deletes the reference of what was fetched from a bundle.
    pub fn forget_bundle(&self) -> Result<()> {
        self.run.workspace().change(["update-ref", "-d", &self.fetched_reference()])
    }

    /// Returns the reference of what was fetched from a bundle.
    fn fetched_reference(&self) -> String {
        format!("refs/ai-workflow-bundle/issue-{}", self.run.issue())
    }
}
