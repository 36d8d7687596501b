//! Where a command runs: in the clean worktree, brought to the tree that will be published or to the base, with what the
//! project needs in it. Outside a run nothing is going to be published, and the worktree itself is the place.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::charged::{End, Look};
use super::running;
use crate::detected::lock_files;
use crate::paths::walk;
use crate::{Site, TestTrees};
use git::{CommitId, Error, RunWorkspace, Tree};
use model::text::tail;
use process::{ProgramExit, Stop};
use tool_output::LineHits;

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

    /// Returns what a command said about this tree, and has it run where that is not known.
    pub(crate) async fn once(&self, line: &str, tree: &Tree, run: impl Future<Output = Look>) -> Look {
        if let Some(known) = self.known(line, tree) {
            return known;
        }
        let look = run.await;
        self.remember(line, tree, &look);
        look
    }

    /// Remembers what a command said; that it could not run may be different the next time.
    pub(crate) fn remember(&self, line: &str, tree: &Tree, look: &Look) {
        if let (Ok(mut looks), false) = (self.looks.lock(), matches!(look.end, End::Unavailable(_))) {
            looks.insert((line.to_owned(), tree.to_string()), look.clone());
        }
    }

    fn set_up_with(&self, locks: Option<Vec<u8>>) {
        if let Ok(mut known) = self.set_up.lock() {
            *known = locks;
        }
    }
}

/// A place that is ready for a command.
pub(crate) struct Ground {
    pub folder: PathBuf,
    pub is_clean: bool,
    /// What was linked into it, a line for each worktree that it is from.
    pub linked: Vec<String>,
}

impl Ground {
    /// The worktree as it is.
    pub(crate) fn of_author(site: &Site<'_>) -> Self {
        Self { folder: site.worktree.to_owned(), is_clean: false, linked: Vec::new() }
    }

    /// Makes the place ready that holds what will be published.
    pub(crate) async fn published(site: &Site<'_>, stop: &mut Stop) -> Result<Self, String> {
        Self::prepare(site, site.published.map(|published| &published.tree), stop).await
    }

    /// Makes a place ready that holds a tree; without one the worktree itself is the place.
    pub(crate) async fn prepare(
        site: &Site<'_>,
        tree: Option<&Tree>,
        stop: &mut Stop,
    ) -> Result<Self, String> {
        let (Some(published), Some(tree)) = (site.published, tree) else { return Ok(Self::of_author(site)) };
        let space = published.space;
        let folder =
            space.clean_worktree().check_out(tree).map_err(|error| format!("no clean worktree: {error}"))?;
        let (packages, reports) = packages_and_reports(&folder);
        forget(space, &folder, &reports)
            .map_err(|error| format!("old reports cannot be removed: {error}"))?;
        let mut ground = Self { folder, is_clean: true, linked: Vec::new() };
        match site.commands.get("setup") {
            Some(line) => set_up(line, &ground, site, published.memory, stop).await?,
            None => {
                ground.linked = link(space, site.worktree, &ground.folder, &packages)
                    .map_err(|error| format!("its dependencies cannot be linked: {error}"))?;
            }
        }
        Ok(ground)
    }
}

async fn set_up(
    line: &str,
    ground: &Ground,
    site: &Site<'_>,
    memory: &Memory,
    stop: &mut Stop,
) -> Result<(), String> {
    let read = |name: &String| fs::read(ground.folder.join(name)).unwrap_or_default();
    let locks: Vec<u8> = lock_files().iter().map(read).collect::<Vec<_>>().join(&0);
    if memory.set_up.lock().is_ok_and(|known| known.as_ref() == Some(&locks)) {
        return Ok(());
    }
    memory.set_up_with(None);
    let ran = running::run(line, ground, site.time.command_seconds, stop).await?;
    if ran.exit == ProgramExit::Code(0) {
        memory.set_up_with(Some(locks));
        return Ok(());
    }
    Err(format!("`[commands] setup` {}: {}", ran.exit, site.masker.mask(tail(ran.stderr.trim(), 400))))
}

/// Folders in which package managers put what a project needs.
const DEPENDENCIES: [&str; 4] = ["node_modules", ".venv", "venv", "vendor"];
/// Packages of a workspace lie so deep.
const DEEPEST: usize = 3;
/// A project of more folders is not searched to its end.
const MOST_FOLDERS: usize = 5000;

/// Links dependency folders that the tree does not have to the same places, whether git ignores them or not: those of the author's
/// worktree, and where that is a linked one without them those of the checkout. Nothing of this clean worktree is ever published.
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
        let here = places.iter().filter(|place| from.join(place).is_dir()).cloned();
        // Vendored code may be what the run brings; what package managers install is nobody's work.
        let (vendored, mut here): (Vec<String>, Vec<String>) =
            here.partition(|place| place.ends_with("vendor"));
        here.extend(space.workspace().list_wholly_ignored(from, &vendored)?);
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

/// Folders that hold nothing but reports of tests.
const REPORTS: [&str; 6] =
    ["test-results", "test-reports", "reports", "surefire-reports", "coverage", "mutants"];
/// Where the reports of coverage lie that are read.
const COVERAGE: [&str; 4] =
    ["lcov.info", "coverage/lcov.info", "coverage.xml", "coverage/cobertura-coverage.xml"];
/// Where some tools put them.
const ABOVE_REPORTS: [&str; 2] = ["build", "target"];
/// Report folders of more files are not looked at to their end.
const MOST_FILES: usize = 5000;

/// Returns the folders of a worktree in which packages may lie, relative to its top, the top first, and what are reports of tests
/// beside them: a folder of reports with all that is in it, because git may ignore the one or the other.
fn packages_and_reports(root: &Path) -> (Vec<PathBuf>, Vec<String>) {
    let (mut packages, mut reports) = (vec![PathBuf::new()], Vec::new());
    walk(root, |path, kind| {
        let Some((shown, name)) = path.to_str().zip(path.file_name().and_then(OsStr::to_str)) else {
            return false;
        };
        let depth = path.components().count();
        let lies_in = |names: &[&str]| path.iter().any(|part| names.iter().any(|name| part == *name));
        let (in_reports, in_target) = (lies_in(&REPORTS), lies_in(&["target"]));
        if in_reports || (is_report(name) && !in_target) {
            reports.push(shown.to_owned());
        }
        let may_hold_packages = !name.starts_with('.') && !in_target && !lies_in(&DEPENDENCIES);
        let is_package =
            may_hold_packages && kind.is_dir() && depth <= DEEPEST && packages.len() < MOST_FOLDERS;
        if is_package {
            packages.push(path.to_owned());
        }
        is_package || (in_reports && reports.len() < MOST_FILES) || ABOVE_REPORTS.contains(&name)
    });
    (packages, reports)
}

fn is_report(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let stem = name.strip_suffix(".xml").unwrap_or_default();
    stem.starts_with("junit") || stem.starts_with("test-") || COVERAGE.contains(&name.as_str())
}

/// Removes the reports of earlier test runs from a clean worktree: nobody may mistake them for ours. One that belongs to the
/// tree stays as the tree has it, those that git ignores are still there.
fn forget(space: &RunWorkspace, clean: &Path, reports: &[String]) -> Result<(), Error> {
    for path in space.workspace().list_ignored(clean, reports)? {
        let path = clean.join(path);
        // A folder may have taken the files with it that are named after it.
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        if let (Err(source), true) = (removed, path.symlink_metadata().is_ok()) {
            return Err(Error::File { path, source });
        }
    }
    Ok(())
}

/// Returns how often lines ran, as the reports of coverage say that the last tests left; nothing where no line ran at all.
pub(super) fn line_hits(folder: &Path) -> LineHits {
    let reports = COVERAGE.iter().filter_map(|path| fs::read_to_string(folder.join(path)).ok());
    let hits: LineHits = reports.flat_map(|report| tool_output::line_hits(&report)).collect();
    let ran = hits.values().flat_map(BTreeMap::values).any(|count| *count > 0);
    if ran { hits } else { LineHits::new() }
}
