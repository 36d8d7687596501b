//! Where git's own files lie: folders of git, of hooks, of references; and what is done with one place. Compares nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use super::{COPIES, DEEPEST, REMOVED};
use crate::error::at;
use crate::file_entry::Entry;
use crate::references::{are_packed_references, is_of_a_run, is_reference, list_without_tip};
use crate::regular_file::remove_all;
use crate::workspace::RunWorkspace;
use crate::{Result, regular_file};

/// Returns a folder of git with those of its linked worktrees and its submodules.
pub(super) fn list_git_dirs(common: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::from([common.to_owned()]);
    found.extend(list_subfolders(&common.join("worktrees")));
    for owner in found.clone() {
        add_submodules(&owner.join("modules"), DEEPEST, &mut found);
    }
    found
}

/// The name of a submodule may have slashes in it.
pub(super) fn add_submodules(folder: &Path, depth: usize, found: &mut BTreeSet<PathBuf>) {
    for inside in list_subfolders(folder) {
        let Some(depth) = depth.checked_sub(1) else { return };
        if inside.join("HEAD").exists() {
            add_submodules(&inside.join("modules"), depth, found);
            found.insert(inside);
        } else {
            add_submodules(&inside, depth, found);
        }
    }
}

pub(super) fn list_subfolders(folder: &Path) -> Vec<PathBuf> {
    list_names(folder).into_iter().filter(|path| is_folder(path)).collect()
}

/// Returns the `.git` of the linked worktree that a folder of git belongs to, if it is there.
pub(super) fn read_worktree_entry(git_dir: &Path) -> Option<PathBuf> {
    let link = regular_file::read_text(&git_dir.join("gitdir")).ok()?;
    let place = git_dir.join(link.trim_end());
    if place.ends_with(".git") && place.exists() { Some(place) } else { None }
}

/// Adds the files below a folder, however many; where something else is in the place of the folder, that.
pub(super) fn list_files(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    if !is_folder(folder) {
        found.insert(folder.to_owned());
        return;
    }
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let (inner, files): (Vec<PathBuf>, _) =
            list_names(&folder).into_iter().partition(|path| is_folder(path));
        folders.extend(inner);
        found.extend(files.into_iter().filter(|path| !is_ignored(path)));
    }
}

/// Returns what is told where it is new, with what tells one from another.
pub(super) fn list_left(common: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = list_without_tip(common);
    let git_dirs = list_git_dirs(common).into_iter().filter(|git_dir| !is_of_a_run(git_dir));
    found.extend(git_dirs.map(|git_dir| (git_dir, String::new())));
    let shallow = common.join("shallow");
    if let Ok(ends) = regular_file::read(&shallow) {
        found.insert(shallow, String::from_utf8_lossy(&ends).into_owned());
    }
    found
}

/// Tells whether git would take a file for a reference.
pub(super) fn holds_reference(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => true,
        Ok(found) if found.is_file() => regular_file::read_text(path).is_ok_and(|text| is_reference(&text)),
        _ => false,
    }
}

/// Returns the files without which git finds no branch.
pub(super) fn list_reference_files(run: &RunWorkspace) -> [PathBuf; 4] {
    let (common, git_dir) = (run.workspace().common(), run.workspace().git_dir());
    [
        git_dir.join("HEAD"),
        common.join("HEAD"),
        common.join("packed-refs"),
        common.join("refs/heads").join(run.branch()),
    ]
}

/// Tells whether git can read a file of references. A link, or a folder in the place of a file, leads elsewhere.
pub(super) fn can_be_read(path: &Path, was: Option<&Entry>) -> bool {
    match Entry::read_identity(path) {
        None => !path.ends_with("HEAD"),
        Some(_) if is_folder(path) => was.is_none(),
        Some(_) if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) => false,
        Some(_) => regular_file::read(path).is_ok_and(|bytes| {
            let text = String::from_utf8_lossy(&bytes);
            if path.ends_with("packed-refs") { are_packed_references(&text) } else { is_reference(&text) }
        }),
    }
}

pub(super) fn read_all(places: BTreeSet<PathBuf>) -> BTreeMap<PathBuf, Entry> {
    places.into_iter().filter_map(|path| Entry::read(&path).map(|entry| (path, entry))).collect()
}

/// Tells whether a file is one that git starts or reads never, or only for a moment.
pub(super) fn is_ignored(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "sample" || ending == "lock")
        || path.ends_with("info/refs")
}

/// Returns the paths in a folder, in order. No name that git looks for is anything but UTF-8.
pub(super) fn list_names(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.to_str().is_some()).collect()
}

pub(super) fn list_indexes(run: &RunWorkspace) -> BTreeMap<PathBuf, Option<Entry>> {
    let mut indexes = list_names(&run.snapshots().index_folder());
    indexes.retain(|path| path.extension().is_some_and(|ending| ending == "index"));
    indexes.into_iter().map(|path| (path.clone(), Entry::read_identity(&path))).collect()
}

pub(super) fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Moves what is at a place to where removed files are kept; removes it where it cannot be moved.
pub(super) fn set_aside(run: &RunWorkspace, path: &Path) -> Result<()> {
    let name = name_of(run, path);
    // An included file may be named by way of the folder above.
    let inside = Path::new(&name).components().filter(|part| matches!(part, Component::Normal(_)));
    let kept = run.state_dir().join(REMOVED).join(inside.collect::<PathBuf>());
    remove_all(&kept).map_err(at(&kept))?;
    let parent = kept.parent().map_or(Ok(()), fs::create_dir_all);
    if parent.and_then(|()| fs::rename(path, &kept)).is_err() {
        remove_all(path).map_err(at(path))?;
    }
    Ok(())
}

/// Writes what was at a place. A large file whose copy is gone stays away, and that is told.
pub(super) fn write(run: &RunWorkspace, was: &Entry, path: &Path) -> Result<()> {
    match was.write(path, &run.state_dir().join(COPIES)) {
        Err(error) if matches!(was, Entry::Large { .. }) => {
            tracing::warn!("{} could not be put back: {error}", name_of(run, path));
            Ok(())
        }
        written => written.map_err(at(path)),
    }
}

/// Names a place for people: from the worktree or the checkout, if it is in one of them.
pub(super) fn name_of(run: &RunWorkspace, path: &Path) -> String {
    let tops = [run.workspace().root(), run.workspace().main_root()];
    let inside = tops.iter().find_map(|top| path.strip_prefix(top).ok());
    inside.unwrap_or(path).to_string_lossy().escape_debug().to_string()
}

pub(super) fn read_time(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|metadata| metadata.modified()).ok()
}

/// Sets when a file was written. Where the system refuses, the file is younger than it could be.
pub(super) fn set_time(file: &Path, time: SystemTime) {
    let is_file = fs::symlink_metadata(file).is_ok_and(|found| found.is_file());
    if is_file && let Ok(opened) = fs::File::open(file) {
        let _ = opened.set_modified(time);
    }
}
