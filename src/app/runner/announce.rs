//! The progress comment at the beginning of a turn, and the id it has. Where somebody deleted it, it is made once more, once
//! in a run: who deletes it again does not want it.

use tracing::warn;

use super::publish::unless_stopped;
use super::{JobRole, PhaseRunner, RunError};
use forge::{CommentDraft, Forge, ForgeError};
use model::event::{Fact, Outcome};
use views::summary::{marker, progress_comment, unshared_marker};

impl PhaseRunner {
    /// Sees to it that the run has its comment on the issue before anything is paid for.
    pub(super) async fn announce(&mut self) -> Result<(), RunError> {
        let run = self.run_state()?;
        let is_due = match self.role {
            JobRole::Both => run.outcome == Outcome::Running,
            JobRole::Work => false,
            // What happened meanwhile was told nobody.
            JobRole::Publish => true,
        };
        if !self.forge.is_remote() || !is_due {
            return Ok(());
        }
        let known = run.publication.progress_comment;
        let Some(id) = self.write_comment(known).await? else { return Ok(()) };
        if known == Some(id) {
            return Ok(());
        }
        Ok(self.journal.record(Fact::Commented { id })?)
    }

    /// Writes the comment and returns its id; nothing where it is not there.
    async fn write_comment(&self, known: Option<u64>) -> Result<Option<u64>, RunError> {
        let run = self.run_state()?;
        let (body, marker) = (self.masker.mask(&progress_comment(run)), marker(run));
        let number = run.started.issue.number;
        let id = if known.is_some() {
            known
        } else {
            // A run whose machine was lost before anything was shared has left nothing but its comment.
            let lost = unshared_marker(number);
            let lost = self.forge.own_comment(number, &lost);
            let Some(id) = unless_stopped(&self.stop, lost).await? else { return Ok(None) };
            id
        };
        let draft = CommentDraft { id, marker: &marker, body: &body };
        let written = async {
            match (&self.forge, id) {
                (Forge::Github(github), Some(id)) if run.publication.comment_was_replaced => {
                    github.rewrite_comment(draft, id).await
                }
                _ => self.forge.upsert_comment(number, draft, run.updated_at).await,
            }
        };
        match unless_stopped(&self.stop, written).await {
            Err(RunError::Forge(error)) if known.is_some() && self.may_miss(&error) => {
                warn!("The progress comment cannot be written: {error}");
                Ok(None)
            }
            written => written,
        }
    }

    /// A run that was told of already can do without its comment; who publishes tries again what did not work.
    fn may_miss(&self, error: &ForgeError) -> bool {
        self.role == JobRole::Both || error.is_missing()
    }

    /// Writes down that the comment has another id, as soon as that is known.
    pub(super) fn note_moved_comment(&mut self) -> Result<(), RunError> {
        let moved = self.moved_comment.id();
        match moved.filter(|_| {
            moved != self.journal.state().run.as_ref().and_then(|run| run.publication.progress_comment)
        }) {
            Some(id) => Ok(self.journal.record(Fact::Commented { id })?),
            None => Ok(()),
        }
    }
}
