//! What is under way in other worktrees, and in the main checkout where a run has a worktree of its own. People work there: what is
//! new is told and left alone, because nobody can say whose it is. Their index and files change all the time and are not
//! compared.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::OPERATIONS;
use crate::references::{is_of_a_run, other_worktrees};
use crate::regular_file;
use crate::workspace::Workspace;

/// One of the other worktrees.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OtherWorktree {
    /// What its HEAD holds.
    head: String,
    /// Operations that were begun there and not ended, such as a rebase.
    operations: BTreeSet<String>,
    /// A run works there.
    is_of_a_run: bool,
}

impl OtherWorktree {
    fn read(git_dir: &Path) -> Self {
        let operations = OPERATIONS.lines().filter(|name| git_dir.join(name).symlink_metadata().is_ok());
        Self {
            head: regular_file::read_text(&git_dir.join("HEAD")).unwrap_or_default(),
            operations: operations.map(str::to_owned).collect(),
            is_of_a_run: is_of_a_run(git_dir),
        }
    }

    /// Returns the names of the files that are new or different now.
    fn list_new<'a>(&'a self, now: &'a Self) -> impl Iterator<Item = &'a str> {
        let is_moved = self.head != now.head;
        let is_passed_over = self.is_of_a_run && now.is_of_a_run;
        let head = if is_moved { Some("HEAD") } else { None };
        let begun = now.operations.difference(&self.operations).map(String::as_str);
        begun.chain(head).filter(move |_| !is_passed_over)
    }
}

/// Reads what is under way in the other worktrees, by their folders of git.
pub(super) fn read_others(workspace: &Workspace) -> BTreeMap<PathBuf, OtherWorktree> {
    let folders = other_worktrees(workspace).into_iter();
    folders.map(|git_dir| (git_dir.clone(), OtherWorktree::read(&git_dir))).collect()
}

/// Returns what is new in worktrees that there were before.
pub(super) fn list_new(before: &BTreeMap<PathBuf, OtherWorktree>, workspace: &Workspace) -> Vec<PathBuf> {
    let now = read_others(workspace);
    let both = before.iter().filter_map(|(git_dir, was)| Some((git_dir, was, now.get(git_dir)?)));
    both.flat_map(|(git_dir, was, is)| was.list_new(is).map(|name| git_dir.join(name))).collect()
}
