//! The tips of branches, tags, notes and the stash. A reviewer may move none: the run's own branch is put back, and others are reported. They
//! are left alone, because a person may have moved them. Moves that a person made for certain are not reported: branches of
//! other worktrees and runs, and what a fetch brings.
//!
//! Git looks for `main` as `.git/main` and as `refs/main` before it takes the branch (`gitrevisions(7)`). What is new there and has
//! the name of a branch would lead a person to another commit, and is removed.
//!
//! They are read from git's own files, because they are read before and after every review, and a process each time would
//! cost more. Where git keeps them in another form (reftable), git is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use model::issue::issue_of_run_branch;
use model::object_id::is_object_id;

use crate::Result;
use crate::branch::{Branches, head_reference};
use crate::regular_file;
use crate::workspace::{CHECK, RunWorkspace, Workspace};

/// The references that are read, below the common folder: single ones, and folders of them. Of others only those that git takes
/// for a branch.
const FOLDERS: [&str; 6] =
    ["refs/heads", "refs/tags", "refs/remotes", "refs/replace", "refs/notes", "refs/stash"];
const TRACKING: &str = "refs/remotes/";
/// What git shows in the place of other objects.
const REPLACING: &str = "refs/replace/";
const HEADS: &str = "refs/heads/";

/// The tips of branches and tags at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Those of them that people hardly move while an agent works: the stash, notes, and what was packed when it had moved.
    pub seldom: Vec<String>,
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
        let mut moved = self.restore_replaced(run, &now, &|_| true)?;
        moved.undone.extend(self.restore_own(run, &now, &|_| true)?);
        if let Some(head) = self.head.as_ref().filter(|head| now.head.as_ref() != Some(head)) {
            run.workspace().change(["symbolic-ref", "HEAD", head])?;
            moved.undone.push("HEAD".to_owned());
        }
        Ok(moved)
    }

    /// Does the same after a program that may commit: the run's branch and HEAD stay where they are.
    pub fn restore_others(&self, run: &RunWorkspace) -> Result<MovedReferences> {
        self.restore_replaced(run, &Self::read(run.workspace())?, &|_| true)
    }

    /// Does the same after a call in which a process was killed, for what was changed during the call. `only_reads` says that
    /// the program was not to commit: then the run's branch is put back as well.
    pub(crate) fn restore_after_kill(
        &self,
        run: &RunWorkspace,
        only_reads: bool,
        is_of_call: &dyn Fn(&Path) -> bool,
    ) -> Result<MovedReferences> {
        // What git cannot read is reported when it is used.
        let Ok(now) = Self::read(run.workspace()) else { return Ok(MovedReferences::default()) };
        let counts = |name: &str| is_of_call(&now.file_of(run.workspace().common(), name));
        let mut moved = self.restore_replaced(run, &now, &counts)?;
        if only_reads {
            moved.undone.extend(self.restore_own(run, &now, &counts)?);
        }
        Ok(moved)
    }

    /// Returns the file by whose time is known when a reference changed.
    fn file_of(&self, common: &Path, name: &str) -> PathBuf {
        let own = common.join(name);
        if self.tips.contains_key(name) && own.symlink_metadata().is_err() {
            common.join("packed-refs")
        } else {
            own
        }
    }

    fn restore_own(
        &self,
        run: &RunWorkspace,
        now: &Self,
        counts: &dyn Fn(&str) -> bool,
    ) -> Result<Option<String>> {
        let own = format!("{HEADS}{}", run.branch());
        match self.tips.get(&own) {
            Some(tip) if now.tips.get(&own) != Some(tip) && counts(&own) => {
                run.workspace().change(["update-ref", "--no-deref", &own, tip])?;
                Ok(Some(now.describe(&own)))
            }
            _ => Ok(None),
        }
    }

    /// Puts back what git shows in the place of other objects or of branches, and lists the other references that have moved.
    fn restore_replaced(
        &self,
        run: &RunWorkspace,
        now: &Self,
        counts: &dyn Fn(&str) -> bool,
    ) -> Result<MovedReferences> {
        let own = format!("{HEADS}{}", run.branch());
        let mut moved = MovedReferences::default();
        let is_other = |name: &&str| *name != own && is_watched(name) && counts(name);
        for name in self.list_unexplained_moves(now).filter(is_other) {
            if !name.starts_with(REPLACING) && hidden_branch(name).is_none() {
                moved.left.push(self.describe(name));
                if is_seldom_moved(run.workspace().common(), now, name) {
                    moved.seldom.push(self.describe(name));
                }
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
        for hiding in list_hiding(tips.keys()) {
            let path = workspace.common().join(hiding);
            if path.is_file() {
                read_loose(workspace.common(), &path, &mut tips)?;
            }
        }
        remove_unwatched(&mut tips);
        let known = |git_dir: &Path| head_reference(git_dir).filter(|name| tips.contains_key(name));
        // No person works in the worktree of a run.
        let others = other_worktrees(workspace).into_iter().filter(|git_dir| !is_of_a_run(git_dir));
        let elsewhere = others.filter_map(|git_dir| known(&git_dir)).collect();
        Some(References { head: known(workspace.git_dir()), elsewhere, tips })
    }

    fn read_from_git(workspace: &Workspace) -> Result<Self> {
        let mut now = References::default();
        for branch in (Branches { workspace }).list(&["refs"])? {
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
        remove_unwatched(&mut now.tips);
        Ok(now)
    }

    /// Returns the names of the branches.
    pub(crate) fn branch_names(&self) -> impl Iterator<Item = &str> {
        self.tips.keys().filter_map(|name| name.strip_prefix(HEADS))
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
        let mut names: BTreeSet<&str> = self.tips.keys().chain(now.tips.keys()).map(String::as_str).collect();
        // Before there was the branch, the reference hid nothing and was not read.
        names.retain(|name| hidden_branch(name).is_none_or(|branch| self.tips.contains_key(&branch)));
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
fn read_loose(common: &Path, path: &Path, tips: &mut BTreeMap<String, String>) -> Option<()> {
    // Git makes no link here, and would follow them in a circle; on a pipe it would wait.
    let kind = fs::symlink_metadata(path).map(|found| found.file_type());
    if kind.as_ref().is_ok_and(FileType::is_dir) {
        for entry in fs::read_dir(path).into_iter().flatten() {
            read_loose(common, &entry.ok()?.path(), tips)?;
        }
    } else if kind.is_ok_and(|kind| kind.is_file()) && path.extension().is_none_or(|ending| ending != "lock")
    {
        let name = path.strip_prefix(common).ok()?.to_str()?.to_owned();
        let text = regular_file::read_text(path).ok()?;
        if text.starts_with("ref:") {
            // The reference that it points to is in the list as well.
            tips.remove(&name);
        } else {
            tips.insert(name, check_id(text.trim())?);
        }
    }
    Some(())
}

/// Returns the files of references in which there is no tip, with what is there: links, names of other references, garbage.
pub(crate) fn list_without_tip(common: &Path) -> BTreeMap<PathBuf, String> {
    let watched = FOLDERS.iter().filter(|folder| !TRACKING.starts_with(*folder));
    let (mut paths, mut found): (Vec<PathBuf>, _) =
        (watched.map(|folder| common.join(folder)).collect(), BTreeMap::new());
    while let Some(path) = paths.pop() {
        let Ok(kind) = fs::symlink_metadata(&path) else { continue };
        if kind.is_dir() {
            paths.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if kind.is_symlink() {
            let target = fs::read_link(&path).unwrap_or_default();
            found.insert(path, target.to_string_lossy().into_owned());
        } else if path.extension().is_none_or(|ending| ending != "lock") {
            let text = String::from_utf8_lossy(&regular_file::read(&path).unwrap_or_default()).into_owned();
            if !is_object_id(text.trim()) {
                found.insert(path, text);
            }
        }
    }
    found
}

/// Returns the folders in which git keeps what belongs to one worktree, without ours.
pub(crate) fn other_worktrees(workspace: &Workspace) -> Vec<PathBuf> {
    let linked = fs::read_dir(workspace.common().join("worktrees")).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = linked.map(|entry| entry.path()).collect();
    all.push(workspace.common().to_owned());
    all.retain(|git_dir| git_dir != workspace.git_dir());
    all
}

/// Tells whether a run, or a check outside of a run, works in the worktree of a folder of git.
pub(crate) fn is_of_a_run(git_dir: &Path) -> bool {
    let branch = head_reference(git_dir);
    let branch = branch.as_deref().and_then(|name| name.strip_prefix("refs/heads/"));
    let place = regular_file::read_text(&git_dir.join("gitdir")).unwrap_or_default();
    branch.is_some_and(|branch| issue_of_run_branch(branch).is_some()) || is_clean_worktree(&place)
}

/// Tells whether the path of a worktree's `.git` is that of a clean worktree.
fn is_clean_worktree(place: &str) -> bool {
    let place = place.trim_end().trim_end_matches("/.git");
    let is_of_check = ["-", "/"].iter().any(|mark| place.ends_with(&format!("{mark}{CHECK}{mark}clean")));
    is_of_check || (place.contains("issue-") && place.ends_with("clean"))
}

fn read_packed(text: &str) -> Option<BTreeMap<String, String>> {
    let is_reference = |line: &&str| !line.starts_with(['#', '^']);
    let mut tips = BTreeMap::new();
    for line in text.lines().filter(is_reference) {
        let (tip, name) = line.split_once(' ')?;
        tips.insert(name.to_owned(), check_id(tip)?);
    }
    Some(tips)
}

/// Returns the full name of the branch that git does not find by its short name where there is this reference.
fn hidden_branch(name: &str) -> Option<String> {
    if is_in_folders(name) { None } else { name.strip_prefix("refs/").map(|short| format!("{HEADS}{short}")) }
}

fn is_in_folders(name: &str) -> bool {
    let is_below = |rest: &str| rest.is_empty() || rest.starts_with('/');
    FOLDERS.iter().any(|folder| name.strip_prefix(folder).is_some_and(is_below))
}

/// Returns the full names of the references that would hide a branch.
fn list_hiding<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let branches = names.filter_map(|name| name.strip_prefix(HEADS));
    branches.map(|short| format!("refs/{short}")).filter(|name| !is_in_folders(name)).collect()
}

fn remove_unwatched(tips: &mut BTreeMap<String, String>) {
    let hiding: BTreeSet<String> = list_hiding(tips.keys()).into_iter().collect();
    tips.retain(|name, _| is_in_folders(name) || hiding.contains(name));
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

/// Tells whether people hardly move a reference while an agent works. What they move has a file of its own until git packs it.
fn is_seldom_moved(common: &Path, now: &References, name: &str) -> bool {
    let is_branch_or_tag = name.starts_with("refs/heads/") || name.starts_with("refs/tags/");
    let is_packed = now.tips.contains_key(name)
        && !common.join("reftable").exists()
        && common.join(name).symlink_metadata().is_err();
    !is_branch_or_tag || is_packed
}

fn is_watched(name: &str) -> bool {
    let is_of_a_run =
        name.strip_prefix("refs/heads/").is_some_and(|branch| issue_of_run_branch(branch).is_some());
    !(name.starts_with(TRACKING) || is_of_a_run)
}

#[cfg(test)]
mod tests;
