//! Presents a completed run to people, as far as the settings want it: the owners of what changed are asked to review, and
//! the pull request leaves its draft. Each once, because people may take it back; a refusal is told and stops nothing.

use super::publish::unless_stopped;
use super::{PhaseRunner, Push, RunError};
use engine::PhaseState;
use forge::{CODE_OWNERS, CodeOwners, Forge, ForgeError, Owner, PullRequestRef};
use git::CommitId;
use model::event::{Fact, Outcome};
use views::summary::is_request_closed;

impl PhaseRunner {
    /// Asks owners, then marks the pull request ready, where both are wanted and not done.
    pub(super) async fn present(&mut self, outcome: Outcome) -> Result<(), RunError> {
        let run = self.run_state()?;
        let Some((Some(number), url)) = run.publication.pull_request.clone() else { return Ok(()) };
        let is_reviewed = run
            .phases
            .iter()
            .any(|phase| phase.reviews.current.is_some() || phase.reviews.approval.is_some());
        let complete =
            outcome == Outcome::Completed && is_reviewed && run.phases.iter().all(PhaseState::is_met);
        if !complete || self.push == Push::Never || is_request_closed(run) {
            return Ok(());
        }
        if self.github.code_owners && run.publication.reviewers.is_none() {
            self.ask_owners(number).await?;
        }
        if self.github.mark_ready && !self.run_state()?.publication.is_ready && self.is_all_reviewed()? {
            self.mark_ready(PullRequestRef { number: Some(number), url, is_closed: false }).await?;
        }
        Ok(())
    }

    /// What nobody reviewed waits in a draft for a person.
    fn is_all_reviewed(&self) -> Result<bool, RunError> {
        let unreviewed = self.unreviewed()?;
        if !unreviewed.is_empty() {
            let line = self.masker.mask(&unreviewed.line());
            tracing::warn!("The pull request stays a draft; not reviewed: {line}");
        }
        Ok(unreviewed.is_empty())
    }

    async fn mark_ready(&mut self, pull_request: PullRequestRef) -> Result<(), RunError> {
        match unless_stopped(&self.stop, self.forge.mark_ready(&pull_request)).await {
            Ok(Some(())) => Ok(self.journal.record(Fact::MarkedReady)?),
            Ok(None) => Ok(()),
            Err(RunError::Forge(error @ ForgeError::Refused { .. })) => {
                tracing::warn!("The pull request stays a draft: {error}");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    async fn ask_owners(&mut self, number: u64) -> Result<(), RunError> {
        let Forge::Github(github) = self.forge.clone() else { return Ok(()) };
        let owners = self.owners()?;
        let asked = if owners.is_empty() {
            Ok(Some(Vec::new()))
        } else {
            unless_stopped(&self.stop, github.ask_for_review(number, owners)).await
        };
        match asked {
            Ok(Some(reviewers)) => Ok(self.journal.record(Fact::ReviewersAsked { reviewers })?),
            Ok(None) => Ok(()),
            Err(RunError::Forge(error @ ForgeError::Refused { .. })) => {
                tracing::warn!("Nobody was asked to review: {error}");
                Ok(self.journal.record(Fact::ReviewersAsked { reviewers: Vec::new() })?)
            }
            Err(error) => Err(error),
        }
    }

    /// The file of the base counts: what the run wrote into it does not choose who looks at the run.
    fn owners(&self) -> Result<Vec<Owner>, RunError> {
        let run = self.run_state()?;
        let (base, head) = (CommitId::try_from(run.started.base_commit.as_str())?, run.branch.head.as_str());
        let workspace = self.space.workspace();
        for place in CODE_OWNERS {
            let Some(bytes) = workspace.objects().read(&base, place)? else { continue };
            let head = CommitId::try_from(head)?;
            let changed = self.space.workspace().changes().paths_between(&base.as_tree(), &head.as_tree())?;
            let paths = changed.iter().map(String::as_str).filter(|path| !path.starts_with(".ai-workflow/"));
            return Ok(CodeOwners::read(&String::from_utf8_lossy(&bytes)).of(paths).into_iter().collect());
        }
        Ok(Vec::new())
    }
}
