//! The one commit of a passed phase: exactly the named paths, with the content that was approved.
//!
//! The commit is made from an index of its own, so what the agent staged or what lies around cannot slip in, and the
//! worktree is not read again for anything but the engine's own files. The agent's own commits are folded in: the branch
//! goes back to where the engine left it, and their content is in the snapshot anyway.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::call::Call;
use super::error::at;
use super::index_files::copy_with_time;
use super::names::Head;
use super::own_files::is_engines_own;
use super::snapshot::{Content, Snapshot};
use super::{CommitId, Error, IssueSpace, Result, Workspace};
use model::redact::Masked;

/// An editor's git holds the lock for moments only; so often it is tried, with a pause between.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);
/// What a worktree is on that is on no branch.
const DETACHED: &str = "no branch (HEAD is detached)";

impl IssueSpace {
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
        self.refuse_other_branch(&seen.head)?;
        let lock = IndexLock::take(&self.workspace)?;
        let folded;
        let uncommitted = if self.stands_at(expected, &seen.head) {
            &seen.uncommitted
        } else {
            folded = self.fold(seen, expected)?;
            &folded
        };
        let index = self.index_for(expected)?;
        let no_object = "0".repeat(expected.as_str().len());
        self.stage(&index, &wanted(paths, uncommitted, &self.workspace.root), &no_object)?;
        let commit = self.record(&index, message)?;
        self.left_at(&commit);
        let index = self.settle(&index, &format!("{commit}.commit.index"))?;
        lock.replace_with(&index)?;
        Ok(commit)
    }

    fn refuse_other_branch(&self, head: &Head) -> Result<()> {
        let expected = self.branch();
        let now = self.workspace.branch_by_file();
        let found = match head.branch.as_ref() {
            None => DETACHED.to_owned(),
            Some(branch) if *branch != expected => format!("`{branch}`"),
            Some(_) if now.as_ref().is_some_and(|now| *now != expected) => {
                format!("`{}`", now.unwrap_or_default())
            }
            Some(_) => return Ok(()),
        };
        if self.workspace.branch(&expected)?.is_none() {
            return Err(Error::BranchGone { name: expected, found });
        }
        Err(Error::WrongBranch { expected, found })
    }

    /// Refuses to work where the run's branch was deleted or renamed: nothing could be committed.
    pub fn refuse_lost_branch(&self) -> Result<()> {
        if !self.workspace.is_surely_missing(&format!("refs/heads/{}", self.branch())) {
            return Ok(());
        }
        let found = self.workspace.branch_by_file().map_or(DETACHED.to_owned(), |name| format!("`{name}`"));
        Err(Error::BranchGone { name: self.branch(), found })
    }

    /// Tells whether the branch was where the engine left it and, as far as a file can tell, has not moved since.
    fn stands_at(&self, expected: &CommitId, seen: &Head) -> bool {
        let tip = self.workspace.tip_by_file(&self.branch());
        seen.commit == *expected
            && tip.is_none_or(|tip| tip == *expected)
            && self.workspace.in_progress().is_none()
    }

    /// Takes the branch back, and with it any merge that was begun, and looks again what differs from there.
    fn fold(&self, seen: &Snapshot, expected: &CommitId) -> Result<BTreeMap<String, Content>> {
        if let Some(what @ "rebase") = self.workspace.in_progress() {
            return Err(Error::InProgress { what, root: self.workspace.root.clone() });
        }
        // The user's index is locked by us and replaced afterwards; a mixed reset needs one to write.
        let incoming = self.incoming()?;
        self.workspace.git(&Call::new(["reset", "--quiet", expected.as_str(), "--"]).on_index(&incoming))?;
        let again = self.look(&self.index_of(&seen.tree)?)?;
        Ok(again.uncommitted)
    }

    /// Returns a fresh copy of the index that is exactly a commit.
    fn index_for(&self, commit: &CommitId) -> Result<PathBuf> {
        let known = self.commit_index(commit);
        if known.exists() {
            return self.copy_to_incoming(&known);
        }
        let own = self.workspace.git_dir.join("index");
        // The own index keeps what the user set for single files, such as a sparse checkout.
        let incoming = if own.exists() { self.copy_to_incoming(&own)? } else { self.incoming()? };
        let call = Call::new(["read-tree", "--reset", commit.as_str()]).on_index(&incoming);
        self.workspace.git(&call)?;
        Ok(incoming)
    }

    fn stage(&self, index: &Path, wanted: &BTreeMap<&str, &Content>, no_object: &str) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        let on_disk =
            wanted.iter().filter(|(_, content)| matches!(content, Content::OnDisk)).map(|(path, _)| *path);
        let (own, others): (Vec<&str>, Vec<&str>) = on_disk.partition(|path| is_engines_own(path));
        if !others.is_empty() {
            let call = Call::new(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"]);
            self.workspace.git(&call.on_index(index).fed_with_paths(others))?;
        }
        let call = Call::new(["update-index", "--add", "--remove", "--replace", "-z"]).args(own);
        // Must be the last argument: what follows on the standard input is the rest.
        let call = call.arg("--index-info").on_index(index).fed_with(index_info(wanted, no_object));
        self.workspace.git(&call).map(drop)
    }

    fn record(&self, index: &Path, message: &Masked) -> Result<CommitId> {
        let call = Call::new(["commit", "--allow-empty", "--cleanup=whitespace", "--file=-"])
            .asking_person()
            .on_index(index)
            .fed_with(message.as_str());
        let output = self.workspace.git(&call)?;
        // `[branch id] subject`; the name of our branch has no space in it.
        let text = output.text();
        let id = text.split(']').next().and_then(|head| head.rsplit(' ').next()).unwrap_or_default();
        CommitId::try_from(id).map_err(|_| output.unexpected(&call))
    }
}

impl Workspace {
    /// Returns the branch that HEAD names, read without a process; nothing where HEAD is kept elsewhere.
    fn branch_by_file(&self) -> Option<String> {
        let head = fs::read_to_string(self.git_dir.join("HEAD")).ok()?;
        let reference = head.trim().strip_prefix("ref: ")?;
        reference.strip_prefix("refs/heads/").filter(|name| *name != ".invalid").map(str::to_owned)
    }

    /// Returns the commit of a branch, read without a process; nothing where git keeps it elsewhere.
    fn tip_by_file(&self, branch: &str) -> Option<CommitId> {
        let tip = fs::read_to_string(self.common.join("refs/heads").join(branch)).ok()?;
        CommitId::try_from(tip.trim()).ok()
    }

    /// Brings the user's index to HEAD, after a commit that a crash cut short. The files stay as they are.
    pub fn refresh_index(&self) -> Result<()> {
        self.git(&Call::new(["reset", "--quiet"])).map(drop)
    }
}

/// Returns the paths that a commit can hold.
fn wanted<'a>(
    paths: &'a [String],
    uncommitted: &'a BTreeMap<String, Content>,
    root: &Path,
) -> BTreeMap<&'a str, &'a Content> {
    let content = |path: &'a String| {
        let seen = uncommitted.get(path);
        if !is_engines_own(path) {
            return seen;
        }
        own_content(seen, path.matches('/').count() == 2, &root.join(path))
    };
    paths.iter().filter_map(|path| Some((path.as_str(), content(path)?))).collect()
}

/// The engine's own files are in no snapshot: what is on disk counts. Those at the top of the issue's folder also when
/// they came after the snapshot.
fn own_content<'a>(seen: Option<&'a Content>, may_be_new: bool, file: &Path) -> Option<&'a Content> {
    if (seen.is_some() || may_be_new) && file.is_file() { Some(&Content::OnDisk) } else { seen }
}

/// The form that `update-index --index-info` reads: mode, blob, path; mode 0 removes.
fn index_info(wanted: &BTreeMap<&str, &Content>, no_object: &str) -> Vec<u8> {
    let mut lines = Vec::new();
    for (path, content) in wanted {
        let known = match content {
            Content::Deleted => format!("0 {no_object}\t{path}\0"),
            Content::Blob { mode, id } => format!("{mode} {id}\t{path}\0"),
            Content::OnDisk => continue,
        };
        lines.extend_from_slice(known.as_bytes());
    }
    lines
}

/// The lock of the worktree's own index, by git's own rule: whoever creates `index.lock` may replace the index by it.
struct IndexLock {
    path: PathBuf,
    index: PathBuf,
    replaced: bool,
}

impl IndexLock {
    fn take(workspace: &Workspace) -> Result<Self> {
        let path = workspace.git_dir.join("index.lock");
        for _ in 0..TRIES {
            match File::create_new(&path) {
                Ok(_) => return Ok(Self { path, index: workspace.git_dir.join("index"), replaced: false }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => thread::sleep(PAUSE),
                Err(error) => return Err(at(path)(error)),
            }
        }
        Err(Error::Locked { path: path.display().to_string() })
    }

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
            // Ours, and empty: with it left there every later git would refuse.
            let _ = fs::remove_file(&self.path);
        }
    }
}
