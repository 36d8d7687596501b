//! Steers a run that is under way: looks at the issue's comments from time to time, and obeys `/ai-workflow pause` and
//! `/ai-workflow cancel` of people who may steer. All other commands are left to the job that their comment starts.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::time::Duration;

use jiff::Timestamp;

use crate::admission::Actor;
use crate::slash_command::{SlashCommand, slash_command};
use forge::github::{EventComment, Reaction, ReactionTarget};
use forge::{ForgeError, GithubForge};
use model::issue::IssueNumber;
use process::StopHandle;
use runner::{PendingRequest, SteeringRequest};
use settings::GithubKeys;

/// The time between two requests.
const PACE: Duration = Duration::from_secs(20);

/// Looks at the comments of one issue.
pub(crate) struct CommentWatcher {
    /// The repository.
    pub github: GithubForge,
    /// Its settings.
    pub keys: GithubKeys,
    /// The issue.
    pub number: IssueNumber,
    /// When the run was requested. Comments that are not newer do not steer it.
    pub since: Timestamp,
    /// Where a request to pause or cancel is left for the run.
    pub request: PendingRequest,
    /// Ends the call that is under way.
    pub stop: StopHandle,
    /// Comments that were looked at.
    pub seen: BTreeSet<u64>,
    /// Comments that ask for a pause.
    pub pauses: BTreeSet<u64>,
}

impl CommentWatcher {
    /// Reads the comments before the work begins, so that a run that was cancelled costs nothing, and from time to time until it ends.
    pub(crate) async fn watch_during<T>(&mut self, work: impl Future<Output = T>) -> T {
        self.poll().await;
        tokio::select! {
            ended = work => ended,
            never = self.poll_forever() => match never {},
        }
    }

    async fn poll_forever(&mut self) -> Infallible {
        loop {
            tokio::time::sleep(PACE).await;
            self.poll().await;
        }
    }

    /// Reacts to the comments that asked for a pause, if the run paused for them. Another end is reported by the job of its comment.
    pub(crate) async fn confirm_pauses(self, has_paused: bool) {
        if !has_paused || self.github.reads_only() {
            return;
        }
        for id in self.pauses {
            if let Err(error) = self.github.react(ReactionTarget::Comment(id), Reaction::Rocket).await {
                tracing::warn!("There is no reaction to what was asked: {error}");
            }
        }
    }

    /// Reads the comments. A request that fails is only logged: the next one comes soon, and GitHub may be down for a while.
    async fn poll(&mut self) {
        if let Err(error) = self.obey_new_comments().await {
            tracing::warn!("The comments of issue #{} cannot be read: {error}", self.number);
        }
    }

    async fn obey_new_comments(&mut self) -> Result<(), ForgeError> {
        for comment in self.github.comments_since(self.number, self.since).await? {
            let is_new = comment.created_at > self.since && !self.seen.contains(&comment.id);
            if is_new {
                self.obey(&comment).await?;
                self.seen.insert(comment.id);
            }
        }
        Ok(())
    }

    async fn obey(&mut self, comment: &EventComment) -> Result<(), ForgeError> {
        let read = slash_command(comment.body.as_deref().unwrap_or_default());
        let Some(Ok(command @ (SlashCommand::Pause | SlashCommand::Cancel))) = read else { return Ok(()) };
        // A comment can be changed by others who may write; then its author did not write it.
        if comment.updated_at != comment.created_at {
            return Ok(());
        }
        let Some(who) = &comment.user else { return Ok(()) };
        let actor = Actor { github: &self.github, keys: &self.keys, who };
        if let Err(refusal) = actor.admit().await {
            tracing::warn!("{}", refusal.line());
            return Ok(());
        }
        if self.github.has_answered(comment.id).await? {
            return Ok(());
        }
        let by = who.login.clone();
        let reaction = if command == SlashCommand::Pause {
            tracing::info!("{by} asks the run to wait before the next phase");
            self.request.submit(SteeringRequest::Pause { by });
            self.pauses.insert(comment.id);
            Reaction::Eyes
        } else {
            tracing::info!("{by} ends the run");
            self.request.submit(SteeringRequest::Cancel { by });
            self.stop.stop();
            Reaction::Rocket
        };
        if self.github.reads_only() {
            return Ok(());
        }
        self.github.react(ReactionTarget::Comment(comment.id), reaction).await
    }
}
