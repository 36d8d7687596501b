//! What a branch took in of the branch that it was made from, by a merge or a rebase. It is there already, and nobody's work
//! here. What else lies on the branch is not looked at.

use super::base::both;
use super::call::Call;
use super::names::CommitId;
use super::{Result, Workspace};

impl Workspace {
    /// Returns the latest commit of a branch that another commit holds, where it comes after the one that work began from;
    /// that one otherwise. What goes to a server is compared with the branch there.
    pub fn base_taken_in(
        &self,
        name: &str,
        is_on_server: bool,
        began: &CommitId,
        tip: &CommitId,
    ) -> Result<CommitId> {
        let [local, remote] = both(name);
        let found = self.references(&[&local, &remote])?;
        let counts = |reference: &str| {
            let has_remote = found.iter().any(|branch| branch.reference == remote);
            reference == remote || (reference == local && !(is_on_server && has_remote))
        };
        let mut latest = began.clone();
        for branch in found.iter().filter(|branch| counts(&branch.reference)) {
            if let Some(common) = self.merge_base(&branch.tip, tip)?
                && common != latest
                && self.is_before(&latest, &common)?
            {
                latest = common;
            }
        }
        Ok(latest)
    }

    /// Returns the latest commit that two have in common.
    pub(super) fn merge_base(&self, one: &CommitId, other: &CommitId) -> Result<Option<CommitId>> {
        let call = Call::new(["merge-base", one.as_str(), other.as_str()]).reading();
        let output = self.try_git(&call)?;
        let text = output.text();
        Ok(text.lines().next().and_then(|line| CommitId::try_from(line).ok()).filter(|_| output.succeeded()))
    }
}
