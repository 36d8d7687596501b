//! One run at a time in a checkout: a lock under the git folder of that worktree, held as long as a process works there.
//! Beside it stands when somebody of ours last worked there, also when that ended in a crash: by it a lock that a killed git
//! left behind is known. Does not know what lies in the checkout.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::lock::{Lock, LockError, host};
use super::view;
use model::issue::IssueNumber;
use model::redact::Masked;

const WORK: &str = "work.json";

/// From when to when a process of ours worked in a checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    host: String,
    pub since: Timestamp,
    /// Nothing while it works, and after a crash.
    pub until: Option<Timestamp>,
}

impl Work {
    /// Returns from when to when it lasted; after a crash nobody knows the end, and it is now.
    pub fn span(&self, now: Timestamp) -> (SystemTime, SystemTime) {
        (self.since.into(), self.until.unwrap_or(now).into())
    }
}

/// The right to work in a checkout, until it is dropped or the process ends.
#[derive(Debug)]
pub struct CheckoutLock {
    folder: PathBuf,
    work: Option<Work>,
    /// Dropped last: whoever comes next reads a record that is complete.
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
        let lock = Lock::take_for(&folder, Some(issue), command, since)?;
        Ok(Self { folder, work: None, _lock: lock })
    }

    /// Returns when a process of ours on this machine worked here last.
    pub fn last_work(&self) -> Option<Work> {
        let bytes = fs::read(self.folder.join(WORK)).ok()?;
        let work: Work = serde_json::from_slice(&bytes).ok()?;
        (work.host == host()).then_some(work)
    }

    /// Notes that work begins here, if that is not noted yet.
    pub fn begin_work(&mut self, since: Timestamp) {
        if self.work.is_none() {
            let work = Work { host: host(), since, until: None };
            self.note(&work);
            self.work = Some(work);
        }
    }

    /// Gives the checkout back, and leaves nothing behind where nobody of ours ever worked.
    pub fn forget(self) {
        let folder = self.folder.clone();
        if self.work.is_none() && !folder.join(WORK).exists() {
            let _ = fs::remove_file(folder.join("lock"));
        }
        drop(self);
        // Folders that are not empty stay.
        let _ = fs::remove_dir(&folder);
        let _ = folder.parent().map(fs::remove_dir);
    }

    /// What cannot be noted is not known later; then a lock that a killed git left behind is left to people.
    fn note(&self, work: &Work) {
        let written = serde_json::to_vec(work).ok().map(|text| view::replace(&self.folder.join(WORK), &text));
        if let Some(Err(error)) = written {
            tracing::debug!("{error}");
        }
    }
}

impl Drop for CheckoutLock {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            self.note(&Work { until: Some(Timestamp::now()), ..work });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issue(number: u64) -> IssueNumber {
        IssueNumber::try_from(number).expect("a number")
    }

    fn take(git_dir: &Path, number: u64) -> Result<CheckoutLock, LockError> {
        let command = Masked::own("execute");
        CheckoutLock::take(git_dir, issue(number), &command, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn the_second_one_is_told_which_issue_works_in_the_checkout() {
        let git_dir = tempfile::tempdir().expect("a folder");
        let first = take(git_dir.path(), 1).expect("the first");
        let Err(LockError::Busy { holder: Some(holder) }) = take(git_dir.path(), 2) else {
            panic!("taken twice");
        };
        assert_eq!((holder.issue, holder.pid), (Some(issue(1)), std::process::id()));
        let other = tempfile::tempdir().expect("a folder");
        take(other.path(), 2).expect("another worktree is another checkout");
        drop(first);
        take(git_dir.path(), 2).expect("free again");
    }

    #[test]
    fn who_did_not_work_leaves_nothing_and_who_worked_leaves_when() {
        let git_dir = tempfile::tempdir().expect("a folder");
        take(git_dir.path(), 1).expect("a lock").forget();
        assert!(!git_dir.path().join("ai-workflow").exists());
        let mut lock = take(git_dir.path(), 1).expect("a lock");
        assert_eq!(lock.last_work(), None);
        lock.begin_work(Timestamp::UNIX_EPOCH);
        let work = lock.last_work().expect("work under way");
        assert_eq!((work.since, work.until), (Timestamp::UNIX_EPOCH, None));
        drop(lock);
        let lock = take(git_dir.path(), 2).expect("a lock");
        let work = lock.last_work().expect("work that ended");
        assert!(work.until.is_some_and(|until| until > work.since));
        lock.forget();
        let lock = take(git_dir.path(), 2).expect("a lock");
        assert_eq!(lock.last_work(), Some(work), "who did not work changes nothing");
        let elsewhere = serde_json::json!({"host": "another machine", "since": "2026-01-01T00:00:00Z"});
        fs::write(lock.folder.join(WORK), elsewhere.to_string()).expect("written");
        assert_eq!(lock.last_work(), None, "what works on another machine cannot be seen here");
    }
}
