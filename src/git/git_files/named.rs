//! What settings and links name: folders of hooks, files of attributes and patterns, and where links lead. Follows links, because
//! git does.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::places::{is_folder, list_files, list_names};
use crate::pinned_config::{list_user_settings_files, read_paths};
use crate::workspace::Workspace;

/// Folders in which package managers and builds write.
const FOLDERS_OF_BUILDS: &str = include_str!("../data/folders_of_builds.txt");

/// Folders and files that count because settings or links name them.
pub(super) struct NamedPlaces {
    /// Folders of which every file counts.
    pub(super) folders: BTreeSet<PathBuf>,
    /// Single files.
    pub(super) files: BTreeSet<PathBuf>,
    /// Folders of hooks that hold files of the worktree.
    pub(super) tracked_folders: BTreeSet<PathBuf>,
    /// Files in the worktree.
    pub(super) tracked_files: BTreeSet<PathBuf>,
}

impl NamedPlaces {
    /// Adds to known folders what settings and links name; `holds_files` tells whether a folder holds files of the worktree.
    pub(super) fn find(
        workspace: &Workspace,
        git_dirs: &BTreeSet<PathBuf>,
        settings: &BTreeSet<PathBuf>,
        known: &BTreeSet<PathBuf>,
        holds_files: &dyn Fn(&PathBuf) -> bool,
    ) -> Self {
        let mut all = known.clone();
        all.extend(known.iter().filter_map(|folder| follow_link(folder)).filter(|to| is_folder(to)));
        all.extend(list_hooks_folders(workspace, git_dirs, settings));
        let (tracked_folders, folders): (BTreeSet<PathBuf>, BTreeSet<PathBuf>) =
            all.into_iter().partition(holds_files);
        let mut files = list_linked_files(folders.iter());
        files.extend(list_pattern_files(workspace, settings));
        let is_in_worktree = |path: &PathBuf| {
            path.starts_with(workspace.root()) && !git_dirs.iter().any(|git_dir| path.starts_with(git_dir))
        };
        let (tracked_files, files) = files.into_iter().partition(is_in_worktree);
        Self { folders, files, tracked_folders, tracked_files }
    }
}

/// Returns the files in folders of hooks that hold files of the worktree, and in the folders inside them but for those of builds;
/// and the single files.
pub(super) fn list_tracked(
    root: &Path,
    folders: &BTreeSet<PathBuf>,
    files: &BTreeSet<PathBuf>,
) -> BTreeSet<PathBuf> {
    let (mut folders, mut found): (Vec<PathBuf>, _) = (folders.iter().cloned().collect(), files.clone());
    while let Some(folder) = folders.pop() {
        let (inner, files): (Vec<PathBuf>, Vec<PathBuf>) =
            list_names(&folder).into_iter().partition(|path| is_folder(path));
        folders.extend(inner.into_iter().filter(|inner| folder != root && !is_of_build(inner)));
        found.extend(files);
    }
    found.retain(|path| !is_folder(path) && !path.ends_with(".git"));
    found
}

fn is_of_build(folder: &Path) -> bool {
    FOLDERS_OF_BUILDS.lines().any(|name| folder.ends_with(name))
}

/// Returns the folders in which the settings of the repository and of the user say that hooks are, and what their links lead to.
/// One that holds the worktree is left out: it would be the whole disk.
fn list_hooks_folders(
    workspace: &Workspace,
    git_dirs: &BTreeSet<PathBuf>,
    settings: &BTreeSet<PathBuf>,
) -> BTreeSet<PathBuf> {
    let root = workspace.root();
    let of_user = list_user_settings_files();
    let mut found: BTreeSet<PathBuf> =
        settings.iter().chain(&of_user).flat_map(|file| read_paths(file, "hookspath", root)).collect();
    for git_dir in git_dirs.iter().filter(|git_dir| !has_worktree(git_dir, workspace)) {
        let worktree = find_worktree(git_dir);
        let config = git_dir.join("config");
        found.extend(worktree.iter().flat_map(|worktree| read_paths(&config, "hookspath", worktree)));
    }
    found.extend(found.clone().iter().filter_map(|folder| follow_link(folder)));
    found.retain(|folder| folder == root || !root.starts_with(folder));
    found
}

/// Tells whether a folder of git is that of the repository, or of one of its linked worktrees.
fn has_worktree(git_dir: &Path, workspace: &Workspace) -> bool {
    git_dir == workspace.common() || git_dir.parent() == Some(&workspace.common().join("worktrees"))
}

/// Returns the worktree of a submodule, or of a repository inside the worktree.
fn find_worktree(git_dir: &Path) -> Option<PathBuf> {
    let named = read_paths(&git_dir.join("config"), "worktree", git_dir).pop();
    let around = if git_dir.ends_with(".git") { git_dir.parent().map(Path::to_owned) } else { None };
    named.or(around)?.canonicalize().ok()
}

/// Returns the `.git` of the submodule that a folder of git belongs to, if it is there.
pub(super) fn find_submodule_entry(git_dir: &Path) -> Option<PathBuf> {
    let place = find_worktree(git_dir)?.join(".git");
    if place != git_dir && place.exists() { Some(place) } else { None }
}

/// Returns the files of attributes and of patterns that the settings of the repository name.
fn list_pattern_files(workspace: &Workspace, settings: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let named = ["attributesfile", "excludesfile"];
    settings
        .iter()
        .flat_map(|file| named.iter().flat_map(|key| read_paths(file, key, workspace.root())))
        .filter(|path| !is_folder(path))
        .collect()
}

/// Returns the files to which links in folders lead.
fn list_linked_files<'a>(folders: impl Iterator<Item = &'a PathBuf>) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    folders.for_each(|folder| list_files(folder, &mut files));
    files.iter().filter_map(|file| follow_link(file)).filter(|target| target.is_file()).collect()
}

/// Returns where a link leads; nothing for what is none.
pub(super) fn follow_link(path: &Path) -> Option<PathBuf> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    if is_link { path.canonicalize().ok() } else { None }
}
