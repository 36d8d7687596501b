//! Removes the `*.lock` files that a killed git left behind; with them every later git would refuse.
//!
//! Why this is safe: the caller holds the lock of this issue's run and that of the worktree, so every git that works on the
//! run is ours or our agent's; the process before has died, and what it left at work is waited for. What the user's own
//! git may hold as well is left alone unless it bears a name that git gives, was made while a process of ours worked in this
//! worktree, is held open by nobody, and no git is at work here; where nobody can tell, it has to be older than ten
//! minutes. What remains is left to people.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use super::error::at;
use super::{Error, IssueSpace, Result, Workspace};

const SURELY_OLD: Duration = Duration::from_secs(600);

/// Some file systems keep times in steps of two seconds.
const STEP: Duration = Duration::from_secs(2);

/// What git locks directly in its folder: files of its own, and references that are no branches.
const OF_GIT: [&str; 15] = [
    "index",
    "HEAD",
    "ORIG_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "AUTO_MERGE",
    "MERGE_AUTOSTASH",
    "MERGE_RR",
    "BISECT_EXPECTED_REV",
    "config",
    "config.worktree",
    "packed-refs",
    "shallow",
    "gc.pid",
];

/// An editor's git holds a lock for moments only; so often it is looked at, with a pause between.
const LOOKS: u32 = 40;
const PAUSE: Duration = Duration::from_millis(25);

impl Workspace {
    /// Refuses a worktree whose index or HEAD is locked: no branch could be checked out and nothing be committed.
    pub fn refuse_locked(&self) -> Result<()> {
        let locks = ["index.lock", "HEAD.lock"].map(|name| self.git_dir.join(name));
        for _ in 0..LOOKS {
            if !locks.iter().any(|lock| lock.exists()) {
                return Ok(());
            }
            thread::sleep(PAUSE);
        }
        match locks.iter().find(|lock| lock.exists()) {
            Some(lock) => Err(Error::Locked { path: lock.display().to_string() }),
            None => Ok(()),
        }
    }
}

impl IssueSpace {
    /// Removes what a killed git left behind before `started`, the start of this process, and returns the paths. `worked`
    /// is from when to when a process of ours worked in this worktree last; without it only the run's own locks go.
    pub fn sweep_stale_locks(
        &self,
        started: SystemTime,
        worked: Option<(SystemTime, SystemTime)>,
    ) -> Result<Vec<PathBuf>> {
        self.wait_for_leftovers();
        let mut left = self.own_locks();
        let mut shared = self.shared_locks();
        shared.retain(|path| worked.is_some_and(|worked| is_within(path, worked)));
        if !shared.is_empty() && !self.is_git_at_work(&shared) {
            shared.retain(|path| !processes::is_open(path));
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
        locks.retain(|path| is_of_git(path));
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

/// Tells whether a lock has a name that git gives; `git commit` of some files locks an index with a number.
fn is_of_git(path: &Path) -> bool {
    let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { return false };
    let numbered = name.strip_prefix("next-index-");
    OF_GIT.contains(&name)
        || numbered
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
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

fn is_within(path: &Path, (since, until): (SystemTime, SystemTime)) -> bool {
    let made = fs::metadata(path).and_then(|metadata| metadata.modified());
    made.is_ok_and(|made| made + STEP >= since && made <= until)
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

    /// Tells whether a process that can be looked into has this file open.
    pub(super) fn is_open(path: &Path) -> bool {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let files = processes.filter_map(|process| fs::read_dir(process.path().join("fd")).ok()).flatten();
        files.flatten().any(|file| fs::read_link(file.path()).is_ok_and(|open| open == path))
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
    fn only_names_that_git_gives_are_locks_of_git() {
        let is_of_git = |name: &str| is_of_git(&Path::new("/r/.git").join(name));
        for name in
            ["index.lock", "HEAD.lock", "packed-refs.lock", "config.worktree.lock", "next-index-12.lock"]
        {
            assert!(is_of_git(name), "{name}");
        }
        for name in
            ["editor.lock", "gitoxide.lock", "next-index-.lock", "next-index-x.lock", "index.lock.lock"]
        {
            assert!(!is_of_git(name), "{name}");
        }
    }

    #[test]
    fn where_nobody_can_tell_only_a_lock_of_ten_minutes_is_stale() {
        let lock = tempfile::NamedTempFile::new().expect("a temporary file");
        let locks = [lock.path().to_owned()];
        let now = SystemTime::now();
        assert!(!all_surely_old(&locks, now));
        assert!(all_surely_old(&locks, now + SURELY_OLD + Duration::from_secs(60)));
    }
}
