//! The last effects outside: the pull request (or its text) and the push. Each can be repeated.

use super::{PhaseRunner, RunError};
use crate::event::Fact;
use crate::forge::PullRequest;
use crate::summary::pull_request;

impl PhaseRunner {
    /// Brings the pull request up to date with the branch.
    pub(super) async fn publish(&mut self) -> Result<(), RunError> {
        let run = self.run_state()?;
        let (title, body) = pull_request(run);
        let request = PullRequest {
            title: self.masker.mask(&title),
            head: run.started.branch.clone(),
            base: run.started.base_branch.clone(),
            draft: true,
            body: self.masker.mask(&body),
        };
        let published = self.forge.upsert_pull_request(run.started.issue.number, &request).await?;
        Ok(self.journal.record(Fact::Published { pr_number: published.number, pr_url: published.url })?)
    }

    /// Pushes the run's branch to `origin`.
    pub(super) fn push(&mut self) -> Result<(), RunError> {
        let branch = self.run_state()?.started.branch.clone();
        Ok(self.space.workspace().push("origin", &branch, None)?)
    }
}
