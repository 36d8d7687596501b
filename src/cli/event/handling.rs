//! What an event is worked on with: the project, GitHub, the run; and what became of it. Has the same commands do the work
//! that a person types. With a bundle another process has done the work: everything that it handed over is verified before any
//! of it leaves this machine.

use std::path::{Path, PathBuf};

use crate::arguments::{Execute, SettingFlags};
use crate::{Answer, drive, execute};
use app::admission::{Refusal, admit};
use app::bundle::{
    self, Bundle, EventKey, EventRequest, Manifest, VERIFIED, VerifiedBundle, WorkResult, refused,
};
use app::environment::runtime;
use app::failure::{BUNDLE_MISSING, Failure, FailureKind, TEXT_NOT_TRUSTED};
use app::locked_run::LockedRun;
use app::project::Project;
use app::refresh_comment_and_label::refresh_now;
use app::run_location::{locate_or_fetch, view};
use app::{forge_connection, github_job};
use content_parser::SlashCommand;
use engine::Run;
use forge::github::{IssueState, Person, Reaction, ReactionTarget};
use forge::{ForgeError, GithubForge};
use model::event::{Fact, Outcome, branch_of};
use model::issue::IssueNumber;
use runner::JobRole;
use runner::report::{LogLines, Terminal};
use views::summary::{is_request_closed, quoted};

/// What became of an event.
pub(super) enum EventOutcome {
    /// A command ended with this exit code.
    Ran(u8),
    /// What was asked about the run stands in a comment.
    Reported,
    /// Nothing was to be done, and why.
    Nothing(String),
}

/// Why an event was not obeyed.
pub(super) enum NotObeyed {
    /// It may not be, or cannot be now.
    Refused(Refusal),
    /// Something of ours went wrong.
    Failed(Failure),
}

impl From<Refusal> for NotObeyed {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Failure> for NotObeyed {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<ForgeError> for NotObeyed {
    fn from(error: ForgeError) -> Self {
        Self::Failed(error.into())
    }
}

/// What became of an event, or why it was not obeyed.
pub(super) type EventResult = Result<EventOutcome, NotObeyed>;

/// What an event is worked on with.
pub(super) struct EventHandling {
    pub(super) project: Project,
    pub(super) terminal: Terminal,
    pub(super) flags: SettingFlags,
    /// The issue that is worked on, as soon as that is known.
    pub(super) about: Option<IssueNumber>,
    /// Where what was worked on lies, or is to lie, for another process.
    pub(super) bundle: Option<PathBuf>,
    pub(super) asked: Option<EventKey>,
    /// What a comment asks for.
    pub(super) command: Option<SlashCommand>,
}

impl EventHandling {
    /// Asks GitHub. Each time anew: a run in between may last for hours.
    pub(super) fn ask<T>(&self, asking: impl AsyncFnOnce(&GithubForge) -> T) -> Result<T, Failure> {
        let github = forge_connection::github(&self.project)?;
        Ok(runtime()?.block_on(asking(&github)))
    }

    /// Refuses whoever may not start and steer runs.
    pub(super) fn admit(&self, who: &Person) -> Result<(), NotObeyed> {
        let keys = &self.project.settings.github;
        Ok(self.ask(async |github| admit(github, keys, who).await)??)
    }

    /// Returns the run of an issue, also one that only origin has.
    pub(super) fn run_of(&self, number: IssueNumber) -> Result<Option<Run>, Failure> {
        if !locate_or_fetch(&self.project, number)?.has_log() {
            return Ok(None);
        }
        Ok(view(&self.project, number)?.state.run)
    }

    /// Gives a reaction; one that cannot be given stops nothing.
    pub(super) fn react(&self, on: ReactionTarget, reaction: Reaction) -> Result<(), Failure> {
        if self.project.role == JobRole::Work {
            return Ok(());
        }
        if let Err(error) = self.ask(async |github| github.react(on, reaction).await)? {
            tracing::warn!("There is no reaction to what was asked: {error}");
        }
        Ok(())
    }

    /// Does what `execute` does.
    pub(super) fn execute(&self, number: IssueNumber, retry_failed: bool) -> EventResult {
        if self.project.role == JobRole::Publish {
            return self.publish(number);
        }
        let arguments = Execute {
            issue: number,
            phase: "all".to_owned(),
            retry_failed,
            skip_dependency_check: false,
            ignore_dependencies: false,
            dry_run: false,
            json: false,
            settings: self.flags.clone(),
        };
        of_command(execute::go_on(&self.project, &self.terminal, &arguments), number)
    }

    /// Does what `execute` does, and refuses where that left the run as it was.
    pub(super) fn go_on(&self, number: IssueNumber, before: Option<&Run>, retry_failed: bool) -> EventResult {
        let result = self.execute(number, retry_failed)?;
        // Whether something was done, who worked has said.
        let before = if self.project.role == JobRole::Publish { None } else { before };
        match (before, self.run_of(number)?) {
            (Some(before), Some(after)) if is_as_it_was(before, &after) => {
                Err(Refusal::Impossible(why_it_rests(&after)).into())
            }
            _ => Ok(result),
        }
    }

    /// Publishes what another process worked on.
    pub(super) fn publish(&self, number: IssueNumber) -> EventResult {
        let (Some(folder), Some(asked)) = (&self.bundle, self.asked) else {
            return Ok(nothing("nothing was handed over for this event"));
        };
        publish_bundle(&self.project, &self.terminal, folder, number, asked, self.command.as_ref())
    }

    /// Leaves what was worked on to another process, if there is to be one.
    pub(super) fn hand_over(&self, result: &EventResult) -> Result<(), Failure> {
        let (JobRole::Work, Some(folder), Some(number), Some(asked)) =
            (self.project.role, &self.bundle, self.about, self.asked)
        else {
            return Ok(());
        };
        let manifest = |ending| Manifest::new(number, asked, ending);
        let manifest = match result {
            Ok(EventOutcome::Ran(code)) => Manifest { exit_code: *code, ..manifest(WorkResult::Ran) },
            Ok(EventOutcome::Reported) => manifest(WorkResult::Skipped),
            Ok(EventOutcome::Nothing(why)) => Manifest { why: why.clone(), ..manifest(WorkResult::Skipped) },
            Err(NotObeyed::Refused(refusal)) => Manifest {
                code: refusal.code().to_owned(),
                why: refusal.to_string(),
                ..manifest(WorkResult::Skipped)
            },
            Err(NotObeyed::Failed(failure)) => {
                let (code, why) = (failure.code().to_owned(), failure.message.clone());
                Manifest {
                    code,
                    why,
                    exit_code: crate::exit_code::of_failure(failure.kind),
                    ..manifest(WorkResult::Failed)
                }
            }
        };
        bundle::hand_over(&self.project, folder, manifest)
    }

    /// Reports what became of the event, in one line where nothing was done.
    pub(super) fn report(&self, result: EventResult) -> Answer {
        let (line, code) = match result {
            Ok(EventOutcome::Ran(code)) => return Ok(code),
            Ok(EventOutcome::Reported) => {
                github_job::output(&self.project, "conclusion", "success");
                return Ok(0);
            }
            Err(NotObeyed::Failed(failure)) => {
                if self.project.role == JobRole::Publish || failure.passes() {
                    github_job::say(&self.project, &with_hint(&failure.message, &failure));
                }
                return Err(failure);
            }
            Ok(EventOutcome::Nothing(why)) => {
                tracing::info!("{why}");
                (why, "")
            }
            Err(NotObeyed::Refused(refusal)) => {
                tracing::warn!("{}", refusal.line());
                (refusal.line(), refusal.code())
            }
        };
        github_job::say(&self.project, &line);
        github_job::output(&self.project, "conclusion", "skipped");
        github_job::output(&self.project, "code", code);
        Ok(0)
    }
}

/// Returns what became of an event by how a command ended.
pub(super) fn of_command(ended: Answer, number: IssueNumber) -> EventResult {
    ended.map(EventOutcome::Ran).map_err(|failure| not_obeyed(failure, number))
}

/// That another process holds the run, or that nobody's words count, is no failure of ours.
pub(super) fn not_obeyed(failure: Failure, number: IssueNumber) -> NotObeyed {
    if failure.kind == FailureKind::Busy {
        return Refusal::Busy(number).into();
    }
    match failure.message.strip_prefix(TEXT_NOT_TRUSTED) {
        Some(why) => Refusal::Untrusted(with_hint(why.trim_start_matches([':', ' ']), &failure)).into(),
        None => failure.into(),
    }
}

/// Returns what is said of a failure that is answered with a refusal: why, and what to do next.
pub(super) fn with_hint(why: &str, failure: &Failure) -> String {
    let hint = failure.hints.first().map_or(String::new(), |hint| format!(" ({hint})"));
    format!("{why}{hint}")
}

/// Refuses an issue on which nothing is to be done.
pub(super) fn refuse_at_rest(number: IssueNumber, state: Option<&IssueState>) -> Result<(), Refusal> {
    match state {
        None => Err(Refusal::Gone(number)),
        Some(state) if state.locked => Err(Refusal::Locked(number)),
        Some(state) if !state.is_open() => Err(Refusal::Closed(number)),
        Some(_) => Ok(()),
    }
}

/// Tells whether a run stands where it stood: nothing was asked of agents, and nothing became visible.
fn is_as_it_was(before: &Run, after: &Run) -> bool {
    let phases = |run: &Run| run.phases.iter().map(|phase| phase.status).collect::<Vec<_>>();
    let request = |run: &Run| (run.publication.pull_request.clone(), is_request_closed(run));
    let visible = |run: &Run| {
        (
            run.publication.is_up_to_date,
            run.publication.is_ready,
            request(run),
            run.publication.follow_up.clone(),
        )
    };
    before.outcome == after.outcome
        && before.spending.total.calls == after.spending.total.calls
        && phases(before) == phases(after)
        && visible(before) == visible(after)
}

fn why_it_rests(run: &Run) -> String {
    match &run.paused {
        Some(pause) => format!("the run still waits ({}): {}", pause.reason.as_str(), pause.question),
        None => format!("the run is {}: nothing is left to do", run.outcome.as_str()),
    }
}

/// Tells whether a run failed, so that only a person's word opens it again.
pub(super) fn has_failed(run: &Run) -> bool {
    matches!(run.outcome, Outcome::Failed | Outcome::Incomplete)
}

/// Returns the outcome of an event for which nothing is to be done.
pub(super) fn nothing(why: &str) -> EventOutcome {
    EventOutcome::Nothing(why.to_owned())
}

/// Publishes what was handed over for an event that somebody who may has caused.
fn publish_bundle(
    project: &Project,
    terminal: &Terminal,
    folder: &Path,
    issue: IssueNumber,
    asked: EventKey,
    command: Option<&SlashCommand>,
) -> EventResult {
    let Bundle { manifest, branch } = bundle::read(folder, &project.masker)?;
    if manifest.issue != issue || manifest.asked != asked {
        return Err(refused("E_BUNDLE_EVENT", "it was made for another event").into());
    }
    match (manifest.ending, branch, manifest.head) {
        (WorkResult::Skipped, ..) if manifest.code.is_empty() => {
            Ok(EventOutcome::Nothing(quoted(&manifest.why)))
        }
        (WorkResult::Skipped, ..) => {
            refresh_known(project, issue);
            let why = format!("the job of the agents did nothing: {} {}", manifest.code, manifest.why);
            Err(Refusal::Impossible(why).into())
        }
        (_, Some(file), Some(head)) => {
            let event = EventRequest { issue, asked, command, person: &project.person };
            let verified = bundle::verify(project, &file, &head, &event)?;
            let asks_for_more = verified.asks_for_more && manifest.ending == WorkResult::Ran;
            let verified = VerifiedBundle { asks_for_more, ..verified };
            of_command(continue_publication(project, terminal, issue, &verified), issue)
        }
        (WorkResult::Ran, _, None) => {
            Ok(EventOutcome::Nothing("the job of the agents has nothing to publish".to_owned()))
        }
        _ => {
            let why =
                format!("the job of the agents has no run to publish: {} {}", manifest.code, manifest.why);
            Err(refused(BUNDLE_MISSING, &why).into())
        }
    }
}

/// The other process could write nothing, and asked nobody to.
fn refresh_known(project: &Project, issue: IssueNumber) {
    if locate_or_fetch(project, issue).is_ok_and(|found| found.has_log())
        && let Ok(view) = view(project, issue)
        && let Some(run) = view.state.run.filter(|run| run.outcome != Outcome::Running)
    {
        refresh_now(project, &run);
    }
}

/// Takes the branch over and does what is left to do.
fn continue_publication(
    project: &Project,
    terminal: &Terminal,
    issue: IssueNumber,
    verified: &VerifiedBundle,
) -> Result<u8, Failure> {
    project.workspace.branches().fast_forward(&branch_of(issue), &verified.tip)?;
    let mut locked = LockedRun::take(project, issue, &|_| Ok(()))?;
    locked.journal.add_reporter(Box::new(LogLines::default()));
    let text = format!("What was handed over was judged and found good, up to {}", verified.handed);
    if !locked.run()?.notes.iter().any(|(_, known)| *known == text) {
        locked.journal.record(Fact::Noted { kind: VERIFIED.to_owned(), text })?;
    }
    drive::publish(project, locked, terminal, verified)
}
