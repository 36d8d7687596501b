//! Writes commits of the run: the one of a passed phase, and one out of many at the end.
//!
//! The commit of a phase holds exactly the named paths, with the content that was approved. It is made from an index of its
//! own, so neither what the agent staged nor other files of the worktree get into it, and the worktree is not read again for
//! anything but the engine's own files. The agent's own commits are folded in: the branch is reset to the commit where the
//! engine left it, and their content is in the snapshot anyway.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use model::redact::Masked;

use crate::error::at;
use crate::program::Call;
use crate::run_files::is_engines_own;
use crate::snapshot::{PathContent, Snapshot, copy_with_time};
use crate::workspace::{Head, RunWorkspace, Workspace};
use crate::{CommitId, Error, Result};

/// How often the lock is tried, with a pause between: an editor's git holds it for moments only.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(25);

/// The commits of a run.
impl RunWorkspace {
    /// Commits these paths as the snapshot saw them on top of the commit where the engine left the branch.
    ///
    /// Paths that are not different from that commit, that vanished again, or that the snapshot left out are passed over; with
    /// nothing left the commit is empty, because its message is what a later load looks for. Nothing is done when the
    /// worktree is on another branch.
    pub fn commit(
        &self,
        paths: &[String],
        message: &Masked,
        seen: &Snapshot,
        expected: &CommitId,
    ) -> Result<CommitId> {
        self.run_branch().refuse_other(&seen.head)?;
        let lock = IndexLock::take(self.workspace())?;
        let folded;
        let uncommitted = if self.is_at(expected, &seen.head) {
            &seen.uncommitted
        } else {
            folded = self.fold_commits(seen, expected)?;
            &folded
        };
        let index = self.copy_index_of(expected)?;
        let no_object = "0".repeat(expected.as_str().len());
        self.stage(&index, &pick_contents(paths, uncommitted, self.workspace().root()), &no_object)?;
        let commit = self.write_commit(&index, message)?;
        self.run_branch().remember_left_at(&commit);
        let index = self.snapshots().store_index(&index, self.snapshots().commit_index(&commit))?;
        lock.replace_with(&index)?;
        Ok(commit)
    }

    /// Tells whether the branch was where the engine left it and, by the file of its reference, has not moved since.
    fn is_at(&self, expected: &CommitId, seen: &Head) -> bool {
        let tip = self.workspace().branches().read_tip(&self.branch());
        seen.commit == *expected
            && tip.is_none_or(|tip| tip == *expected)
            && self.workspace().operation_in_progress().is_none()
    }

    /// Resets the branch to a commit, which also ends a merge that was begun, and compares the files with that commit.
    fn fold_commits(&self, seen: &Snapshot, expected: &CommitId) -> Result<BTreeMap<String, PathContent>> {
        if let Some(what @ "rebase") = self.workspace().operation_in_progress() {
            return Err(Error::InProgress { what, root: self.workspace().root().to_owned() });
        }
        // The user's index is locked by us and replaced afterwards; a mixed reset needs one to write.
        let incoming = self.snapshots().prepare_incoming_index()?;
        self.workspace()
            .run(&Call::new(["reset", "--quiet", expected.as_str(), "--"]).on_index(&incoming))?;
        let again = self.snapshots().compare_worktree(&self.snapshots().ensure_index_of(&seen.tree)?)?;
        Ok(again.uncommitted)
    }

    /// Returns a new copy of the index that is exactly a commit.
    fn copy_index_of(&self, commit: &CommitId) -> Result<PathBuf> {
        let known = self.snapshots().commit_index(commit);
        if known.exists() {
            return self.snapshots().copy_to_incoming(&known);
        }
        // The own index keeps what the user set for single files, such as a sparse checkout.
        let (incoming, _) = self.snapshots().copy_own_index()?;
        let call = Call::new(["read-tree", "--reset", commit.as_str()]).on_index(&incoming);
        self.workspace().run(&call)?;
        Ok(incoming)
    }

    fn stage(&self, index: &Path, wanted: &BTreeMap<&str, &PathContent>, no_object: &str) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        let on_disk = wanted
            .iter()
            .filter(|(_, content)| matches!(content, PathContent::OnDisk))
            .map(|(path, _)| *path);
        let (own, others): (Vec<&str>, Vec<&str>) = on_disk.partition(|path| is_engines_own(path));
        if !others.is_empty() {
            let call = Call::new(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"]);
            self.workspace().run(&call.on_index(index).stdin_paths(others))?;
        }
        let call = Call::new(["update-index", "--add", "--remove", "--replace", "-z"]).args(own);
        // Must be the last argument: what follows on the standard input is the rest.
        let call = call.arg("--index-info").on_index(index).stdin(format_index_info(wanted, no_object));
        self.workspace().run(&call).map(drop)
    }

    fn write_commit(&self, index: &Path, message: &Masked) -> Result<CommitId> {
        let call = Call::new(["commit", "--allow-empty", "--cleanup=whitespace", "--file=-"])
            .allow_prompt()
            .on_index(index)
            .stdin(message.as_str());
        let output = self.workspace().run(&call)?;
        // `[branch id] subject`; the name of our branch has no space in it.
        let text = output.text();
        let id = text.split(']').next().and_then(|head| head.rsplit(' ').next()).unwrap_or_default();
        CommitId::try_from(id).map_err(|_| output.unexpected_answer())
    }

    /// Makes a commit of the files of a tip, without some of them, on a parent. No branch moves.
    pub fn squash(
        &self,
        tip: &CommitId,
        without: &[String],
        parent: &CommitId,
        message: &Masked,
    ) -> Result<CommitId> {
        let tree = self.make_tree_without(tip, without)?;
        let mut call = Call::new(["commit-tree", "-p", parent.as_str(), "-F", "-"]).allow_prompt();
        if self.is_signing()? {
            call = call.arg("-S");
        }
        self.workspace().run(&call.arg(tree).stdin(message.as_str()))?.id()
    }

    fn make_tree_without(&self, tip: &CommitId, without: &[String]) -> Result<String> {
        if without.is_empty() {
            return Ok(format!("{tip}^{{tree}}"));
        }
        let index = self.snapshots().prepare_incoming_index()?;
        self.workspace().run(&Call::new(["read-tree", tip.as_str()]).on_index(&index))?;
        let call = Call::new(["update-index", "--force-remove", "-z", "--stdin"]).on_index(&index);
        self.workspace().run(&call.stdin_paths(without.iter().map(String::as_str)))?;
        Ok(self.snapshots().write_tree(&index)?.to_string())
    }

    /// Tells whether the user wants signed commits: `git commit-tree` does not look at that setting by itself.
    fn is_signing(&self) -> Result<bool> {
        Ok(self.workspace().try_ask(["config", "--type=bool", "--get", "commit.gpgSign"])?.line() == "true")
    }
}

/// Returns the paths that a commit can hold.
fn pick_contents<'a>(
    paths: &'a [String],
    uncommitted: &'a BTreeMap<String, PathContent>,
    root: &Path,
) -> BTreeMap<&'a str, &'a PathContent> {
    let content = |path: &'a String| {
        let seen = uncommitted.get(path);
        if !is_engines_own(path) {
            return seen;
        }
        let is_at_top_of_run = path.matches('/').count() == 2; // `.ai-workflow/issue-N/FILE`
        own_content(seen, is_at_top_of_run, &root.join(path))
    };
    paths.iter().filter_map(|path| Some((path.as_str(), content(path)?))).collect()
}

/// The engine's own files are in no snapshot: what is on disk counts. Those at the top of the folder also when
/// they came after the snapshot.
fn own_content<'a>(seen: Option<&'a PathContent>, may_be_new: bool, file: &Path) -> Option<&'a PathContent> {
    if (seen.is_some() || may_be_new) && file.is_file() { Some(&PathContent::OnDisk) } else { seen }
}

/// The form that `update-index --index-info` reads: mode, blob, path; mode 0 removes.
fn format_index_info(wanted: &BTreeMap<&str, &PathContent>, no_object: &str) -> String {
    let line = |(path, content): (&&str, &&PathContent)| match content {
        PathContent::Deleted => Some(format!("0 {no_object}\t{path}\0")),
        PathContent::Blob { mode, id } => Some(format!("{mode} {id}\t{path}\0")),
        PathContent::OnDisk => None,
    };
    wanted.iter().filter_map(line).collect()
}

/// The lock of the worktree's own index, by git's own rule: the process that creates `index.lock` may replace the index by
/// it.
struct IndexLock {
    path: PathBuf,
    index: PathBuf,
    replaced: bool,
}

impl IndexLock {
    /// Takes the lock; an error when another git holds it for too long.
    fn take(workspace: &Workspace) -> Result<Self> {
        let (path, index) = (workspace.git_dir().join("index.lock"), workspace.git_dir().join("index"));
        for _ in 0..LOCK_TRIES {
            match File::create_new(&path) {
                Ok(_) => return Ok(Self { path, index, replaced: false }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => thread::sleep(LOCK_PAUSE),
                Err(error) => return Err(at(path)(error)),
            }
        }
        Err(Error::Locked { path: path.display().to_string() })
    }

    /// Puts a copy of another index in the place of the own one, which ends the lock.
    fn replace_with(mut self, index: &Path) -> Result<()> {
        copy_with_time(index, &self.path).map_err(at(&self.path))?;
        fs::rename(&self.path, &self.index).map_err(at(&self.index))?;
        self.replaced = true;
        Ok(())
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        if !self.replaced {
            // It is ours and empty; if it stayed there, every later git would refuse.
            let _ = fs::remove_file(&self.path);
        }
    }
}
