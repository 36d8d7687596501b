//! What a process knows about its clean worktree from the last use: by it the next use tells whether anybody else wrote there.
//! Makes and removes no worktree.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::{at, ignore_missing};
use crate::{Result, regular_file};

/// What this process knows about its clean worktree. In memory only: an agent could write into a file.
#[derive(Debug)]
pub(crate) struct LastUse {
    /// Its index as we left it, for a command can hide files in it.
    index: Vec<u8>,
    /// The state of all files after the commands; nothing while they run.
    sealed: Option<Vec<u8>>,
}

impl LastUse {
    /// A use that begins with this index.
    pub(crate) fn begin(index: Vec<u8>) -> Self {
        Self { index, sealed: None }
    }

    /// Remembers the state of all files after the commands.
    pub(crate) fn seal(&mut self, root: &Path) {
        self.sealed = Some(digest_files(root));
    }

    /// Tells whether anything changed since the commands ended, and warns of it.
    pub(crate) fn was_disturbed(&self, root: &Path) -> bool {
        let Some(sealed) = &self.sealed else { return false };
        let is_disturbed = *sealed != digest_files(root);
        if is_disturbed {
            tracing::warn!(
                "Files in {}, where commands run, were changed by another program; the folder is made anew",
                root.display()
            );
        }
        is_disturbed
    }

    pub(crate) fn restore_index(&self, admin: &Path) -> Result<()> {
        let index = admin.join("index");
        if regular_file::read(&index).is_ok_and(|bytes| bytes == self.index) {
            return Ok(());
        }
        // A link in its place would lead the writing elsewhere.
        ignore_missing(fs::remove_file(&index)).map_err(at(&index))?;
        fs::write(&index, &self.index).map_err(at(index))
    }
}

/// Returns a digest of the names of all files and folders below a folder, and of what tells that one was written.
fn digest_files(root: &Path) -> Vec<u8> {
    let (mut folders, mut digest) = (vec![root.to_owned()], Sha256::new());
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            digest.update(path.as_os_str().as_encoded_bytes());
            let numbers = [found.ino(), found.len(), found.mode().into()];
            let times = [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
            digest.update(numbers.map(u64::to_le_bytes).concat());
            digest.update(times.map(i64::to_le_bytes).concat());
            if found.is_dir() {
                folders.push(path);
            }
        }
    }
    digest.finalize().to_vec()
}
