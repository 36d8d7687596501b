//! Removes the `*.lock` files that a killed git left behind; with them every later git would refuse.
//!
//! Why this is safe: the caller holds the lock of this issue's run, so every git that works on the run is ours or our
//! agent's; the process before has died, and what it left at work is waited for. Files that the user's own git may hold as well are left alone when
//! they are younger than this process, or when a git is at work in this worktree; where nobody can tell, when they are
//! younger than ten minutes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::error::at;
use super::{IssueSpace, Result};

const SURELY_OLD: Duration = Duration::from_secs(600);

impl IssueSpace {
    /// Removes what a killed git left behind before `started`, the start of this process, and returns the paths.
    pub fn sweep_stale_locks(&self, started: SystemTime) -> Result<Vec<PathBuf>> {
        self.wait_for_leftovers();
        let mut left = self.own_locks();
        let shared = self.shared_locks();
        if !shared.is_empty() && !self.is_git_at_work(&shared) {
            left.extend(shared);
        }
        left.retain(|path| is_older(path, started));
        for path in &left {
            fs::remove_file(path).map_err(at(path))?;
            tracing::warn!(path = %path.display(), "removed a lock that a killed git left behind");
        }
        Ok(left)
    }

    /// Locks that only this run can have taken.
    fn own_locks(&self) -> Vec<PathBuf> {
        let branch = self.workspace.common.join("refs/heads").join(format!("{}.lock", self.branch()));
        let mut locks = locks_in(&self.snapshots_dir());
        locks.push(self.snapshots_dir().join("incoming.index"));
        locks.push(branch);
        locks.retain(|path| path.is_file());
        locks
    }

    /// Locks that the user's git takes too: index, HEAD, packed references, settings.
    fn shared_locks(&self) -> Vec<PathBuf> {
        let mut locks = locks_in(&self.workspace.git_dir);
        if self.workspace.is_linked() {
            let common = |name: &str| self.workspace.common.join(name);
            locks.extend([common("packed-refs.lock"), common("config.lock")]);
            locks.retain(|path| path.is_file());
        }
        locks
    }

    fn is_git_at_work(&self, shared: &[PathBuf]) -> bool {
        let places = [&self.workspace.root, &self.workspace.git_dir, &self.workspace.common];
        processes::git_works_in(&places).unwrap_or_else(|| !all_surely_old(shared, SystemTime::now()))
    }
}

fn all_surely_old(locks: &[PathBuf], now: SystemTime) -> bool {
    now.checked_sub(SURELY_OLD).is_some_and(|old| locks.iter().all(|path| is_older(path, old)))
}

fn locks_in(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let is_lock =
        |path: &PathBuf| path.extension().is_some_and(|extension| extension == "lock") && path.is_file();
    entries.map(|entry| entry.path()).filter(is_lock).collect()
}

fn is_older(path: &Path, than: SystemTime) -> bool {
    fs::metadata(path).and_then(|metadata| metadata.modified()).is_ok_and(|modified| modified < than)
}

/// Looks for other programs at work.
mod processes {
    use std::fs;
    use std::path::{Path, PathBuf};

    /// Tells whether a process called git has its working directory in one of these places; nothing when the system
    /// has no `/proc` to look into.
    pub(super) fn git_works_in(places: &[&PathBuf]) -> Option<bool> {
        let processes = fs::read_dir("/proc").ok()?;
        fs::read_link("/proc/self/cwd").ok()?;
        Some(processes.flatten().any(|process| is_git_in(&process.path(), places)))
    }

    fn is_git_in(process: &Path, places: &[&PathBuf]) -> bool {
        let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
        let is_git = name.trim() == "git" || name.starts_with("git-");
        is_git
            && fs::read_link(process.join("cwd"))
                .is_ok_and(|cwd| places.iter().any(|place| cwd.starts_with(place)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nobody_can_tell_only_a_lock_of_ten_minutes_is_stale() {
        let lock = tempfile::NamedTempFile::new().expect("a temporary file");
        let locks = [lock.path().to_owned()];
        let now = SystemTime::now();
        assert!(!all_surely_old(&locks, now));
        assert!(all_surely_old(&locks, now + SURELY_OLD + Duration::from_secs(60)));
    }
}
