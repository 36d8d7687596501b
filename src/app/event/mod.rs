//! Does what an event of GitHub asks for: a label, a comment with a command, a start of the workflow. Looks who is behind it,
//! and has the same use cases do the work that a person asks for. What is not obeyed is said in one line and is no failure.
//! With a bundle another process has done the work: everything that it handed over is verified before any of it leaves this
//! machine.

mod comment;
mod triggers;

use std::path::PathBuf;

use crate::admission::{Actor, AdmissionRefusal, BUSY};
use crate::bundle::{
    self, EventKey, EventRequest, FORMAT, Manifest, UnverifiedBundle, VERIFIED, VerifiedBundle, WorkResult,
    refused,
};
use crate::environment::runtime;
use crate::execute::execute;
use crate::failure::{BUNDLE_MISSING, Failure, FailureKind, Halt, HaltResult, TEXT_NOT_TRUSTED, exit_code};
use crate::locked_run::LockedRun;
use crate::project::Project;
use crate::run_location::{locate_or_fetch, view};
use crate::run_request::ExecuteRequest;
use crate::run_to_halt::{RunDriver, RunObserver, refresh_now};
use crate::slash_command::SlashCommand;
use crate::{forge_connection, github_job};
use engine::{Run, Status};
use forge::github::{Event, GithubUser, IssueState, Reaction, ReactionTarget};
use forge::{CommentDraft, ForgeError, GithubForge};
use model::event::{Fact, RunOutcome};
use model::issue::{IssueNumber, run_branch_name};
use runner::JobRole;
use views::summary::{is_request_closed, quoted};

/// Does what an event asks for, and reports to the job what became of it. In a bundle lies, or is to lie, what one process works
/// on and another publishes.
pub fn handle(
    project: Project,
    observer: &dyn RunObserver,
    event: &Event,
    bundle: Option<PathBuf>,
) -> HaltResult {
    let asked = EventKey::of(event);
    let mut handling = EventHandling { project, observer, bundle, asked, about: None, command: None };
    let result = match event {
        Event::Labeled(event) => triggers::handle_label(&mut handling, event),
        Event::Commented(event) => comment::obey(&mut handling, event),
        Event::Dispatched(event) => triggers::handle_dispatch(&mut handling, event),
        Event::Upstream { by } => {
            handling.admit(by).and_then(|()| nothing_to_do("nothing follows from another workflow"))
        }
        Event::Other => nothing_to_do("nothing follows from this event"),
    };
    handling.hand_over(&result)?;
    handling.report(result)
}

/// What became of an event.
enum EventOutcome {
    /// A run was worked on until it halted.
    Ran(Halt),
    /// What was asked about the run stands in a comment.
    Reported,
    /// Nothing was to be done, and why.
    Nothing(String),
}

/// Why an event was not obeyed.
#[derive(Debug, thiserror::Error)]
enum EventError {
    /// It may not be, or cannot be now.
    #[error(transparent)]
    Refused(#[from] AdmissionRefusal),
    /// Something of ours went wrong.
    #[error(transparent)]
    Failed(#[from] Failure),
}

impl From<ForgeError> for EventError {
    fn from(error: ForgeError) -> Self {
        Self::Failed(error.into())
    }
}

/// What became of an event, or why it was not obeyed.
type EventResult<T = EventOutcome> = Result<T, EventError>;

/// An event that is worked on.
struct EventHandling<'a> {
    project: Project,
    observer: &'a dyn RunObserver,
    /// Where what was worked on lies, or is to lie, for another process.
    bundle: Option<PathBuf>,
    asked: Option<EventKey>,
    /// The issue that is worked on, as soon as that is known.
    about: Option<IssueNumber>,
    /// What a comment asks for.
    command: Option<SlashCommand>,
}

impl EventHandling<'_> {
    /// Asks GitHub. Each time anew: a run in between may last for hours.
    fn ask<T>(&self, asking: impl AsyncFnOnce(&GithubForge) -> T) -> Result<T, Failure> {
        let github = forge_connection::github(&self.project)?;
        Ok(runtime()?.block_on(asking(&github)))
    }

    fn driver(&self) -> RunDriver<'_> {
        RunDriver { project: &self.project, observer: self.observer }
    }

    /// Refuses an account that may not start and steer runs.
    fn admit(&self, who: &GithubUser) -> Result<(), EventError> {
        let keys = &self.project.settings.github;
        Ok(self.ask(async |github| Actor { github, keys, who }.admit().await)??)
    }

    /// Writes a comment on an issue, over the one that has this mark.
    fn comment(
        &self,
        number: IssueNumber,
        marker: &str,
        text: &str,
    ) -> Result<Result<(), ForgeError>, Failure> {
        let body = self.project.masker.mask(&format!("{marker}\n{text}\n"));
        let draft = CommentDraft { id: None, marker, body: &body };
        self.ask(async |github| github.upsert_comment(number, draft).await.map(drop))
    }

    /// Returns the run of an issue, also one that only origin has.
    fn run_of(&self, number: IssueNumber) -> Result<Option<Run>, Failure> {
        if !locate_or_fetch(&self.project, number)?.has_log() {
            return Ok(None);
        }
        Ok(view(&self.project, number)?.state.run)
    }

    /// Gives a reaction; one that cannot be given stops nothing.
    fn react(&self, on: ReactionTarget, reaction: Reaction) -> Result<(), Failure> {
        if self.project.role == JobRole::Work {
            return Ok(());
        }
        if let Err(error) = self.ask(async |github| github.react(on, reaction).await)? {
            tracing::warn!("There is no reaction to what was asked: {error}");
        }
        Ok(())
    }

    /// Does what `execute` does.
    fn execute(&self, number: IssueNumber, retry_failed: bool) -> EventResult {
        if self.project.role == JobRole::Publish {
            return self.publish(number);
        }
        let request = ExecuteRequest { retry_failed, ..ExecuteRequest::all_of(number) };
        event_result(execute(&self.project, self.observer, &request), number)
    }

    /// Does what `execute` does, and refuses where that left the run as it was.
    fn go_on(&self, number: IssueNumber, before: Option<&Run>, retry_failed: bool) -> EventResult {
        let result = self.execute(number, retry_failed)?;
        // The process that worked has reported whether something was done.
        let before = if self.project.role == JobRole::Publish { None } else { before };
        match (before, self.run_of(number)?) {
            (Some(before), Some(after)) if is_unchanged(before, &after) => {
                Err(command_refusal(&idle_reason(&after)))
            }
            _ => Ok(result),
        }
    }

    /// Publishes what was handed over for this event, which somebody who may has caused.
    fn publish(&self, issue: IssueNumber) -> EventResult {
        let (Some(folder), Some(asked)) = (&self.bundle, self.asked) else {
            return nothing_to_do("nothing was handed over for this event");
        };
        let UnverifiedBundle { manifest, branch } = bundle::read(folder, &self.project.masker)?;
        if manifest.issue != issue || manifest.asked != asked {
            return Err(refused("E_BUNDLE_EVENT", "it was made for another event").into());
        }
        let why = format!("{} {}", manifest.code, manifest.why);
        match (manifest.ending, branch, manifest.head) {
            (WorkResult::Skipped, ..) if manifest.code.is_empty() => nothing_to_do(&quoted(&manifest.why)),
            (WorkResult::Skipped, ..) => {
                self.refresh_known(issue);
                Err(command_refusal(&format!("the job of the agents did nothing: {why}")))
            }
            (ending, Some(file), Some(head)) => {
                let event = EventRequest {
                    issue,
                    asked,
                    command: self.command.as_ref(),
                    person: &self.project.person,
                };
                let mut verified = bundle::verify(&self.project, &file, &head, &event)?;
                verified.asks_for_more &= ending == WorkResult::Ran;
                event_result(self.continue_publication(issue, &verified), issue)
            }
            (WorkResult::Ran, _, None) => nothing_to_do("the job of the agents has nothing to publish"),
            _ => {
                let why = format!("the job of the agents has no run to publish: {why}");
                Err(refused(BUNDLE_MISSING, &why).into())
            }
        }
    }
    /// Takes the branch over and does what is left to do.
    fn continue_publication(&self, issue: IssueNumber, verified: &VerifiedBundle) -> HaltResult {
        let project = &self.project;
        project.workspace.branches().fast_forward(&run_branch_name(issue), &verified.tip)?;
        let mut locked = LockedRun::take(project, issue, &|_| Ok(()))?;
        locked.log_facts();
        let text = format!("What was handed over was judged and found good, up to {}", verified.handed);
        if !locked.run().notes.iter().any(|(_, known)| *known == text) {
            locked.journal.record(Fact::Noted { kind: VERIFIED.to_owned(), text })?;
        }
        self.driver().publish(locked, verified)
    }

    /// Updates comment and label of a run that halted: the other process had no right to write them.
    fn refresh_known(&self, issue: IssueNumber) {
        if let Ok(Some(run)) = self.run_of(issue)
            && run.outcome != RunOutcome::Running
        {
            refresh_now(&self.project, &run);
        }
    }

    /// Leaves what was worked on to another process, if there is to be one.
    fn hand_over(&self, result: &EventResult) -> Result<(), Failure> {
        let (JobRole::Work, Some(folder), Some(number), Some(asked)) =
            (self.project.role, &self.bundle, self.about, self.asked)
        else {
            return Ok(());
        };
        let (ending, halt, code, why) = match result {
            Ok(EventOutcome::Ran(halt)) => (WorkResult::Ran, *halt, "", String::new()),
            Ok(EventOutcome::Reported) => (WorkResult::Skipped, None, "", String::new()),
            Ok(EventOutcome::Nothing(why)) => (WorkResult::Skipped, None, "", why.clone()),
            Err(EventError::Refused(refusal)) => {
                (WorkResult::Skipped, None, refusal.code, refusal.to_string())
            }
            Err(EventError::Failed(failure)) => {
                (WorkResult::Failed, Some(failure.kind), failure.code(), failure.message.clone())
            }
        };
        let (exit_code, code) = (exit_code(halt), code.to_owned());
        let manifest =
            Manifest { format: FORMAT, issue: number, asked, ending, exit_code, code, why, head: None };
        bundle::hand_over(&self.project, folder, manifest)
    }

    /// Reports what became of the event, in one line where nothing was done.
    fn report(&self, result: EventResult) -> HaltResult {
        let (line, code) = match result {
            Ok(EventOutcome::Ran(halt)) => return Ok(halt),
            Ok(EventOutcome::Reported) => {
                github_job::set_output(&self.project, "conclusion", "success");
                return Ok(None);
            }
            Err(EventError::Failed(failure)) => {
                if self.project.role == JobRole::Publish || failure.passes() {
                    github_job::add_summary_line(&self.project, &failure.with_first_hint());
                }
                return Err(failure);
            }
            Ok(EventOutcome::Nothing(why)) => {
                tracing::info!("{why}");
                (why, "")
            }
            Err(EventError::Refused(refusal)) => {
                tracing::warn!("{}", refusal.line());
                (refusal.line(), refusal.code)
            }
        };
        github_job::add_summary_line(&self.project, &line);
        github_job::set_output(&self.project, "conclusion", "skipped");
        github_job::set_output(&self.project, "code", code);
        Ok(None)
    }
}

/// Returns what became of an event by how a use case ended.
fn event_result(ended: HaltResult, number: IssueNumber) -> EventResult {
    ended.map(EventOutcome::Ran).map_err(|failure| event_error(failure, number))
}

/// Makes a refusal, not a failure, of a run that another process holds and of an issue without trusted text.
fn event_error(failure: Failure, number: IssueNumber) -> EventError {
    if failure.kind == FailureKind::Busy {
        let why = format!("another process works on issue {number} or in its checkout");
        return AdmissionRefusal::new(BUSY, why).into();
    }
    match failure.with_first_hint().strip_prefix(TEXT_NOT_TRUSTED) {
        Some(why) => {
            AdmissionRefusal::new(TEXT_NOT_TRUSTED, quoted(why.trim_start_matches([':', ' ']))).into()
        }
        None => failure.into(),
    }
}

/// Makes the refusal of what the run does not take now.
fn command_refusal(why: &str) -> EventError {
    AdmissionRefusal::new("E_COMMAND_REFUSED", quoted(why)).into()
}

/// Returns the outcome of an event for which nothing is to be done.
fn nothing_to_do(why: &str) -> EventResult {
    Ok(EventOutcome::Nothing(why.to_owned()))
}

/// Refuses an issue on which nothing is to be done.
fn refuse_inactive_issue(number: IssueNumber, state: Option<&IssueState>) -> Result<(), AdmissionRefusal> {
    let (code, what) = match state {
        None => ("E_ISSUE_GONE", "not in this repository any more"),
        Some(state) if state.locked => ("E_ISSUE_LOCKED", "locked"),
        Some(state) if !state.is_open() => ("E_ISSUE_CLOSED", "closed"),
        Some(_) => return Ok(()),
    };
    Err(AdmissionRefusal::new(code, format!("issue {number} is {what}")))
}

/// Tells whether a run stands where it stood: nothing was asked of agents, and nothing became visible.
fn is_unchanged(before: &Run, after: &Run) -> bool {
    let place = |run: &Run| {
        let phases: Vec<Status> = run.phases.iter().map(|phase| phase.status).collect();
        (run.outcome, run.spending.total.calls, phases)
    };
    let visible = |run: &Run| {
        let shared = &run.publication;
        let requests = (shared.pull_request.clone(), is_request_closed(run), shared.follow_up.clone());
        (shared.is_up_to_date, shared.is_ready, requests)
    };
    place(before) == place(after) && visible(before) == visible(after)
}

fn idle_reason(run: &Run) -> String {
    match &run.paused {
        Some(pause) => format!("the run still waits ({}): {}", pause.reason.as_str(), pause.question),
        None => format!("the run is {}: nothing is left to do", run.outcome.as_str()),
    }
}

/// Tells whether a run failed, so that only a person's word opens it again.
fn has_failed(run: &Run) -> bool {
    matches!(run.outcome, RunOutcome::Failed | RunOutcome::Incomplete)
}
