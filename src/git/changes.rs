//! What differs between two states of the files, as paths or with the texts of both sides: two trees, or a commit and the
//! files on disk. One process for all that git holds. Files that git was told to take for unchanged
//! (`update-index --assume-unchanged`, `--skip-worktree`) count as well: no diff of git's shows them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::path::Path;

use model::change::{self, Change, LONGEST_TEXT, Mode, Version};

use crate::objects::{Blobs, Objects, Sides, TreeEntry, is_plain, mode_of, raw_sides};
use crate::run_files::is_engines_own;
use crate::snapshot::{self, Snapshot};
use crate::status::is_cache;
use crate::workspace::Workspace;
use crate::{CommitId, Result, Tree};

/// The changes in a repository.
#[derive(Debug, Clone)]
pub struct Changes<'a> {
    pub(crate) workspace: &'a Workspace,
}

impl Changes<'_> {
    /// Returns what differs from HEAD at these paths, as a snapshot saw it; a path that does not differ is left out.
    pub fn uncommitted(&self, seen: &Snapshot, paths: &BTreeSet<String>) -> Result<Vec<Change>> {
        let differing: Vec<&String> =
            paths.iter().filter(|path| seen.uncommitted.contains_key(*path)).collect();
        let old = differing.iter().filter_map(|path| seen.in_head.get(*path));
        let blobs = self.objects().blobs(old)?;
        let change = |path: &String| {
            let before = seen.in_head.get(path).map(|old| version(old, &blobs));
            let gone = seen.uncommitted.get(path) == Some(&snapshot::Content::Deleted);
            let after = if gone { None } else { on_disk(&self.workspace.root().join(path)) };
            Change::new(path.clone(), before, after)
        };
        self.with_modes_of_git(differing.into_iter().map(change).collect())
    }

    /// Returns what differs between a commit and the files, untracked and hidden ones included, without the engine's own.
    pub fn since(&self, base: &CommitId) -> Result<Vec<Change>> {
        let raw = ["diff", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-abbrev"];
        let scope = ["--ignore-submodules=all", base.as_str(), "--"];
        let output = self.workspace.ask(raw.into_iter().chain(scope))?;
        let sides = raw_sides(&output.text()).ok_or_else(|| output.unexpected())?;
        let tracked = sides.into_iter().filter(|(path, _)| !is_engines_own(path));
        let mut before: BTreeMap<String, _> = tracked.map(|(path, (before, _))| (path, before)).collect();
        let untracked = self.workspace.ask(["ls-files", "-z", "--others", "--exclude-standard"])?;
        for path in untracked.paths() {
            if !is_engines_own(&path) && !path.ends_with('/') && !is_cache(&path) {
                before.entry(path).or_insert(None);
            }
        }
        for (path, old) in self.hidden(base)? {
            before.entry(path).or_insert(old);
        }
        let blobs = self.objects().blobs(before.values().flatten())?;
        let change = |(path, old): (&String, &Option<TreeEntry>)| {
            let before = old.as_ref().map(|old| version(old, &blobs));
            Change::new(path.clone(), before, on_disk(&self.workspace.root().join(path)))
        };
        self.with_modes_of_git(before.iter().map(change).collect())
    }

    /// Returns what differs between two trees at these paths.
    pub fn between(&self, old: &Tree, new: &Tree, paths: &BTreeSet<String>) -> Result<Vec<Change>> {
        if paths.is_empty() || old == new {
            return Ok(Vec::new());
        }
        self.differing(old, new, paths)
    }

    /// Returns everything that differs between two trees.
    pub fn all_between(&self, old: &Tree, new: &Tree) -> Result<Vec<Change>> {
        self.differing(old, new, &BTreeSet::new())
    }

    /// Without paths everything counts.
    fn differing(&self, old: &Tree, new: &Tree, paths: &BTreeSet<String>) -> Result<Vec<Change>> {
        let sides = self.objects().differences(old.as_str(), new.as_str(), paths)?;
        let blobs = self.objects().blobs(sides.values().flat_map(|(old, new)| old.iter().chain(new)))?;
        let change = |(path, (old, new)): (&String, &Sides)| {
            let version = |side: &Option<TreeEntry>| side.as_ref().map(|side| version(side, &blobs));
            Change::new(path.clone(), version(old), version(new))
        };
        Ok(sides.iter().map(change).collect())
    }

    /// Returns the paths that differ between two snapshots.
    pub fn paths_between(&self, from: &Tree, to: &Tree) -> Result<Vec<String>> {
        let words =
            ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from.as_str(), to.as_str(), "--"];
        Ok(self.workspace.ask(words)?.paths())
    }

    /// Returns the paths that differ between a commit and a tree and are still there.
    pub fn present_paths_between(&self, commit: &CommitId, tree: &Tree) -> Result<Vec<String>> {
        let options = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=d"];
        let sides = [commit.as_str(), tree.as_str(), "--"];
        Ok(self.workspace.ask(options.into_iter().chain(sides))?.paths())
    }

    /// Returns the changes that differ. Where git takes no modes from the disk, those of the index count.
    fn with_modes_of_git(&self, changes: Vec<Change>) -> Result<Vec<Change>> {
        let differing = changes.into_iter().filter(differs);
        let mut changes: Vec<Change> = differing.collect();
        if !changes.iter().any(differs_in_mode) || self.is_set("core.fileMode", true)? {
            return Ok(changes);
        }
        let known = self.modes_of_the_index()?;
        for change in &mut changes {
            if let Some(after) = change.after.as_mut().filter(|after| is_plain(after.mode)) {
                after.mode = known.get(&change.path).copied().unwrap_or(Mode::File);
            }
        }
        changes.retain(differs);
        Ok(changes)
    }

    /// Tells whether a setting of git is true.
    fn is_set(&self, name: &str, default: bool) -> Result<bool> {
        let default = format!("--default={default}");
        Ok(self.workspace.ask(["config", "--type=bool", &default, "--get", name])?.line() == "true")
    }

    fn modes_of_the_index(&self) -> Result<BTreeMap<String, Mode>> {
        let output = self.workspace.ask(["ls-files", "--stage", "-z"])?;
        let plain_file = |entry: &str| {
            let (head, path) = entry.split_once('\t')?;
            let mode = mode_of(head.split(' ').next()?);
            if is_plain(mode) { Some((path.to_owned(), mode)) } else { None }
        };
        Ok(output.text().split('\0').filter_map(plain_file).collect())
    }

    /// Returns the hidden paths with what a commit holds there.
    fn hidden(&self, base: &CommitId) -> Result<BTreeMap<String, Option<TreeEntry>>> {
        let listed = self.workspace.ask(["ls-files", "-v", "-z"])?.text();
        let mut paths: Vec<&str> = listed.split('\0').filter_map(marked).collect();
        paths.retain(|path| !is_engines_own(path));
        // A sparse checkout leaves files out that nobody deleted.
        if paths.iter().any(|path| self.is_missing(path)) && self.is_set("core.sparseCheckout", false)? {
            paths.retain(|path| !self.is_missing(path));
        }
        if paths.is_empty() {
            return Ok(BTreeMap::new());
        }
        let mut held = self.objects().entries(base.as_str(), &BTreeSet::new())?;
        Ok(paths.into_iter().map(|path| (path.to_owned(), held.remove(path))).collect())
    }

    fn is_missing(&self, path: &str) -> bool {
        self.workspace.root().join(path).symlink_metadata().is_err()
    }

    fn objects(&self) -> Objects<'_> {
        Objects { workspace: self.workspace }
    }
}

/// A new file that can be executed differs as well: git would take it without that.
fn differs_in_mode(change: &Change) -> bool {
    let was = change.before.as_ref().map_or(Mode::File, |before| before.mode);
    change.after.as_ref().is_some_and(|after| after.mode != was && is_plain(after.mode))
}

fn differs(change: &Change) -> bool {
    change.before != change.after
}

fn version(old: &TreeEntry, blobs: &Blobs) -> Version {
    let bytes = blobs.get(&old.id).cloned().unwrap_or_default();
    Version { mode: mode_of(&old.mode), content: change::Content::of(bytes) }
}

/// Reads what lies at a path; nothing when it is not there, or nothing that git keeps.
fn on_disk(path: &Path) -> Option<Version> {
    let found = fs::symlink_metadata(path).ok()?;
    if found.is_symlink() {
        let target = fs::read_link(path).ok()?.to_string_lossy().into_owned();
        return Some(Version { mode: Mode::Link, content: change::Content::Text(target) });
    }
    if found.is_dir() {
        return Some(Version { mode: Mode::Submodule, content: change::Content::Binary(Vec::new()) });
    }
    if !found.is_file() {
        return None;
    }
    let content = if found.len() > LONGEST_TEXT {
        change::Content::TooLong(found.len())
    } else {
        change::Content::of(fs::read(path).ok()?)
    };
    Some(Version { mode: if is_executable(&found) { Mode::Executable } else { Mode::File }, content })
}

fn is_executable(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o100 != 0
}

/// Returns the path of an entry that is marked: `S` is skipped, a small letter assumed to be unchanged.
fn marked(entry: &str) -> Option<&str> {
    let (mark, path) = entry.split_once(' ')?;
    let is_hidden = mark == "S" || mark.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_hidden { Some(path) } else { None }
}

#[cfg(test)]
mod tests;
