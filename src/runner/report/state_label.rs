//! Keeps one label on the issue that tells where its run stands. A label is for people who look over many issues; nothing
//! is ever decided by it. A task of its own writes, so that no fact waits for the network, and a failure is only told.

use std::time::Duration;

use tokio::sync::watch;
use tracing::warn;

use super::Reporter;
use super::latest_state::StateTask;
use engine::{Run, State};
use forge::{ForgeError, GithubForge};
use model::event::{Entry, Outcome};
use model::issue::IssueNumber;

/// What all of them begin with.
const FAMILY: &str = "ai-workflow:";

/// A label by the end of its name, with its colour and what it says.
type Label = (&'static str, &'static str, &'static str);

const QUEUED: Label = ("queued", "d4c5f9", "The run goes on by itself when it can");
const RUNNING: Label = ("running", "b197f2", "Agents work on this issue");
const NEEDS_HUMAN: Label = ("needs-human", "8250df", "The run waits for a person");
const DONE: Label = ("done", "6639ba", "The run is completed");
const FAILED: Label = ("failed", "512a97", "The run failed");
const CANCELLED: Label = ("cancelled", "e9ddff", "A person ended the run");
const ALL: [Label; 6] = [QUEUED, RUNNING, NEEDS_HUMAN, DONE, FAILED, CANCELLED];

/// Returns every label that can stand on an issue: its name, its colour and what it says.
pub fn state_labels() -> impl Iterator<Item = (String, &'static str, &'static str)> {
    ALL.into_iter().map(|(end, color, says)| (format!("{FAMILY}{end}"), color, says))
}

/// Tells the task which label there is to be.
#[derive(Clone)]
pub struct StateLabel {
    wanted: watch::Sender<Option<(IssueNumber, Label)>>,
}

/// The task that sets it.
pub struct LabelTask {
    label: StateLabel,
    task: StateTask,
}

/// Makes the reporter and begins the task; needs a runtime.
pub fn state_label(forge: GithubForge) -> (StateLabel, LabelTask) {
    let (wanted, task) = StateTask::begin(Duration::ZERO, move |state| set(forge.clone(), state));
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
    /// Shows where a run stands, also when nothing happened.
    pub fn show(&mut self, run: &Run) {
        let wanted = Some((run.started.issue.number, label_of(run)));
        self.wanted.send_if_modified(|now| {
            let differs = *now != wanted;
            *now = wanted;
            differs
        });
    }
}

/// Sets the label of a run to what its log says: what a process that was lost could not do.
pub async fn refresh_label(forge: &GithubForge, run: &Run) -> Result<(), ForgeError> {
    show(forge, run.started.issue.number, label_of(run)).await
}

impl LabelTask {
    /// Has the label say that nobody works on a run that was stopped before its end.
    pub fn stopped(&self, run: &Run) {
        if run.outcome == Outcome::Running {
            self.label.wanted.send_replace(Some((run.started.issue.number, NEEDS_HUMAN)));
        }
    }

    /// Has the last state shown and waits for that, but not for ever.
    pub async fn end(self) {
        self.task.end("The label that tells where the run stands could not be set in time").await;
    }
}

fn label_of(run: &Run) -> Label {
    match run.outcome {
        Outcome::Running => RUNNING,
        Outcome::Completed => DONE,
        Outcome::Failed | Outcome::Incomplete => FAILED,
        Outcome::Cancelled => CANCELLED,
        Outcome::Paused if run.waits_by_itself() => QUEUED,
        Outcome::Paused => NEEDS_HUMAN,
    }
}

async fn set(forge: GithubForge, (number, label): (IssueNumber, Label)) -> bool {
    let Err(error) = show(&forge, number, label).await else { return true };
    warn!("The label `{FAMILY}{}` cannot be set: {error}", label.0);
    !error.is_final()
}

/// Takes the others of the family off and puts the label on, in that order: what is cut short must not leave two. The one that
/// starts a run is none of them.
async fn show(forge: &GithubForge, number: IssueNumber, label: Label) -> Result<(), ForgeError> {
    let (name, color, description) = (format!("{FAMILY}{}", label.0), label.1, label.2);
    let Some(state) = forge.issue_state(number).await? else { return Ok(()) };
    let is_old = |other: &str| {
        let ending = other.strip_prefix(FAMILY).filter(|ending| *ending != label.0);
        ending.is_some_and(|ending| ALL.iter().any(|known| known.0 == ending))
    };
    let old: Vec<&str> = state.labels().filter(|label| is_old(label)).collect();
    let is_new = !state.has(&name);
    if is_new {
        forge.make_label(&name, color, description).await?;
    }
    for label in old {
        forge.unlabel(number, label).await?;
    }
    if is_new { forge.label(number, &name).await } else { Ok(()) }
}
