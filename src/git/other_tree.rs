//! Trees that are no snapshot: one without what will not be published, one with some paths as they were before.
//! Made in an index of our own; neither the worktree nor the user's index is touched.

use std::collections::BTreeSet;
use std::path::Path;

use super::call::Call;
use super::changes::raw_entries;
use super::own_files::is_engines_own;
use super::snapshot::Snapshot;
use super::status::InHead;
use super::status::NOTHING;
use super::{CommitId, IssueSpace, Result, Tree};

/// What an index is to hold at a path.
type Wanted<'a> = (&'a str, Option<&'a InHead>);

impl IssueSpace {
    /// Returns the tree that a commit of these paths would have: the snapshot without everything else that differs from
    /// HEAD. No process when there is nothing else.
    pub fn published_tree(&self, seen: &Snapshot, paths: &BTreeSet<String>) -> Result<Tree> {
        // What the engine writes is in no snapshot; of other folders a commit by hand may have put it on the branch.
        let is_absent =
            |path: &str| is_engines_own(path) && (self.is_of_run(path) || !seen.in_head.contains_key(path));
        let is_stray = |path: &&String| !paths.contains(*path) && !is_absent(path);
        let strays = seen.uncommitted.keys().filter(is_stray);
        let wanted: Vec<Wanted<'_>> = strays.map(|path| (path.as_str(), seen.in_head.get(path))).collect();
        self.tree_with(&seen.tree, &wanted)
    }

    /// Returns a tree with every path that differs from a commit and is not to be kept put back to that commit; nothing
    /// when there is no such path.
    pub fn put_back(&self, tree: &Tree, to: &CommitId, keep: impl Fn(&str) -> bool) -> Result<Option<Tree>> {
        let call = Call::new(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"]);
        let call = call.args([to.as_str(), tree.as_str(), "--"]).reading();
        let output = self.workspace.git(&call)?;
        let entries = raw_entries(&output.text()).ok_or_else(|| output.unexpected(&call))?;
        let wanted: Vec<Wanted<'_>> = entries
            .iter()
            .filter(|(path, _)| !keep(path))
            .map(|(path, before)| (path.as_str(), before.as_ref()))
            .collect();
        if wanted.is_empty() { Ok(None) } else { self.tree_with(tree, &wanted).map(Some) }
    }

    /// Returns the paths that differ between a commit and a tree and are still there.
    pub fn standing_since(&self, commit: &CommitId, tree: &Tree) -> Result<Vec<String>> {
        let call = Call::new(["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=d"]);
        let output = self.workspace.git(&call.args([commit.as_str(), tree.as_str(), "--"]).reading())?;
        Ok(output.text().split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
    }

    fn tree_with(&self, tree: &Tree, wanted: &[Wanted<'_>]) -> Result<Tree> {
        if wanted.is_empty() {
            return Ok(tree.clone());
        }
        let incoming = self.copy_to_incoming(&self.index_of(tree)?)?;
        let made = self.write_with(&incoming, wanted, tree.as_str().len());
        let _ = std::fs::remove_file(&incoming);
        made
    }

    fn write_with(&self, index: &Path, wanted: &[Wanted<'_>], length: usize) -> Result<Tree> {
        let no_object = "0".repeat(length);
        let line = |(path, entry): &Wanted<'_>| match entry.filter(|entry| entry.mode != NOTHING) {
            Some(InHead { mode, id }) => format!("{mode} {id}\t{path}\0"),
            None => format!("0 {no_object}\t{path}\0"),
        };
        let lines: String = wanted.iter().map(line).collect();
        let call = Call::new(["update-index", "--replace", "-z", "--index-info"]);
        self.workspace.git(&call.on_index(index).fed_with(lines))?;
        let call = Call::new(["write-tree"]).on_index(index);
        let output = self.workspace.git(&call)?;
        Tree::try_from(output.text().trim()).map_err(|_| output.unexpected(&call))
    }
}
