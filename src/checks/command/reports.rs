//! Reports of earlier test runs, which nobody may mistake for ours: those that git ignores are still there in a clean
//! worktree and are removed. One that belongs to the tree stays as the tree has it.

use std::fs;
use std::path::{Path, PathBuf};

use git::{Error, RunWorkspace};

/// Folders that hold nothing but reports.
const FOLDERS: [&str; 4] = ["test-results", "test-reports", "reports", "surefire-reports"];
/// Where some tools put them.
const ABOVE: [&str; 2] = ["build", "target"];
/// A report folder of more files is not looked at to its end.
const MOST_FILES: usize = 5000;

/// Removes the reports from these folders of a clean worktree, which are relative to its top.
pub(super) fn forget(space: &RunWorkspace, clean: &Path, folders: &[PathBuf]) -> Result<(), Error> {
    let mut found = Vec::new();
    for folder in folders {
        collect(clean, folder, &mut found);
    }
    for path in space.workspace().list_ignored(clean, &found)? {
        let path = clean.join(path);
        // A folder may have taken the files with it that are named after it.
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        if let (Err(source), true) = (removed, path.symlink_metadata().is_ok()) {
            return Err(Error::File { path, source });
        }
    }
    Ok(())
}

fn collect(clean: &Path, folder: &Path, found: &mut Vec<String>) {
    for name in names(&clean.join(folder)) {
        let path = folder.join(&name);
        if is_report(&name) {
            add(&path, found);
        } else if FOLDERS.contains(&name.as_str()) {
            add_with_files(clean, &path, found);
        } else if ABOVE.contains(&name.as_str()) {
            let inside = FOLDERS.map(|reports| path.join(reports));
            inside.iter().filter(|path| clean.join(path).is_dir()).for_each(|path| add(path, found));
        }
    }
}

fn is_report(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        ending == "xml" && (stem.starts_with("junit") || stem.starts_with("test-"))
    })
}

/// The folder may be ignored, or only what is in it.
fn add_with_files(clean: &Path, folder: &Path, found: &mut Vec<String>) {
    let mut left = vec![folder.to_owned()];
    while let Some(path) = left.pop() {
        add(&path, found);
        let is_folder = fs::symlink_metadata(clean.join(&path)).is_ok_and(|found| found.is_dir());
        if is_folder && found.len() < MOST_FILES {
            left.extend(names(&clean.join(&path)).map(|name| path.join(name)));
        }
    }
}

fn add(path: &Path, found: &mut Vec<String>) {
    found.extend(path.to_str().map(str::to_owned));
}

fn names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok())
}
