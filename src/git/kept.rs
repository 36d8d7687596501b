//! The trees of a phase under way, kept from `git gc`, which removes what no name leads to. They stand under a reference of
//! their own that is no branch and goes nowhere; what travels to another machine has a name of its own. A tree that is gone
//! all the same is there again once files that are the same were looked at.

use std::fs;

use super::call::Call;
use super::{IssueSpace, Result, Tree};

/// The most trees that are kept.
const MOST: usize = 20;

impl IssueSpace {
    /// Keeps trees until they are given up or others take their place; those that are gone already are passed over.
    pub fn keep_trees(&self, trees: &[Tree]) -> Result<()> {
        let mut trees = trees[..trees.len().min(MOST)].to_vec();
        let mut made = self.workspace.try_git(&listing(&trees))?;
        if !made.succeeded() {
            trees = self.known_of(trees)?;
            made = self.workspace.git(&listing(&trees))?;
        }
        let all = made.text();
        self.workspace.git(&Call::new(["update-ref", &self.kept_reference(), all.trim()])).map(drop)
    }

    /// Keeps no tree any longer. Where none is kept this costs no process.
    pub fn give_trees_up(&self) -> Result<()> {
        if !self.may_keep_trees() {
            return Ok(());
        }
        self.workspace.git(&Call::new(["update-ref", "-d", &self.kept_reference()])).map(drop)
    }

    /// Takes the files in anew where they are still those of a tree; tells whether they are, and git has it again.
    pub fn makes_again(&self, tree: &Tree) -> Result<bool> {
        let index = self.snapshots_dir().join(format!("{tree}.index"));
        if !index.exists() {
            return Ok(self.snapshot(None)?.tree == *tree);
        }
        if !self.look(&index)?.changed.is_empty() {
            return Ok(false);
        }
        // Only the index knows which of the engine's own files are in the tree; what they held stands in commits.
        self.snapshot(None)?;
        let incoming = self.copy_to_incoming(&index)?;
        let written = self.workspace.try_git(&Call::new(["write-tree"]).on_index(&incoming))?;
        Ok(written.succeeded() && written.text().trim() == tree.as_str())
    }

    fn known_of(&self, trees: Vec<Tree>) -> Result<Vec<Tree>> {
        let known = |tree: Tree| self.knows(&tree).map(|is_known| is_known.then_some(tree)).transpose();
        trees.into_iter().filter_map(known).collect()
    }

    fn kept_reference(&self) -> String {
        format!("refs/ai-workflow-kept/issue-{}", self.issue)
    }

    /// Where git keeps references in another form than files, nothing is told.
    fn may_keep_trees(&self) -> bool {
        let (common, name) = (&self.workspace.common, self.kept_reference());
        let packed = fs::read_to_string(common.join("packed-refs")).unwrap_or_default();
        let is_packed =
            packed.lines().any(|line| line.strip_suffix(&name).is_some_and(|id| id.ends_with(' ')));
        is_packed || common.join(&name).exists() || common.join("reftable").exists()
    }
}

/// Asks for one tree that holds others, named by their numbers.
pub(super) fn listing(trees: &[Tree]) -> Call {
    let entry = |(n, tree): (usize, &Tree)| format!("040000 tree {tree}\t{n:02}\n");
    let listed: String = trees.iter().enumerate().map(entry).collect();
    Call::new(["mktree"]).fed_with(listed)
}
