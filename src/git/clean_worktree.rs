//! A worktree of ours in which commands run: exactly one tree, beside the checkout, made when it is first needed.
//!
//! What git ignores stays from one use to the next, for speed; everything else is what the tree has. It lies beside the
//! checkout, because tools look for their settings in the folders above and some find nothing below `.git`; where
//! nothing can be written there it lies under git's common folder. Knows nothing of commands.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use model::issue::IssueNumber;

use crate::call::Call;
use crate::error::{at, missing_is_fine};
use crate::workspace::Workspace;
use crate::worktree::is_empty_folder;
use crate::{Error, Result, Tree};

/// Where the path of the worktree is written before it is made.
const RECORD: &str = "clean.path";

/// The clean worktree of a run.
#[derive(Debug, Clone)]
pub struct CleanWorktree<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) issue: IssueNumber,
    pub(crate) state_dir: &'a Path,
}

impl CleanWorktree<'_> {
    /// Brings the clean worktree to a tree, makes or repairs it where needed, and returns its top folder.
    pub fn check_out(&self, tree: &Tree) -> Result<PathBuf> {
        if let Some((root, admin)) = self.intact() {
            match self.reset_to(&root, &admin, tree) {
                Ok(()) => return Ok(root),
                Err(error) => tracing::debug!("the clean worktree is made anew: {error}"),
            }
        }
        self.create()?;
        let (root, admin) = self.intact().ok_or_else(|| in_the_way(self.state_dir))?;
        self.reset_to(&root, &admin, tree)?;
        Ok(root)
    }

    /// Removes the clean worktree and what git keeps about it; does nothing when there is none.
    pub fn remove(&self) -> Result<()> {
        let Some(root) = self.recorded_place() else { return Ok(()) };
        let admin = self.admin_of(&root);
        if admin.is_some() || is_empty_folder(&root) {
            missing_is_fine(fs::remove_dir_all(&root)).map_err(at(&root))?;
        }
        if let Some(admin) = admin {
            missing_is_fine(fs::remove_dir_all(&admin)).map_err(at(&admin))?;
            // Others may have worktrees there, too.
            let _ = fs::remove_dir(self.admins());
        }
        let record = self.state_dir.join(RECORD);
        missing_is_fine(fs::remove_file(&record)).map_err(at(record))
    }

    fn create(&self) -> Result<()> {
        self.remove()?;
        let mut refused = in_the_way(self.state_dir);
        for root in self.candidates().into_iter().filter(|root| root.symlink_metadata().is_err()) {
            self.record_place(&root)?;
            let add = Call::new(["worktree", "add", "--quiet", "--force", "--force", "--detach"]);
            let add = add.args(["--no-checkout", "--"]).arg(&root).arg(self.workspace.opened_at().as_str());
            match self.workspace.run(&add) {
                Ok(_) => return Ok(()),
                Err(error) => refused = error,
            }
            self.remove()?;
        }
        Err(refused)
    }

    /// Written first, so that a crash leaves nothing that nobody knows.
    fn record_place(&self, root: &Path) -> Result<()> {
        let record = self.state_dir.join(RECORD);
        fs::create_dir_all(self.state_dir).map_err(at(self.state_dir))?;
        fs::write(&record, root.as_os_str().as_encoded_bytes()).map_err(at(record))
    }

    /// Returns the recorded place, if it is one that we would choose: whatever else is written there is not ours.
    fn recorded_place(&self) -> Option<PathBuf> {
        let record = fs::read(self.state_dir.join(RECORD)).ok()?;
        self.candidates().into_iter().find(|place| place.as_os_str().as_encoded_bytes() == record)
    }

    fn candidates(&self) -> Vec<PathBuf> {
        let beside = self.workspace.main_root();
        let beside = beside.file_name().map(|name| {
            let name = format!("{}-issue-{}-clean", name.to_string_lossy(), self.issue);
            beside.with_file_name(name)
        });
        beside
            .into_iter()
            .chain([self.state_dir.join("clean")])
            .map(|place| with_real_parent(&place))
            .collect()
    }

    /// Returns the worktree and git's folder about it, when each leads to the other and both to this repository.
    fn intact(&self) -> Option<(PathBuf, PathBuf)> {
        let root = self.recorded_place()?;
        let admin = self.admin_of(&root)?;
        let entrance = fs::read_to_string(root.join(".git")).ok()?;
        let leads_to = root.join(entrance.strip_prefix("gitdir:")?.trim());
        let common = fs::read_to_string(admin.join("commondir")).ok()?;
        let is_ours = is_same_place(&leads_to, &admin)
            && is_same_place(&admin.join(common.trim()), self.workspace.common());
        if is_ours { Some((root, admin)) } else { None }
    }

    fn reset_to(&self, root: &Path, admin: &Path, tree: &Tree) -> Result<()> {
        // Whoever was killed here left it; the lock of the run is ours, so nobody else is at work.
        let lock = admin.join("index.lock");
        missing_is_fine(fs::remove_file(&lock)).map_err(at(lock))?;
        self.workspace.run_in(root, &Call::new(["read-tree", "--reset", "-u", tree.as_str()]))?;
        self.workspace.run_in(root, &Call::new(["clean", "-ffdq"])).map(drop)
    }

    fn admins(&self) -> PathBuf {
        self.workspace.common().join("worktrees")
    }

    /// Returns the folder in which git keeps what it knows about a linked worktree.
    fn admin_of(&self, root: &Path) -> Option<PathBuf> {
        let entries = fs::read_dir(self.admins()).ok()?.flatten();
        entries.map(|entry| entry.path()).find(|admin| {
            let entrance = fs::read_to_string(admin.join("gitdir")).unwrap_or_default();
            let entrance = admin.join(entrance.trim());
            entrance.parent().is_some_and(|place| with_real_parent(place) == root)
        })
    }
}

/// Returns a path whose folder is written as the system sees it; the last part need not be there.
fn with_real_parent(path: &Path) -> PathBuf {
    let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
    match (parent, path.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => path.to_owned(),
    }
}

fn is_same_place(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn in_the_way(path: &Path) -> Error {
    at(path)(io::Error::new(ErrorKind::AlreadyExists, "the places for a clean worktree are taken"))
}
