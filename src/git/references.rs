//! The tips of branches and tags. A reviewer may move none: the run's own branch is put back, and others are reported. They
//! are left alone, because a person may have moved them. Moves that a person made for certain are not reported: branches of
//! other worktrees and runs, and what a fetch brings.
//!
//! They are read from git's own files, because they are read before and after every review, and a process each time would
//! cost more. Where git keeps them in another form (reftable), git is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use model::issue::issue_of_run_branch;
use model::object_id::is_object_id;

use crate::Result;
use crate::branch::{Branches, head_reference};
use crate::regular_file;
use crate::workspace::{RunWorkspace, Workspace};

/// The folders of references that are read, below the common folder.
const FOLDERS: [&str; 4] = ["refs/heads", "refs/tags", "refs/remotes", "refs/replace"];
const TRACKING: &str = "refs/remotes/";
/// What git shows in the place of other objects.
const REPLACING: &str = "refs/replace/";

/// The tips of branches and tags at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct References {
    /// The branch of this worktree.
    pub(crate) head: Option<String>,
    pub(crate) tips: BTreeMap<String, String>,
    /// Those that another worktree has checked out.
    pub(crate) elsewhere: BTreeSet<String>,
}

/// The references that have moved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MovedReferences {
    /// References of the run that were put back: the name, and the tip that it had meanwhile.
    pub undone: Vec<String>,
    /// References that a person may have moved, and that were left alone: the name, and the tip before.
    pub left: Vec<String>,
}

impl References {
    /// Reads the tips of branches and tags as they are now.
    pub fn read(workspace: &Workspace) -> Result<Self> {
        match Self::read_files(workspace) {
            Some(references) => Ok(references),
            None => Self::read_from_git(workspace),
        }
    }

    /// Puts the run's branch and HEAD back, and what git shows in the place of other objects. It is not known who moved another
    /// reference, so that is reported and left alone.
    pub fn restore(&self, run: &RunWorkspace) -> Result<MovedReferences> {
        let now = Self::read(run.workspace())?;
        let mut moved = self.restore_replaced(run, &now)?;
        let own = format!("refs/heads/{}", run.branch());
        if let Some(tip) = self.tips.get(&own).filter(|tip| now.tips.get(&own) != Some(tip)) {
            run.workspace().change(["update-ref", "--no-deref", &own, tip])?;
            moved.undone.push(now.describe(&own));
        }
        if let Some(head) = self.head.as_ref().filter(|head| now.head.as_ref() != Some(head)) {
            run.workspace().change(["symbolic-ref", "HEAD", head])?;
            moved.undone.push("HEAD".to_owned());
        }
        Ok(moved)
    }

    /// Does the same after a program that may commit: the run's branch and HEAD stay where they are.
    pub fn restore_others(&self, run: &RunWorkspace) -> Result<MovedReferences> {
        self.restore_replaced(run, &Self::read(run.workspace())?)
    }

    /// Puts back what git shows in the place of other objects, and lists the other references that have moved.
    fn restore_replaced(&self, run: &RunWorkspace, now: &Self) -> Result<MovedReferences> {
        let own = format!("refs/heads/{}", run.branch());
        let mut moved = MovedReferences::default();
        for name in self.list_unexplained_moves(now).filter(|name| *name != own && is_watched(name)) {
            if !name.starts_with(REPLACING) {
                moved.left.push(self.describe(name));
                continue;
            }
            match self.tips.get(name) {
                Some(tip) => run.workspace().change(["update-ref", name, tip])?,
                None => run.workspace().change(["update-ref", "-d", name])?,
            }
            moved.undone.push(now.describe(name));
        }
        Ok(moved)
    }

    /// Reads the tips from git's files; nothing where git keeps them in another form, or a file cannot be read.
    fn read_files(workspace: &Workspace) -> Option<Self> {
        if workspace.common().join("reftable").exists() {
            return None;
        }
        let mut tips = read_packed(
            &regular_file::read_text(&workspace.common().join("packed-refs")).unwrap_or_default(),
        )?;
        for folder in FOLDERS {
            read_loose(workspace.common(), &workspace.common().join(folder), &mut tips)?;
        }
        let known = |git_dir: &Path| head_reference(git_dir).filter(|name| tips.contains_key(name));
        let elsewhere = other_worktrees(workspace).iter().filter_map(|git_dir| known(git_dir)).collect();
        Some(References { head: known(workspace.git_dir()), elsewhere, tips })
    }

    fn read_from_git(workspace: &Workspace) -> Result<Self> {
        let mut now = References::default();
        for branch in (Branches { workspace }).list(&FOLDERS)? {
            // The reference that it points to is in the list as well.
            if branch.symbolic.is_some() {
                continue;
            }
            if branch.is_head {
                now.head = Some(branch.reference.clone());
            } else if branch.worktree.is_some() {
                now.elsewhere.insert(branch.reference.clone());
            }
            now.tips.insert(branch.reference, branch.tip.to_string());
        }
        Ok(now)
    }

    /// Returns for people the name of a reference and its tip.
    fn describe(&self, name: &str) -> String {
        match self.tips.get(name) {
            Some(tip) => format!("{name} (was at {})", &tip[..9.min(tip.len())]),
            None => format!("{name} (was not there)"),
        }
    }

    /// Returns the references that have moved without a likely reason: no other worktree has them, and no fetch made them.
    fn list_unexplained_moves<'a>(&'a self, now: &'a Self) -> impl Iterator<Item = &'a str> {
        let names: BTreeSet<&str> = self.tips.keys().chain(now.tips.keys()).map(String::as_str).collect();
        let fetched = self.tracking_tips().ne(now.tracking_tips());
        let elsewhere = |name: &str| {
            let was = self.elsewhere.contains(name) || !self.tips.contains_key(name);
            was && now.elsewhere.contains(name)
        };
        let by_a_fetch =
            move |name: &str| fetched && name.starts_with("refs/tags/") && !self.tips.contains_key(name);
        let differs = |name: &str| self.tips.get(name) != now.tips.get(name);
        names.into_iter().filter(move |name| differs(name) && !elsewhere(name) && !by_a_fetch(name))
    }

    fn tracking_tips(&self) -> impl Iterator<Item = (&String, &String)> {
        self.tips.iter().filter(|(name, _)| name.starts_with(TRACKING))
    }
}

/// Reads the references with a file of their own, which count more than packed ones.
fn read_loose(common: &Path, folder: &Path, tips: &mut BTreeMap<String, String>) -> Option<()> {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry.ok()?;
        let (path, kind) = (entry.path(), entry.file_type().ok()?);
        if kind.is_dir() {
            read_loose(common, &path, tips)?;
        // Git makes no link here, and would follow them in a circle; on a pipe it would wait.
        } else if kind.is_file() && path.extension().is_none_or(|ending| ending != "lock") {
            let name = path.strip_prefix(common).ok()?.to_str()?.to_owned();
            let text = regular_file::read_text(&path).ok()?;
            if text.starts_with("ref:") {
                // The reference that it points to is in the list as well.
                tips.remove(&name);
            } else {
                tips.insert(name, check_id(text.trim())?);
            }
        }
    }
    Some(())
}

/// Returns the folders in which git keeps what belongs to one worktree, without ours.
fn other_worktrees(workspace: &Workspace) -> Vec<PathBuf> {
    let linked = fs::read_dir(workspace.common().join("worktrees")).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = linked.map(|entry| entry.path()).collect();
    all.push(workspace.common().to_owned());
    all.retain(|git_dir| git_dir != workspace.git_dir());
    all
}

fn read_packed(text: &str) -> Option<BTreeMap<String, String>> {
    let is_reference = |line: &&str| !line.starts_with(['#', '^']);
    let mut tips = BTreeMap::new();
    for line in text.lines().filter(is_reference) {
        let (tip, name) = line.split_once(' ')?;
        if FOLDERS.iter().any(|folder| name.starts_with(folder)) {
            tips.insert(name.to_owned(), check_id(tip)?);
        }
    }
    Some(tips)
}

/// Tells whether a text is what the file of one reference holds: an id, or the name of another reference.
pub(crate) fn is_reference(text: &str) -> bool {
    let text = text.trim_end();
    text.strip_prefix("ref:")
        .map_or_else(|| is_object_id(text), |name| name.trim_start().starts_with("refs/"))
}

/// Tells whether git can read a text as packed references.
pub(crate) fn are_packed_references(text: &str) -> bool {
    text.lines().all(|line| {
        let is_tip = |line: &str| {
            line.split_once(' ').is_some_and(|(id, name)| is_object_id(id) && name.starts_with("refs/"))
        };
        line.starts_with('#') || line.strip_prefix('^').is_some_and(is_object_id) || is_tip(line)
    })
}

fn check_id(id: &str) -> Option<String> {
    if is_object_id(id) { Some(id.to_owned()) } else { None }
}

fn is_watched(name: &str) -> bool {
    let is_of_a_run =
        name.strip_prefix("refs/heads/").is_some_and(|branch| issue_of_run_branch(branch).is_some());
    !(name.starts_with(TRACKING) || is_of_a_run)
}

#[cfg(test)]
mod tests;
