//! Branches: what they are called, where they stand, making, going to and removing them. Every refusal of git's is passed on.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::call::{Call, Output};
use crate::history::History;
use crate::workspace::Workspace;
use crate::{CommitId, Error, Result};

/// A branch as git knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The full name.
    pub reference: String,
    /// The commit that it points to.
    pub tip: CommitId,
    /// The worktree that has it checked out.
    pub worktree: Option<PathBuf>,
    /// What it points to, for a symbolic one.
    pub symbolic: Option<String>,
    /// It is checked out in this worktree.
    pub is_head: bool,
}

/// The branches of a repository.
#[derive(Debug, Clone)]
pub struct Branches<'a> {
    pub(crate) workspace: &'a Workspace,
}

impl Branches<'_> {
    /// Returns a local branch.
    pub fn find(&self, name: &str) -> Result<Option<Branch>> {
        check_branch_name(name)?;
        let reference = format!("refs/heads/{name}");
        if self.is_surely_missing(&reference) {
            return Ok(None);
        }
        let found = self.list(&[&reference])?;
        Ok(found.into_iter().find(|branch| branch.reference == reference))
    }

    /// Tells without a process that a reference is neither in a file of its own nor in the packed ones. In this order,
    /// because packing writes first and removes then. Where git keeps references in another way, it is asked.
    pub(crate) fn is_surely_missing(&self, reference: &str) -> bool {
        let common = self.workspace.common();
        let is_in_files = common.join("refs/heads").is_dir() && !common.join("reftable").exists();
        if !is_in_files || common.join(reference).symlink_metadata().is_ok() {
            return false;
        }
        match fs::read(common.join("packed-refs")) {
            Ok(packed) => {
                let named = |line: &[u8]| line.strip_suffix(reference.as_bytes()).is_some();
                !packed.split(|byte| *byte == b'\n').any(named)
            }
            Err(error) => error.kind() == ErrorKind::NotFound,
        }
    }

    /// Returns the references of these full names that exist; names below them may be among the answer.
    pub(crate) fn list(&self, names: &[&str]) -> Result<Vec<Branch>> {
        const FORMAT: &str = "--format=%(objectname)%00%(refname)%00%(symref)%00%(worktreepath)%00%(HEAD)%00";
        let output = self.workspace.ask(["for-each-ref", FORMAT, "--"].iter().chain(names).copied())?;
        let text = output.text();
        let fields: Vec<&str> = text.split('\0').map(|field| field.trim_start_matches('\n')).collect();
        let filled = |field: &str| if field.is_empty() { None } else { Some(field.to_owned()) };
        let read = fields.chunks_exact(5).map(|fields| {
            let tip = CommitId::try_from(fields[0]).map_err(|_| output.unexpected())?;
            let (symbolic, worktree) = (filled(fields[2]), filled(fields[3]).map(PathBuf::from));
            Ok(Branch { reference: fields[1].into(), tip, worktree, symbolic, is_head: fields[4] == "*" })
        });
        read.collect()
    }

    /// Makes a branch at a commit and goes there, untracked files stay where they are.
    pub fn start(&self, name: &str, base: &CommitId) -> Result<()> {
        check_branch_name(name)?;
        self.run(name, &Call::new(["switch", "--quiet", "--no-track", "--create", name, base.as_str(), "--"]))
    }

    /// Goes to a branch that exists.
    pub fn switch(&self, name: &str) -> Result<()> {
        check_branch_name(name)?;
        self.run(name, &Call::new(["switch", "--quiet", "--no-guess", name, "--"]))
    }

    /// Removes a branch, merged or not.
    pub fn delete(&self, name: &str) -> Result<()> {
        check_branch_name(name)?;
        self.run(name, &Call::new(["branch", "--quiet", "-D", "--", name]))
    }

    /// Makes a branch at a commit that was fetched, or moves it on to there. One that holds something else is left alone.
    pub fn fast_forward(&self, branch: &str, tip: &CommitId) -> Result<()> {
        let (reference, history) = (format!("refs/heads/{branch}"), History { workspace: self.workspace });
        let before = match self.find(branch)? {
            None => String::new(),
            Some(local) if local.tip == *tip => return Ok(()),
            Some(local) => {
                if local.worktree.is_some() || !history.is_ancestor(&local.tip, tip)? {
                    return Err(Error::Diverged { name: branch.to_owned() });
                }
                local.tip.to_string()
            }
        };
        let note = "ai-workflow: taken over from origin";
        self.workspace.change(["update-ref", "-m", note, &reference, tip.as_str(), &before])
    }

    /// Returns the branch that was left for the one that is checked out, as far as git remembers it.
    pub fn previous(&self) -> Result<Option<String>> {
        let output = self.workspace.try_ask(["rev-parse", "--symbolic-full-name", "@{-1}"])?;
        if !output.succeeded() {
            return Ok(None);
        }
        Ok(output.text().trim().strip_prefix("refs/heads/").map(str::to_owned))
    }

    /// Returns the branch that is checked out; nothing where HEAD is detached.
    pub(crate) fn current(&self) -> Result<Option<String>> {
        let output = self.workspace.try_ask(["symbolic-ref", "--quiet", "--short", "HEAD"])?;
        Ok(if output.succeeded() { Some(output.line()) } else { None })
    }

    /// Returns the branch that HEAD names, read without a process; nothing where HEAD is kept elsewhere.
    pub(crate) fn current_by_file(&self) -> Option<String> {
        let reference = head_reference(self.workspace.git_dir())?;
        reference.strip_prefix("refs/heads/").filter(|name| *name != ".invalid").map(str::to_owned)
    }

    /// Returns the commit of a branch, read without a process; nothing where git keeps it elsewhere.
    pub(crate) fn tip_by_file(&self, branch: &str) -> Option<CommitId> {
        let tip = fs::read_to_string(self.workspace.common().join("refs/heads").join(branch)).ok()?;
        CommitId::try_from(tip.trim()).ok()
    }

    /// Runs git for a branch of this name, and says what its refusal means.
    pub(crate) fn run(&self, name: &str, call: &Call) -> Result<()> {
        let output = self.workspace.try_run(call)?;
        if output.succeeded() { Ok(()) } else { Err(branch_failure(name, &output)) }
    }
}

/// Checks that a text can only be the name of a branch: never an option, a range, a revision or a path to elsewhere.
/// Stricter than git, so that a name also survives scripts and file systems.
pub fn check_branch_name(name: &str) -> Result<()> {
    let allowed = |c: char| c.is_alphanumeric() || "-_./+#@=,".contains(c);
    let part_is_bad = |part: &str| {
        part.is_empty()
            || part.starts_with('.')
            || part.ends_with('.')
            || part.to_ascii_lowercase().ends_with(".lock")
    };
    let why = match name {
        "" => "it is empty",
        "HEAD" | "@" => "it means something else to git",
        _ if name.len() > 200 => "it is longer than 200 bytes",
        _ if name.starts_with('-') => "it begins with `-`",
        _ if name.starts_with("refs/") => "it is a full reference, not a plain name",
        _ if !name.chars().all(allowed) => "only letters, digits and `-_./+#@=,` are allowed",
        _ if name.contains("..") => "it contains `..`",
        _ if name.split('/').any(part_is_bad) => {
            "a part between slashes is empty, begins or ends with `.`, or ends with `.lock`"
        }
        _ => return Ok(()),
    };
    Err(Error::BadBranchName { name: name.escape_debug().take(80).collect(), why })
}

/// Returns the reference that HEAD names in git's folder of a worktree.
pub(crate) fn head_reference(git_dir: &Path) -> Option<String> {
    let head = fs::read_to_string(git_dir.join("HEAD")).ok()?;
    Some(head.trim().strip_prefix("ref: ")?.to_owned())
}

/// Returns the full names of a branch here and on origin.
pub(crate) fn local_and_remote(name: &str) -> [String; 2] {
    [format!("refs/heads/{name}"), format!("refs/remotes/origin/{name}")]
}

fn branch_failure(name: &str, output: &Output) -> Error {
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
    output.failure()
}

#[cfg(test)]
mod tests;
