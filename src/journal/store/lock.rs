//! One process per issue, and one run at a time in a checkout: locks of the operating system on files under git's folders.
//! They end with the process, however that dies, so there is no lease to expire and no stale lock to remove.
//! Agents do not inherit them: files are opened close-on-exec.
//!
//! A file beside the lock of a checkout says when a process of ours last worked there, also when that ended in a crash: by
//! it a lock that a killed git left behind is known. Nothing here knows what is in the checkout.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::files::{StoreError, io_error, read_if_there, refuse_other_than_file, replace};
use model::issue::IssueNumber;
use model::redact::Masked;

/// How often and how far apart a lock is looked at before it counts as held.
const LOOKS: u32 = 5;
const BETWEEN_LOOKS: Duration = Duration::from_millis(3);

/// Who holds an issue or a checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, derive_more::Display)]
#[display("process {pid} on {host} since {since}: {command}")]
pub struct LockHolder {
    /// The id of its process.
    pub pid: u32,
    /// The name of its machine.
    pub host: String,
    /// When it took the lock.
    pub since: Timestamp,
    /// What it was called for, masked.
    pub command: String,
    /// The issue that a checkout is held for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<IssueNumber>,
}

impl LockHolder {
    fn of_this_process(command: &Masked, since: Timestamp, issue: Option<IssueNumber>) -> Self {
        Self { pid: std::process::id(), host: hostname(), since, command: command.as_str().to_owned(), issue }
    }

    /// Tells whether the holder runs on this machine, so that its process id means something here.
    pub fn is_here(&self) -> bool {
        self.host == hostname()
    }
}

/// Why a lock could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has the lock.
    #[error("another process holds this issue: {}", .holder.as_ref().map_or("it has not said who it is".to_owned(), ToString::to_string))]
    Busy {
        /// Who that is, if the lock file names it.
        holder: Option<LockHolder>,
    },
    /// The file could not be made or locked.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The right to work on an issue, until it is dropped or the process ends.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of a run's private folder, or says who has it.
    pub fn take(folder: &Path, command: &Masked, since: Timestamp) -> Result<Self, LockError> {
        Self::take_for(folder, &LockHolder::of_this_process(command, since, None))
    }

    fn take_for(folder: &Path, holder: &LockHolder) -> Result<Self, LockError> {
        let path = folder.join("lock");
        refuse_other_than_file(&path)?;
        let acquired = acquire_file(folder, &path).map_err(io_error("lock", &path))?;
        let mut file = acquired.ok_or_else(|| LockError::Busy { holder: read_holder(&path) })?;
        write_holder(&mut file, holder).map_err(io_error("lock", &path))?;
        Ok(Self { file })
    }
}

impl Drop for Lock {
    /// Empties the file so that the next holder is not taken for this one; closing it releases the lock.
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
    }
}

/// The file in which a checkout's last work is noted.
const WORK: &str = "work.json";

/// From when to when a process of ours worked in a checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckoutWork {
    host: String,
    /// When it began.
    pub since: Timestamp,
    /// When it ended; nothing while it works, and after a crash.
    pub until: Option<Timestamp>,
}

impl CheckoutWork {
    /// Returns from when to when it lasted; after a crash the end is not known, and it is now.
    pub fn span(&self, now: Timestamp) -> (SystemTime, SystemTime) {
        (self.since.into(), self.until.unwrap_or(now).into())
    }
}

/// The right to work in a checkout, until it is dropped or the process ends.
#[derive(Debug)]
pub struct CheckoutLock {
    folder: PathBuf,
    work: Option<CheckoutWork>,
    /// Dropped last, so that the next holder reads a record that is complete.
    _lock: Lock,
}

impl CheckoutLock {
    /// Takes the checkout whose git folder this is for an issue, or says who works in it.
    pub fn take(
        git_dir: &Path,
        issue: IssueNumber,
        command: &Masked,
        since: Timestamp,
    ) -> Result<Self, LockError> {
        let folder = git_dir.join("ai-workflow").join("checkout");
        let lock = Lock::take_for(&folder, &LockHolder::of_this_process(command, since, Some(issue)))?;
        Ok(Self { folder, work: None, _lock: lock })
    }

    /// Returns when a process of ours on this machine worked here last.
    pub fn last_work(&self) -> Option<CheckoutWork> {
        let bytes = read_if_there(&self.folder.join(WORK)).ok()??;
        let work: CheckoutWork = serde_json::from_slice(&bytes).ok()?;
        if work.host == hostname() { Some(work) } else { None }
    }

    /// Notes that work begins here, if that is not noted yet.
    pub fn begin_work(&mut self, since: Timestamp) {
        if self.work.is_none() {
            let work = CheckoutWork { host: hostname(), since, until: None };
            self.write_work(&work);
            self.work = Some(work);
        }
    }

    /// Releases the checkout, and removes the files of the lock where no process of ours ever worked.
    pub fn release(self) {
        let folder = self.folder.clone();
        if self.work.is_none() && !folder.join(WORK).exists() {
            let _ = fs::remove_file(folder.join("lock"));
        }
        drop(self);
        // Folders that are not empty stay.
        let _ = fs::remove_dir(&folder);
        let _ = folder.parent().map(fs::remove_dir);
    }

    /// Writes the record of the work. Where that fails, a person has to remove a lock that a killed git left behind.
    fn write_work(&self, work: &CheckoutWork) {
        let written = serde_json::to_vec(work).ok().map(|text| replace(&self.folder.join(WORK), &text));
        if let Some(Err(error)) = written {
            tracing::debug!("{error}");
        }
    }
}

impl Drop for CheckoutLock {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            self.write_work(&CheckoutWork { until: Some(Timestamp::now()), ..work });
        }
    }
}

/// Returns who holds the lock now, if it is held and the lock file names the holder.
pub fn holder(folder: &Path) -> Option<LockHolder> {
    let path = folder.join("lock");
    refuse_other_than_file(&path).ok()?;
    let file = File::open(&path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => read_holder(&path),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

/// Opens and locks the file; nothing when another process has it. Tries more than once: a process that only asks for the
/// [`holder`] has it for a moment, and a `cleanup` may remove it between opening and locking.
fn acquire_file(folder: &Path, path: &Path) -> io::Result<Option<File>> {
    for _ in 0..LOOKS {
        let file = open(folder, path)?;
        match file.try_lock() {
            Ok(()) if is_same_file(&file, path) => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => std::thread::sleep(BETWEEN_LOOKS),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

fn open(folder: &Path, path: &Path) -> io::Result<File> {
    fs::create_dir_all(folder)?;
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Tells whether the path still leads to this file.
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: &fs::Metadata| (found.dev(), found.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(ref ours), Ok(ref there)) if identity(ours) == identity(there))
}

fn write_holder(file: &mut File, holder: &LockHolder) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(&serde_json::to_vec(holder)?)
}

/// Reads who the holder is; it writes that a moment after it took the lock, so this looks more than once.
fn read_holder(path: &Path) -> Option<LockHolder> {
    for _ in 0..LOOKS {
        let holder = fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if holder.is_some() {
            return holder;
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
    None
}

/// Returns the name of this machine.
fn hostname() -> String {
    let known = fs::read_to_string("/proc/sys/kernel/hostname");
    let named = known.or_else(|_| fs::read_to_string("/etc/hostname")).unwrap_or_default();
    let name = named.trim();
    if name.is_empty() { "this machine".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests;
