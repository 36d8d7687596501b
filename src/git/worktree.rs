//! The files of a worktree beside those that a run works on: what they are like before a run, what is unfinished, what git
//! ignores, and taking files back to a commit. Judges nothing: whether a dirty tree is refused is the caller's.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::branch::Branches;
use crate::program::Call;
use crate::status::{PathStatus, StatusEntry, read_status, status_call};
use crate::workspace::{Head, Workspace};
use crate::{CommitId, Error, Result};

/// How often a lock is looked for, with a pause between: an editor's git holds it for moments only.
const LOCK_LOOKS: u32 = 40;
const LOCK_PAUSE: Duration = Duration::from_millis(25);

/// The worktree as a run finds it. Nothing under `.ai-workflow/` counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeState {
    /// The commit and branch of HEAD.
    pub head: Head,
    /// Tracked files that are changed, staged or not.
    pub changed: Vec<String>,
    /// Those of them that a merge left with both sides.
    pub unmerged: Vec<String>,
    /// Untracked files; they are left alone and never committed.
    pub untracked: Vec<String>,
    /// Repositories inside the worktree that are not submodules; their content is left alone.
    pub nested_repositories: Vec<String>,
    /// Submodules that stand on another commit than the one recorded.
    pub moved_submodules: Vec<String>,
    /// The repository has submodules; they are neither initialised nor committed.
    pub has_submodules: bool,
    /// A merge, rebase or the like that was begun and not ended.
    pub in_progress: Option<&'static str>,
    /// Names that are not UTF-8, escaped; such files are left alone.
    pub unreadable: Vec<String>,
}

impl WorktreeState {
    /// Tells whether nothing of the user's could be mixed up with a run's work.
    pub fn is_clean(&self) -> bool {
        self.changed.is_empty() && self.in_progress.is_none()
    }
}

/// The files of the worktree, and the worktrees linked to it.
impl Workspace {
    /// Looks at the worktree, with one git process.
    pub fn read_state(&self) -> Result<WorktreeState> {
        let status = read_status(self, &status_call().arg("--ignore-submodules=dirty").read_only())?;
        let mut survey = WorktreeState {
            head: status.head,
            changed: Vec::new(),
            unmerged: Vec::new(),
            untracked: Vec::new(),
            nested_repositories: Vec::new(),
            moved_submodules: Vec::new(),
            has_submodules: self.root().join(".gitmodules").exists(),
            in_progress: self.operation_in_progress(),
            unreadable: status.unreadable,
        };
        let is_ours =
            |entry: &StatusEntry| entry.path.starts_with(".ai-workflow/") || entry.is_staged_cache();
        for entry in status.entries.into_iter().filter(|entry| !is_ours(entry)) {
            if entry.kind == PathStatus::Unmerged {
                survey.unmerged.push(entry.path.clone());
            }
            let list = match entry.kind {
                PathStatus::Untracked if entry.path.ends_with('/') => &mut survey.nested_repositories,
                PathStatus::Untracked => &mut survey.untracked,
                PathStatus::Submodule => &mut survey.moved_submodules,
                PathStatus::Unmerged | PathStatus::Tracked { .. } => &mut survey.changed,
            };
            list.push(entry.path);
        }
        Ok(survey)
    }

    /// Returns the files that keep git from checking out a commit, or that nobody has a copy of: tracked ones that are changed,
    /// and untracked ones where the commit has a file. What is under `.ai-workflow/` counts as well.
    pub fn list_in_the_way(&self, commit: &CommitId) -> Result<Vec<String>> {
        let status = read_status(self, &status_call().arg("--ignore-submodules=all").read_only())?;
        let (untracked, changed): (Vec<StatusEntry>, Vec<StatusEntry>) =
            status.entries.into_iter().partition(|entry| entry.kind == PathStatus::Untracked);
        let mut paths: Vec<String> = changed.into_iter().map(|entry| entry.path).collect();
        if !untracked.is_empty() {
            let known: BTreeSet<String> = self.list_plain_files(&commit.as_tree())?.into_iter().collect();
            paths.extend(untracked.into_iter().map(|entry| entry.path).filter(|path| known.contains(path)));
        }
        Ok(paths)
    }

    /// Returns what was begun in this worktree and not ended, without a process.
    pub fn operation_in_progress(&self) -> Option<&'static str> {
        const TRACES: [(&str, &str); 5] = [
            ("rebase-merge", "rebase"),
            ("rebase-apply", "rebase"),
            ("MERGE_HEAD", "merge"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
        ];
        TRACES.iter().find(|(trace, _)| self.git_dir().join(trace).exists()).map(|(_, what)| *what)
    }

    /// Refuses a worktree whose index or HEAD is locked: no branch could be checked out and nothing be committed.
    pub fn refuse_locked(&self) -> Result<()> {
        let locks = ["index.lock", "HEAD.lock"].map(|name| self.git_dir().join(name));
        for looks in 0.. {
            match locks.iter().find(|lock| lock.exists()) {
                None => break,
                Some(_) if looks < LOCK_LOOKS => thread::sleep(LOCK_PAUSE),
                Some(lock) => return Err(Error::Locked { path: lock.display().to_string() }),
            }
        }
        Ok(())
    }

    /// Brings the user's index to HEAD, after a commit that a crash cut short. The files stay as they are.
    pub fn reset_index(&self) -> Result<()> {
        self.change(["reset", "--quiet"])
    }

    /// Takes changes of tracked files below a folder back to what HEAD has.
    pub fn discard_changes_below(&self, folder: &str) -> Result<()> {
        let tracked = self.list_tracked_files(folder)?;
        if tracked.is_empty() {
            return Ok(());
        }
        self.change(["restore", "--staged", "--worktree", "--source=HEAD", "--", folder])
    }

    /// Puts every file outside `.ai-workflow/` back to what a commit has, and returns the paths that differed from HEAD.
    pub fn restore_code(&self, to: &CommitId) -> Result<Vec<String>> {
        let words = ["diff", "--name-only", "--no-renames", "-z", to.as_str(), "HEAD", "--"];
        let mut paths = self.ask(words)?.paths();
        paths.retain(|path| !path.starts_with(".ai-workflow/"));
        if !paths.is_empty() {
            let call = Call::new(["--literal-pathspecs", "restore", "--worktree"])
                .arg(format!("--source={to}"))
                .args(["--pathspec-from-file=-", "--pathspec-file-nul"]);
            self.run(&call.stdin_paths(paths.iter().map(String::as_str)))?;
        }
        Ok(paths)
    }

    /// Returns those of the paths that git ignores in a worktree of this repository.
    pub fn list_ignored(&self, root: &Path, paths: &[String]) -> Result<Vec<String>> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let call = Call::new(["check-ignore", "-z", "--stdin"]).with_patterns().read_only();
        let call = call.stdin_paths(paths.iter().map(String::as_str));
        let output = self.try_run_in(root, &call)?;
        // It ends with 1 when none is ignored.
        if !output.succeeded() && output.status.code() != Some(1) {
            return Err(output.failure());
        }
        Ok(output.paths())
    }

    /// Returns those of the folders in a worktree of this repository that hold something, and nothing that git knows or
    /// would take: ignored as a whole, or by a rule of their own as virtual environments are.
    pub fn list_wholly_ignored(&self, root: &Path, folders: &[String]) -> Result<Vec<String>> {
        let mut found: Vec<String> =
            folders.iter().filter(|path| !is_empty_folder(&root.join(path))).cloned().collect();
        if found.is_empty() {
            return Ok(found);
        }
        let call = Call::new(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]);
        let output = self.run_in(root, &call.args(&found).read_only())?;
        let output = output.text();
        let taken: Vec<&str> = output.split('\0').collect();
        found.retain(|folder| !taken.iter().any(|path| Path::new(path).starts_with(folder)));
        Ok(found)
    }

    /// Makes a linked worktree on a branch: a new one at the base, or the one that exists when no base is given.
    pub fn add_linked_worktree(&self, path: &Path, name: &str, base: Option<&CommitId>) -> Result<Workspace> {
        let call = Call::new(["worktree", "add", "--quiet"]);
        let call = match base {
            Some(base) => call.args(["--no-track", "-b", name, "--"]).arg(path).arg(base.as_str()),
            None => call.args(["--no-guess-remote", "--"]).arg(path).arg(name),
        };
        Branches { workspace: self }.run(name, &call)?;
        self.open_other(path)
    }

    /// Removes a linked worktree with everything that is in it.
    pub fn remove_linked_worktree(&self, path: &Path) -> Result<()> {
        self.run(&Call::new(["worktree", "remove", "--force", "--"]).arg(path)).map(drop)
    }
}

/// Tells whether a folder is there and holds nothing.
pub(crate) fn is_empty_folder(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}
