//! How files are read and replaced here, and what can be wrong with them. Every error names the file.
//! A file is replaced by rename, so that a reader sees the old one or the new one. Knows no file by name.

use std::borrow::Cow;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use model::event;

/// What is wrong with the files of a run. Every one of these errors stops the run; none changes a file.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file does not hold what it has to hold.
    #[error("{file} is damaged at line {line}: {why}")]
    Damaged {
        /// The file as messages name it.
        file: String,
        /// The first line that is wrong, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A small file under git's common directory does not hold what it has to hold.
    #[error("{file} is damaged at line {line}: {why}")]
    DamagedRecord {
        /// The file.
        file: String,
        /// The first line that is wrong, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A log was written by a later version of this program.
    #[error("{file}, line {line}, has format {format}; this program knows formats up to {known}", known = event::FORMAT)]
    Newer {
        /// The log.
        file: String,
        /// The line that states the format, from 1.
        line: usize,
        /// The format that it states.
        format: u64,
    },
    /// Another program wrote to the log while this process held the run.
    #[error("{file} was changed by somebody else while the run was going on: {why}")]
    Tampered {
        /// The log.
        file: String,
        /// What is not as it was written.
        why: String,
    },
    /// Another program wrote to a file by which a step of a job passes values to later steps.
    #[error(
        "E_JOB_FILES_CHANGED: an agent or a command wrote to the file in ${variable}, which later steps of the job obey"
    )]
    JobFile {
        /// The variable that names the file.
        variable: &'static str,
    },
    /// The path is taken by something that is not ours.
    #[error("{file} is {what}")]
    Foreign {
        /// The path.
        file: String,
        /// What is at the path.
        what: &'static str,
    },
    /// The operating system refused.
    #[error("cannot {action} {file}: {source}")]
    Io {
        /// What was tried, as an infinitive such as `write to`.
        action: &'static str,
        /// The file or folder.
        file: String,
        /// The system's error.
        source: io::Error,
    },
    /// An entry of the log would not be read as it was written.
    #[error("entry {seq} would not read back: {why}")]
    Unwritable {
        /// The number of the entry.
        seq: u64,
        /// Why it cannot be read.
        why: String,
    },
}

impl StoreError {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> Cow<'static, str> {
        if let Some(obstacle) = self.find_obstacle() {
            return move_away(obstacle);
        }
        Cow::Borrowed(match self {
            Self::Damaged { .. } => {
                "nothing was changed; restore the file from the run's branch (`git checkout -- FILE`) or start anew with `cleanup`"
            }
            Self::DamagedRecord { file, .. } => {
                return Cow::Owned(format!(
                    "the log of the run is not in this file; move the file away with `mv {file} {file}.damaged`, then run the \
                     same command again where the files of the run are"
                ));
            }
            Self::Newer { .. } => "use the version of ai-workflow that wrote it, or a later one",
            Self::Tampered { .. } => {
                "only ai-workflow writes this file; look at what was running, restore the file, then run the same command again"
            }
            Self::JobFile { .. } => {
                "what it wrote was taken out again; look at what the agent and the tests of the repository did"
            }
            Self::Foreign { file, .. } => return move_away(Path::new(file)),
            Self::Io { .. } if self.is_disk_full() => "free some space, then run the same command again",
            Self::Io { .. } => "look at the permissions and the disk, then run the same command again",
            Self::Unwritable { .. } => "this is a bug of ai-workflow; please report it",
        })
    }

    /// Returns what stands in the place of a folder that is needed.
    fn find_obstacle(&self) -> Option<&Path> {
        let Self::Io { file, source, .. } = self else { return None };
        if !matches!(source.kind(), ErrorKind::NotADirectory | ErrorKind::AlreadyExists) {
            return None;
        }
        let is_no_folder = |path: &&Path| fs::metadata(path).is_ok_and(|found| !found.is_dir());
        Path::new(file).ancestors().find(is_no_folder)
    }

    /// Tells whether there was no space left.
    pub fn is_disk_full(&self) -> bool {
        use ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        matches!(self, Self::Io { source, .. } if matches!(source.kind(), StorageFull | QuotaExceeded | FileTooLarge))
    }
}

/// Says how something that stands in the place of a file or a folder of ours is moved away.
fn move_away(path: &Path) -> Cow<'static, str> {
    Cow::Owned(format!(
        "nothing was changed; move it out of the way with `mv {0} {0}.damaged`, then run the same command again where the files \
         of the run are",
        path.display()
    ))
}

/// Returns a function that turns an input/output error into ours, which names the file.
pub(super) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let file = path.display().to_string();
    move |source| StoreError::Io { action, file, source }
}

/// Returns the result for a file or a folder; nothing when it is missing.
pub(super) fn if_there<T>(done: io::Result<T>) -> io::Result<Option<T>> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// Returns the metadata of a path, without following a link; nothing when the path is missing.
pub(super) fn read_metadata(path: &Path) -> Result<Option<Metadata>, StoreError> {
    if_there(fs::symlink_metadata(path)).map_err(io_error("look at", path))
}

/// Returns what a file holds; nothing when there is none. What is no file is refused: reading a pipe could wait for ever.
pub(super) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    refuse_other_than_file(path)?;
    if_there(fs::read(path)).map_err(io_error("read", path))
}

/// Refuses what stands in the place of a file and is none; a link to a file is one.
pub(super) fn refuse_other_than_file(path: &Path) -> Result<(), StoreError> {
    let is_other = fs::metadata(path).is_ok_and(|found| !found.is_file());
    if is_other { Err(not_ordinary(path)) } else { Ok(()) }
}

/// Returns the error about a path at which there is no ordinary file.
pub(super) fn not_ordinary(path: &Path) -> StoreError {
    StoreError::Foreign { file: path.display().to_string(), what: "no ordinary file" }
}

/// Makes a folder and those above it.
pub(super) fn make_folders(folder: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(folder).map_err(io_error("make the folder", folder))
}

/// Replaces a file as a whole, in a folder that is made when it is missing; a power cut may lose it.
pub(super) fn replace_in_folder(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    make_folders(path.parent().unwrap_or(Path::new(".")))?;
    replace(path, bytes)
}

/// Replaces a file as a whole; a power cut may lose it.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write_and_rename(path, bytes, |_| Ok(()))
}

/// Replaces a file as a whole and for good, but for its name: that is the folder's to sync.
pub(super) fn replace_durably(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write_and_rename(path, bytes, File::sync_data)
}

/// Returns what an ordinary file holds; of anything else nothing.
pub(super) fn read_ordinary_file(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match read_metadata(path)? {
        Some(found) if found.is_file() => fs::read(path).map(Some).map_err(io_error("read", path)),
        _ => Ok(None),
    }
}

/// Removes a file, or a link and not what it leads to. What is not there is removed already.
pub(super) fn remove(path: &Path) -> Result<(), StoreError> {
    if_there(fs::remove_file(path)).map(drop).map_err(io_error("remove", path))
}

/// Writes beside the file and renames. The name beside it is always the same one: what a killed process left
/// there is swept by the next write, and there is one writer, the holder of the lock.
fn write_and_rename(path: &Path, bytes: &[u8], sync: fn(&File) -> io::Result<()>) -> Result<(), StoreError> {
    let beside = temporary_path(path);
    if_there(fs::remove_file(&beside)).map_err(io_error("sweep", &beside))?;
    // `create_new` follows no link.
    let written = File::create_new(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| sync(&file)))
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        // The write failed already; a file that cannot be removed either is swept by the next write.
        let _ = fs::remove_file(&beside);
        io_error("write", path)(error)
    })
}

fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

#[cfg(test)]
mod tests;
