//! Branches: their names and tips, making, checking out and removing them, which commit of one a run starts from, and which
//! one a person's changes are compared with. Every refusal of git's is passed on.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::branch_name::check_branch_name;
use crate::history::History;
use crate::program::{Call, GitOutput};
use crate::workspace::{Head, Workspace};
use crate::{CommitId, Error, Result, regular_file};

/// The reference by which a clone knows the default branch of origin.
const ORIGIN_DEFAULT: &str = "refs/remotes/origin/HEAD";

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

/// The branch and commit a run starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunBase {
    /// The name of the branch.
    pub branch: String,
    /// The tip of the branch: the local one, or the one on origin where there is no local branch.
    pub commit: CommitId,
    /// The tip of the same branch on origin, as last fetched, when it is another commit.
    pub on_origin: Option<CommitId>,
}

/// A commit that changes are compared with, and its name for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffBase {
    /// The commit.
    pub commit: CommitId,
    /// What people call it.
    pub name: String,
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

    /// Tells whether origin had the tip of a branch when this repository last heard from it; nothing where it never had the branch.
    pub fn is_on_origin(&self, name: &str) -> Result<Option<bool>> {
        let names = reference_names(name);
        let [local, remote] = tips(&self.list(&names.each_ref().map(String::as_str))?, name);
        Ok(remote.map(|remote| Some(remote) == local))
    }

    /// Returns the tip that a branch of origin had when this repository last heard from it.
    pub fn find_on_origin(&self, name: &str) -> Result<Option<CommitId>> {
        check_branch_name(name)?;
        let [_, remote] = reference_names(name);
        let [_, tip] = tips(&self.list(&[&remote])?, name);
        Ok(tip)
    }

    /// Tells without a process that a reference is neither in a file of its own nor in the packed ones. In this order,
    /// because packing writes first and removes then. Where git keeps references in another way, it is asked.
    pub(crate) fn is_surely_missing(&self, reference: &str) -> bool {
        let common = self.workspace.common();
        let is_in_files = common.join("refs/heads").is_dir() && !common.join("reftable").exists();
        if !is_in_files || common.join(reference).symlink_metadata().is_ok() {
            return false;
        }
        match regular_file::read(&common.join("packed-refs")) {
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
            let tip = CommitId::try_from(fields[0]).map_err(|_| output.unexpected_answer())?;
            let (symbolic, worktree) = (filled(fields[2]), filled(fields[3]).map(PathBuf::from));
            Ok(Branch { reference: fields[1].into(), tip, worktree, symbolic, is_head: fields[4] == "*" })
        });
        read.collect()
    }

    /// Makes a branch at a commit and checks it out; untracked files stay where they are.
    pub fn start(&self, name: &str, base: &CommitId) -> Result<()> {
        self.run(name, &Call::new(["switch", "--quiet", "--no-track", "--create", name, base.as_str(), "--"]))
    }

    /// Checks out a branch that exists.
    pub fn switch(&self, name: &str) -> Result<()> {
        self.run(name, &Call::new(["switch", "--quiet", "--no-guess", name, "--"]))
    }

    /// Removes a branch, merged or not.
    pub fn delete(&self, name: &str) -> Result<()> {
        self.run(name, &Call::new(["branch", "--quiet", "-D", "--", name]))
    }

    /// Makes a branch at a commit that was fetched, or fast-forwards it to there. A branch that has diverged is left alone.
    pub fn fast_forward(&self, branch: &str, tip: &CommitId) -> Result<()> {
        let reference = format!("refs/heads/{branch}");
        let before = match self.find(branch)? {
            None => String::new(),
            Some(local) if local.tip == *tip => return Ok(()),
            Some(local) => {
                if local.worktree.is_some() || !self.history().is_ancestor(&local.tip, tip)? {
                    return Err(Error::Diverged { name: branch.to_owned() });
                }
                local.tip.to_string()
            }
        };
        let note = "ai-workflow: taken over from origin";
        self.workspace.change(["update-ref", "-m", note, &reference, tip.as_str(), &before])
    }

    /// Returns the branch that was checked out before this one, where the reflog of HEAD names it.
    pub fn previous_branch(&self) -> Result<Option<String>> {
        let output = self.workspace.try_ask(["rev-parse", "--symbolic-full-name", "@{-1}"])?;
        if !output.succeeded() {
            return Ok(None);
        }
        Ok(output.text().trim().strip_prefix("refs/heads/").map(str::to_owned))
    }

    /// Returns the branch that is checked out; nothing where HEAD is detached.
    fn current(&self) -> Result<Option<String>> {
        let output = self.workspace.try_ask(["symbolic-ref", "--quiet", "--short", "HEAD"])?;
        Ok(if output.succeeded() { Some(output.line()) } else { None })
    }

    /// Returns the branch that HEAD names, read without a process; nothing where HEAD is kept elsewhere.
    pub(crate) fn read_current_branch(&self) -> Option<String> {
        let reference = head_reference(self.workspace.git_dir())?;
        reference.strip_prefix("refs/heads/").filter(|name| *name != ".invalid").map(str::to_owned)
    }

    /// Returns the commit of a branch, read without a process; nothing where git keeps it elsewhere.
    pub(crate) fn read_tip(&self, branch: &str) -> Option<CommitId> {
        let tip = regular_file::read_text(&self.workspace.common().join("refs/heads").join(branch)).ok()?;
        CommitId::try_from(tip.trim()).ok()
    }

    /// Returns a branch as a base; the local one counts, the one on origin where there is no local one.
    pub fn base(&self, name: &str) -> Result<RunBase> {
        check_branch_name(name)?;
        let [local, remote] = reference_names(name);
        find_base(&self.list(&[&local, &remote])?, name)
    }

    /// Returns origin's default branch as a base, as far as this clone knows it.
    pub fn origin_default(&self, head: &Head) -> Result<Option<RunBase>> {
        // Mostly the worktree is on origin's default branch, and then one call is enough.
        let [local, remote] = reference_names(head.branch.as_deref().unwrap_or("HEAD"));
        let found = self.list(&[ORIGIN_DEFAULT, &local, &remote])?;
        match origin_default(&found) {
            Some(name) if Some(name) == head.branch.as_deref() => find_base(&found, name).map(Some),
            Some(name) => self.base(name).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the latest commit of a branch that another commit holds, where it comes after the one that work began from;
    /// that one otherwise. What goes to a server is compared with the branch there.
    pub fn find_merged(
        &self,
        name: &str,
        is_on_server: bool,
        began: &CommitId,
        tip: &CommitId,
    ) -> Result<CommitId> {
        let [local, remote] = reference_names(name);
        let found = self.list(&[&local, &remote])?;
        let counts = |reference: &str| {
            let has_remote = found.iter().any(|branch| branch.reference == remote);
            reference == remote || (reference == local && !(is_on_server && has_remote))
        };
        let mut latest = began.clone();
        for branch in found.iter().filter(|branch| counts(&branch.reference)) {
            if let Some(common) = self.history().merge_base(&branch.tip, tip)?
                && common != latest
                && self.history().is_ancestor(&latest, &common)?
            {
                latest = common;
            }
        }
        Ok(latest)
    }

    /// Returns the merge base of HEAD with the named commit, else with the default branch (`default` where it is set), else HEAD.
    /// Where HEAD has nothing in common with the named commit, as in a history that is cut off, it is that commit.
    pub fn diff_base(&self, revision: Option<&str>, default: Option<&str>) -> Result<DiffBase> {
        if let Some(revision) = revision {
            let named = self.resolve_commit(revision)?;
            let base = self.history().merge_base(self.workspace.opened_at(), &named)?;
            return Ok(DiffBase { commit: base.unwrap_or(named), name: revision.to_owned() });
        }
        let head = || DiffBase { commit: self.workspace.opened_at().clone(), name: "HEAD".to_owned() };
        let Some((tip, name)) = self.default_tip(default)? else { return Ok(head()) };
        let base = self.history().merge_base(self.workspace.opened_at(), &tip)?;
        Ok(base.map_or_else(head, |commit| DiffBase { commit, name }))
    }

    /// Resolves the name that a person gives a commit; an option is refused.
    fn resolve_commit(&self, revision: &str) -> Result<CommitId> {
        let missing = || Error::NoSuchCommit { name: revision.escape_debug().take(80).collect() };
        if revision.is_empty() || revision.starts_with('-') {
            return Err(missing());
        }
        let commit = format!("{revision}^{{commit}}");
        let words = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
        let output = self.workspace.try_ask(words)?;
        let text = output.text();
        match text.lines().last() {
            Some(id) if output.succeeded() => CommitId::try_from(id).map_err(|_| missing()),
            _ => Err(missing()),
        }
    }

    /// Returns the tip of the default branch and its name: the tip on origin when that branch is checked out.
    fn default_tip(&self, default: Option<&str>) -> Result<Option<(CommitId, String)>> {
        let usual = ["main", "master"];
        let named: Vec<[String; 2]> = default.into_iter().chain(usual).map(reference_names).collect();
        let mut asked: Vec<&str> = named.iter().flatten().map(String::as_str).collect();
        asked.push(ORIGIN_DEFAULT);
        let mut found = self.list(&asked)?;
        let of_origin = origin_default(&found).map(str::to_owned);
        if let Some(name) = &of_origin {
            let [local, remote] = reference_names(name);
            found.extend(self.list(&[&local, &remote])?);
        }
        let names = default.into_iter().chain(of_origin.as_deref()).chain(usual);
        let current = self.current()?;
        let known = |name: &&str| tips(&found, name).iter().any(Option::is_some);
        let Some(name) = names.into_iter().find(known) else { return Ok(None) };
        let [local, remote] = tips(&found, name);
        let tip = if current.as_deref() == Some(name) { remote } else { local.or(remote) };
        Ok(tip.map(|tip| (tip, name.to_owned())))
    }

    fn history(&self) -> History<'_> {
        History { workspace: self.workspace }
    }

    /// Runs git for a branch of this name; the error says why git refused.
    pub(crate) fn run(&self, name: &str, call: &Call) -> Result<()> {
        check_branch_name(name)?;
        let output = self.workspace.try_run(call)?;
        if output.succeeded() { Ok(()) } else { Err(branch_failure(name, &output)) }
    }
}

/// Returns the reference that HEAD names in git's folder of a worktree.
pub(crate) fn head_reference(git_dir: &Path) -> Option<String> {
    let head = regular_file::read_text(&git_dir.join("HEAD")).ok()?;
    Some(head.trim().strip_prefix("ref: ")?.to_owned())
}

/// Returns the full names of a branch here and on origin.
fn reference_names(name: &str) -> [String; 2] {
    [format!("refs/heads/{name}"), format!("refs/remotes/origin/{name}")]
}

fn find_base(found: &[Branch], name: &str) -> Result<RunBase> {
    check_branch_name(name)?;
    let [local, remote] = tips(found, name);
    let commit =
        local.or_else(|| remote.clone()).ok_or_else(|| Error::NoSuchBranch { name: name.to_owned() })?;
    let on_origin = remote.filter(|remote| *remote != commit);
    Ok(RunBase { branch: name.to_owned(), commit, on_origin })
}

/// Returns the name of origin's default branch, where it is among what was found.
fn origin_default(found: &[Branch]) -> Option<&str> {
    let default = found.iter().find(|branch| branch.reference == ORIGIN_DEFAULT)?;
    default.symbolic.as_deref()?.strip_prefix("refs/remotes/origin/")
}

/// Returns the tips of a branch here and on origin.
fn tips(found: &[Branch], name: &str) -> [Option<CommitId>; 2] {
    reference_names(name).map(|reference| {
        found.iter().find(|branch| branch.reference == reference).map(|branch| branch.tip.clone())
    })
}

fn branch_failure(name: &str, output: &GitOutput) -> Error {
    let errors = output.stderr();
    let says = |words: &[&str]| words.iter().any(|word| errors.contains(word));
    let name = name.to_owned();
    if says(&["already used by worktree", "already checked out at", "used by worktree at"]) {
        return Error::BranchInUse { name, detail: output.error_lines() };
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
