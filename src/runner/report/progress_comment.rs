//! Keeps the one progress comment of a run up to date, on GitHub and on the local forge. On GitHub the reporter only renders and a
//! task of its own writes, so that no fact waits for the network: edits are at least some seconds apart, and the last one is
//! written at the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tracing::warn;

use super::Reporter;
use super::latest_state::StateTask;
use engine::{Run, State};
use forge::{CommentDraft, ForgeError, GithubForge, LocalForge};
use model::event::{Entry, Fact};
use model::issue::IssueNumber;
use model::redact::{Masked, Masker};
use views::summary;

/// Two edits of a comment are at least so far apart.
pub const PACE: Duration = Duration::from_secs(5);

/// What the comment should say.
#[derive(Debug, Clone, PartialEq)]
struct Wanted {
    number: IssueNumber,
    id: u64,
    marker: String,
    body: Masked,
    /// Nothing took its place yet.
    may_be_replaced: bool,
}

/// Tells the run that its comment has another id now.
#[derive(Debug, Clone, Default)]
pub struct MovedComment(Arc<AtomicU64>);

impl MovedComment {
    /// Returns the id of the comment that took the place of one that was deleted.
    pub fn id(&self) -> Option<u64> {
        match self.0.load(Ordering::SeqCst) {
            0 => None,
            id => Some(id),
        }
    }

    fn to(&self, id: u64) {
        self.0.store(id, Ordering::SeqCst);
    }
}

/// Renders the comment after each fact.
#[derive(Clone)]
pub struct GithubComment {
    masker: Masker,
    wanted: watch::Sender<Option<Wanted>>,
}

/// The task that writes it.
pub struct CommentTask {
    /// The id of a comment that had to be made once more.
    pub moved: MovedComment,
    comment: GithubComment,
    task: StateTask,
}

/// Makes the reporter and begins the task; needs a runtime.
pub fn github_comment(forge: GithubForge, masker: Masker, pace: Duration) -> (GithubComment, CommentTask) {
    let moved = MovedComment::default();
    let new_place = moved.clone();
    let (wanted, task) =
        StateTask::begin(pace, move |wanted| write(forge.clone(), new_place.clone(), wanted));
    let comment = GithubComment { masker, wanted };
    (comment.clone(), CommentTask { moved, comment, task })
}

impl Reporter for GithubComment {
    fn report(&mut self, _entry: &Entry, state: &State) {
        if let Some(run) = &state.run {
            self.show(run, &summary::progress_comment(run));
        }
    }
}

impl GithubComment {
    fn show(&self, run: &Run, text: &str) {
        let Some(id) = run.publication.progress_comment else { return };
        let (number, marker) = (run.started.issue.number, summary::marker(run));
        let (body, may_be_replaced) = (self.masker.mask(text), !run.publication.comment_was_replaced);
        self.wanted.send_replace(Some(Wanted { number, id, marker, body, may_be_replaced }));
    }
}

/// Writes into the comment of a run what its log says, where the comment is still there: what a process that was lost could
/// not write.
pub async fn refresh_comment(forge: &GithubForge, masker: &Masker, run: &Run) -> Result<(), ForgeError> {
    let (number, marker) = (run.started.issue.number, summary::marker(run));
    let body = masker.mask(&summary::progress_comment(run));
    let id = match run.publication.progress_comment {
        Some(id) => Some(id),
        None => forge.own_comment(number, &marker).await?,
    };
    let Some(id) = id else { return Ok(()) };
    let draft = CommentDraft { id: Some(id), marker: &marker, body: &body };
    let now = forge.current_comment(id).await?;
    let is_outdated = now.is_some_and(|now| now.body.as_deref() != Some(body.as_str()));
    if is_outdated { forge.rewrite_comment(draft, id).await.map(drop) } else { Ok(()) }
}

impl CommentTask {
    /// Has the comment say that the run was stopped, and why.
    pub fn stopped(&self, run: &Run, why: &str) {
        self.comment.show(run, &summary::stopped_comment(run, why));
    }

    /// Has the last state written and waits for that, but not for ever.
    pub async fn end(self) {
        self.task
            .end("The last state of the run could not be written into the progress comment in time")
            .await;
    }
}

/// A refusal is final; what was lost on the way is written with the next state.
async fn write(forge: GithubForge, new_place: MovedComment, wanted: Wanted) -> bool {
    let moved = new_place.id();
    let id = moved.unwrap_or(wanted.id);
    let draft = CommentDraft { id: Some(id), marker: &wanted.marker, body: &wanted.body };
    let done = if wanted.may_be_replaced && moved.is_none() {
        forge.upsert_comment(wanted.number, draft).await
    } else {
        forge.rewrite_comment(draft, id).await
    };
    match done {
        Ok(now_at) if now_at != id => new_place.to(now_at),
        Ok(_) => {}
        Err(error) => {
            warn!("The progress comment cannot be written: {error}");
            return !error.is_final();
        }
    }
    true
}

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
}

impl Reporter for LocalComment {
    fn report(&mut self, entry: &Entry, state: &State) {
        let is_of_interest = matches!(
            entry.fact,
            Fact::PhaseStarted { .. }
                | Fact::Ruled(_)
                | Fact::Committed { .. }
                | Fact::Paused { .. }
                | Fact::Finished { .. }
                | Fact::Cancelled { .. }
        );
        let (true, Some(run)) = (is_of_interest, &state.run) else { return };
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
