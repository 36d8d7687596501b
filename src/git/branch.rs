//! Branches and linked worktrees: what is there, going there, making and removing them. Every refusal of git's is passed on.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::call::Call;
use super::names::{CommitId, check_branch_name};
use super::output::Output;
use super::{Error, IssueSpace, Result, Workspace};

/// A branch as git knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The full name.
    pub reference: String,
    pub tip: CommitId,
    /// The worktree that has it checked out.
    pub worktree: Option<PathBuf>,
    /// What it points to, for a symbolic one.
    pub symbolic: Option<String>,
}

/// Where the run's branch comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Missing,
    /// It is there and stands on the base: nothing was committed yet.
    AtBase(Branch),
    /// It holds the log of this issue's run.
    Ours(Branch),
    /// Somebody made a branch of that name.
    Foreign(Branch),
}

impl Workspace {
    /// Returns a local branch.
    pub fn branch(&self, name: &str) -> Result<Option<Branch>> {
        check_branch_name(name)?;
        let reference = format!("refs/heads/{name}");
        if self.is_surely_missing(&reference) {
            return Ok(None);
        }
        let found = self.references(&[&reference])?;
        Ok(found.into_iter().find(|branch| branch.reference == reference))
    }

    /// Tells without a process that a reference is neither in a file of its own nor in the packed ones. In this order,
    /// because packing writes first and removes then. Where git keeps references in another way, it is asked.
    pub(super) fn is_surely_missing(&self, reference: &str) -> bool {
        let plain = self.common.join("refs/heads").is_dir() && !self.common.join("reftable").exists();
        if !plain || self.common.join(reference).symlink_metadata().is_ok() {
            return false;
        }
        match fs::read(self.common.join("packed-refs")) {
            Ok(packed) => {
                let named = |line: &[u8]| line.strip_suffix(reference.as_bytes()).is_some();
                !packed.split(|byte| *byte == b'\n').any(named)
            }
            Err(error) => error.kind() == ErrorKind::NotFound,
        }
    }

    /// Returns the references of these full names that exist; names below them may be among the answer.
    pub(super) fn references(&self, names: &[&str]) -> Result<Vec<Branch>> {
        const FORMAT: &str = "--format=%(objectname)%00%(refname)%00%(symref)%00%(worktreepath)%00";
        let call = Call::new(["for-each-ref", FORMAT, "--"]).args(names.iter().copied()).reading();
        let output = self.git(&call)?;
        let text = output.text();
        let fields: Vec<&str> = text.split('\0').map(|field| field.trim_start_matches('\n')).collect();
        let read = fields.chunks_exact(4).map(|fields| {
            let filled = |field: &str| (!field.is_empty()).then(|| field.to_owned());
            let tip = CommitId::try_from(fields[0]).map_err(|_| output.unexpected(&call))?;
            let worktree = filled(fields[3]).map(PathBuf::from);
            Ok(Branch { reference: fields[1].into(), tip, worktree, symbolic: filled(fields[2]) })
        });
        read.collect()
    }

    /// Makes a branch at a commit and goes there, strays staying where they are.
    pub fn start_branch(&self, name: &str, base: &CommitId) -> Result<()> {
        check_branch_name(name)?;
        self.go(name, &Call::new(["switch", "--quiet", "--no-track", "--create", name, base.as_str(), "--"]))
    }

    /// Goes to a branch that exists.
    pub fn switch(&self, name: &str) -> Result<()> {
        check_branch_name(name)?;
        self.go(name, &Call::new(["switch", "--quiet", "--no-guess", name, "--"]))
    }

    fn go(&self, name: &str, call: &Call) -> Result<()> {
        let output = self.try_git(call)?;
        if output.succeeded() { Ok(()) } else { Err(branch_failure(name, call, &output)) }
    }

    /// Removes a branch, merged or not.
    pub fn delete_branch(&self, name: &str) -> Result<()> {
        check_branch_name(name)?;
        self.go(name, &Call::new(["branch", "--quiet", "-D", "--", name]))
    }

    /// Returns a file as a commit has it; nothing when that commit has no such file.
    pub fn read_at(&self, commit: &CommitId, path: &str) -> Result<Option<Vec<u8>>> {
        if path.contains('\n') {
            return Err(Error::BadPath {
                path: path.escape_debug().collect(),
                why: "it contains a line break",
            });
        }
        let call = Call::new(["cat-file", "--batch"]).fed_with(format!("{commit}:{path}\n")).reading();
        let output = self.git(&call)?;
        if output.stdout.ends_with(b" missing\n") && output.stdout.starts_with(commit.as_str().as_bytes()) {
            return Ok(None);
        }
        blob(&output.stdout).map(Some).ok_or_else(|| output.unexpected(&call))
    }

    /// Returns the commit that took a file off a branch whose tip has it no more; nothing where it never was there.
    pub fn taken_off_by(&self, tip: &CommitId, path: &str) -> Result<Option<CommitId>> {
        let call =
            Call::new(["log", "--max-count=1", "--diff-filter=D", "--format=%H", tip.as_str(), "--", path]);
        let text = self.git(&call.reading())?.text();
        Ok(text.lines().next().map(CommitId::try_from).transpose()?)
    }

    /// Returns the files below a folder that HEAD knows.
    pub fn tracked_below(&self, folder: &str) -> Result<Vec<String>> {
        let output =
            self.git(&Call::new(["ls-tree", "-r", "-z", "--name-only", "HEAD", "--", folder]).reading())?;
        Ok(output.text().split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
    }

    /// Takes changes of tracked files below a folder back to what HEAD has.
    pub fn forget_changes_below(&self, folder: &str) -> Result<()> {
        if self.tracked_below(folder)?.is_empty() {
            return Ok(());
        }
        self.git(&Call::new(["restore", "--staged", "--worktree", "--source=HEAD", "--", folder])).map(drop)
    }

    /// Makes a linked worktree on a branch: a new one at the base, or the one that exists when no base is given.
    pub fn add_worktree(&self, path: &Path, name: &str, base: Option<&CommitId>) -> Result<Self> {
        check_branch_name(name)?;
        let call = Call::new(["worktree", "add", "--quiet"]);
        let call = match base {
            Some(base) => call.args(["--no-track", "-b", name, "--"]).arg(path).arg(base.as_str()),
            None => call.args(["--no-guess-remote", "--"]).arg(path).arg(name),
        };
        self.go(name, &call)?;
        Self::open_with(path, self.git.clone())
    }

    /// Removes a linked worktree with everything that is in it.
    pub fn remove_worktree(&self, path: &Path) -> Result<()> {
        self.git(&Call::new(["worktree", "remove", "--force", "--"]).arg(path)).map(drop)
    }
}

impl IssueSpace {
    /// Returns where the run's branch comes from; a branch from elsewhere is nothing to build on.
    pub fn origin(&self, base: &CommitId) -> Result<Origin> {
        let Some(branch) = self.workspace.branch(&self.branch())? else { return Ok(Origin::Missing) };
        let log = format!(".ai-workflow/issue-{}/events.jsonl", self.issue);
        if self.workspace.read_at(&branch.tip, &log)?.is_some() {
            return Ok(Origin::Ours(branch));
        }
        Ok(if branch.tip == *base { Origin::AtBase(branch) } else { Origin::Foreign(branch) })
    }
}

fn branch_failure(name: &str, call: &Call, output: &Output) -> Error {
    let errors = output.errors();
    let says = |words: &[&str]| words.iter().any(|word| errors.contains(word));
    let name = name.to_owned();
    if says(&["already used by worktree", "already checked out at", "used by worktree at"]) {
        return Error::BranchInUse { name, detail: output.last_words() };
    }
    if says(&["a branch named"]) {
        return Error::BranchExists { name };
    }
    if says(&["invalid reference", "not found", "not a commit"]) {
        return Error::NoSuchBranch { name };
    }
    if says(&["would be overwritten by checkout"]) {
        let paths = errors.lines().filter_map(|line| line.strip_prefix('\t')).map(str::to_owned).collect();
        return Error::WouldOverwrite { name, paths };
    }
    output.failure(call)
}

/// The answer of `cat-file --batch`: id, type and size in a line, then the content and a line end.
fn blob(answer: &[u8]) -> Option<Vec<u8>> {
    let end = answer.iter().position(|byte| *byte == b'\n')?;
    let header = std::str::from_utf8(&answer[..end]).ok()?;
    let mut words = header.split(' ').skip(1);
    let (kind, size) = (words.next()?, words.next()?.parse::<usize>().ok()?);
    let content = answer.get(end + 1..(end + 1).checked_add(size)?)?;
    (kind == "blob").then(|| content.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_blob_is_taken() {
        assert_eq!(blob(b"id blob 3\na\nb\n"), Some(b"a\nb".to_vec()));
        assert_eq!(blob(b"id tree 3\na\nb\n"), None);
        assert_eq!(blob(b"id blob 9\na\nb\n"), None);
        assert_eq!(blob(b"nothing"), None);
    }
}
