//! The files of a phase that is under way: no commit of the branch has them yet.
//!
//! Here they are kept from `git gc`, which removes what no name leads to, under a reference that is no branch and goes
//! nowhere. To another machine they travel under a second one, which is replaced each time and gone when the run is
//! completed. A tree that is gone all the same is there again once files that are the same were looked at.

use model::issue::IssueNumber;
use model::redact::Masked;

use crate::branch::Branches;
use crate::call::Call;
use crate::objects::Objects;
use crate::remote::Remote;
use crate::snapshot::Snapshots;
use crate::workspace::Workspace;
use crate::{CommitId, Result, Tree};

/// The most trees that are kept.
const MOST_TREES: usize = 20;
/// The tree that says how the files are; the others are what it is compared with.
const NEWEST: &str = "00";

/// The work of a run that no commit holds.
#[derive(Debug, Clone)]
pub struct UncommittedWork<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) issue: IssueNumber,
    pub(crate) snapshots: Snapshots<'a>,
}

impl UncommittedWork<'_> {
    /// Keeps trees until they are released or others take their place; those that are gone already are passed over.
    pub fn keep_trees(&self, trees: &[Tree]) -> Result<()> {
        let mut trees = trees[..trees.len().min(MOST_TREES)].to_vec();
        let mut made = self.workspace.try_run(&tree_of(&trees))?;
        if !made.succeeded() {
            trees = self.known_of(trees)?;
            made = self.workspace.run(&tree_of(&trees))?;
        }
        self.workspace.change(["update-ref", &self.kept_reference(), &made.line()])
    }

    /// Keeps no tree any longer. Where none is kept this costs no process.
    pub fn release_trees(&self) -> Result<()> {
        let branches = Branches { workspace: self.workspace };
        if branches.is_surely_missing(&self.kept_reference()) {
            return Ok(());
        }
        self.workspace.change(["update-ref", "-d", &self.kept_reference()])
    }

    /// Returns the name under which the work travels. It ends differently from the branch's, which git would take it for.
    pub fn reference(&self) -> String {
        format!("refs/ai-workflow-work/issue-{}", self.issue)
    }

    /// Keeps trees here under their name, for whoever may send them.
    pub fn keep(&self, trees: &[Tree], message: &Masked) -> Result<()> {
        let commit = self.pack(trees, message)?;
        self.workspace.change(["update-ref", &self.reference(), commit.as_str()])
    }

    /// Tells whether trees are kept here.
    pub(crate) fn is_kept(&self) -> Result<bool> {
        Ok(self.workspace.try_ask(["rev-parse", "--verify", "--quiet", &self.reference()])?.succeeded())
    }

    /// Keeps the trees for sending no longer.
    pub fn forget(&self) -> Result<()> {
        self.workspace.change(["update-ref", "-d", &self.reference()])
    }

    /// Sends trees to a remote, the newest first. Nothing of it stays here under a name.
    pub fn send(&self, remote: &Remote<'_>, trees: &[Tree], message: &Masked) -> Result<()> {
        let commit = self.pack(trees, message)?;
        remote.push_reference(&self.reference(), Some(&commit))
    }

    /// Takes the work away from a remote.
    pub fn recall(&self, remote: &Remote<'_>) -> Result<()> {
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
        let newest = self.workspace.ask(["rev-parse", "--verify", &format!("{reference}:{NEWEST}")])?;
        let is_it = newest.line() == tree.as_str();
        if is_it {
            self.snapshots.restore(tree)?;
        }
        self.forget()?;
        Ok(is_it)
    }

    fn pack(&self, trees: &[Tree], message: &Masked) -> Result<CommitId> {
        let made = self.workspace.run(&tree_of(trees))?;
        let call = Call::new(["commit-tree", "-F", "-", &made.line()]).stdin(message.as_str());
        self.workspace.run(&call)?.id()
    }

    fn known_of(&self, trees: Vec<Tree>) -> Result<Vec<Tree>> {
        let (mut known, objects) = (Vec::new(), Objects { workspace: self.workspace });
        for tree in trees {
            if objects.has_tree(&tree)? {
                known.push(tree);
            }
        }
        Ok(known)
    }

    fn kept_reference(&self) -> String {
        format!("refs/ai-workflow-kept/issue-{}", self.issue)
    }
}

/// Returns the call that makes one tree that holds others, named by their numbers.
fn tree_of(trees: &[Tree]) -> Call {
    let entry = |(n, tree): (usize, &Tree)| format!("040000 tree {tree}\t{n:02}\n");
    let listed: String = trees.iter().enumerate().map(entry).collect();
    Call::new(["mktree"]).stdin(listed)
}
