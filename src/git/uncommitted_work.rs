//! The files of a phase that is under way: no commit of the branch has them yet.
//!
//! Here they are kept from `git gc`, which removes what no name leads to, under a reference that is no branch and goes
//! nowhere. To another machine they travel under a second one, which is replaced each time and gone when the run is
//! completed. A tree that is gone all the same is there again once files that are the same were looked at.
//!
//! For a process that may not push they travel with the commits in one file, a bundle, and are taken out again by a process
//! that believes nothing of it. What is taken out stands under a reference of its own until it is judged; no branch moves.

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
/// The tree that says how the files are; the others are what it is compared with.
const NEWEST: &str = "00";
/// How much of a list of git is read, in bytes.
const LONGEST_LIST: usize = 8 << 20;

/// The work of a run that no commit holds.
#[derive(Debug, Clone)]
pub struct UncommittedWork<'a> {
    pub(crate) run: &'a RunWorkspace,
}

impl UncommittedWork<'_> {
    /// Keeps trees until they are released or others take their place; those that are gone already are passed over.
    pub fn keep_trees(&self, trees: &[Tree]) -> Result<()> {
        let mut trees = trees[..trees.len().min(MOST_TREES)].to_vec();
        let mut made = self.run.workspace().try_run(&make_tree_call(&trees))?;
        if !made.succeeded() {
            trees = self.keep_known(trees)?;
            made = self.run.workspace().run(&make_tree_call(&trees))?;
        }
        self.run.workspace().change(["update-ref", &self.kept_reference(), &made.line()])
    }

    /// Keeps no tree any longer. Where none is kept this costs no process.
    pub fn release_trees(&self) -> Result<()> {
        let branches = Branches { workspace: self.run.workspace() };
        if branches.is_surely_missing(&self.kept_reference()) {
            return Ok(());
        }
        self.run.workspace().change(["update-ref", "-d", &self.kept_reference()])
    }

    /// Returns the name under which the work travels. It ends differently from the branch's, which git would take it for.
    pub fn reference(&self) -> String {
        format!("refs/ai-workflow-work/issue-{}", self.run.issue())
    }

    /// Keeps trees here under their name, for whoever may send them.
    pub fn keep_for_sending(&self, trees: &[Tree], message: &Masked) -> Result<()> {
        let commit = self.pack(trees, message)?;
        self.run.workspace().change(["update-ref", &self.reference(), commit.as_str()])
    }

    /// Tells whether trees are kept here.
    fn is_kept(&self) -> Result<bool> {
        Ok(self.run.workspace().try_ask(["rev-parse", "--verify", "--quiet", &self.reference()])?.succeeded())
    }

    /// Keeps the trees for sending no longer.
    pub fn forget(&self) -> Result<()> {
        self.run.workspace().change(["update-ref", "-d", &self.reference()])
    }

    /// Sends trees to a remote, the newest first. Nothing of it stays here under a name.
    pub fn send(&self, remote: &Remote<'_>, trees: &[Tree], message: &Masked) -> Result<()> {
        let commit = self.pack(trees, message)?;
        remote.push_reference(&self.reference(), Some(&commit))
    }

    /// Takes the work away from a remote.
    pub fn delete_on(&self, remote: &Remote<'_>) -> Result<()> {
        remote.push_reference(&self.reference(), None)
    }

    /// Fetches the work of another machine; tells whether there is any.
    pub fn fetch(&self, remote: &Remote<'_>) -> Result<bool> {
        let reference = self.reference();
        remote.fetch_reference(&format!("+{reference}:{reference}"))
    }

    /// Brings the files to where another machine left them; tells whether what was fetched is that tree.
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
    /// Writes the run's branch, from a commit on that others have, into a file, with the files of a phase under way.
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

    /// Takes the run's branch out of a bundle. Git looks whether each object is whole and well formed, and whether it has
    /// what the bundle builds on.
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

    /// Forgets what was taken out of a bundle.
    pub fn forget_bundle(&self) -> Result<()> {
        self.run.workspace().change(["update-ref", "-d", &self.fetched_reference()])
    }

    /// Returns the name under which a bundle is looked at.
    fn fetched_reference(&self) -> String {
        format!("refs/ai-workflow-bundle/issue-{}", self.run.issue())
    }
}
