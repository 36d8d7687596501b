//! Index files beside the user's own: those behind snapshots and commits, `<tree>.index` and `<commit>.commit.index` under
//! git's common folder, and the lock by which the user's own one is replaced.
//!
//! They are a cache: a lost one is rebuilt from its tree. A copy keeps the time of its original, because git trusts
//! a file that was changed in the same second as its entry only when the index itself is newer.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::call::Call;
use crate::error::{at, missing_is_fine};
use crate::workspace::Workspace;
use crate::{CommitId, Error, Result, Tree};

/// So many of the newest are kept.
const KEPT: usize = 6;
/// An editor's git holds the lock for moments only; so often it is tried, with a pause between.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(25);

/// The index files of a run.
#[derive(Debug, Clone)]
pub(crate) struct IndexFiles<'a> {
    pub(crate) workspace: &'a Workspace,
    /// The folder in which they lie.
    pub(crate) folder: PathBuf,
}

impl<'a> IndexFiles<'a> {
    /// Names the index files of a run with this state folder.
    pub(crate) fn new(workspace: &'a Workspace, state_dir: &Path) -> Self {
        Self { workspace, folder: state_dir.join("snapshots") }
    }

    /// Returns where the index of a tree is, if it is known.
    pub(crate) fn tree_index(&self, tree: &Tree) -> PathBuf {
        self.folder.join(format!("{tree}.index"))
    }

    /// Returns where the index of a commit is, if it is known.
    pub(crate) fn commit_index(&self, commit: &CommitId) -> PathBuf {
        self.folder.join(format!("{commit}.commit.index"))
    }

    /// Returns the index of a tree, rebuilt when it is lost.
    pub(crate) fn index_of(&self, tree: &Tree) -> Result<PathBuf> {
        let index = self.tree_index(tree);
        if !index.exists() {
            let incoming = self.incoming()?;
            let call = Call::new(["read-tree", tree.as_str()]).on_index(&incoming);
            self.workspace.run(&call)?;
            fs::rename(&incoming, &index).map_err(at(&index))?;
        }
        Ok(index)
    }

    /// Returns the place of an index in the making, emptied of what a killed process left there.
    pub(crate) fn incoming(&self) -> Result<PathBuf> {
        let dir = &self.folder;
        fs::create_dir_all(dir).map_err(at(dir))?;
        let incoming = dir.join("incoming.index");
        for left in [incoming.clone(), dir.join("incoming.index.lock")] {
            missing_is_fine(fs::remove_file(&left)).map_err(at(left))?;
        }
        Ok(incoming)
    }

    /// Copies an index to the place of one in the making.
    pub(crate) fn copy_to_incoming(&self, index: &Path) -> Result<PathBuf> {
        let incoming = self.incoming()?;
        copy_with_time(index, &incoming).map_err(at(index))?;
        Ok(incoming)
    }

    /// Copies the worktree's own index to the place of one in the making. Returns it, and whether there is an own one.
    pub(crate) fn copy_own(&self) -> Result<(PathBuf, bool)> {
        let own = self.workspace.git_dir().join("index");
        let exists = own.exists();
        Ok((if exists { self.copy_to_incoming(&own)? } else { self.incoming()? }, exists))
    }

    /// Writes the tree of an index.
    pub(crate) fn write_tree(&self, index: &Path) -> Result<Tree> {
        self.workspace.run(&Call::new(["write-tree"]).on_index(index))?.id()
    }

    /// Keeps a copy of an index that is exactly a commit, for the next commit on top of it.
    pub(crate) fn keep_for_commits(&self, index: &Path, commit: &CommitId) -> Result<()> {
        let known = self.commit_index(commit);
        copy_with_time(index, &known).map_err(at(&known))
    }

    /// Gives an index its name and forgets the oldest ones.
    pub(crate) fn store(&self, incoming: &Path, name: &str) -> Result<PathBuf> {
        let index = self.folder.join(name);
        fs::rename(incoming, &index).map_err(at(&index))?;
        self.forget_old();
        Ok(index)
    }

    /// An index too many does no harm, so nothing here is an error.
    fn forget_old(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
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

/// Copies a file together with the time of its last change.
fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    let time = fs::metadata(from)?.modified()?;
    fs::copy(from, to)?;
    File::options().write(true).open(to)?.set_modified(time)
}

/// The lock of the worktree's own index, by git's own rule: whoever creates `index.lock` may replace the index by it.
pub(crate) struct IndexLock {
    path: PathBuf,
    index: PathBuf,
    replaced: bool,
}

impl IndexLock {
    /// Takes the lock; an error when another git holds it and does not let it go.
    pub(crate) fn take(workspace: &Workspace) -> Result<Self> {
        let (path, index) = (workspace.git_dir().join("index.lock"), workspace.git_dir().join("index"));
        for _ in 0..LOCK_TRIES {
            match File::create_new(&path) {
                Ok(_) => return Ok(Self { path, index, replaced: false }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => thread::sleep(LOCK_PAUSE),
                Err(error) => return Err(at(path)(error)),
            }
        }
        Err(Error::Locked { path: path.display().to_string() })
    }

    /// Puts a copy of another index in the place of the own one, which ends the lock.
    pub(crate) fn replace_with(mut self, index: &Path) -> Result<()> {
        copy_with_time(index, &self.path).map_err(at(&self.path))?;
        fs::rename(&self.path, &self.index).map_err(at(&self.index))?;
        self.replaced = true;
        Ok(())
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        if !self.replaced {
            // Ours, and empty: with it left there every later git would refuse.
            let _ = fs::remove_file(&self.path);
        }
    }
}
