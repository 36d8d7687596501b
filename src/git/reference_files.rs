//! Reads where branches and tags stand out of git's own files: they are looked at around every review, and a process each
//! time would cost more than the looking. Where git keeps them in another form (reftable), nothing is read here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::Workspace;
use super::references::References;
use model::object_id::is_object_id;

/// What is looked at, below the common folder.
const FOLDERS: [&str; 3] = ["refs/heads", "refs/tags", "refs/remotes"];

impl Workspace {
    /// Returns where branches and tags stand; nothing where these files do not tell it, or tell something strange.
    pub(super) fn references_by_file(&self) -> Option<References> {
        if self.common.join("reftable").exists() {
            return None;
        }
        let mut tips = packed(&fs::read_to_string(self.common.join("packed-refs")).unwrap_or_default())?;
        for folder in FOLDERS {
            self.loose(&self.common.join(folder), &mut tips)?;
        }
        let known = |git_dir: &Path| branch_of(git_dir).filter(|name| tips.contains_key(name));
        let elsewhere = self.other_worktrees().iter().filter_map(|git_dir| known(git_dir)).collect();
        Some(References { head: known(&self.git_dir), elsewhere, tips })
    }

    /// What lies in a file of its own counts more than what is packed.
    fn loose(&self, folder: &Path, tips: &mut BTreeMap<String, String>) -> Option<()> {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let entry = entry.ok()?;
            let (path, kind) = (entry.path(), entry.file_type().ok()?);
            if kind.is_symlink() {
                // Git makes none here, and would follow them in a circle.
                continue;
            }
            if kind.is_dir() {
                self.loose(&path, tips)?;
            } else if path.extension().is_none_or(|ending| ending != "lock") {
                let name = path.strip_prefix(&self.common).ok()?.to_str()?.to_owned();
                let text = fs::read_to_string(&path).ok()?;
                if text.starts_with("ref:") {
                    // What it points to stands in the list as well.
                    tips.remove(&name);
                } else {
                    tips.insert(name, object(text.trim())?);
                }
            }
        }
        Some(())
    }

    /// Returns the folders in which git keeps what belongs to one worktree, without ours.
    fn other_worktrees(&self) -> Vec<PathBuf> {
        let linked = fs::read_dir(self.common.join("worktrees")).into_iter().flatten().flatten();
        let mut all: Vec<PathBuf> = linked.map(|entry| entry.path()).collect();
        all.push(self.common.clone());
        all.retain(|git_dir| *git_dir != self.git_dir);
        all
    }
}

fn packed(text: &str) -> Option<BTreeMap<String, String>> {
    let is_reference = |line: &&str| !line.starts_with(['#', '^']);
    let mut tips = BTreeMap::new();
    for line in text.lines().filter(is_reference) {
        let (tip, name) = line.split_once(' ')?;
        if FOLDERS.iter().any(|folder| name.starts_with(folder)) {
            tips.insert(name.to_owned(), object(tip)?);
        }
    }
    Some(tips)
}

fn object(id: &str) -> Option<String> {
    is_object_id(id).then(|| id.to_owned())
}

/// Returns the branch that HEAD names there.
fn branch_of(git_dir: &Path) -> Option<String> {
    let head = fs::read_to_string(git_dir.join("HEAD")).ok()?;
    Some(head.trim().strip_prefix("ref: ")?.to_owned())
}
