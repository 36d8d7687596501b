//! Keeps the one progress comment of a run up to date on the local forge.

use tracing::warn;

use super::Reporter;
use engine::State;
use forge::{CommentDraft, LocalForge};
use model::event::{Entry, Fact};
use model::redact::Masker;
use views::summary;

/// Rewrites the progress comment after each fact that a reader of the issue wants to see.
pub struct LocalComment {
    forge: LocalForge,
    masker: Masker,
    comment: Option<u64>,
    warned: bool,
}

impl LocalComment {
    /// Makes a reporter; the comment of an earlier process is found by its mark.
    pub fn new(forge: LocalForge, masker: Masker) -> Self {
        Self { forge, masker, comment: None, warned: false }
    }

    fn write(&mut self, state: &State) {
        let Some(run) = &state.run else { return };
        let body = self.masker.mask(&summary::progress_comment(run));
        let marker = summary::marker(run);
        let draft = CommentDraft { id: self.comment, marker: &marker, body: &body };
        match self.forge.upsert_comment(run.started.issue.number, draft, run.updated_at) {
            Ok(id) => self.comment = Some(id),
            Err(error) if !self.warned => {
                warn!("The progress comment cannot be written: {error}");
                self.warned = true;
            }
            Err(_) => {}
        }
    }
}

impl Reporter for LocalComment {
    fn report(&mut self, entry: &Entry, state: &State) {
        let worth_it = matches!(
            entry.fact,
            Fact::PhaseStarted { .. }
                | Fact::Ruled(_)
                | Fact::Committed { .. }
                | Fact::Paused { .. }
                | Fact::Finished { .. }
                | Fact::Cancelled { .. }
        );
        if worth_it {
            self.write(state);
        }
    }
}
