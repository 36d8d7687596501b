//! Keeps the issue of a run up to date: its one progress comment, on GitHub and on the local forge, and the label with the state
//! of the run. The label is for people who read lists of issues; the program decides nothing by it. On GitHub the reporters
//! only render, and separate tasks write, so that recording a fact does not wait for the network. Some seconds pass between two
//! edits of the comment, and the last state is written at the end.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tracing::warn;

use super::Reporter;
use engine::{Run, State};
use forge::{CommentDraft, ForgeError, GithubForge, LocalForge};
use model::event::{Entry, Fact, RunOutcome};
use model::issue::IssueNumber;
use model::redact::{Masked, Masker};
use views::summary;

/// The shortest time between two edits of a comment.
pub const PACE: Duration = Duration::from_secs(5);

/// What the comment should say.
#[derive(Debug, Clone, PartialEq)]
struct CommentUpdate {
    number: IssueNumber,
    id: u64,
    marker: String,
    body: Masked,
    /// The comment was not replaced yet.
    may_be_replaced: bool,
}

/// The id of the comment that replaced a deleted one, shared with the run.
#[derive(Debug, Clone, Default)]
pub struct ReplacedComment(Arc<OnceLock<u64>>);

impl ReplacedComment {
    /// Returns the id of the comment that replaced a deleted one.
    pub fn id(&self) -> Option<u64> {
        self.0.get().copied()
    }
}

/// Renders the comment after each fact.
#[derive(Clone)]
pub struct GithubComment {
    masker: Masker,
    wanted: watch::Sender<Option<CommentUpdate>>,
}

/// The task that writes the comment.
pub struct CommentTask {
    /// The id of a comment that had to be written again.
    pub moved: ReplacedComment,
    comment: GithubComment,
    task: LatestValueWriter,
}

/// Makes the reporter and begins the task; needs a runtime.
pub fn github_comment(forge: GithubForge, masker: Masker, pace: Duration) -> (GithubComment, CommentTask) {
    let moved = ReplacedComment::default();
    let new_place = moved.clone();
    let (wanted, task) =
        LatestValueWriter::begin(pace, move |wanted| write_comment(forge.clone(), new_place.clone(), wanted));
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
        self.wanted.send_replace(Some(CommentUpdate { number, id, marker, body, may_be_replaced }));
    }
}

/// Brings the comment of a run up to date with its log, if the comment still exists. Needed after a process that was lost.
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
    /// Writes into the comment that the run was stopped, and why.
    pub fn stopped(&self, run: &Run, why: &str) {
        self.comment.show(run, &summary::stopped_comment(run, why));
    }

    /// Writes the last state and waits for that, up to a time limit.
    pub async fn end(self) {
        self.task
            .end("The last state of the run could not be written into the progress comment in time")
            .await;
    }
}

/// Writes the comment; tells whether a later state may be written. A final refusal ends the task; other errors do not.
async fn write_comment(forge: GithubForge, new_place: ReplacedComment, wanted: CommentUpdate) -> bool {
    let moved = new_place.id();
    let id = moved.unwrap_or(wanted.id);
    let draft = CommentDraft { id: Some(id), marker: &wanted.marker, body: &wanted.body };
    let done = if wanted.may_be_replaced && moved.is_none() {
        forge.upsert_comment(wanted.number, draft).await
    } else {
        forge.rewrite_comment(draft, id).await
    };
    match done {
        // The comment is replaced at most once.
        Ok(now_at) if now_at != id => _ = new_place.0.set(now_at),
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

/// The prefix of all labels.
const FAMILY: &str = "ai-workflow:";

/// A label: its name without the prefix, its colour and its description.
type Label = (&'static str, &'static str, &'static str);

const QUEUED: Label = ("queued", "d4c5f9", "The run goes on by itself when it can");
const RUNNING: Label = ("running", "b197f2", "Agents work on this issue");
const NEEDS_HUMAN: Label = ("needs-human", "8250df", "The run waits for a person");
const DONE: Label = ("done", "6639ba", "The run is completed");
const FAILED: Label = ("failed", "512a97", "The run failed");
const CANCELLED: Label = ("cancelled", "e9ddff", "A person ended the run");
const LABELS: [Label; 6] = [QUEUED, RUNNING, NEEDS_HUMAN, DONE, FAILED, CANCELLED];

/// Returns every label that an issue can have: its name, its colour and its description.
pub fn state_labels() -> impl Iterator<Item = (String, &'static str, &'static str)> {
    LABELS.into_iter().map(|(end, color, says)| (format!("{FAMILY}{end}"), color, says))
}

/// Sends the wanted label to the task that sets it.
#[derive(Clone)]
pub struct StateLabel {
    wanted: watch::Sender<Option<(IssueNumber, Label)>>,
}

/// The task that sets the label.
pub struct LabelTask {
    label: StateLabel,
    task: LatestValueWriter,
}

/// Makes the reporter and begins the task; needs a runtime.
pub fn state_label(forge: GithubForge) -> (StateLabel, LabelTask) {
    let (wanted, task) =
        LatestValueWriter::begin(Duration::ZERO, move |state| set_label(forge.clone(), state));
    let label = StateLabel { wanted };
    (label.clone(), LabelTask { label, task })
}

impl Reporter for StateLabel {
    fn report(&mut self, _entry: &Entry, state: &State) {
        if let Some(run) = &state.run {
            self.show(run);
        }
    }
}

impl StateLabel {
    /// Sets the label to the state of a run, also without a new fact.
    pub fn show(&mut self, run: &Run) {
        self.wanted.send_replace(Some((run.started.issue.number, select_label(run))));
    }
}

/// Brings the label of a run up to date with its log. Needed after a process that was lost.
pub async fn refresh_label(forge: &GithubForge, run: &Run) -> Result<(), ForgeError> {
    show_label(forge, run.started.issue.number, select_label(run)).await
}

impl LabelTask {
    /// Sets the label of a run that was stopped before its end to `needs-human`.
    pub fn stopped(&self, run: &Run) {
        if run.outcome == RunOutcome::Running {
            self.label.wanted.send_replace(Some((run.started.issue.number, NEEDS_HUMAN)));
        }
    }

    /// Sets the last label and waits for that, up to a time limit.
    pub async fn end(self) {
        self.task.end("The label that tells where the run stands could not be set in time").await;
    }
}

fn select_label(run: &Run) -> Label {
    match run.outcome {
        RunOutcome::Running => RUNNING,
        RunOutcome::Completed => DONE,
        RunOutcome::Failed | RunOutcome::Incomplete => FAILED,
        RunOutcome::Cancelled => CANCELLED,
        RunOutcome::Paused if run.waits_by_itself() => QUEUED,
        RunOutcome::Paused => NEEDS_HUMAN,
    }
}

async fn set_label(forge: GithubForge, (number, label): (IssueNumber, Label)) -> bool {
    let Err(error) = show_label(&forge, number, label).await else { return true };
    warn!("The label `{FAMILY}{}` cannot be set: {error}", label.0);
    !error.is_final()
}

/// Removes the other state labels and then adds the wanted one, so that an interruption does not leave two. The label that starts
/// a run is not a state label.
async fn show_label(forge: &GithubForge, number: IssueNumber, label: Label) -> Result<(), ForgeError> {
    let (name, color, description) = (format!("{FAMILY}{}", label.0), label.1, label.2);
    let Some(state) = forge.issue_state(number).await? else { return Ok(()) };
    let is_old = |other: &str| {
        let ending = other.strip_prefix(FAMILY).filter(|ending| *ending != label.0);
        ending.is_some_and(|ending| LABELS.iter().any(|known| known.0 == ending))
    };
    let old: Vec<&str> = state.labels().filter(|label| is_old(label)).collect();
    let is_new = !state.has(&name);
    if is_new {
        forge.make_label(&name, color, description).await?;
    }
    for label in old {
        forge.remove_label(number, label).await?;
    }
    if is_new { forge.label(number, &name).await } else { Ok(()) }
}

/// How long the end of a run waits until the last state is written.
const END_WAIT: Duration = Duration::from_secs(60);

/// A task that always writes the latest of several values.
pub(super) struct LatestValueWriter {
    ending: Arc<Notify>,
    task: JoinHandle<()>,
}

impl LatestValueWriter {
    /// Begins the task and returns the channel for its states; `pace` is the time between two writes. `write` writes a state or
    /// warns, and tells whether a later one may be written. Needs a runtime.
    pub(super) fn begin<S, W>(
        pace: Duration,
        write: impl Fn(S) -> W + Send + 'static,
    ) -> (watch::Sender<Option<S>>, Self)
    where
        S: Clone + PartialEq + Send + Sync + 'static,
        W: Future<Output = bool> + Send,
    {
        let (wanted, mut seen) = watch::channel(None);
        let ending = Arc::new(Notify::new());
        let ends = Arc::clone(&ending);
        let task = tokio::spawn(async move {
            let mut written = None;
            loop {
                let is_last = tokio::select! {
                    changed = seen.changed() => changed.is_err(),
                    () = ends.notified() => true,
                };
                let wanted = seen.borrow_and_update().clone();
                if wanted != written
                    && let Some(state) = wanted.clone()
                {
                    if !write(state).await {
                        return;
                    }
                    written = wanted;
                }
                if is_last {
                    return;
                }
                tokio::select! {
                    () = tokio::time::sleep(pace) => {}
                    // The next round of the loop is the last one.
                    () = ends.notified() => ends.notify_one(),
                }
            }
        });
        (wanted, Self { ending, task })
    }

    /// Writes the last state and waits for that; warns when the time limit is reached.
    pub(super) async fn end(self, warning: &str) {
        self.ending.notify_one();
        if tokio::time::timeout(END_WAIT, self.task).await.is_err() {
            warn!("{warning}");
        }
    }
}
