//! The index files behind snapshots and commits, under git's common folder: `<tree>.index` and `<commit>.commit.index`.
//!
//! They are a cache: a lost one is rebuilt from its tree. A copy keeps the time of its original, because git trusts
//! a file that was changed in the same second as its entry only when the index itself is newer.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::call::Call;
use super::error::at;
use super::{CommitId, IssueSpace, Result, Tree};

/// So many of the newest are kept.
const KEPT: usize = 6;

impl IssueSpace {
    pub(super) fn snapshots_dir(&self) -> PathBuf {
        self.state_dir.join("snapshots")
    }

    /// Returns the index of a tree, rebuilt when it is lost.
    pub(super) fn index_of(&self, tree: &Tree) -> Result<PathBuf> {
        let index = self.snapshots_dir().join(format!("{tree}.index"));
        if !index.exists() {
            let incoming = self.incoming()?;
            let call = Call::new(["read-tree", tree.as_str()]).on_index(&incoming);
            self.workspace.git(&call)?;
            fs::rename(&incoming, &index).map_err(at(&index))?;
        }
        Ok(index)
    }

    /// Returns the place of an index in the making, emptied of what a killed process left there.
    pub(super) fn incoming(&self) -> Result<PathBuf> {
        let dir = self.snapshots_dir();
        fs::create_dir_all(&dir).map_err(at(&dir))?;
        let incoming = dir.join("incoming.index");
        for left in [incoming.clone(), dir.join("incoming.index.lock")] {
            match fs::remove_file(&left) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(left)(error)),
                _ => {}
            }
        }
        Ok(incoming)
    }

    /// Copies an index to the place of one in the making.
    pub(super) fn copy_to_incoming(&self, index: &Path) -> Result<PathBuf> {
        let incoming = self.incoming()?;
        copy_with_time(index, &incoming).map_err(at(index))?;
        Ok(incoming)
    }

    /// Keeps a copy of an index that is exactly a commit, for the next commit on top of it.
    pub(super) fn keep_for_commits(&self, index: &Path, commit: &CommitId) -> Result<()> {
        let known = self.commit_index(commit);
        copy_with_time(index, &known).map_err(at(&known))
    }

    /// Returns where the index of a commit is, if it is known.
    pub(super) fn commit_index(&self, commit: &CommitId) -> PathBuf {
        self.snapshots_dir().join(format!("{commit}.commit.index"))
    }

    /// Gives an index its name and forgets the oldest ones.
    pub(super) fn settle(&self, incoming: &Path, name: &str) -> Result<PathBuf> {
        let index = self.snapshots_dir().join(name);
        fs::rename(incoming, &index).map_err(at(&index))?;
        self.forget_old();
        Ok(index)
    }

    /// An index too many does no harm, so nothing here is an error.
    fn forget_old(&self) {
        let Ok(entries) = fs::read_dir(self.snapshots_dir()) else { return };
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
pub(super) fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    let time = fs::metadata(from)?.modified()?;
    fs::copy(from, to)?;
    File::options().write(true).open(to)?.set_modified(time)
}
