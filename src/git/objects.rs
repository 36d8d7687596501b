//! The objects that git keeps: files and trees of commits, their contents and sizes, and how two trees differ.
//! The worktree is not looked at.

use std::collections::{BTreeMap, BTreeSet};

use model::change::FileMode;

use crate::program::Call;
use crate::tree_entry::{
    EntryBeforeAfter, TreeDifferences, TreeEntry, is_plain, parse_mode, parse_raw_diff, parse_tree_entry,
};
use crate::workspace::Workspace;
use crate::{CommitId, Error, Result, Tree};

/// The contents of blobs by id.
pub(crate) type Blobs = BTreeMap<String, Vec<u8>>;

/// The objects of a repository.
impl Workspace {
    /// Returns a file as a commit or a tree has it; nothing when there is no such file.
    pub fn read_file(&self, of: &impl AsRef<str>, path: &str) -> Result<Option<Vec<u8>>> {
        if path.contains('\n') {
            let path = path.escape_debug().collect();
            return Err(Error::BadPath { path, why: "it contains a line break" });
        }
        let of = of.as_ref();
        let call = Call::new(["cat-file", "--batch"]).stdin(format!("{of}:{path}\n")).read_only();
        let output = self.run(&call)?;
        if output.stdout.ends_with(b" missing\n") && output.stdout.starts_with(of.as_bytes()) {
            return Ok(None);
        }
        let found = parse_batch(&output.stdout, "blob").unwrap_or_default();
        let (_, content) = found.first().ok_or_else(|| output.unexpected_answer())?;
        Ok(Some(content.to_vec()))
    }

    /// Returns the size of a file of a commit, in bytes; nothing when that commit has no such file.
    pub fn file_size(&self, commit: &CommitId, path: &str) -> Result<Option<u64>> {
        let call = Call::new(["cat-file", "--batch-check=%(objecttype) %(objectsize)"]).read_only();
        let answer = self.run(&call.stdin(format!("{commit}:{path}\n")))?.text();
        Ok(answer.trim().strip_prefix("blob ").and_then(|size| size.parse().ok()))
    }

    /// Returns how many objects a commit, or a tree, has that a commit before it does not have, and how many bytes they are
    /// unpacked.
    pub fn count_objects(&self, after: &CommitId, to: &Tree) -> Result<(usize, u64)> {
        let after = format!("^{after}");
        let listed = self.ask(["rev-list", "--objects", "--no-object-names", to.as_str(), &after, "--"])?;
        let call = Call::new(["cat-file", "--batch-check=%(objectsize)"]).stdin(listed.stdout).read_only();
        let sizes = self.run(&call)?.text();
        let sizes: Vec<u64> = sizes.lines().filter_map(|line| line.trim().parse().ok()).collect();
        Ok((sizes.len(), sizes.iter().fold(0, |sum, size| sum.saturating_add(*size))))
    }

    /// Tells whether a tree is on this machine.
    pub fn has_tree(&self, tree: &Tree) -> Result<bool> {
        Ok(self.try_ask(["cat-file", "-e", &format!("{tree}^{{tree}}")])?.succeeded())
    }

    /// Returns the files below a folder that HEAD knows.
    pub fn list_tracked_files(&self, folder: &str) -> Result<Vec<String>> {
        Ok(self.ask(["ls-tree", "-r", "-z", "--name-only", "HEAD", "--", folder])?.paths())
    }

    /// Returns the ids of the blobs of plain files at some paths of a tree; paths without a plain file are left out.
    pub fn blob_ids(&self, tree: &Tree, paths: &BTreeSet<String>) -> Result<BTreeMap<String, String>> {
        if paths.is_empty() {
            return Ok(BTreeMap::new());
        }
        let mut entries = self.tree_entries(tree.as_str(), paths)?;
        entries.retain(|path, entry| is_plain(parse_mode(&entry.mode)) && paths.contains(path));
        Ok(entries.into_iter().map(|(path, entry)| (path, entry.id)).collect())
    }

    /// Returns the plain files of a tree.
    pub fn list_plain_files(&self, tree: &Tree) -> Result<Vec<String>> {
        let mut held = self.tree_entries(tree.as_str(), &BTreeSet::new())?;
        held.retain(|_, entry| is_plain(parse_mode(&entry.mode)));
        Ok(held.into_keys().collect())
    }

    /// Returns the files of a tree in which a word stands as a whole.
    pub fn list_files_with_word(&self, tree: &Tree, word: &str) -> Result<Vec<String>> {
        let found =
            self.try_ask(["grep", "-l", "-z", "-w", "-F", "--full-name", "-e", word, tree.as_str(), "--"])?;
        let prefix = format!("{tree}:");
        let paths = found.paths().into_iter();
        Ok(paths.filter_map(|path| Some(path.strip_prefix(&prefix)?.to_owned())).collect())
    }

    /// Returns those of the paths that are plain files of a tree.
    pub fn plain_files(&self, tree: &Tree, paths: &BTreeSet<String>) -> Result<BTreeSet<String>> {
        Ok(self.blob_ids(tree, paths)?.into_keys().collect())
    }

    /// Returns the entries of a tree, or of a commit's, by path; of all paths where none is named.
    pub(crate) fn tree_entries(
        &self,
        tree: &str,
        paths: &BTreeSet<String>,
    ) -> Result<BTreeMap<String, TreeEntry>> {
        let call = Call::new(["ls-tree", "-r", "-z", "--full-tree", tree, "--"]).args(paths).read_only();
        let listed = self.run(&call)?.text();
        Ok(listed.split('\0').filter_map(parse_tree_entry).collect())
    }

    /// Returns the entries before and after where two trees, or commits, differ. The checks ask for the same two several times,
    /// and neither ever changes.
    pub(crate) fn differences(&self, old: &str, new: &str) -> Result<BTreeMap<String, EntryBeforeAfter>> {
        let mut known = self.compared();
        if let Some(known) = known.as_ref().filter(|known| known.old == old && known.new == new) {
            return Ok(known.entries.clone());
        }
        let entries = self.differences_at(old, new, &BTreeSet::new())?;
        let (old, new) = (old.to_owned(), new.to_owned());
        *known = Some(TreeDifferences { old, new, entries: entries.clone() });
        Ok(entries)
    }

    /// Returns the entries before and after where two trees, or commits, differ at these paths; everywhere without paths.
    pub(crate) fn differences_at(
        &self,
        old: &str,
        new: &str,
        paths: &BTreeSet<String>,
    ) -> Result<BTreeMap<String, EntryBeforeAfter>> {
        let call = Call::new(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"])
            .args([old, new, "--"])
            .args(paths)
            .read_only();
        let output = self.run(&call)?;
        parse_raw_diff(&output.text()).ok_or_else(|| output.unexpected_answer())
    }

    /// Returns the contents of blobs by id.
    pub(crate) fn blobs<'e>(&self, wanted: impl Iterator<Item = &'e TreeEntry>) -> Result<Blobs> {
        let ids: BTreeSet<&str> = wanted
            .filter(|old| parse_mode(&old.mode) != FileMode::Submodule)
            .map(|old| old.id.as_str())
            .collect();
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let asked: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let call = Call::new(["cat-file", "--batch", "--buffer"]).stdin(asked).read_only();
        let output = self.run(&call)?;
        let found = parse_batch(&output.stdout, "blob").unwrap_or_default();
        if found.len() != ids.len() {
            return Err(output.unexpected_answer());
        }
        Ok(found.into_iter().map(|(id, content)| (id.to_owned(), content.to_vec())).collect())
    }
}

/// Reads the objects of an answer of `cat-file --batch`, id and content of each; nothing where one is of another kind, or is
/// not there whole.
pub(crate) fn parse_batch<'a>(mut answer: &'a [u8], kind: &str) -> Option<Vec<(&'a str, &'a [u8])>> {
    let mut found = Vec::new();
    while !answer.is_empty() {
        // Id, type and size in a line, then the content and a line end.
        let from = answer.iter().position(|byte| *byte == b'\n')? + 1;
        let header = std::str::from_utf8(&answer[..from - 1]).ok()?;
        let mut words = header.split(' ');
        let (id, found_kind, size) = (words.next()?, words.next()?, words.next()?.parse::<usize>().ok()?);
        if found_kind != kind {
            return None;
        }
        let to = from.checked_add(size)?;
        found.push((id, answer.get(from..to)?));
        answer = answer.get(to + 1..)?;
    }
    Some(found)
}

#[cfg(test)]
mod tests;
