//! Waits for whom a killed runner left at work in the worktree: a git that is about to commit, a reaper that is ending
//! an agent. Whoever calls holds the lock of the run, so they belong to nobody who lives.
//! They are known by their command line and working directory; where there is no `/proc` nobody is seen or waited for.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::IssueSpace;
use super::git::STANDING;

/// A reaper needs five seconds at most. A git that asks a person may need longer; then its locks speak for it.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

impl IssueSpace {
    /// Waits until nobody of a killed runner is at work any more; not for ever.
    pub(super) fn wait_for_leftovers(&self) {
        if !is_anybody_left(&self.workspace.root) {
            return;
        }
        tracing::info!("Waiting for what a killed run left at work");
        let began = Instant::now();
        while is_anybody_left(&self.workspace.root) && began.elapsed() < PATIENCE {
            thread::sleep(PAUSE);
        }
    }
}

fn is_anybody_left(root: &Path) -> bool {
    let Ok(root) = root.canonicalize() else { return false };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.map(|process| process.path()).any(|process| works_in(&process, &root) && is_ours(&process))
}

fn works_in(process: &Path, root: &Path) -> bool {
    fs::read_link(process.join("cwd")).is_ok_and(|directory| directory.starts_with(root))
}

fn is_ours(process: &Path) -> bool {
    let line = fs::read(process.join("cmdline")).unwrap_or_default();
    // Between two programs, and while its memory is given back, nobody can tell whose it was; it is over in a moment.
    if line.is_empty() {
        return true;
    }
    let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
    let is_git = words.windows(STANDING.len()).any(|words| words == STANDING.map(str::as_bytes));
    is_git || words.get(1) == Some(&b"__reaper".as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows(line: &str) -> bool {
        let process = tempfile::tempdir().expect("a folder");
        fs::write(process.path().join("cmdline"), line.replace(' ', "\0")).expect("written");
        is_ours(process.path())
    }

    #[test]
    fn our_git_our_reaper_and_who_is_ending_are_waited_for() {
        assert!(shows("git --no-pager --literal-pathspecs commit"));
        assert!(shows("/bin/sh /usr/local/bin/git --no-pager --literal-pathspecs commit"));
        assert!(shows("ai-workflow __reaper"));
        assert!(shows(""), "a git whose memory is being given back has no words any more");
        assert!(!shows("git commit"));
        assert!(!shows("vim src/lib.rs"));
    }
}
