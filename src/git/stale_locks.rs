//! Removes the `*.lock` files that a killed git left behind; with them every later git would refuse. Before, waits for the
//! processes of a killed runner that still work in the worktree: a git that is about to commit, a reaper that ends an agent.
//!
//! Why this is safe: the caller holds the lock of this run and that of the worktree, so every git that works on the
//! run is ours or our agent's; the process before has died, and the processes that it left are waited for. A lock that the
//! user's own git may hold as well is removed only if it has a name that git gives, was made while a process of ours worked
//! in this worktree, is open in no process, and no git is at work here; where that is not known, it has to be older than ten
//! minutes. A person decides about the others. Processes are known by their command line and working directory; where there
//! is no `/proc`, no process is seen or waited for.
//!
//! After a call that has ended, a lock that was not there before and that nobody holds is what the call left.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::Result;
use crate::error::at;
use crate::program::STANDING_OPTIONS;
use crate::regular_file::remove_all;
use crate::workspace::{RunWorkspace, Workspace};

/// A lock that is older than this is not in use any more.
const CERTAINLY_UNUSED: Duration = Duration::from_secs(600);

/// Some file systems keep times in steps of two seconds.
const TIME_STEP: Duration = Duration::from_secs(2);

/// What git locks directly in its folder: files of its own, and references that are no branches.
const LOCKED_BY_GIT: &str = include_str!("data/locked_by_git.txt");

/// A reaper needs five seconds at most. A git that asks a person may need longer; then its locks show that it works.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
const WAIT_PAUSE: Duration = Duration::from_millis(20);

/// Removes what a killed git left behind before `started`, the start of this process, and returns the paths. `worked` is from
/// when to when a process of ours worked in this worktree last; without it only the run's own locks go.
pub fn remove_stale_locks(
    run: &RunWorkspace,
    started: SystemTime,
    worked: Option<(SystemTime, SystemTime)>,
) -> Result<Vec<PathBuf>> {
    let workspace = run.workspace();
    wait_for_leftovers(workspace.root());
    let mut left = own_locks(run);
    let mut shared = shared_locks(workspace);
    shared.retain(|path| worked.is_some_and(|worked| is_within(path, worked)));
    if !shared.is_empty() && !is_git_at_work(workspace, &shared) {
        shared.retain(|path| !is_open(path));
        left.extend(shared);
    }
    left.retain(|path| is_older(path, started));
    for path in &left {
        remove_all(path).map_err(at(path))?;
        tracing::warn!(path = %path.display(), "removed a lock that a killed git left behind");
    }
    Ok(left)
}

/// Returns the locks at the places where a git of this run takes them.
pub(crate) fn list_all_locks(run: &RunWorkspace) -> BTreeSet<PathBuf> {
    let workspace = run.workspace();
    let mut locks: BTreeSet<PathBuf> = list_locks(&run.snapshots().index_folder()).into_iter().collect();
    locks.extend(shared_locks(workspace));
    let mut folders = vec![workspace.common().join("refs")];
    while let Some(folder) = folders.pop() {
        locks.extend(list_locks(&folder));
        let inner = fs::read_dir(folder).into_iter().flatten().flatten();
        folders.extend(inner.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.is_symlink()));
    }
    locks
}

/// Returns the locks that there are beside those of before and that no program holds which still runs.
pub(crate) fn list_left_locks(run: &RunWorkspace, before: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let mut new: Vec<PathBuf> = list_all_locks(run).difference(before).cloned().collect();
    if new.is_empty() || is_git_at_work(run.workspace(), &new) {
        return Vec::new();
    }
    new.retain(|path| !is_open(path));
    new
}

/// Locks that only this run can have taken.
fn own_locks(run: &RunWorkspace) -> Vec<PathBuf> {
    let indexes = run.snapshots().index_folder();
    let mut locks = list_locks(&indexes);
    locks.push(indexes.join("incoming.index"));
    locks.push(run.workspace().common().join("refs/heads").join(format!("{}.lock", run.branch())));
    locks.retain(|path| path.symlink_metadata().is_ok());
    locks
}

/// Locks that the user's git takes too: index, HEAD, packed references, settings.
fn shared_locks(workspace: &Workspace) -> Vec<PathBuf> {
    let mut locks = list_locks(workspace.git_dir());
    locks.retain(|path| is_of_git(path));
    if workspace.is_linked() {
        locks.extend(["packed-refs.lock", "config.lock"].map(|name| workspace.common().join(name)));
        locks.retain(|path| path.symlink_metadata().is_ok());
    }
    locks
}

/// Tells whether a process called git has its working directory here. Where the system has no `/proc`, the age of the locks
/// decides.
fn is_git_at_work(workspace: &Workspace, shared: &[PathBuf]) -> bool {
    if fs::read_link("/proc/self/cwd").is_err() {
        return !are_certainly_unused(shared, SystemTime::now());
    }
    let places = [workspace.root(), workspace.git_dir(), workspace.common()];
    processes().any(|process| is_git(&process) && places.iter().any(|place| is_working_in(&process, place)))
}

/// Waits, with a limit, until the processes that a killed runner left have ended.
fn wait_for_leftovers(root: &Path) {
    if !has_leftover_process(root) {
        return;
    }
    tracing::info!("Waiting for what a killed run left at work");
    let began = Instant::now();
    while has_leftover_process(root) && began.elapsed() < LONGEST_WAIT {
        thread::sleep(WAIT_PAUSE);
    }
}

/// Tells whether a lock has a name that git gives; `git commit` of some files locks an index with a number.
fn is_of_git(path: &Path) -> bool {
    let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { return false };
    let numbered = name.strip_prefix("next-index-");
    LOCKED_BY_GIT.lines().any(|locked| locked == name)
        || numbered
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn are_certainly_unused(locks: &[PathBuf], now: SystemTime) -> bool {
    now.checked_sub(CERTAINLY_UNUSED).is_some_and(|old| locks.iter().all(|path| is_older(path, old)))
}

fn list_locks(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    // A folder or a broken link is in the way of git, too.
    let is_lock = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "lock");
    entries.map(|entry| entry.path()).filter(is_lock).collect()
}

fn is_older(path: &Path, than: SystemTime) -> bool {
    modified_at(path).is_some_and(|modified| modified < than)
}

fn is_within(path: &Path, (since, until): (SystemTime, SystemTime)) -> bool {
    modified_at(path).is_some_and(|made| made + TIME_STEP >= since && made <= until)
}

fn modified_at(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path).and_then(|metadata| metadata.modified()).ok()
}

/// Returns the folders of all processes; none where the system has no `/proc`.
fn processes() -> impl Iterator<Item = PathBuf> {
    fs::read_dir("/proc").into_iter().flatten().flatten().map(|process| process.path())
}

/// Tells whether a process that can be looked into has this file open.
fn is_open(path: &Path) -> bool {
    let mut files =
        processes().filter_map(|process| fs::read_dir(process.join("fd")).ok()).flatten().flatten();
    files.any(|file| fs::read_link(file.path()).is_ok_and(|open| open == path))
}

fn is_git(process: &Path) -> bool {
    let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
    name.trim() == "git" || name.starts_with("git-")
}

/// Tells whether a process of a killed runner still works in a worktree.
fn has_leftover_process(root: &Path) -> bool {
    let Ok(root) = root.canonicalize() else { return false };
    processes().any(|process| is_working_in(&process, &root) && is_ours(&process))
}

fn is_working_in(process: &Path, place: &Path) -> bool {
    fs::read_link(process.join("cwd")).is_ok_and(|directory| directory.starts_with(place))
}

/// Tells whether a process is a git of ours or our reaper.
fn is_ours(process: &Path) -> bool {
    let line = fs::read(process.join("cmdline")).unwrap_or_default();
    // During `exec` and at its end a process has no command line; that takes a moment only.
    if line.is_empty() {
        return true;
    }
    let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
    let is_git =
        words.windows(STANDING_OPTIONS.len()).any(|words| words == STANDING_OPTIONS.map(str::as_bytes));
    is_git || words.get(1) == Some(&b"__reaper".as_slice())
}

#[cfg(test)]
mod tests;
