//! Git's own files, by which git starts programs, reads other places or hides something: hooks, settings, attributes, alternates,
//! the links between worktrees and repositories, and repositories inside the worktree. They are read before a program works
//! that could write them, and put back afterwards. What a program planted is moved to the folder `removed` of the run, so
//! that a person who changed something at the same time can fetch it.
//!
//! A reference outside of the folder of branches that has the short name of one counts, because git takes it for the branch.
//! An operation that was begun and not ended, such as a rebase, counts as well; with it HEAD is put back. HEAD, the packed references
//! and the run's branch are put back, too, where git could not read them any more. What is begun in other worktrees is only told.
//! Locks that the program left are removed.
//! Nothing is read of what git itself writes while it works: objects, index, logs. References are compared by
//! `references`. A folder of git that is new, of a linked worktree or a submodule, is left alone: nothing of ours uses it.
//! The state before is on disk as well until it was compared, so that a killed process leaves nothing that is not compared.

mod clone;
mod elsewhere;
mod killed_call;
mod named;
mod places;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::error::at;
use crate::file_entry::{self, Entry, REFERENCE};
use crate::index_folders::read_folders;
use crate::pinned_config::list_settings_files;
use crate::program::Call;
use crate::references::References;
use crate::regular_file::remove_all;
use crate::run_branch::RESTS_AT;
use crate::snapshot::Snapshot;
use crate::stale_locks::{list_all_locks, list_left_locks};
use crate::workspace::RunWorkspace;
use crate::{Error, Result, Tree, regular_file};
use elsewhere::OtherWorktree;
pub use killed_call::KilledCall;
use named::{NamedPlaces, find_submodule_entry, follow_link, list_tracked};
use places::{
    can_be_read, holds_reference, is_folder, list_files, list_git_dirs, list_indexes, list_left,
    list_reference_files, name_of, read_all, read_time, read_worktree_entry, set_aside, set_time, write,
};

/// Files of a folder of git.
const FILES: &str = include_str!("data/guarded_files.txt");
/// Folders of a folder of git of which every file counts.
const FOLDERS: &str = include_str!("data/guarded_folders.txt");
/// Those of them in which git starts nothing.
const SETTINGS_FOLDERS: [&str; 3] = ["info", "remotes", "branches"];
/// What git keeps in the folder of a worktree about an operation that was begun and not ended: a rebase may hold commands.
const OPERATIONS: &str = include_str!("data/operations.txt");
/// Written when no process of a call is left.
const ENDED: &str = "git-files.ended";
/// The folder with copies of large files, as long as the state is kept.
const COPIES: &str = "git-files.large";
/// The folder in which removed files are kept.
const REMOVED: &str = "removed";
/// The names under which git starts a program of a folder of hooks.
const HOOKS: &str = include_str!("data/hooks.txt");
/// So many slashes the name of a submodule has at most.
const DEEPEST: usize = 32;
/// A file that comes back after so many times is written by a program that still runs.
const ROUNDS: usize = 3;

/// Git's own files at one moment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GitFiles {
    /// The top of the worktree.
    root: PathBuf,
    /// The folders of git that there were.
    git_dirs: BTreeSet<PathBuf>,
    /// Single places that are looked at, whether there is something or not.
    places: BTreeSet<PathBuf>,
    /// Folders of which every file is looked at.
    folders: BTreeSet<PathBuf>,
    /// Those of the places that hold settings of git.
    settings: BTreeSet<PathBuf>,
    /// Folders of hooks that hold files of the worktree. What git takes for a part of the worktree there is seen by snapshots.
    #[serde(default)]
    tracked_hooks: BTreeSet<PathBuf>,
    /// Files in the worktree that are hooks or settings by a link or a setting.
    #[serde(default)]
    tracked_files: BTreeSet<PathBuf>,
    /// What the worktree held.
    #[serde(default)]
    tree: String,
    /// Repositories inside the worktree, by their folders as a snapshot names them.
    nested: BTreeSet<String>,
    entries: BTreeMap<PathBuf, Entry>,
    /// When these files were written: a check tells by it how old a repository of the user is.
    #[serde(default)]
    written_at: BTreeMap<PathBuf, SystemTime>,
    /// HEAD, packed references and the run's branch, which are put back where git cannot read what is there.
    #[serde(default)]
    references: BTreeMap<PathBuf, Option<Entry>>,
    /// Branches and tags, as far as they can be read.
    #[serde(default)]
    tips: Option<References>,
    /// The program was not to commit.
    #[serde(default)]
    only_reads: bool,
    /// Folders in which git looks for the short name of a branch before it takes the branch.
    #[serde(default)]
    searched: BTreeSet<PathBuf>,
    /// What is told where it is new, and left as it is.
    #[serde(default)]
    left: BTreeMap<PathBuf, String>,
    /// What was under way in other worktrees.
    #[serde(default)]
    others: BTreeMap<PathBuf, OtherWorktree>,
    /// The files in these folders of hooks, whether git ignores them or not.
    #[serde(default)]
    tracked_entries: BTreeMap<PathBuf, Entry>,
    /// Locks that a git had taken.
    #[serde(default)]
    locks: BTreeSet<PathBuf>,
    /// The indexes of snapshots, which can be made anew.
    indexes: BTreeMap<PathBuf, Option<Entry>>,
    /// When it was kept, by the clock of the file system.
    #[serde(skip)]
    kept_at: Option<SystemTime>,
}

/// Where repositories inside a worktree can be, as far as snapshots have shown.
#[derive(Debug, Clone, Default)]
pub struct InnerFolders {
    /// The tree whose folders were listed.
    tree: String,
    /// Folders that hold files of the worktree. One that is gone does no harm.
    folders: BTreeSet<String>,
    /// Repositories inside the worktree, by their folders.
    nested: BTreeSet<String>,
}

impl InnerFolders {
    /// Lists the folders of a tree: from the index of its snapshot, or where there is none by git. A tree that `git gc` removed
    /// has nearly the same folders as HEAD.
    pub fn of(run: &RunWorkspace, tree: &Tree) -> Result<Self> {
        let index = regular_file::read(&run.snapshots().tree_index(tree)).unwrap_or_default();
        let mut folders = match read_folders(&index, tree.as_str().len() / 2) {
            Some(folders) => folders,
            None => Self::ask_git(run, tree)?,
        };
        folders.extend([".ai-workflow".to_owned(), run.files().folder()]);
        Ok(Self { tree: tree.to_string(), folders, nested: BTreeSet::new() })
    }

    fn ask_git(run: &RunWorkspace, tree: &Tree) -> Result<BTreeSet<String>> {
        let list = |tree: &str| {
            Call::new(["ls-tree", "-r", "-d", "-z", "--name-only", "--full-tree", tree]).read_only()
        };
        let listed = run.workspace().try_run(&list(tree.as_str()))?;
        let listed = if listed.succeeded() { listed } else { run.workspace().run(&list("HEAD"))? };
        Ok(listed.paths().into_iter().collect())
    }

    /// Adds what a snapshot shows.
    pub fn add(&mut self, seen: &Snapshot) {
        let parents = seen.uncommitted.keys().flat_map(|path| Path::new(path).ancestors().skip(1));
        let named = parents.filter_map(Path::to_str).filter(|folder| !folder.is_empty());
        self.folders.extend(named.map(str::to_owned));
        self.nested = seen.left_out.iter().filter(|path| path.ends_with('/')).cloned().collect();
    }
}

impl GitFiles {
    /// Reads the files as they are. Runs no git, unless references are kept in tables.
    pub fn read(run: &RunWorkspace, inner: &InnerFolders) -> Self {
        let workspace = run.workspace();
        let inside = inner.folders.iter().chain(&inner.nested);
        let inside = inside.map(|folder| workspace.root().join(folder).join(".git"));
        let mut places: BTreeSet<PathBuf> = inside.collect();
        places.insert(workspace.root().join(".git"));
        let mut git_dirs = list_git_dirs(workspace.common());
        git_dirs.extend(places.iter().filter(|place| is_folder(place)).cloned());
        let (mut settings, mut folders) =
            (list_settings_files(workspace.common(), workspace.git_dir()), BTreeSet::new());
        for git_dir in &git_dirs {
            places.extend(FILES.lines().map(|name| git_dir.join(name)));
            settings.extend(["config", "config.worktree"].map(|name| git_dir.join(name)));
            // What people do in another worktree is their own.
            let is_elsewhere =
                git_dir.starts_with(workspace.common().join("worktrees")) && git_dir != workspace.git_dir();
            if !is_elsewhere {
                folders.extend(FOLDERS.lines().map(|name| git_dir.join(name)));
            }
        }
        places.extend(git_dirs.iter().filter_map(|git_dir| read_worktree_entry(git_dir)));
        places.extend(git_dirs.iter().filter_map(|git_dir| find_submodule_entry(git_dir)));
        settings.extend(settings.clone().iter().filter_map(|file| follow_link(file)));
        for operation in OPERATIONS.lines().map(|name| workspace.git_dir().join(name)) {
            // One that is new goes as a whole.
            if is_folder(&operation) {
                folders.insert(operation)
            } else {
                places.insert(operation)
            };
        }
        let named = NamedPlaces::find(workspace, &git_dirs, &settings, &folders, &|folder| {
            places.contains(&folder.join(".git"))
        });
        folders = named.folders;
        places.extend(named.files);
        places.extend(settings.iter().cloned());
        let (entries, written_at, tracked_entries, indexes, kept_at) = Default::default();
        let left = list_left(workspace.common());
        let references = list_reference_files(run).map(|path| (path.clone(), Entry::read(&path))).into();
        let tips = References::read(workspace).ok();
        let only_reads = run.state_dir().join(RESTS_AT).exists();
        let searched =
            [workspace.common().to_owned(), workspace.git_dir().to_owned(), workspace.common().join("refs")]
                .into();
        let (root, tree, nested) = (workspace.root().to_owned(), inner.tree.clone(), inner.nested.clone());
        let mut found = Self {
            root,
            git_dirs,
            places,
            folders,
            settings,
            tracked_hooks: named.tracked_folders,
            tracked_files: named.tracked_files,
            tree,
            nested,
            entries,
            written_at,
            references,
            tips,
            only_reads,
            searched,
            left,
            others: elsewhere::read_others(workspace),
            tracked_entries,
            indexes,
            locks: list_all_locks(run),
            kept_at,
        };
        found.entries = read_all(found.list_places());
        let times = found.entries.keys().filter_map(|path| Some((path.clone(), read_time(path)?)));
        found.written_at = times.collect();
        found.tracked_entries = read_all(found.list_tracked_hooks());
        found.indexes = list_indexes(run);
        found
    }

    /// Keeps the state on disk until it was compared, for the case that this process is killed.
    pub fn keep(&mut self, run: &RunWorkspace) -> Result<()> {
        let (path, ended) = Self::files(run);
        remove_all(&ended).map_err(at(ended))?;
        let text = serde_json::to_vec(self).map_err(|error| at(&path)(error.into()))?;
        let new = path.with_extension("new");
        fs::create_dir_all(run.state_dir()).map_err(at(run.state_dir()))?;
        remove_all(&new).map_err(at(&new))?;
        let written =
            File::create(&new).and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_data()));
        written.and_then(|()| fs::rename(&new, &path)).map_err(at(&path))?;
        self.kept_at = read_time(&path);
        let copies = run.state_dir().join(COPIES);
        let references = self.references.iter().filter_map(|(path, was)| Some((path, was.as_ref()?)));
        let mut kept = self.entries.iter().chain(&self.tracked_entries).chain(references);
        kept.try_for_each(|(path, entry)| entry.copy_large(path, &copies).map_err(at(path)))
    }

    /// Returns the file that keeps the state, and the one to which it is copied when no process of a call is left.
    pub fn files(run: &RunWorkspace) -> (PathBuf, PathBuf) {
        (run.state_dir().join(REFERENCE), run.state_dir().join(ENDED))
    }

    /// Returns for people the folder in which removed files are kept.
    pub fn removed_folder(run: &RunWorkspace) -> String {
        name_of(run, &run.state_dir().join(REMOVED))
    }

    /// Puts everything back that is different now, and returns its names. Runs no git, unless a folder of hooks that holds files
    /// of the worktree has changed.
    pub fn restore(&self, run: &RunWorkspace) -> Result<Vec<String>> {
        let own = self.root.join(".git");
        if self
            .entries
            .get(&own)
            .is_some_and(|was| was.is_folder() && Entry::read(&own).as_ref() != Some(was))
        {
            return Err(Error::RepositoryReplaced { path: own });
        }
        let mut left = self.remove_left_locks(run)?;
        left.extend(self.remove_pipes(run)?);
        let mut changed = self.restore_changed(run, &|_| true)?;
        changed.extend(left);
        let indexes = self.remove_changed_indexes(run, &|_| true)?;
        changed.extend(self.restore_ignored_hooks(run, &|_| true)?);
        changed.extend(indexes);
        let (reference, ended) = Self::files(run);
        // Where it is missing, it is kept in memory.
        if let Ok(kept) = regular_file::read(&reference) {
            regular_file::write(&ended, &kept).map_err(at(ended))?;
        }
        Ok(changed)
    }

    /// Removes the state that is kept on disk, when it is on record how the program ended.
    pub fn forget(run: &RunWorkspace) -> Result<()> {
        let (reference, ended) = Self::files(run);
        let copies = run.state_dir().join(COPIES);
        remove_all(&copies).map_err(at(&copies))?;
        [ended, reference].iter().try_for_each(|file| remove_all(file).map_err(at(file)))
    }

    /// Returns the names of what is new of linked worktrees, submodules, references without a tip and the end of a shallow history.
    /// They are left as they are: people and other runs make them as well.
    pub fn list_left(&self, run: &RunWorkspace) -> Vec<String> {
        self.list_left_where(run, &|_| true)
    }

    /// Returns the names of operations that were begun in other worktrees, and of their HEADs that have moved. They are left as
    /// they are.
    pub fn list_new_elsewhere(&self, run: &RunWorkspace) -> Vec<String> {
        self.list_new_elsewhere_where(run, &|_| true)
    }

    fn list_new_elsewhere_where(&self, run: &RunWorkspace, counts: &dyn Fn(&Path) -> bool) -> Vec<String> {
        let new = elsewhere::list_new(&self.others, run.workspace()).into_iter();
        new.filter(|path| counts(path)).map(|path| name_of(run, &path)).collect()
    }

    fn list_left_where(&self, run: &RunWorkspace, counts: &dyn Fn(&Path) -> bool) -> Vec<String> {
        let mut now = list_left(run.workspace().common());
        now.retain(|path, is| self.left.get(path) != Some(is) && counts(path));
        now.keys().map(|path| name_of(run, path)).collect()
    }

    /// Removes the repositories inside the worktree that a snapshot left out and that were made since, but for their files, and
    /// returns their names.
    pub fn remove_new_repositories(&self, run: &RunWorkspace, left_out: &[String]) -> Result<Vec<String>> {
        let is_unknown = |path: &&String| path.ends_with('/') && !self.nested.contains(*path);
        let unknown = left_out.iter().filter(is_unknown).map(|path| run.workspace().root().join(path));
        let new: Vec<PathBuf> =
            unknown.filter(|folder| self.is_new(folder)).map(|folder| folder.join(".git")).collect();
        new.iter().try_for_each(|place| set_aside(run, place))?;
        Ok(new.iter().map(|place| name_of(run, place)).collect())
    }

    /// Tells whether a repository was made or moved to its place since the state was kept.
    fn is_new(&self, folder: &Path) -> bool {
        let inside = [folder.join(".git"), folder.join(".git/config")];
        let changed =
            inside.iter().map(PathBuf::as_path).chain([folder]).filter_map(file_entry::changed_at).max();
        Entry::read(&inside[0]).is_some() && changed >= self.kept_at
    }

    /// Removes pipes and devices below the folders of git, in whose places nothing of git's is ever made, and returns their names.
    fn remove_pipes(&self, run: &RunWorkspace) -> Result<Vec<String>> {
        let ours = ["clean", REMOVED].map(|name| run.state_dir().join(name));
        let tops = self.git_dirs.iter().filter(|git_dir| !self.is_in_other(git_dir));
        let is_passed_over = |inside: &Path| ours.iter().any(|own| inside == own);
        // These are put back with the rest.
        let is_kept = |pipe: &PathBuf| self.entries.contains_key(pipe) || self.references.contains_key(pipe);
        let mut search = run.workspace().pipes();
        let mut pipes: Vec<PathBuf> = tops.flat_map(|top| search.below(top, is_passed_over)).collect();
        pipes.retain(|pipe| !is_kept(pipe));
        pipes.iter().try_for_each(|pipe| fs::remove_file(pipe).map_err(at(pipe)))?;
        Ok(pipes.iter().map(|pipe| name_of(run, pipe)).collect())
    }

    /// Removes the locks that the program left, for which a later git would wait, and returns their names.
    fn remove_left_locks(&self, run: &RunWorkspace) -> Result<Vec<String>> {
        let left = list_left_locks(run, &self.locks);
        left.iter().try_for_each(|lock| set_aside(run, lock))?;
        Ok(left.iter().map(|lock| name_of(run, lock)).collect())
    }

    fn is_in_other(&self, git_dir: &Path) -> bool {
        git_dir.ancestors().skip(1).any(|above| self.git_dirs.contains(above))
    }

    fn restore_changed(&self, run: &RunWorkspace, counts: &dyn Fn(&Path) -> bool) -> Result<Vec<String>> {
        let mut changed = BTreeSet::new();
        for _ in 0..ROUNDS {
            let new: Vec<PathBuf> = self
                .list_changed()
                .into_iter()
                .filter(|path| counts(path) && !changed.contains(path))
                .collect();
            if new.is_empty() {
                break;
            }
            for path in new {
                self.restore_one(run, &path)?;
                changed.insert(path);
            }
        }
        changed.extend(self.restore_references(run, &changed, counts)?);
        let mut changed: Vec<PathBuf> = changed.into_iter().collect();
        // A list that is cut off for people names first what can be started.
        changed.sort_by_key(|path| self.is_never_started(path));
        Ok(changed.iter().map(|path| name_of(run, path)).collect())
    }

    /// Puts back files of references that git cannot read, and HEAD where an operation was begun: a rebase works without a branch.
    fn restore_references(
        &self,
        run: &RunWorkspace,
        changed: &BTreeSet<PathBuf>,
        counts: &dyn Fn(&Path) -> bool,
    ) -> Result<Vec<PathBuf>> {
        let git_dir = run.workspace().git_dir();
        let is_begun = OPERATIONS.lines().any(|name| changed.contains(&git_dir.join(name)));
        let mut restored = Vec::new();
        for (path, was) in &self.references {
            let is_same = was.as_ref().map_or(!path.exists(), |was| was.is_at(path));
            let is_left = is_begun && *path == git_dir.join("HEAD");
            if is_same || !counts(path) || (!is_left && can_be_read(path, was.as_ref())) {
                continue;
            }
            if fs::symlink_metadata(path).is_ok() {
                set_aside(run, path)?;
            }
            was.as_ref().map_or(Ok(()), |was| write(run, was, path))?;
            restored.push(path.clone());
        }
        Ok(restored)
    }

    /// Lists the places at which something else is than before. A file that is new is not read, however large.
    fn list_changed(&self) -> Vec<PathBuf> {
        let mut paths = self.list_places();
        paths.extend(self.entries.keys().cloned());
        paths.retain(|path| self.differs(path) && !self.is_gone(path));
        paths.into_iter().collect()
    }

    fn differs(&self, path: &Path) -> bool {
        let was = self.entries.get(path);
        if was.is_some_and(|was| was.is_at(path)) {
            return false;
        }
        if self.settings.contains(path) {
            return !file_entry::are_same_settings(was, Entry::read_small(path).as_ref());
        }
        was.is_some() || fs::symlink_metadata(path).is_ok()
    }

    /// Tells whether a file in a folder of hooks is one that git itself does not start.
    fn is_never_started(&self, path: &Path) -> bool {
        let holds_hooks = |folder: &Path| !SETTINGS_FOLDERS.iter().any(|name| folder.ends_with(name));
        let is_inside = |folder: &Path| path.starts_with(folder) && path != folder;
        let name = path.file_name().and_then(|name| name.to_str());
        self.folders.iter().any(|folder| holds_hooks(folder) && is_inside(folder))
            && !HOOKS.lines().any(|hook| Some(hook) == name)
    }

    /// Tells whether a place is gone together with the worktree or submodule that it belongs to.
    fn is_gone(&self, path: &Path) -> bool {
        let is_inside = |git_dir: &&PathBuf| path.starts_with(git_dir) && path != *git_dir;
        let is_hook = self.folders.iter().any(|folder| path.starts_with(folder));
        match self.git_dirs.iter().filter(is_inside).max() {
            Some(git_dir) => !git_dir.is_dir(),
            None => !is_hook && path.parent().is_some_and(|parent| !parent.is_dir()),
        }
    }

    fn restore_one(&self, run: &RunWorkspace, path: &Path) -> Result<()> {
        if Entry::read(path).is_some() {
            set_aside(run, path)?;
        }
        let was = if self.is_gone(path) { None } else { self.entries.get(path) };
        match was.or_else(|| self.tracked_entries.get(path)) {
            Some(was) => write(run, was, path)?,
            None => return Ok(()),
        }
        if let Some(time) = self.written_at.get(path) {
            set_time(path, *time);
        }
        Ok(())
    }

    /// Puts back what git ignores in folders of hooks that hold files of the worktree: git starts it, and no snapshot has it.
    fn restore_ignored_hooks(
        &self,
        run: &RunWorkspace,
        counts: &dyn Fn(&Path) -> bool,
    ) -> Result<Vec<String>> {
        let mut changed = self.list_tracked_hooks();
        changed.extend(self.tracked_entries.keys().cloned());
        let is_same = |path: &Path| match self.tracked_entries.get(path) {
            Some(was) => was.is_at(path),
            None => false,
        };
        changed.retain(|path| !is_same(path) && counts(path));
        let inside = changed.iter().filter_map(|path| path.strip_prefix(&self.root).ok()?.to_str());
        let inside: Vec<String> = inside.map(str::to_owned).collect();
        if inside.is_empty() {
            return Ok(inside);
        }
        let ignored = run.snapshots().list_ignored(&Tree::try_from(self.tree.as_str())?, &inside)?;
        ignored.iter().try_for_each(|path| self.restore_one(run, &self.root.join(path)))?;
        Ok(ignored)
    }

    /// Removes the indexes of snapshots that are not as they were: they could hide a change. A lost one is made anew.
    fn remove_changed_indexes(
        &self,
        run: &RunWorkspace,
        counts: &dyn Fn(&Path) -> bool,
    ) -> Result<Vec<String>> {
        let now = list_indexes(run);
        let changed: Vec<&PathBuf> = now
            .iter()
            .filter(|(path, is)| self.indexes.get(*path) != Some(*is) && counts(path))
            .map(|(path, _)| path)
            .collect();
        for path in &changed {
            fs::remove_file(path).map_err(at(*path))?;
        }
        Ok(changed.into_iter().map(|path| name_of(run, path)).collect())
    }

    fn list_tracked_hooks(&self) -> BTreeSet<PathBuf> {
        list_tracked(&self.root, &self.tracked_hooks, &self.tracked_files)
    }

    /// Returns the places, and what is in the folders now.
    fn list_places(&self) -> BTreeSet<PathBuf> {
        let mut found = self.places.clone();
        // Git itself writes in this folder; a link in its place leads out of the repository.
        let infos = self.git_dirs.iter().map(|git_dir| git_dir.join("objects/info"));
        found.extend(infos.filter(|info| !is_folder(info)));
        let branches = || self.tips.iter().flat_map(References::branch_names);
        let hiding = self.searched.iter().flat_map(|folder| branches().map(|branch| folder.join(branch)));
        found.extend(hiding.filter(|path| holds_reference(path)));
        self.folders.iter().for_each(|folder| list_files(folder, &mut found));
        found
    }
}
