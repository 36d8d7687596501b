//! Keeps the one progress comment of a run up to date, on GitHub and on the local forge. On GitHub the reporter only renders and a
//! task of its own writes, so that no fact waits for the network: edits are at least some seconds apart, and the last one is
//! written at the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tracing::warn;

use super::Reporter;
use engine::{Run, State};
use forge::{CommentDraft, ForgeError, GithubForge, LocalForge};
use model::event::{Entry, Fact};
use model::issue::IssueNumber;
use model::redact::{Masked, Masker};
use views::summary;

/// Two edits of a comment are at least so far apart.
pub const PACE: Duration = Duration::from_secs(5);
/// How long the end of a run waits for the last edit.
const END_WAIT: Duration = Duration::from_secs(60);

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
pub struct GithubComment {
    masker: Masker,
    wanted: watch::Sender<Option<Wanted>>,
}

/// The task that writes it.
pub struct CommentTask {
    /// The id of a comment that had to be made once more.
    pub moved: MovedComment,
    masker: Masker,
    wanted: watch::Sender<Option<Wanted>>,
    ending: Arc<Notify>,
    task: JoinHandle<()>,
}

/// Makes the reporter and begins the task; needs a runtime.
pub fn github_comment(forge: GithubForge, masker: Masker, pace: Duration) -> (GithubComment, CommentTask) {
    let (wanted, seen) = watch::channel(None);
    let ending = Arc::new(Notify::new());
    let moved = MovedComment::default();
    let writer = CommentWriter {
        forge,
        seen,
        ending: Arc::clone(&ending),
        pace,
        moved: moved.clone(),
        written: None,
        silent: false,
    };
    let task = tokio::spawn(writer.run());
    let task = CommentTask { moved, masker: masker.clone(), wanted: wanted.clone(), ending, task };
    (GithubComment { masker, wanted }, task)
}

impl Reporter for GithubComment {
    fn report(&mut self, _entry: &Entry, state: &State) {
        let Some(run) = &state.run else { return };
        want(&self.wanted, run, self.masker.mask(&summary::progress_comment(run)));
    }
}

fn want(wanted: &watch::Sender<Option<Wanted>>, run: &Run, body: Masked) {
    let Some(id) = run.publication.progress_comment else { return };
    let (number, marker) = (run.started.issue.number, summary::marker(run));
    let may_be_replaced = !run.publication.comment_was_replaced;
    wanted.send_replace(Some(Wanted { number, id, marker, body, may_be_replaced }));
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
    match forge.current_comment(id).await? {
        Some(now) if now.body.as_deref() != Some(body.as_str()) => {
            forge.rewrite_comment(draft, id).await.map(drop)
        }
        Some(_) | None => Ok(()),
    }
}

impl CommentTask {
    /// Has the comment say that the run was stopped, and why.
    pub fn stopped(&self, run: &Run, why: &str) {
        want(&self.wanted, run, self.masker.mask(&summary::stopped_comment(run, why)));
    }

    /// Has the last state written and waits for that, but not for ever.
    pub async fn end(self) {
        self.ending.notify_one();
        if tokio::time::timeout(END_WAIT, self.task).await.is_err() {
            warn!("The last state of the run could not be written into the progress comment in time");
        }
    }
}

/// Writes what the comment should say, and waits between two edits.
struct CommentWriter {
    forge: GithubForge,
    seen: watch::Receiver<Option<Wanted>>,
    ending: Arc<Notify>,
    pace: Duration,
    moved: MovedComment,
    written: Option<Wanted>,
    /// It was deleted twice, or GitHub refused it: a warning was given.
    silent: bool,
}

impl CommentWriter {
    async fn run(mut self) {
        loop {
            let ending = tokio::select! {
                changed = self.seen.changed() => changed.is_err(),
                () = self.ending.notified() => true,
            };
            self.write().await;
            if ending {
                return;
            }
            let ending = tokio::select! {
                () = tokio::time::sleep(self.pace) => false,
                () = self.ending.notified() => true,
            };
            if ending {
                return self.write().await;
            }
        }
    }

    async fn write(&mut self) {
        let Some(wanted) = self.seen.borrow_and_update().clone() else { return };
        if self.silent || self.written.as_ref() == Some(&wanted) {
            return;
        }
        let moved = self.moved.id();
        let id = moved.unwrap_or(wanted.id);
        let draft = CommentDraft { id: Some(id), marker: &wanted.marker, body: &wanted.body };
        let done = if wanted.may_be_replaced && moved.is_none() {
            self.forge.upsert_comment(wanted.number, draft).await
        } else {
            self.forge.rewrite_comment(draft, id).await
        };
        match done {
            Ok(now_at) if now_at != id => self.moved.to(now_at),
            Ok(_) => {}
            Err(error) => self.give_up(&error),
        }
        self.written = Some(wanted);
    }

    /// A refusal is final; what was lost on the way is written with the next state.
    fn give_up(&mut self, error: &ForgeError) {
        warn!("The progress comment cannot be written: {error}");
        self.silent = error.is_final();
    }
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
        let is_of_interest = matches!(
            entry.fact,
            Fact::PhaseStarted { .. }
                | Fact::Ruled(_)
                | Fact::Committed { .. }
                | Fact::Paused { .. }
                | Fact::Finished { .. }
                | Fact::Cancelled { .. }
        );
        if is_of_interest {
            self.write(state);
        }
    }
}
