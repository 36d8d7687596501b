//! Brings one branch from a remote, when another machine has worked on it. Nothing of this machine is written over.

use super::call::Call;
use super::names::{CommitId, check_branch_name};
use super::publish::Credentials;
use super::retry::retried;
use super::{Error, Result, Workspace};

impl Workspace {
    /// Fetches one branch of a remote, and nothing else; returns its tip, or nothing when the remote has no such branch.
    pub fn fetch_branch(
        &self,
        remote: &str,
        branch: &str,
        credentials: Option<&Credentials>,
    ) -> Result<Option<CommitId>> {
        check_branch_name(remote)?;
        check_branch_name(branch)?;
        let tracking = format!("refs/remotes/{remote}/{branch}");
        if !self.fetch_one(remote, &format!("+refs/heads/{branch}:{tracking}"), credentials)? {
            return Ok(None);
        }
        let found = self.references(&[&tracking])?.into_iter().find(|found| found.reference == tracking);
        Ok(found.map(|found| found.tip))
    }

    /// Fetches one reference; tells whether the remote has it. Trouble that passes is waited out.
    pub(super) fn fetch_one(
        &self,
        remote: &str,
        what: &str,
        credentials: Option<&Credentials>,
    ) -> Result<bool> {
        retried(|| self.fetch_once(remote, what, credentials))
    }

    fn fetch_once(&self, remote: &str, what: &str, credentials: Option<&Credentials>) -> Result<bool> {
        let mut call = Call::new(["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--refmap="]);
        call = call.over_network();
        if let Some(credentials) = credentials {
            call = call.setting(&credentials.setting());
        }
        let call = call.args(["--", remote]).arg(what);
        let output = self.try_git(&call)?;
        let is_missing = output.errors().contains("couldn't find remote ref");
        if output.succeeded() || is_missing {
            Ok(output.succeeded())
        } else {
            Err(output.remote_failure(&call))
        }
    }

    /// Makes a branch at a commit that was fetched, or moves it on to there. One that holds something else is left alone.
    pub fn take_over(&self, branch: &str, tip: &CommitId) -> Result<()> {
        let reference = format!("refs/heads/{branch}");
        let before = match self.branch(branch)? {
            None => String::new(),
            Some(local) if local.tip == *tip => return Ok(()),
            Some(local) => {
                if local.worktree.is_some() || !self.is_before(&local.tip, tip)? {
                    return Err(Error::Diverged { name: branch.to_owned() });
                }
                local.tip.to_string()
            }
        };
        let note = "ai-workflow: taken over from origin";
        self.git(&Call::new(["update-ref", "-m", note, &reference, tip.as_str(), &before])).map(drop)
    }

    /// Tells whether a commit is among those that led to another one.
    pub fn is_before(&self, commit: &CommitId, later: &CommitId) -> Result<bool> {
        let call = Call::new(["merge-base", "--is-ancestor", commit.as_str(), later.as_str()]).reading();
        Ok(self.try_git(&call)?.succeeded())
    }
}
