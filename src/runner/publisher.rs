//! Publishes a run: pushes its branch to the server and writes the progress comment on the issue, which comes first. Knows
//! which part of that another process does. A comment that a person deleted is written again once in a run; a second deletion
//! is accepted.

use std::path::PathBuf;

use tracing::warn;

use crate::active_run::ActiveRun;
use crate::documents;
use crate::error::{Result, RunError};
use crate::report::ReplacedComment;
use engine::{Action, Decision};
use forge::{CommentDraft, Forge};
use git::{CommitId, Credentials, Remote, RetryCounter};
use model::event::{Fact, RunOutcome};
use settings::{GithubKeys, PushWhen};
use views::summary::{marker, progress_comment, unshared_marker};

/// Where a run is published, and what this process may publish of it.
pub struct Publisher {
    /// Where issues come from and pull requests go.
    pub forge: Forge,
    /// When the branch is pushed.
    pub push: PushWhen,
    /// Which part of the work this process does.
    pub role: JobRole,
    /// The tip of the branch when the work of another process was validated.
    pub judged: Option<CommitId>,
    /// What the run does on GitHub.
    pub github: GithubKeys,
    /// The credentials that git uses for a push when it has none of its own.
    pub credentials: Option<Credentials>,
    /// The checkout that the run was started from. A pull request that is not published is written into a file there.
    pub checkout: PathBuf,
    /// The comment that replaced a deleted one.
    pub moved_comment: ReplacedComment,
}

/// The part of a run that one process does. Agents read text of strangers, so a job that calls them must not hold a token that
/// can write. Of two jobs the first one calls agents and writes nothing to a server; the second one publishes the result and
/// calls no agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum JobRole {
    #[default]
    /// Works and publishes.
    Both,
    /// Works, and leaves the publication to another process.
    Work,
    /// Publishes the work of another process, and calls no agent.
    Publish,
}

impl JobRole {
    /// Tells whether another process carries out a decision.
    pub(super) fn is_left_to_other_job(self, decision: &Decision) -> bool {
        match (self, decision) {
            (Self::Both, _) | (_, Decision::Halt(_)) => false,
            (Self::Work, decision) => matches!(decision, Decision::Perform(Action::Publish)),
            (Self::Publish, Decision::Perform(action)) => !matches!(action, Action::Publish),
            (Self::Publish, Decision::Record(fact)) => !matches!(**fact, Fact::Finished { .. }),
        }
    }

    /// Returns the outcome of the run if this process has to hand it over to another one.
    pub(super) fn find_handover_outcome(self, decision: &Decision) -> Option<RunOutcome> {
        match (self, decision) {
            (Self::Work, Decision::Halt(outcome)) => Some(*outcome),
            (role, decision) if role.is_left_to_other_job(decision) => Some(RunOutcome::Running),
            _ => None,
        }
    }
}

impl Publisher {
    /// Tells whether the branch is pushed to a server.
    pub(super) fn is_push_enabled(&self) -> bool {
        self.forge.is_remote() && self.push != PushWhen::Never
    }

    /// Makes a call to `origin`. Repeats it after a temporary error, unless a more urgent stop is requested meanwhile.
    pub(super) async fn call_origin(
        &self,
        active: &ActiveRun,
        call: impl Fn(&Remote<'_>) -> Result<(), git::Error>,
    ) -> Result<(), git::Error> {
        let origin = active.space.workspace().remote("origin", self.credentials.as_ref());
        let (mut stop, urgency, mut retry) =
            (active.stop.clone(), active.stop.urgency(), RetryCounter::default());
        loop {
            let Err(error) = call(&origin) else { return Ok(()) };
            let Some(pause) = retry.pause(&error) else { return Err(error) };
            tokio::select! {
                biased;
                _ = stop.wait_beyond(urgency) => return Err(error),
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Pushes the run's branch to `origin`. A process that publishes the work of another one pushes the validated commits and
    /// its own records, nothing else.
    pub(super) async fn push(&self, active: &ActiveRun) -> Result<()> {
        let branch = active.run()?.started.branch.clone();
        let is_judged = match (self.role, &self.judged) {
            (JobRole::Publish, Some(judged)) => active.space.run_branch().has_only_records_on(judged)?,
            (JobRole::Publish, None) => false,
            (JobRole::Both | JobRole::Work, _) => true,
        };
        if !is_judged {
            return Err(RunError::Unjudged { branch });
        }
        let found = active.space.workspace().branches().find(&branch)?;
        let tip = found.map_or_else(
            || active.run().map(|run| run.branch.head.clone()),
            |found| Ok(found.tip.to_string()),
        )?;
        documents::refuse_lost(active, &tip)?;
        Ok(self.call_origin(active, |origin| origin.push(&branch, None)).await?)
    }

    /// Writes the run's comment on the issue, if it is missing, before any agent call costs money.
    pub(super) async fn ensure_progress_comment(&self, active: &mut ActiveRun) -> Result<()> {
        let run = active.run()?;
        let is_due = match self.role {
            JobRole::Both => run.outcome == RunOutcome::Running,
            JobRole::Work => false,
            // The comment does not show yet what happened since then.
            JobRole::Publish => true,
        };
        if !self.forge.is_remote() || !is_due {
            return Ok(());
        }
        let known = run.publication.progress_comment;
        let written = self.write_comment(active, known).await?;
        record_comment(active, written)
    }

    /// Writes the comment and returns its id; nothing when it could not be written.
    async fn write_comment(&self, active: &ActiveRun, known: Option<u64>) -> Result<Option<u64>> {
        let run = active.run()?;
        let (body, marker) = (active.masker.mask(&progress_comment(run)), marker(run));
        let number = run.started.issue.number;
        let mut id = known;
        if id.is_none() {
            // A run whose machine was lost before the first push has left only its comment.
            let lost = unshared_marker(number);
            let lost = active.wait_unless_stopped(self.forge.own_comment(number, &lost)).await?;
            let Some(found) = lost else { return Ok(None) };
            id = found;
        }
        let draft = CommentDraft { id, marker: &marker, body: &body };
        let written = async {
            match (&self.forge, id) {
                (Forge::Github(github), Some(id)) if run.publication.comment_was_replaced => {
                    github.rewrite_comment(draft, id).await
                }
                _ => self.forge.upsert_comment(number, draft, run.updated_at).await,
            }
        };
        match active.wait_unless_stopped(written).await {
            // A run that has a comment goes on when an update fails. A job that publishes fails, so that it is started
            // again, unless the comment was deleted.
            Err(RunError::Forge(error))
                if known.is_some() && (self.role == JobRole::Both || error.is_missing()) =>
            {
                warn!("The progress comment cannot be written: {error}");
                Ok(None)
            }
            written => written,
        }
    }

    /// Records the id of a comment that replaced a deleted one, as soon as it is known.
    pub(super) fn record_replaced_comment(&self, active: &mut ActiveRun) -> Result<()> {
        record_comment(active, self.moved_comment.id())
    }
}

fn record_comment(active: &mut ActiveRun, comment: Option<u64>) -> Result<()> {
    match comment {
        Some(id) if comment != active.run()?.publication.progress_comment => {
            active.record(Fact::Commented { id })
        }
        Some(_) | None => Ok(()),
    }
}
