//! Which commit a run starts from, and which one a person's changes are compared with.

use crate::branch::{Branch, Branches, check_branch_name, local_and_remote};
use crate::history::History;
use crate::workspace::{Head, Workspace};
use crate::{CommitId, Error, Result};

/// Where this clone remembers which branch of origin is the default one.
const ORIGIN_DEFAULT: &str = "refs/remotes/origin/HEAD";

/// The branch and commit a run starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// The name of the branch.
    pub branch: String,
    /// The commit it stands on: here, or on origin where there is no local branch.
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

/// Finds bases in a repository.
#[derive(Debug, Clone)]
pub struct Bases<'a> {
    pub(crate) workspace: &'a Workspace,
}

impl Bases<'_> {
    /// Returns a branch as a base; the local one counts, the one on origin where there is no local one.
    pub fn find(&self, name: &str) -> Result<Base> {
        check_branch_name(name)?;
        let [local, remote] = local_and_remote(name);
        base_in(&self.references(&[&local, &remote])?, name)
    }

    /// Returns origin's default branch as a base, as far as this clone knows it.
    pub fn origin_default(&self, head: &Head) -> Result<Option<Base>> {
        // Mostly the worktree is on origin's default branch, and then one question is enough.
        let [local, remote] = local_and_remote(head.branch.as_deref().unwrap_or("HEAD"));
        let found = self.references(&[ORIGIN_DEFAULT, &local, &remote])?;
        match origin_default(&found) {
            Some(name) if Some(name) == head.branch.as_deref() => base_in(&found, name).map(Some),
            Some(name) => self.find(name).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the latest commit of a branch that another commit holds, where it comes after the one that work began from;
    /// that one otherwise. What goes to a server is compared with the branch there.
    pub fn merged_in(
        &self,
        name: &str,
        is_on_server: bool,
        began: &CommitId,
        tip: &CommitId,
    ) -> Result<CommitId> {
        let [local, remote] = local_and_remote(name);
        let found = self.references(&[&local, &remote])?;
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

    /// Returns the named commit, else the merge base with the default branch (`default` where it is set), else HEAD.
    pub fn diff_base(&self, revision: Option<&str>, default: Option<&str>) -> Result<DiffBase> {
        if let Some(revision) = revision {
            return Ok(DiffBase { commit: self.commit_of(revision)?, name: revision.to_owned() });
        }
        let head = || DiffBase { commit: self.workspace.opened_at().clone(), name: "HEAD".to_owned() };
        let Some((tip, name)) = self.default_tip(default)? else { return Ok(head()) };
        let base = self.history().merge_base(self.workspace.opened_at(), &tip)?;
        Ok(base.map_or_else(head, |commit| DiffBase { commit, name }))
    }

    /// Resolves what a person calls a commit; an option can never be one.
    fn commit_of(&self, revision: &str) -> Result<CommitId> {
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

    /// Returns the tip of the default branch and its name: on origin when we stand on that branch ourselves.
    fn default_tip(&self, default: Option<&str>) -> Result<Option<(CommitId, String)>> {
        let usual = ["main", "master"];
        let named: Vec<[String; 2]> = default.into_iter().chain(usual).map(local_and_remote).collect();
        let mut asked: Vec<&str> = named.iter().flatten().map(String::as_str).collect();
        asked.push(ORIGIN_DEFAULT);
        let mut found = self.references(&asked)?;
        let of_origin = origin_default(&found).map(str::to_owned);
        if let Some(name) = &of_origin {
            let [local, remote] = local_and_remote(name);
            found.extend(self.references(&[&local, &remote])?);
        }
        let names = default.into_iter().chain(of_origin.as_deref()).chain(usual);
        let current = Branches { workspace: self.workspace }.current()?;
        let known = |name: &&str| tips(&found, name).iter().any(Option::is_some);
        let Some(name) = names.into_iter().find(known) else { return Ok(None) };
        let [local, remote] = tips(&found, name);
        let tip = if current.as_deref() == Some(name) { remote } else { local.or(remote) };
        Ok(tip.map(|tip| (tip, name.to_owned())))
    }

    fn history(&self) -> History<'_> {
        History { workspace: self.workspace }
    }

    fn references(&self, names: &[&str]) -> Result<Vec<Branch>> {
        Branches { workspace: self.workspace }.list(names)
    }
}

fn base_in(found: &[Branch], name: &str) -> Result<Base> {
    check_branch_name(name)?;
    let [local, remote] = tips(found, name);
    let commit =
        local.or_else(|| remote.clone()).ok_or_else(|| Error::NoSuchBranch { name: name.to_owned() })?;
    let on_origin = remote.filter(|remote| *remote != commit);
    Ok(Base { branch: name.to_owned(), commit, on_origin })
}

/// Returns the name of origin's default branch, where it is among what was found.
fn origin_default(found: &[Branch]) -> Option<&str> {
    let default = found.iter().find(|branch| branch.reference == ORIGIN_DEFAULT)?;
    default.symbolic.as_deref()?.strip_prefix("refs/remotes/origin/")
}

/// Returns the tips of a branch here and on origin.
fn tips(found: &[Branch], name: &str) -> [Option<CommitId>; 2] {
    local_and_remote(name).map(|reference| {
        found.iter().find(|branch| branch.reference == reference).map(|branch| branch.tip.clone())
    })
}
