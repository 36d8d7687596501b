//! The objects that git keeps: files and trees of commits, their contents and sizes, and how two trees differ.
//! The worktree is not looked at.

use std::collections::{BTreeMap, BTreeSet};

use model::change::FileMode;

use crate::program::Call;
use crate::workspace::Workspace;
use crate::{CommitId, Error, Result, Tree};

/// The mode that git writes where there is no entry.
pub(crate) const ABSENT_MODE: &str = "000000";

/// The entry of a tree at a path; mode `000000` where there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    pub(crate) mode: String,
    pub(crate) id: String,
}

/// The entry of a path before and after a change; nothing where the path is missing.
pub(crate) type EntryBeforeAfter = (Option<TreeEntry>, Option<TreeEntry>);

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

    /// Returns the entries before and after where two trees, or commits, differ at these paths; everywhere without paths.
    pub(crate) fn differences<'p>(
        &self,
        old: &str,
        new: &str,
        paths: impl IntoIterator<Item = &'p String>,
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

/// Git's modes: 100644, 100755, 120000 and 160000.
pub(crate) fn parse_mode(octal: &str) -> FileMode {
    match octal {
        "100755" => FileMode::Executable,
        "120000" => FileMode::Link,
        "160000" => FileMode::Submodule,
        _ => FileMode::File,
    }
}

/// Tells whether a mode is that of a file, executable or not.
pub(crate) fn is_plain(mode: FileMode) -> bool {
    matches!(mode, FileMode::File | FileMode::Executable)
}

/// Reads `diff --raw -z`: `:mode mode id id letter`, then the path.
pub(crate) fn parse_raw_diff(text: &str) -> Option<BTreeMap<String, EntryBeforeAfter>> {
    let mut fields = text.split('\0').filter(|field| !field.is_empty());
    let mut entries = BTreeMap::new();
    while let Some(head) = fields.next() {
        let words: Vec<&str> = head.strip_prefix(':')?.split(' ').collect();
        let (&[old, new, old_id, new_id, _], path) = (words.as_slice(), fields.next()?) else { return None };
        let side = |mode: &str, id: &str| match mode {
            ABSENT_MODE => None,
            _ => Some(TreeEntry { mode: mode.into(), id: id.into() }),
        };
        entries.insert(path.to_owned(), (side(old, old_id), side(new, new_id)));
    }
    Some(entries)
}

/// Reads an entry of `ls-tree`: mode, kind and id, then the path.
pub(crate) fn parse_tree_entry(entry: &str) -> Option<(String, TreeEntry)> {
    let (head, path) = entry.split_once('\t')?;
    let mut words = head.split(' ');
    let (mode, _, id) = (words.next()?, words.next()?, words.next()?);
    Some((path.to_owned(), TreeEntry { mode: mode.into(), id: id.into() }))
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
