//! Where a command runs: in the clean worktree, brought to the tree that will be published or to the base, with what the
//! project needs in it. Outside a run nothing is going to be published, and the worktree itself is the place.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::charged::{End, Look};
use super::running;
use crate::walk::walk;
use crate::{Site, TestTrees};
use git::{CommitId, Error, RunWorkspace, Tree};
use process::{ProgramExit, Stop};

/// What a run is going to publish, and from where it started.
pub struct Published<'a> {
    /// Where the clean worktree is made.
    pub space: &'a RunWorkspace,
    /// The files that would be published.
    pub tree: Tree,
    /// The commit that the run began from.
    pub base: CommitId,
    /// The trees for the runs of the tests that compare.
    pub test_trees: &'a TestTrees,
    /// What the commands have shown.
    pub memory: &'a Memory,
}

/// What commands have shown in this process. In memory only: an agent could write into a file.
#[derive(Debug, Default)]
pub struct Memory {
    /// What a command said about a tree, by its line and the tree.
    looks: Mutex<BTreeMap<(String, String), Look>>,
    /// The lock files that the clean worktree was last set up with.
    set_up: Mutex<Option<Vec<u8>>>,
}

impl Memory {
    /// Returns what a command said about this tree.
    pub(crate) fn known(&self, line: &str, tree: &Tree) -> Option<Look> {
        let looks = self.looks.lock().ok()?;
        looks.get(&(line.to_owned(), tree.to_string())).cloned()
    }

    /// Remembers what a command said; that it could not run may be different the next time.
    pub(crate) fn remember(&self, line: &str, tree: &Tree, look: &Look) {
        if let (Ok(mut looks), false) = (self.looks.lock(), matches!(look.end, End::Unavailable(_))) {
            looks.insert((line.to_owned(), tree.to_string()), look.clone());
        }
    }

    fn is_set_up_with(&self, locks: &[u8]) -> bool {
        self.set_up.lock().is_ok_and(|known| known.as_deref() == Some(locks))
    }

    fn set_up_with(&self, locks: Option<Vec<u8>>) {
        if let Ok(mut known) = self.set_up.lock() {
            *known = locks;
        }
    }
}

/// A place that is ready for a command.
pub(super) struct Ground {
    pub folder: PathBuf,
    pub is_clean: bool,
    /// What was linked into it, a line for each worktree that it is from.
    pub linked: Vec<String>,
}

/// Makes a place ready that holds a tree; without one the worktree itself is the place.
pub(super) async fn prepare(site: &Site<'_>, tree: Option<&Tree>, stop: &mut Stop) -> Result<Ground, String> {
    let (Some(published), Some(tree)) = (site.published, tree) else {
        return Ok(Ground { folder: site.worktree.to_owned(), is_clean: false, linked: Vec::new() });
    };
    let space = published.space;
    let folder =
        space.clean_worktree().check_out(tree).map_err(|error| format!("no clean worktree: {error}"))?;
    let packages = packages(&folder);
    forget_reports(space, &folder, &packages)
        .map_err(|error| format!("old reports cannot be removed: {error}"))?;
    let linked = match site.commands.get("setup") {
        Some(line) => set_up(line, &folder, site, published.memory, stop).await.map(|()| Vec::new())?,
        None => link(space, site.worktree, &folder, &packages)
            .map_err(|error| format!("its dependencies cannot be linked: {error}"))?,
    };
    Ok(Ground { folder, is_clean: true, linked })
}

/// Files whose change makes a new setup necessary.
const LOCKS: [&str; 12] = [
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "poetry.lock",
    "uv.lock",
    "Pipfile.lock",
    "requirements.txt",
    "go.sum",
    "deno.lock",
    "package.json",
];

async fn set_up(
    line: &str,
    folder: &Path,
    site: &Site<'_>,
    memory: &Memory,
    stop: &mut Stop,
) -> Result<(), String> {
    let read = |name: &&str| fs::read(folder.join(name)).unwrap_or_default();
    let locks: Vec<u8> = LOCKS.iter().map(read).collect::<Vec<_>>().join(&0);
    if memory.is_set_up_with(&locks) {
        return Ok(());
    }
    memory.set_up_with(None);
    let ran = running::run(line, folder, true, site.time, stop).await?;
    if ran.exit == ProgramExit::Code(0) {
        memory.set_up_with(Some(locks));
        return Ok(());
    }
    Err(format!(
        "`[commands] setup` {}: {}",
        ran.exit,
        site.masker.mask(running::tail(ran.stderr.trim(), 400))
    ))
}

/// Folders in which package managers put what a project needs.
const DEPENDENCIES: [&str; 4] = ["node_modules", ".venv", "venv", "vendor"];
/// Packages of a workspace lie so deep.
const DEEPEST: usize = 3;
/// A project of more folders is not searched to its end.
const MOST_FOLDERS: usize = 5000;

/// Links ignored dependency folders to the same places: those of the author's worktree, and where that is a linked one
/// without them those of the checkout. Nothing of this clean worktree is ever published.
fn link(
    space: &RunWorkspace,
    worktree: &Path,
    clean: &Path,
    packages: &[PathBuf],
) -> Result<Vec<String>, Error> {
    let mut places: Vec<String> = packages
        .iter()
        .flat_map(|folder| DEPENDENCIES.map(|name| folder.join(name)))
        .filter(|place| !is_folder(&clean.join(place)))
        .filter_map(|place| Some(place.to_str()?.to_owned()))
        .collect();
    let mut linked = Vec::new();
    for (whose, from) in
        [("the author's worktree", worktree), ("the checkout", space.workspace().main_root())]
    {
        let here: Vec<String> = places.iter().filter(|place| from.join(place).is_dir()).cloned().collect();
        let here = space.workspace().list_wholly_ignored(from, &here)?;
        for place in &here {
            link_one(&from.join(place), &clean.join(place))?;
        }
        places.retain(|place| !here.contains(place));
        if !here.is_empty() {
            linked.push(format!("linked from {whose}: {}", here.join(", ")));
        }
    }
    Ok(linked)
}

fn link_one(from: &Path, to: &Path) -> Result<(), Error> {
    // A link of an earlier time, which may lead elsewhere.
    let _ = fs::remove_file(to);
    symlink(from, to).map_err(|source| Error::File { path: to.to_owned(), source })
}

/// Tells whether there is a folder and not a link to one.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

#[cfg(unix)]
fn symlink(from: &Path, to: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
fn symlink(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Returns the folders of a worktree in which packages may lie, relative to its top, the top first.
fn packages(root: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    walk(root, |path, kind| {
        let name = path.file_name().and_then(OsStr::to_str);
        let is_package = kind.is_dir() && name.is_some_and(may_hold_packages) && found.len() < MOST_FOLDERS;
        if is_package {
            found.push(path.to_owned());
        }
        is_package && path.components().count() < DEEPEST
    });
    found
}

fn may_hold_packages(name: &str) -> bool {
    !name.starts_with('.') && !DEPENDENCIES.contains(&name) && name != "target"
}

/// Folders that hold nothing but reports of tests.
const REPORTS: [&str; 4] = ["test-results", "test-reports", "reports", "surefire-reports"];
/// Where some tools put them.
const ABOVE_REPORTS: [&str; 2] = ["build", "target"];
/// A report folder of more files is not looked at to its end.
const MOST_FILES: usize = 5000;

/// Removes the reports of earlier test runs from these folders of a clean worktree: nobody may mistake them for ours. One that
/// belongs to the tree stays as the tree has it, those that git ignores are still there.
fn forget_reports(space: &RunWorkspace, clean: &Path, folders: &[PathBuf]) -> Result<(), Error> {
    let mut found = Vec::new();
    for folder in folders {
        collect_reports(clean, folder, &mut found);
    }
    let found: Vec<String> =
        found.into_iter().filter_map(|path| path.into_os_string().into_string().ok()).collect();
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

fn collect_reports(clean: &Path, folder: &Path, found: &mut Vec<PathBuf>) {
    walk(&clean.join(folder), |name, kind| {
        let path = folder.join(name);
        let text = name.to_str().unwrap_or_default();
        if REPORTS.contains(&text) && kind.is_dir() {
            // The folder may be ignored, or only what is in it.
            walk(&clean.join(&path), |inside, _| {
                found.push(path.join(inside));
                found.len() < MOST_FILES
            });
        } else if ABOVE_REPORTS.contains(&text) {
            let inside = REPORTS.map(|reports| path.join(reports));
            found.extend(inside.into_iter().filter(|path| clean.join(path).is_dir()));
        }
        if REPORTS.contains(&text) || is_report(text) {
            found.push(path);
        }
        false
    });
}

fn is_report(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        ending == "xml" && (stem.starts_with("junit") || stem.starts_with("test-"))
    })
}
