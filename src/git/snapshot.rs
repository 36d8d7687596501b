//! The identity of the files as they are now: a git tree of everything in the worktree, untracked files too, without
//! the engine's own and without ignored files, but for what the run delivers: that is taken whatever git ignores.
//!
//! A snapshot compares the worktree with the index of the snapshot before it. One process when nothing changed, three
//! when something did. The user's own index is never touched. What cannot be in a commit (special files, repositories
//! inside the worktree, names that are not UTF-8) is left out and named. Also brings the files back to a snapshot, and
//! makes trees that differ from one in some paths.
//!
//! The index files behind snapshots and commits are `<tree>.index` and `<commit>.commit.index` under git's common folder.
//! They are a cache: a lost one is rebuilt from its tree. A copy keeps the time of its original, because git trusts
//! a file that was changed in the same second as its entry only when the index itself is newer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::{at, ignore_missing};
use crate::program::Call;
use crate::regular_file;
use crate::run_files::{is_behind_link, is_engines_own};
use crate::status::{PathStatus, StatusEntry, read_status, status_call};
use crate::tree_entry::{ABSENT_MODE, TreeEntry};
use crate::workspace::{Head, RunWorkspace, Workspace};
use crate::{CommitId, Error, Result, Tree};

/// The files of a worktree at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The tree of these files.
    pub tree: Tree,
    /// What differs from the snapshot it was compared with; from HEAD, when there was none.
    pub changed: Vec<String>,
    /// The commit and branch of HEAD.
    pub head: Head,
    /// Every path that differs from HEAD, with what a commit of it would hold; untracked and the engine's own files too.
    pub uncommitted: BTreeMap<String, PathContent>,
    /// The entries that HEAD has at these paths.
    pub(crate) in_head: BTreeMap<String, TreeEntry>,
    /// Paths that exist and are in no tree, escaped for people.
    pub left_out: Vec<String>,
}

/// What a commit of a path would hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathContent {
    /// No file.
    Deleted,
    /// The content that the snapshot saw.
    Blob {
        /// Git's mode, in octal digits.
        mode: String,
        /// The id of the blob.
        id: String,
    },
    /// The content that the file has when it is committed.
    OnDisk,
}

/// So many of the newest index files are kept.
const KEPT: usize = 6;

/// A path and what an index has to hold there; nothing removes the path.
type IndexUpdate<'a> = (&'a str, Option<&'a TreeEntry>);

/// The snapshots of a run.
#[derive(Debug, Clone)]
pub struct Snapshots<'a> {
    pub(crate) run: &'a RunWorkspace,
}

impl Snapshots<'_> {
    /// Takes a snapshot, and says in it what changed since an earlier one.
    pub fn take(&self, since: Option<&Tree>) -> Result<Snapshot> {
        let index = match since {
            Some(tree) => self.ensure_index_of(tree)?,
            None => self.copy_own_index_or_head()?,
        };
        let seen = self.compare_worktree(&index)?;
        if let (Some(tree), true) = (since, seen.changed.is_empty()) {
            return Ok(seen.into_snapshot(tree.clone()));
        }
        if since.is_none() && seen.is_exactly(self.run.workspace().opened_at()) {
            let tree = self.run.workspace().opened_tree().clone();
            // It is exactly a commit: the next commit on top begins with a copy.
            let known = self.commit_index(&seen.head.commit);
            copy_with_time(&index, &known).map_err(at(&known))?;
            self.store_index(&index, self.tree_index(&tree))?;
            return Ok(seen.into_snapshot(tree));
        }
        let incoming = if since.is_some() { self.copy_to_incoming(&index)? } else { index };
        self.write_seen(seen, &incoming, since.is_some())
    }

    /// Tells whether the index file of this tree is kept.
    pub fn has_index_of(&self, tree: &Tree) -> bool {
        self.tree_index(tree).exists()
    }

    /// Removes the indexes that git cannot read; each can be made anew.
    pub fn remove_damaged_indexes(&self) -> Result<()> {
        for entry in fs::read_dir(self.index_folder()).into_iter().flatten().flatten() {
            let index = entry.path();
            // Pipes and folders are no indexes, and git would wait for a pipe.
            if !index.is_file() || !self.can_be_read(&index)? {
                remove_what_is_no_folder(&self.index_folder(), &entry.file_name().to_string_lossy())?;
            }
        }
        Ok(())
    }

    /// Tells whether git reads an index, and no entry of it is cut off: git takes one for a file without an object.
    fn can_be_read(&self, index: &Path) -> Result<bool> {
        let call = Call::new(["ls-files", "-z", "--stage"]).on_index(index).read_only();
        let output = self.run.workspace().try_run(&call)?;
        let no_object = format!(" {} ", "0".repeat(self.run.workspace().opened_at().as_str().len()));
        Ok(output.succeeded() && !output.text().contains(&no_object))
    }

    /// Brings the files back to a snapshot and returns the paths that were different.
    pub fn restore(&self, to: &Tree) -> Result<Vec<String>> {
        let index = self.ensure_index_of(to)?;
        let seen = self.compare_worktree(&index)?;
        for path in seen.changed.intersection(&seen.untracked) {
            remove_with_empty_folders(self.run.workspace().root(), path)?;
        }
        let mut tracked = seen.changed.difference(&seen.untracked).map(String::as_str).peekable();
        if tracked.peek().is_some() {
            let call = Call::new(["checkout-index", "--force", "-u", "-q", "-z", "--stdin"]).on_index(&index);
            self.run.workspace().run(&call.stdin_paths(tracked))?;
        }
        Ok(seen.changed.into_iter().collect())
    }

    /// Brings some paths back to a snapshot. What stands in their place, or in place of one of their folders, goes.
    pub fn restore_paths(&self, to: &Tree, paths: &[String]) -> Result<()> {
        let index = self.ensure_index_of(to)?;
        let root = self.run.workspace().root();
        for path in paths {
            remove_what_is_no_folder(root, path)?;
        }
        let call = Call::new(["checkout-index", "--force", "-u", "-q", "-z", "--stdin"]).on_index(&index);
        self.run.workspace().run(&call.stdin_paths(paths.iter().map(String::as_str)))?;
        Ok(())
    }

    /// Returns those of the paths that git ignores and that a tree does not have.
    pub(crate) fn list_ignored(&self, tree: &Tree, paths: &[String]) -> Result<Vec<String>> {
        let call = Call::new(["check-ignore", "-z", "--stdin"]).with_patterns().read_only();
        let call = call.on_index(&self.ensure_index_of(tree)?);
        let output = self.run.workspace().try_run(&call.stdin_paths(paths.iter().map(String::as_str)))?;
        // It ends with 1 when none is ignored.
        if !output.succeeded() && output.status.code() != Some(1) {
            return Err(output.failure());
        }
        Ok(output.paths())
    }

    /// Writes a tree again where the files are still those of it; tells whether they are, and git has the tree.
    pub fn write_tree_if_unchanged(&self, tree: &Tree) -> Result<bool> {
        let index = self.tree_index(tree);
        if !index.exists() {
            return Ok(self.take(None)?.tree == *tree);
        }
        if !self.compare_worktree(&index)?.changed.is_empty() {
            return Ok(false);
        }
        // Only the index knows which of the engine's own files are in the tree; commits have their content.
        self.take(None)?;
        let incoming = self.copy_to_incoming(&index)?;
        let written = self.run.workspace().try_run(&Call::new(["write-tree"]).on_index(&incoming))?;
        Ok(written.succeeded() && written.line() == tree.as_str())
    }

    /// Returns the tree that a commit of these paths would have: the snapshot without everything else that differs from
    /// HEAD. No process when there is nothing else.
    pub fn published_tree(&self, seen: &Snapshot, paths: &BTreeSet<String>) -> Result<Tree> {
        // A snapshot leaves out what the engine writes, except committed files of other issues.
        let is_in_snapshot = |path: &str| {
            !is_engines_own(path) || (!self.run.files().contains(path) && seen.in_head.contains_key(path))
        };
        let stays = |path: &&String| !paths.contains(*path) && is_in_snapshot(path);
        let unpublished = seen.uncommitted.keys().filter(stays);
        let updates: Vec<IndexUpdate<'_>> =
            unpublished.map(|path| (path.as_str(), seen.in_head.get(path))).collect();
        self.write_tree_with(&seen.tree, &updates)
    }

    /// Returns a tree with every path that differs from a commit and is not to be kept put back to that commit; nothing
    /// when there is no such path.
    pub fn reset_paths(
        &self,
        tree: &Tree,
        to: &CommitId,
        keep: impl Fn(&str) -> bool,
    ) -> Result<Option<Tree>> {
        let sides = self.run.workspace().differences(to.as_str(), tree.as_str())?;
        let reset = sides.iter().filter(|(path, _)| !keep(path));
        let updates: Vec<IndexUpdate<'_>> =
            reset.map(|(path, (before, _))| (path.as_str(), before.as_ref())).collect();
        if updates.is_empty() { Ok(None) } else { self.write_tree_with(tree, &updates).map(Some) }
    }

    /// Returns a tree in which plain files have other texts.
    pub fn with_texts(&self, tree: &Tree, texts: &[(String, String)]) -> Result<Tree> {
        let entries = self.write_blobs(texts)?;
        let paths = texts.iter().map(|(path, _)| path.as_str());
        let updates: Vec<IndexUpdate<'_>> = paths.zip(entries.iter().map(Some)).collect();
        self.write_tree_with(tree, &updates)
    }

    /// Writes the texts as blobs, by one process for all, and returns their entries.
    fn write_blobs(&self, texts: &[(String, String)]) -> Result<Vec<TreeEntry>> {
        let folder = self.run.state_dir().join("texts");
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        for (number, (_, text)) in texts.iter().enumerate() {
            let file = folder.join(number.to_string());
            regular_file::write(&file, text.as_bytes()).map_err(at(file))?;
        }
        let names: String = (0..texts.len()).map(|number| format!("{number}\n")).collect();
        let call = Call::new(["hash-object", "-w", "--no-filters", "--stdin-paths"]).stdin(names);
        let call = call.options(["--git-dir".as_ref(), self.run.workspace().git_dir()]);
        let written = self.run.workspace().run_in(&folder, &call);
        let _ = fs::remove_dir_all(&folder);
        let written = written?;
        let entry = |id: &str| TreeEntry { mode: "100644".to_owned(), id: id.to_owned() };
        let entries: Vec<TreeEntry> = written.text().lines().map(entry).collect();
        if entries.len() == texts.len() { Ok(entries) } else { Err(written.unexpected_answer()) }
    }

    /// Compares the worktree with an index.
    pub(crate) fn compare_worktree(&self, index: &Path) -> Result<WorktreeComparison> {
        remove_pipes_that_git_reads(self.run.workspace())?;
        let call = status_call().arg("--ignore-submodules=all").arg("--ignored=matching").on_index(index);
        let status = read_status(self.run.workspace(), &call)?;
        let mut seen = WorktreeComparison::new(status.head, status.unreadable);
        let root = self.run.workspace().root();
        let delivered = self.run.files().find_ignored_deliverables(root, &status.ignored).into_iter();
        let delivered = delivered.map(|path| StatusEntry { path, kind: PathStatus::Untracked });
        for entry in status.entries.into_iter().chain(delivered) {
            seen.add_entry(entry, root);
        }
        Ok(seen)
    }

    /// Copies the worktree's own index, because it records which files git has already read; reads HEAD where there is none.
    fn copy_own_index_or_head(&self) -> Result<PathBuf> {
        let (incoming, exists) = self.copy_own_index()?;
        if !exists {
            self.run.workspace().run(&Call::new(["read-tree", "HEAD"]).on_index(&incoming))?;
        }
        Ok(incoming)
    }

    /// Writes the tree of an index that is brought to the files. A kept index may name objects that `git gc` removed; then
    /// the snapshot is taken once more without it.
    fn write_seen(&self, mut seen: WorktreeComparison, incoming: &Path, is_kept: bool) -> Result<Snapshot> {
        self.update_index(&seen, incoming)?;
        if seen.changed.iter().any(|path| path == ".gitignore" || path.ends_with("/.gitignore")) {
            self.drop_newly_ignored(&mut seen, incoming)?;
        }
        self.drop_restored(&mut seen, incoming)?;
        let output = self.run.workspace().try_run(&Call::new(["write-tree"]).on_index(incoming))?;
        if !output.succeeded() {
            let tree = if is_kept { self.take(None)?.tree } else { return Err(output.failure()) };
            return Ok(seen.into_snapshot(tree));
        }
        let tree: Tree = output.id()?;
        self.store_index(incoming, self.tree_index(&tree))?;
        Ok(seen.into_snapshot(tree))
    }

    /// Brings an index to the files on disk.
    fn update_index(&self, seen: &WorktreeComparison, index: &Path) -> Result<()> {
        let root = self.run.workspace().root();
        // Behind a link there is nothing of ours, and git refuses to look.
        let (mut gone, here): (Vec<&str>, Vec<&str>) =
            seen.changed.iter().map(String::as_str).partition(|path| is_behind_link(root, path));
        gone.extend(seen.staged_caches.iter().map(String::as_str));
        for (option, paths) in [("--force-remove", gone), ("--remove", here)] {
            if !paths.is_empty() {
                let call = Call::new(["update-index", "--add", option, "--replace", "-z", "--stdin"]);
                self.run.workspace().run(&call.on_index(index).stdin_paths(paths))?;
            }
        }
        Ok(())
    }

    /// Removes from the index the files that an earlier snapshot took in and that are ignored by now: they were never meant
    /// to be published.
    fn drop_newly_ignored(&self, seen: &mut WorktreeComparison, incoming: &Path) -> Result<()> {
        let call = Call::new(["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"]);
        let output = self.run.workspace().run(&call.on_index(incoming).read_only())?;
        let ignored = output.text();
        let is_taken_out = |path: &&str| seen.added.contains(*path) && !self.run.files().is_delivered(path);
        let ignored: Vec<&str> = ignored.split('\0').filter(is_taken_out).collect();
        if ignored.is_empty() {
            return Ok(());
        }
        let call = Call::new(["update-index", "--force-remove", "-z", "--stdin"]);
        self.run.workspace().run(&call.on_index(incoming).stdin_paths(ignored.iter().copied()))?;
        for path in ignored {
            seen.uncommitted.remove(path);
            seen.changed.insert(path.to_owned());
        }
        Ok(())
    }

    /// Removes from what differs from HEAD the files that differ from the earlier snapshot because they are as in HEAD again.
    fn drop_restored(&self, seen: &mut WorktreeComparison, incoming: &Path) -> Result<()> {
        if seen.changed.is_disjoint(&seen.staged) {
            return Ok(());
        }
        let call = Call::new(["diff-index", "--cached", "--name-only", "--no-renames", "-z"]);
        let output = self.run.workspace().run(&call.arg(seen.head.commit.as_str()).on_index(incoming))?;
        let differing: BTreeSet<String> = output.paths().into_iter().collect();
        seen.uncommitted.retain(|path, _| !seen.changed.contains(path) || differing.contains(path));
        Ok(())
    }

    /// Returns a tree with other entries at these paths.
    fn write_tree_with(&self, tree: &Tree, updates: &[IndexUpdate<'_>]) -> Result<Tree> {
        if updates.is_empty() {
            return Ok(tree.clone());
        }
        let incoming = self.copy_to_incoming(&self.ensure_index_of(tree)?)?;
        let made = self.write_updated_tree(&incoming, updates, tree.as_str().len());
        let _ = fs::remove_file(&incoming);
        made
    }

    fn write_updated_tree(&self, index: &Path, updates: &[IndexUpdate<'_>], length: usize) -> Result<Tree> {
        let no_object = "0".repeat(length);
        let line = |(path, entry): &IndexUpdate<'_>| match entry.filter(|entry| entry.mode != ABSENT_MODE) {
            Some(TreeEntry { mode, id }) => format!("{mode} {id}\t{path}\0"),
            None => format!("0 {no_object}\t{path}\0"),
        };
        let lines: String = updates.iter().map(line).collect();
        let call = Call::new(["update-index", "--replace", "-z", "--index-info"]);
        self.run.workspace().run(&call.on_index(index).stdin(lines))?;
        self.write_tree(index)
    }

    /// Returns the folder in which the index files lie.
    pub(crate) fn index_folder(&self) -> PathBuf {
        self.run.state_dir().join("snapshots")
    }

    /// Returns the path of the index of a tree; the file may be missing.
    pub(crate) fn tree_index(&self, tree: &Tree) -> PathBuf {
        self.index_folder().join(format!("{tree}.index"))
    }

    /// Returns the path of the index of a commit; the file may be missing.
    pub(crate) fn commit_index(&self, commit: &CommitId) -> PathBuf {
        self.index_folder().join(format!("{commit}.commit.index"))
    }

    /// Returns the index of a tree, rebuilt when it is lost.
    pub(crate) fn ensure_index_of(&self, tree: &Tree) -> Result<PathBuf> {
        let index = self.tree_index(tree);
        if !index.exists() {
            let incoming = self.prepare_incoming_index()?;
            let call = Call::new(["read-tree", tree.as_str()]).on_index(&incoming);
            self.run.workspace().run(&call)?;
            fs::rename(&incoming, &index).map_err(at(&index))?;
        }
        Ok(index)
    }

    /// Returns the path of the index that is being made, and removes what a killed process left there.
    pub(crate) fn prepare_incoming_index(&self) -> Result<PathBuf> {
        let dir = self.index_folder();
        fs::create_dir_all(&dir).map_err(at(&dir))?;
        let incoming = dir.join("incoming.index");
        for left in [incoming.clone(), dir.join("incoming.index.lock")] {
            ignore_missing(fs::remove_file(&left)).map_err(at(left))?;
        }
        Ok(incoming)
    }

    /// Copies an index to the path of the index that is being made.
    pub(crate) fn copy_to_incoming(&self, index: &Path) -> Result<PathBuf> {
        let incoming = self.prepare_incoming_index()?;
        copy_with_time(index, &incoming).map_err(at(index))?;
        Ok(incoming)
    }

    /// Copies the worktree's own index to the path of the index that is being made. Returns it, and whether there is an own
    /// one.
    pub(crate) fn copy_own_index(&self) -> Result<(PathBuf, bool)> {
        let own = self.run.workspace().git_dir().join("index");
        let exists = own.exists();
        if own.is_dir() {
            return Err(Error::DamagedIndex { detail: format!("{} is a folder", own.display()) });
        }
        Ok((if exists { self.copy_to_incoming(&own)? } else { self.prepare_incoming_index()? }, exists))
    }

    /// Writes the tree of an index.
    pub(crate) fn write_tree(&self, index: &Path) -> Result<Tree> {
        self.run.workspace().run(&Call::new(["write-tree"]).on_index(index))?.id()
    }

    /// Gives an index its name and removes the oldest ones.
    pub(crate) fn store_index(&self, incoming: &Path, index: PathBuf) -> Result<PathBuf> {
        fs::rename(incoming, &index).map_err(at(&index))?;
        self.remove_old_indexes();
        Ok(index)
    }

    /// Removes the oldest index files. An index too many does no harm, so a failure is ignored.
    fn remove_old_indexes(&self) {
        let Ok(entries) = fs::read_dir(self.index_folder()) else { return };
        let mut indexes: Vec<(SystemTime, PathBuf)> = entries
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "index"))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        indexes.sort();
        for (_, old) in indexes.iter().rev().skip(KEPT) {
            let _ = fs::remove_file(old);
        }
    }
}

/// What differs between the worktree, an index, and HEAD.
#[derive(Debug)]
pub(crate) struct WorktreeComparison {
    pub(crate) head: Head,
    /// Paths whose content in the index is not the one on disk.
    pub(crate) changed: BTreeSet<String>,
    /// Those of them that the index does not know.
    pub(crate) untracked: BTreeSet<String>,
    /// Paths the index knows and HEAD does not.
    added: BTreeSet<String>,
    /// Caches that the index knows and HEAD does not: no tree holds them.
    staged_caches: Vec<String>,
    /// Paths at which the index holds something else than HEAD.
    staged: BTreeSet<String>,
    /// See the fields of `Snapshot`.
    pub(crate) uncommitted: BTreeMap<String, PathContent>,
    in_head: BTreeMap<String, TreeEntry>,
    left_out: Vec<String>,
}

impl WorktreeComparison {
    fn new(head: Head, left_out: Vec<String>) -> Self {
        let (changed, untracked, added) = Default::default();
        let (staged_caches, staged, uncommitted, in_head) = Default::default();
        Self { head, changed, untracked, added, staged_caches, staged, uncommitted, in_head, left_out }
    }

    /// Tells whether the worktree is a commit and nothing else, apart from the engine's own files.
    fn is_exactly(&self, commit: &CommitId) -> bool {
        self.head.commit == *commit
            && self.changed.is_empty()
            && self.staged.is_empty()
            && self.staged_caches.is_empty()
    }

    fn add_entry(&mut self, entry: StatusEntry, root: &Path) {
        if entry.is_staged_cache() {
            self.staged_caches.push(entry.path);
            return;
        }
        let StatusEntry { path, kind } = entry;
        if !matches!(kind, PathStatus::Untracked | PathStatus::Tracked { index: b'.', .. }) {
            self.staged.insert(path.clone());
        }
        match kind {
            PathStatus::Submodule => self.left_out.push(path.escape_debug().collect()),
            // A repository inside the worktree.
            PathStatus::Untracked if path.ends_with('/') => self.left_out.push(path.escape_debug().collect()),
            PathStatus::Untracked => {
                self.untracked.insert(path.clone());
                self.add_changed(path, PathContent::OnDisk);
            }
            PathStatus::Unmerged => self.add_changed(path, PathContent::OnDisk),
            PathStatus::Tracked { .. } if is_special(&root.join(&path)) => {
                self.left_out.push(path.escape_debug().collect());
            }
            PathStatus::Tracked { index, worktree, mode, blob, in_head } => {
                if in_head.mode != ABSENT_MODE {
                    self.in_head.insert(path.clone(), in_head);
                }
                self.add_tracked(path, (index, worktree), mode, blob);
            }
        }
    }

    fn add_tracked(&mut self, path: String, letters: (u8, u8), mode: String, blob: String) {
        if letters.0 == b'A' {
            self.added.insert(path.clone());
        }
        match letters {
            // Neither in HEAD nor on disk: nothing that a commit could hold.
            (b'A', b'D') => {
                if !is_engines_own(&path) {
                    self.changed.insert(path);
                }
            }
            (_, b'D') => self.add_changed(path, PathContent::Deleted),
            // Its file may be there all the same, as an untracked one; that entry says more.
            (b'D', _) => drop(self.uncommitted.entry(path).or_insert(PathContent::Deleted)),
            (_, b'.') => drop(self.uncommitted.entry(path).or_insert(PathContent::Blob { mode, id: blob })),
            _ => self.add_changed(path, PathContent::OnDisk),
        }
    }

    fn add_changed(&mut self, path: String, content: PathContent) {
        if !is_engines_own(&path) {
            self.changed.insert(path.clone());
        }
        self.uncommitted.insert(path, content);
    }

    fn into_snapshot(self, tree: Tree) -> Snapshot {
        Snapshot {
            tree,
            changed: self.changed.into_iter().collect(),
            head: self.head,
            uncommitted: self.uncommitted,
            in_head: self.in_head,
            left_out: self.left_out,
        }
    }
}

/// Names of files in a worktree that git reads whenever it looks at the folder.
const READ_BY_GIT: [&str; 3] = [".gitignore", ".gitattributes", ".gitmodules"];

/// Removes pipes and devices in the places of files that git reads, and below the folder of the runs: whoever reads one waits
/// without an end, and git takes none of them for a file.
fn remove_pipes_that_git_reads(workspace: &Workspace) -> Result<()> {
    let mut pipes = workspace.pipes().below(workspace.root(), |inside| inside.ends_with(".git"));
    let ours = workspace.root().join(".ai-workflow");
    pipes.retain(|pipe| pipe.starts_with(&ours) || READ_BY_GIT.iter().any(|name| pipe.ends_with(name)));
    for pipe in pipes {
        fs::remove_file(&pipe).map_err(at(&pipe))?;
        tracing::warn!(
            "{} was a pipe or a device, for which its readers would wait; it is removed",
            pipe.display()
        );
    }
    Ok(())
}

/// Removes what stands in place of a file, and a file or link in place of one of its folders. Follows no link.
fn remove_what_is_no_folder(root: &Path, path: &str) -> Result<()> {
    let mut at_path = root.to_owned();
    let mut parts = Path::new(path).components().peekable();
    while let Some(part) = parts.next() {
        at_path.push(part);
        let Ok(found) = fs::symlink_metadata(&at_path) else { return Ok(()) };
        let is_last = parts.peek().is_none();
        match (found.is_dir(), is_last) {
            (true, false) => {}
            (true, true) => fs::remove_dir_all(&at_path).map_err(at(&at_path))?,
            (false, _) => {
                fs::remove_file(&at_path).map_err(at(&at_path))?;
                return Ok(());
            }
        }
    }
    Ok(())
}

/// A pipe, socket or device where a file was: reading it could block for ever.
fn is_special(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| {
        let kind = metadata.file_type();
        !kind.is_file() && !kind.is_symlink() && !kind.is_dir()
    })
}

/// Removes a file and the folders that are empty without it, as git itself would.
fn remove_with_empty_folders(root: &Path, path: &str) -> Result<()> {
    let file = root.join(path);
    ignore_missing(fs::remove_file(&file)).map_err(at(&file))?;
    let folders = file.ancestors().skip(1).take_while(|folder| *folder != root);
    // The first folder that is not empty ends it.
    for folder in folders {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}

/// Copies a file together with the time of its last change.
pub(crate) fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    let time = fs::metadata(from)?.modified()?;
    fs::copy(from, to)?;
    File::options().write(true).open(to)?.set_modified(time)
}
