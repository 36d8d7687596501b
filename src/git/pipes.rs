//! Finds pipes and devices below a folder, for which git and others would wait without an end. A folder is read again only where
//! its times say that an entry came, went or was renamed: a worktree may hold many thousand folders that nobody touches.
//! Removes nothing.

use std::collections::HashMap;
use std::fs::{self, FileType, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What changes in the same tick of the file system's clock leaves the same time; a tick takes 10 ms at most.
const TICK: Duration = Duration::from_millis(100);

/// The folders that were read, by their paths.
#[derive(Debug, Default)]
pub(crate) struct PipeSearch {
    known: HashMap<PathBuf, Listing>,
}

impl PipeSearch {
    /// Returns the pipes and devices below a folder, sorted.
    pub(crate) fn below(&mut self, top: &Path, is_passed_over: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
        let (mut folders, mut found) = (vec![top.to_owned()], Vec::new());
        while let Some(folder) = folders.pop() {
            let Some(listing) = self.listing(&folder) else { continue };
            found.extend(listing.pipes.iter().cloned());
            folders.extend(listing.folders.iter().filter(|inside| !is_passed_over(inside)).cloned());
        }
        found.sort();
        found
    }

    /// Returns what stands in a folder; nothing where it is none.
    fn listing(&mut self, folder: &Path) -> Option<&Listing> {
        let state = FolderState::read(folder);
        let is_known = |known: &Listing| known.has_rested && state.as_ref() == Some(&known.state);
        if !self.known.get(folder).is_some_and(is_known) {
            self.known.remove(folder);
            self.known.insert(folder.to_owned(), Listing::read(folder, state?));
        }
        self.known.get(folder)
    }
}

/// What stands in a folder.
#[derive(Debug)]
struct Listing {
    /// The folder before it was read.
    state: FolderState,
    /// Nothing changed in the folder shortly before it was read.
    has_rested: bool,
    folders: Vec<PathBuf>,
    pipes: Vec<PathBuf>,
}

impl Listing {
    fn read(folder: &Path, state: FolderState) -> Self {
        let (mut folders, mut pipes) = (Vec::new(), Vec::new());
        let has_rested = state.has_rested();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if is_kind_of_pipe(kind) => pipes.push(entry.path()),
                _ => {}
            }
        }
        Self { state, has_rested, folders, pipes }
    }
}

/// What tells that a folder is the same and has the same entries. Programs cannot set the time of a change back.
#[derive(Debug, PartialEq, Eq)]
struct FolderState {
    device: u64,
    inode: u64,
    /// Seconds and nanoseconds since 1970.
    changed: (i64, i64),
}

impl FolderState {
    fn read(folder: &Path) -> Option<Self> {
        let found = fs::metadata(folder).ok().filter(Metadata::is_dir)?;
        let changed = (found.ctime(), found.ctime_nsec());
        Some(Self { device: found.dev(), inode: found.ino(), changed })
    }

    fn has_rested(&self) -> bool {
        let (seconds, nanos) = self.changed;
        let since_1970 = u64::try_from(seconds).ok().zip(u32::try_from(nanos).ok());
        let changed =
            since_1970.and_then(|(seconds, nanos)| UNIX_EPOCH.checked_add(Duration::new(seconds, nanos)));
        changed.and_then(|at| SystemTime::now().duration_since(at).ok()).is_some_and(|rest| rest >= TICK)
    }
}

/// Tells whether a pipe or a device stands there. A socket is none: opening one fails at once.
pub(crate) fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| is_kind_of_pipe(found.file_type()))
}

fn is_kind_of_pipe(kind: FileType) -> bool {
    kind.is_fifo() || kind.is_char_device() || kind.is_block_device()
}

#[cfg(test)]
mod tests;
