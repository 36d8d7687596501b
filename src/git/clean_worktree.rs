//! The clean worktree, in which commands run: exactly one tree, beside the checkout, made when it is first needed. What git
//! ignores stays from one use to the next, for speed; everything else is what the tree has. It lies beside the checkout,
//! because tools look for their settings in the folders above; where nothing can be written there it lies in the cache folder of
//! the user. Never below `.git` while there is another place, because tools find nothing there. Knows nothing of commands.
//!
//! An agent can write there while no command runs. So it is made anew in each process, and where anything in it changed since
//! the last commands ended.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::error::{at, ignore_missing};
use crate::last_use::LastUse;
use crate::program::Call;
use crate::workspace::RunWorkspace;
use crate::worktree::is_empty_folder;
use crate::{Error, Result, Tree, regular_file};
use model::text::sha256_hex;

/// Where the path of the worktree is written before it is made.
const RECORD: &str = "clean.path";

/// The clean worktree of a run.
#[derive(Debug, Clone)]
pub struct CleanWorktree<'a> {
    pub(crate) run: &'a RunWorkspace,
}

impl CleanWorktree<'_> {
    /// Brings the clean worktree to a tree, makes or repairs it where needed, and returns its top folder.
    pub fn check_out(&self, tree: &Tree) -> Result<PathBuf> {
        let last = self.run.workspace().clean().take();
        if let (Some((root, admin)), Some(last)) = (self.find_intact(), last)
            && !last.was_disturbed(&root)
        {
            let reset = last.restore_index(&admin).and_then(|()| self.reset_to(&root, &admin, tree));
            match reset.and_then(|()| self.clean(&root)) {
                Ok(()) => return Ok(root),
                Err(error) => tracing::debug!("the clean worktree is made anew: {error}"),
            }
        }
        self.create()?;
        let (root, admin) = self.find_intact().ok_or_else(|| no_free_place_error(self.run.state_dir()))?;
        self.reset_to(&root, &admin, tree)?;
        Ok(root)
    }

    /// Remembers the state of all files after the commands: what changes until the next use is somebody else's.
    pub fn seal(&self) {
        let Some((root, _)) = self.find_intact() else { return };
        if let Some(last) = self.run.workspace().clean().as_mut() {
            last.seal(&root);
        }
    }

    /// Removes the clean worktree and what git keeps about it; does nothing when there is none.
    pub fn remove(&self) -> Result<()> {
        let Some(root) = self.recorded_place() else { return Ok(()) };
        let admin = self.find_admin_folder(&root);
        if admin.is_some() || is_empty_folder(&root) {
            ignore_missing(fs::remove_dir_all(&root)).map_err(at(&root))?;
        }
        if let Some(admin) = admin {
            ignore_missing(fs::remove_dir_all(&admin)).map_err(at(&admin))?;
            // Others may have worktrees there, too.
            let _ = fs::remove_dir(self.admin_folder());
        }
        let record = self.run.state_dir().join(RECORD);
        ignore_missing(fs::remove_file(&record)).map_err(at(record))
    }

    fn create(&self) -> Result<()> {
        self.remove()?;
        let mut refused = no_free_place_error(self.run.state_dir());
        for root in self.candidates().into_iter().filter(|root| root.symlink_metadata().is_err()) {
            match self.add(&root) {
                Ok(()) => return Ok(()),
                Err(error) => refused = error,
            }
            self.remove()?;
        }
        Err(refused)
    }

    fn add(&self, root: &Path) -> Result<()> {
        if let Some(parent) = root.parent() {
            fs::create_dir_all(parent).map_err(at(parent))?;
        }
        // Only a folder that is there has its path as the system sees it.
        let root = resolve_parent(root);
        self.record_place(&root)?;
        let add = Call::new(["worktree", "add", "--quiet", "--force", "--force", "--detach"]);
        let add = add.args(["--no-checkout", "--"]).arg(&root).arg(self.run.workspace().opened_at().as_str());
        self.run.workspace().run(&add).map(|_| ())
    }

    /// Records the path of the worktree. This comes first, so that a worktree is known after a crash.
    fn record_place(&self, root: &Path) -> Result<()> {
        let record = self.run.state_dir().join(RECORD);
        fs::create_dir_all(self.run.state_dir()).map_err(at(self.run.state_dir()))?;
        regular_file::write(&record, root.as_os_str().as_encoded_bytes()).map_err(at(record))
    }

    /// Returns the recorded path, if it is one that we would choose; any other path is not ours.
    fn recorded_place(&self) -> Option<PathBuf> {
        let record = regular_file::read(&self.run.state_dir().join(RECORD)).ok()?;
        self.candidates().into_iter().find(|place| place.as_os_str().as_encoded_bytes() == record)
    }

    fn candidates(&self) -> Vec<PathBuf> {
        let beside = self.run.workspace().main_root();
        let beside = beside.file_name().map(|name| {
            let name = format!("{}-{}-clean", name.to_string_lossy(), self.run.name());
            beside.with_file_name(name)
        });
        let below_git = self.run.state_dir().join("clean");
        beside
            .into_iter()
            .chain(self.cached_place())
            .chain([below_git])
            .map(|place| resolve_parent(&place))
            .collect()
    }

    /// Returns a place in the user's cache folder, which the XDG Base Directory Specification names. The repository is told by the
    /// digest of its path.
    fn cached_place(&self) -> Option<PathBuf> {
        let workspace = self.run.workspace();
        let base = workspace.git.folder_variable("XDG_CACHE_HOME");
        let base = base.or_else(|| Some(workspace.git.folder_variable("HOME")?.join(".cache")))?;
        let digest = sha256_hex(&[workspace.common().as_os_str().as_encoded_bytes()]);
        Some(base.join("ai-workflow").join(format!("{}-{}-clean", &digest[..16], self.run.name())))
    }

    /// Returns the worktree and git's folder about it, when each leads to the other and both to this repository.
    fn find_intact(&self) -> Option<(PathBuf, PathBuf)> {
        let root = self.recorded_place()?;
        let admin = self.find_admin_folder(&root)?;
        let entrance = regular_file::read_text(&root.join(".git")).ok()?;
        let leads_to = root.join(entrance.strip_prefix("gitdir:")?.trim());
        let common = regular_file::read_text(&admin.join("commondir")).ok()?;
        let is_ours = is_same_place(&leads_to, &admin)
            && is_same_place(&admin.join(common.trim()), self.run.workspace().common());
        if is_ours { Some((root, admin)) } else { None }
    }

    fn reset_to(&self, root: &Path, admin: &Path, tree: &Tree) -> Result<()> {
        // A killed process left this lock; the lock of the run is ours, so no other process works here.
        let lock = admin.join("index.lock");
        ignore_missing(fs::remove_file(&lock)).map_err(at(lock))?;
        self.run.workspace().run_in(root, &Call::new(["read-tree", "--reset", "-u", tree.as_str()]))?;
        let index = admin.join("index");
        let index = fs::read(&index).map_err(at(index))?;
        *self.run.workspace().clean() = Some(LastUse::begin(index));
        Ok(())
    }

    /// Removes what the tree does not have and git does not ignore.
    fn clean(&self, root: &Path) -> Result<()> {
        self.run.workspace().run_in(root, &Call::new(["clean", "-ffdq"])).map(drop)
    }

    fn admin_folder(&self) -> PathBuf {
        self.run.workspace().common().join("worktrees")
    }

    /// Returns the folder in which git keeps what it knows about a linked worktree.
    fn find_admin_folder(&self, root: &Path) -> Option<PathBuf> {
        let entries = fs::read_dir(self.admin_folder()).ok()?.flatten();
        entries.map(|entry| entry.path()).find(|admin| {
            let entrance = regular_file::read_text(&admin.join("gitdir")).unwrap_or_default();
            let entrance = admin.join(entrance.trim());
            entrance.parent().is_some_and(|place| resolve_parent(place) == root)
        })
    }
}

/// Returns a path whose folder is written as the system sees it; the last part need not be there.
fn resolve_parent(path: &Path) -> PathBuf {
    let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
    match (parent, path.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => path.to_owned(),
    }
}

fn is_same_place(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn no_free_place_error(path: &Path) -> Error {
    at(path)(io::Error::new(ErrorKind::AlreadyExists, "the places for a clean worktree are taken"))
}
