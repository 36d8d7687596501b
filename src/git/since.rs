//! What a person's changes are compared with: a commit they name, else where their branch left the default branch, else HEAD.

use super::base::{ORIGIN_DEFAULT, both, origin_default};
use super::branch::Branch;
use super::call::Call;
use super::names::CommitId;
use super::{Error, Result, Workspace};

/// A commit that changes are compared with, and its name for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since {
    pub commit: CommitId,
    pub name: String,
}

impl Workspace {
    /// Returns the named commit, else the merge base with the default branch (`default` where it is set), else HEAD.
    pub fn since(&self, revision: Option<&str>, default: Option<&str>) -> Result<Since> {
        if let Some(revision) = revision {
            return Ok(Since { commit: self.commit_of(revision)?, name: revision.to_owned() });
        }
        let head = || Since { commit: self.opened_at().clone(), name: "HEAD".to_owned() };
        let Some((tip, name)) = self.default_tip(default)? else { return Ok(head()) };
        let base = self.merge_base(self.opened_at(), &tip)?;
        Ok(base.map_or_else(head, |commit| Since { commit, name }))
    }

    /// Resolves what a person calls a commit; an option can never be one.
    fn commit_of(&self, revision: &str) -> Result<CommitId> {
        let missing = || Error::NoSuchCommit { name: revision.escape_debug().take(80).collect() };
        if revision.is_empty() || revision.starts_with('-') {
            return Err(missing());
        }
        let commit = format!("{revision}^{{commit}}");
        let call = Call::new(["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]).reading();
        let output = self.try_git(&call)?;
        let text = output.text();
        let id = text.lines().last().and_then(|line| CommitId::try_from(line).ok());
        id.filter(|_| output.succeeded()).ok_or_else(missing)
    }

    /// Returns the tip of the default branch and its name: on origin when we stand on that branch ourselves.
    fn default_tip(&self, default: Option<&str>) -> Result<Option<(CommitId, String)>> {
        let usual = ["main", "master"];
        let named: Vec<[String; 2]> = default.into_iter().chain(usual).map(both).collect();
        let mut asked: Vec<&str> = named.iter().flatten().map(String::as_str).collect();
        asked.push(ORIGIN_DEFAULT);
        let mut found = self.references(&asked)?;
        let of_origin = origin_default(&found).map(str::to_owned);
        if let Some(name) = &of_origin {
            let [local, remote] = both(name);
            found.extend(self.references(&[&local, &remote])?);
        }
        let names = default.into_iter().chain(of_origin.as_deref()).chain(usual);
        let current = self.current_branch()?;
        let known = |name: &&str| tips(&found, name).iter().any(Option::is_some);
        let Some(name) = names.into_iter().find(known) else { return Ok(None) };
        let [local, remote] = tips(&found, name);
        let tip = if current.as_deref() == Some(name) { remote } else { local.or(remote) };
        Ok(tip.map(|tip| (tip, name.to_owned())))
    }

    fn current_branch(&self) -> Result<Option<String>> {
        let output = self.try_git(&Call::new(["symbolic-ref", "--quiet", "--short", "HEAD"]).reading())?;
        Ok(output.succeeded().then(|| output.text().trim().to_owned()))
    }
}

/// Returns the tips of a branch here and on origin.
fn tips(found: &[Branch], name: &str) -> [Option<CommitId>; 2] {
    both(name).map(|reference| {
        found.iter().find(|branch| branch.reference == reference).map(|branch| branch.tip.clone())
    })
}
