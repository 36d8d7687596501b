//! One process per issue: a lock of the operating system on a file under git's common directory.
//! It ends with the process, however that dies, so there is no lease to expire and no stale lock to remove.
//! Agents do not inherit it: files are opened close-on-exec.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use model::issue::IssueNumber;
use model::redact::Masked;

/// How often and how far apart a lock is looked at before it counts as held.
const LOOKS: u32 = 5;
const MOMENT: Duration = Duration::from_millis(3);

/// Who holds an issue or a checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    pub host: String,
    pub since: Timestamp,
    pub command: String,
    /// The issue that a checkout is held for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<IssueNumber>,
}

impl Holder {
    /// Tells whether the holder runs on this machine, so that its process id means something here.
    pub fn is_here(&self) -> bool {
        self.host == host()
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {} since {}: {}", self.pid, self.host, self.since, self.command)
    }
}

/// Says why an issue could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another process holds this issue: {}", .holder.as_ref().map_or("it has not said who it is".to_owned(), ToString::to_string))]
    Busy { holder: Option<Holder> },
    #[error("cannot lock {}: {source}", .path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

impl LockError {
    /// Returns what a person can do about a lock that cannot be made.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Busy { .. } => None,
            Self::Io { .. } => Some("look at the permissions and the disk, then run the same command again"),
        }
    }
}

/// The right to work on an issue, until it is dropped or the process ends.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of a run's private folder, or says who has it.
    pub fn take(folder: &Path, command: &Masked, since: Timestamp) -> Result<Self, LockError> {
        Self::take_for(folder, None, command, since)
    }

    /// Takes the lock of a folder; `issue` is what it is taken for, where the folder does not say so.
    pub(super) fn take_for(
        folder: &Path,
        issue: Option<IssueNumber>,
        command: &Masked,
        since: Timestamp,
    ) -> Result<Self, LockError> {
        let path = folder.join("lock");
        let io = |source| LockError::Io { path: path.clone(), source };
        let mut file = acquire(folder, &path)
            .map_err(io)?
            .ok_or_else(|| LockError::Busy { holder: introduce(&path) })?;
        let command = command.as_str().to_owned();
        let holder = Holder { pid: std::process::id(), host: host(), since, command, issue };
        write(&mut file, &holder).map_err(io)?;
        Ok(Self { file })
    }
}

impl Drop for Lock {
    /// Empties the file so that the next holder is not taken for this one; closing it releases the lock.
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
    }
}

/// Returns who holds the lock now, if anybody does and has said who it is.
pub fn holder(folder: &Path) -> Option<Holder> {
    let path = folder.join("lock");
    let file = File::open(&path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => introduce(&path),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

/// Opens and locks the file; nothing when another process has it. Looks more than once: somebody who only asks
/// for the [`holder`] has it for a moment, and a `cleanup` may remove it between opening and locking.
fn acquire(folder: &Path, path: &Path) -> std::io::Result<Option<File>> {
    for _ in 0..LOOKS {
        let file = open(folder, path)?;
        match file.try_lock() {
            Ok(()) if is_still(&file, path) => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => std::thread::sleep(MOMENT),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

fn open(folder: &Path, path: &Path) -> std::io::Result<File> {
    fs::create_dir_all(folder)?;
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Tells whether the path still leads to this file.
#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: &fs::Metadata| (found.dev(), found.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(ref ours), Ok(ref there)) if identity(ours) == identity(there))
}

#[cfg(not(unix))]
fn is_still(_: &File, path: &Path) -> bool {
    path.exists()
}

fn write(file: &mut File, holder: &Holder) -> std::io::Result<()> {
    let text = serde_json::to_string(holder)?;
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(text.as_bytes())
}

/// Reads who the holder is; it writes that a moment after it took the lock, so this looks more than once.
fn introduce(path: &Path) -> Option<Holder> {
    let read = || fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    (0..LOOKS).find_map(|_| {
        read().or_else(|| {
            std::thread::sleep(MOMENT);
            None
        })
    })
}

/// Returns the name of this machine.
pub(super) fn host() -> String {
    let named =
        fs::read_to_string("/proc/sys/kernel/hostname").or_else(|_| fs::read_to_string("/etc/hostname"));
    let name = named.map(|name| name.trim().to_owned()).unwrap_or_default();
    if name.is_empty() { "this machine".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(folder: &Path) -> Result<Lock, LockError> {
        Lock::take(folder, &Masked::own("execute --issue 243"), Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn the_second_one_is_told_who_holds_the_issue() {
        let folder = tempfile::tempdir().expect("a folder");
        let issue = folder.path().join("ai-workflow/issue-243");
        let first = take(&issue).expect("the first");
        let Err(LockError::Busy { holder: Some(found) }) = take(&issue) else { panic!("taken twice") };
        let command = "execute --issue 243".to_owned();
        let expected = Holder {
            pid: std::process::id(),
            host: host(),
            since: Timestamp::UNIX_EPOCH,
            command,
            issue: None,
        };
        assert_eq!(found, expected);
        assert!(found.is_here());
        assert_eq!(
            LockError::Busy { holder: Some(found) }.to_string(),
            format!(
                "another process holds this issue: process {} on {} since 1970-01-01T00:00:00Z: execute --issue 243",
                std::process::id(),
                host()
            )
        );
        drop(first);
        take(&issue).expect("free again");
    }

    #[test]
    fn asking_who_holds_it_takes_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(holder(folder.path()), None);
        let lock = take(folder.path()).expect("the lock");
        assert_eq!(holder(folder.path()).map(|found| found.pid), Some(std::process::id()));
        drop(lock);
        assert_eq!(holder(folder.path()), None);
        take(folder.path()).expect("asking left it free");
    }

    #[test]
    fn a_holder_that_has_not_said_who_it_is_is_still_a_holder() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = take(folder.path()).expect("the lock");
        lock.file.set_len(0).expect("emptied");
        assert_eq!(holder(folder.path()), None);
        let error = take(folder.path()).expect_err("held").to_string();
        assert_eq!(error, "another process holds this issue: it has not said who it is");
    }

    #[test]
    fn somebody_who_only_asks_does_not_turn_a_run_away() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(take(folder.path()).expect("made"));
        std::thread::scope(|scope| {
            // A pause between the questions: somebody who asks without end is not what this is about.
            let asking = scope.spawn(|| {
                for _ in 0..30 {
                    let _ = holder(folder.path());
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
            for _ in 0..20 {
                take(folder.path()).expect("nobody else takes it");
            }
            asking.join().expect("asked");
        });
    }

    #[test]
    fn a_lock_that_cannot_be_made_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        fs::write(&file, "").expect("a file");
        let error = take(&file).expect_err("a file is no folder").to_string();
        assert!(error.starts_with(&format!("cannot lock {}: ", file.join("lock").display())), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_was_removed_meanwhile_is_not_the_lock() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let file = open(folder.path(), &path).expect("a file");
        assert!(is_still(&file, &path));
        fs::remove_file(&path).expect("removed");
        assert!(!is_still(&file, &path));
        open(folder.path(), &path).expect("another file");
        assert!(!is_still(&file, &path));
    }
}
