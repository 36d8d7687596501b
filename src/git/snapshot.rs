//! The identity of the files as they are now: a git tree of everything in the worktree, untracked files too, without
//! the engine's own and without ignored files, but for what the run delivers: that is taken whatever git ignores.
//!
//! A snapshot compares the worktree with the index of the snapshot before it. One process when nothing changed, three
//! when something did. The user's own index is never touched. What cannot be in a commit (special files, repositories
//! inside the worktree, names that are not UTF-8) is left out and named.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::call::Call;
use super::names::Head;
use super::own_files::is_engines_own;
use super::status::{self, Entry, InHead, Kind, NOTHING};
use super::{CommitId, IssueSpace, Result, Tree};

/// The files at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub tree: Tree,
    /// What differs from the snapshot it was compared with; from HEAD, when there was none.
    pub changed: Vec<String>,
    pub head: Head,
    /// Every path that differs from HEAD, with what a commit of it would hold; strays and the engine's own files too.
    pub uncommitted: BTreeMap<String, Content>,
    /// What HEAD has of them.
    pub(super) in_head: BTreeMap<String, InHead>,
    /// What is there but in no tree, escaped for people.
    pub left_out: Vec<String>,
}

/// What a commit of a path would hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Deleted,
    /// The content that the snapshot saw.
    Blob {
        mode: String,
        id: String,
    },
    /// Whatever the file holds when it is committed.
    OnDisk,
}

impl Snapshot {
    /// Returns the engine's own files that differ from HEAD.
    pub fn engine_files(&self) -> impl Iterator<Item = &str> {
        self.uncommitted.keys().map(String::as_str).filter(|path| is_engines_own(path))
    }
}

impl IssueSpace {
    /// Takes a snapshot and tells what changed since an earlier one.
    pub fn snapshot(&self, since: Option<&Tree>) -> Result<Snapshot> {
        let index = match since {
            Some(tree) => self.index_of(tree)?,
            None => self.copy_of_own_index()?,
        };
        let seen = self.look(&index)?;
        if let (Some(tree), true) = (since, seen.changed.is_empty()) {
            return Ok(seen.into_snapshot(tree.clone()));
        }
        if since.is_none() && seen.is_only(&self.workspace.head) {
            let tree = self.workspace.tree.clone();
            self.keep_for_commits(&index, &seen.head.commit)?;
            self.settle(&index, &format!("{tree}.index"))?;
            return Ok(seen.into_snapshot(tree));
        }
        let incoming = if since.is_some() { self.copy_to_incoming(&index)? } else { index };
        self.take(seen, &incoming, since.is_some())
    }

    /// Seeds from the worktree's own index, because that knows which files git has already looked at.
    fn copy_of_own_index(&self) -> Result<PathBuf> {
        let own = self.workspace.git_dir.join("index");
        if own.exists() {
            return self.copy_to_incoming(&own);
        }
        let incoming = self.incoming()?;
        self.workspace.git(&Call::new(["read-tree", "HEAD"]).on_index(&incoming))?;
        Ok(incoming)
    }

    /// Compares the worktree with an index.
    pub(super) fn look(&self, index: &Path) -> Result<Seen> {
        let call = status::call().arg("--ignore-submodules=all").arg("--ignored=matching").on_index(index);
        let status = self.workspace.status(&call)?;
        let mut seen = Seen::new(status.head, status.unreadable);
        let of_run = self.delivered_and_ignored(&status.ignored).into_iter();
        let of_run = of_run.map(|path| Entry { path, kind: Kind::Untracked });
        for entry in status.entries.into_iter().chain(of_run) {
            seen.add(entry, &self.workspace.root);
        }
        Ok(seen)
    }

    /// An index that we kept names what git may have removed when it cleared up; then everything is taken in once more.
    fn take(&self, mut seen: Seen, incoming: &Path, is_kept: bool) -> Result<Snapshot> {
        self.update(&seen, incoming)?;
        if seen.changed.iter().any(|path| path == ".gitignore" || path.ends_with("/.gitignore")) {
            self.drop_newly_ignored(&mut seen, incoming)?;
        }
        let call = Call::new(["write-tree"]).on_index(incoming);
        let output = self.workspace.try_git(&call)?;
        if !output.succeeded() && is_kept {
            let tree = self.snapshot(None)?.tree;
            return Ok(seen.into_snapshot(tree));
        }
        if !output.succeeded() {
            return Err(output.failure(&call));
        }
        let tree = Tree::try_from(output.text().trim()).map_err(|_| output.unexpected(&call))?;
        self.settle(incoming, &format!("{tree}.index"))?;
        Ok(seen.into_snapshot(tree))
    }

    /// Brings an index to the files on disk.
    fn update(&self, seen: &Seen, index: &Path) -> Result<()> {
        let root = &self.workspace.root;
        // Behind a link there is nothing of ours, and git refuses to look.
        let (gone, here): (Vec<&str>, Vec<&str>) =
            seen.changed.iter().map(String::as_str).partition(|path| is_behind_link(root, path));
        let git = |option: &str, paths: Vec<&str>| {
            if paths.is_empty() {
                return Ok(());
            }
            let call = Call::new(["update-index", "--add", option, "--replace", "-z", "--stdin"]);
            self.workspace.git(&call.on_index(index).fed_with_paths(paths)).map(drop)
        };
        let gone = gone.into_iter().chain(seen.staged_caches.iter().map(String::as_str)).collect();
        git("--force-remove", gone)?;
        git("--remove", here)
    }

    /// A file that an earlier snapshot took in and that is ignored by now was never meant to be published.
    fn drop_newly_ignored(&self, seen: &mut Seen, incoming: &Path) -> Result<()> {
        let call = Call::new(["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"]);
        let output = self.workspace.git(&call.on_index(incoming).reading())?;
        let ignored = output.text();
        let is_taken_out = |path: &&str| seen.added.contains(*path) && !self.is_delivered(path);
        let ignored: Vec<&str> = ignored.split('\0').filter(is_taken_out).collect();
        if ignored.is_empty() {
            return Ok(());
        }
        let call = Call::new(["update-index", "--force-remove", "-z", "--stdin"]);
        self.workspace.git(&call.on_index(incoming).fed_with_paths(ignored.iter().copied()))?;
        for path in ignored {
            seen.uncommitted.remove(path);
            seen.changed.insert(path.to_owned());
        }
        Ok(())
    }

    /// Returns the paths that differ between two snapshots.
    pub fn changed_between(&self, from: &Tree, to: &Tree) -> Result<Vec<String>> {
        let call = Call::new([
            "diff-tree",
            "-r",
            "-z",
            "--name-only",
            "--no-renames",
            from.as_str(),
            to.as_str(),
            "--",
        ]);
        let output = self.workspace.git(&call.reading())?;
        Ok(output.text().split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
    }
}

/// What a look at the worktree found.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) head: Head,
    /// Paths whose content in the index is not the one on disk.
    pub(super) changed: BTreeSet<String>,
    /// Those of them that the index does not know.
    pub(super) untracked: BTreeSet<String>,
    /// Paths the index knows and HEAD does not.
    added: BTreeSet<String>,
    /// Caches that the index knows and HEAD does not: no tree holds them.
    staged_caches: Vec<String>,
    /// The index holds something else than HEAD.
    staged: bool,
    pub(super) uncommitted: BTreeMap<String, Content>,
    in_head: BTreeMap<String, InHead>,
    left_out: Vec<String>,
}

impl Seen {
    fn new(head: Head, left_out: Vec<String>) -> Self {
        let (changed, untracked, added) = Default::default();
        let (staged_caches, uncommitted, in_head) = Default::default();
        Self { head, changed, untracked, added, staged_caches, staged: false, uncommitted, in_head, left_out }
    }

    /// Tells whether the worktree is a commit and nothing else, apart from the engine's own files.
    fn is_only(&self, commit: &CommitId) -> bool {
        self.head.commit == *commit
            && self.changed.is_empty()
            && !self.staged
            && self.staged_caches.is_empty()
    }

    fn add(&mut self, entry: Entry, root: &Path) {
        if entry.is_staged_cache() {
            self.staged_caches.push(entry.path);
            return;
        }
        let Entry { path, kind } = entry;
        self.staged |= !matches!(kind, Kind::Untracked | Kind::Tracked { index: b'.', .. });
        match kind {
            Kind::Submodule => self.left_out.push(path.escape_debug().collect()),
            // A repository inside the worktree.
            Kind::Untracked if path.ends_with('/') => self.left_out.push(path.escape_debug().collect()),
            Kind::Untracked => {
                self.untracked.insert(path.clone());
                self.differs(path, Content::OnDisk);
            }
            Kind::Unmerged => self.differs(path, Content::OnDisk),
            Kind::Tracked { .. } if is_special(&root.join(&path)) => {
                self.left_out.push(path.escape_debug().collect());
            }
            Kind::Tracked { index, worktree, mode, blob, in_head } => {
                if in_head.mode != NOTHING {
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
            (_, b'D') => self.differs(path, Content::Deleted),
            // Its file may be there all the same, as an untracked one; that entry says more.
            (b'D', _) => drop(self.uncommitted.entry(path).or_insert(Content::Deleted)),
            (_, b'.') => drop(self.uncommitted.entry(path).or_insert(Content::Blob { mode, id: blob })),
            _ => self.differs(path, Content::OnDisk),
        }
    }

    fn differs(&mut self, path: String, content: Content) {
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

/// A pipe, socket or device where a file was: reading it could block for ever.
fn is_special(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| {
        let kind = metadata.file_type();
        !kind.is_file() && !kind.is_symlink() && !kind.is_dir()
    })
}

/// Tells whether a path leads through a symbolic link, perhaps out of the worktree.
pub(super) fn is_behind_link(root: &Path, path: &str) -> bool {
    let folders = Path::new(path).ancestors().skip(1);
    folders.filter(|folder| !folder.as_os_str().is_empty()).any(|folder| root.join(folder).is_symlink())
}
