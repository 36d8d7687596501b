//! A comment with a command. It is obeyed once, if who wrote it may and nobody changed it, with the use cases that a person
//! starts at a terminal; reactions and a reply say what became of it.

use super::{
    EventError, EventHandling, EventOutcome, EventResult, command_refusal, event_error, event_result,
    has_failed, nothing_to_do, refuse_inactive_issue,
};
use crate::admission::{Actor, AdmissionRefusal, BUSY};
use crate::bundle::{asked_again, skipped_by};
use crate::cancel::take_from_holder;
use crate::explain;
use crate::failure::{Failure, FailureKind};
use crate::locked_run::LockedRun;
use crate::project::Project;
use crate::resume::{AnswerRequest, resume};
use crate::rollback::reopenable_phase;
use crate::run_location::view;
use crate::run_request::record_whole_run;
use crate::run_to_halt::refresh_now;
use crate::slash_command::{COMMAND_HELP, SlashCommand, Unclear, slash_command};
use crate::status;
use engine::{Run, Status, pause_on_request};
use forge::github::{IssueCommentEvent, Reaction, ReactionTarget};
use forge::{ForgeError, GithubForge};
use model::event::{Fact, PauseChoice, Reopened, ReopenedBy, RunOutcome};
use model::issue::{IssueNumber, IssueSnapshot, issue_of_run_branch};
use model::phase::{PhaseName, Step};
use runner::JobRole;

pub(super) fn obey(handling: &mut EventHandling, event: &IssueCommentEvent) -> EventResult {
    let Some(read) = slash_command(event.comment.body.as_deref().unwrap_or_default()) else {
        return nothing_to_do("the comment holds no command");
    };
    let taken = handling.ask(async |github| accept(github, &handling.project, event, &read).await)??;
    let Some(number) = taken else {
        return nothing_to_do("the comment is on no issue of ours, or was obeyed before");
    };
    let (title, body) = (event.issue.title.clone(), event.issue.body.clone().unwrap_or_default());
    if number == event.issue.number {
        handling.project.as_of = Some(IssueSnapshot { at: event.comment.created_at, title, body });
    }
    handling.project.person.clone_from(&event.sender.login);
    handling.about = Some(number);
    let id = event.comment.id;
    let result = match read {
        Ok(command) => {
            handling.react(ReactionTarget::Comment(id), Reaction::Eyes)?;
            handling.command = Some(command.clone());
            perform(handling, number, &command).map_err(as_refusal)
        }
        Err(unclear) => {
            Err(AdmissionRefusal::new("E_COMMAND_UNKNOWN", format!("{unclear}: {COMMAND_HELP}")).into())
        }
    };
    answer(handling, number, id, &result)?;
    result
}

/// Turns what the run does not take now into a refusal, which the comment gets as a reply; other failures stay failures.
fn as_refusal(undone: EventError) -> EventError {
    match undone {
        EventError::Failed(failure) if failure.kind == FailureKind::Usage => {
            command_refusal(&failure.with_first_hint())
        }
        undone => undone,
    }
}

/// Returns the issue that a comment is about; nothing where there is nothing to do.
async fn accept(
    github: &GithubForge,
    project: &Project,
    event: &IssueCommentEvent,
    read: &Result<SlashCommand, Unclear>,
) -> EventResult<Option<IssueNumber>> {
    let (who, id) = (&event.sender, event.comment.id);
    let actor = Actor { github, keys: &project.settings.github, who };
    let unreadable = |error: ForgeError| actor.unknown(&error);
    actor.admit().await?;
    let now = github.current_comment(id).await.map_err(unreadable)?.ok_or_else(changed_comment_refusal)?;
    let author = now.user.as_ref().ok_or_else(|| actor.mismatch("an account that is gone"))?;
    if author.id != who.id {
        return Err(actor.mismatch(&author.login).into());
    }
    if now.body != event.comment.body || now.updated_at != event.comment.updated_at {
        return Err(changed_comment_refusal().into());
    }
    let Some(number) = issue_of_comment(github, event).await.map_err(unreadable)? else { return Ok(None) };
    let state = github.issue_state(number).await.map_err(unreadable)?;
    // Who closed an issue may still want its run to end.
    let ends = matches!(read, Ok(SlashCommand::Cancel));
    if !ends || state.as_ref().is_none_or(|state| state.locked) {
        refuse_inactive_issue(number, state.as_ref())?;
    }
    if github.has_answered(id).await.map_err(unreadable)? {
        return Ok(None);
    }
    if matches!(read, Ok(SlashCommand::Run))
        && let Err(refusal) = actor.refuse_too_many(&project.masker, number, event.comment.created_at).await
    {
        github.react(ReactionTarget::Comment(id), Reaction::Confused).await?;
        return Err(refusal.into());
    }
    Ok(Some(number))
}

/// The comment is not what it was when the event was sent.
fn changed_comment_refusal() -> AdmissionRefusal {
    let why = "the comment was changed or deleted after it was written: write a new one";
    AdmissionRefusal::new("E_COMMAND_CHANGED", why)
}

/// A pull request is about the issue that its branch is named after, if the branch is one of ours.
async fn issue_of_comment(
    github: &GithubForge,
    event: &IssueCommentEvent,
) -> Result<Option<IssueNumber>, ForgeError> {
    let number = event.issue.number;
    if !event.issue.is_pull_request() {
        return Ok(Some(number));
    }
    Ok(github.own_head(number).await?.and_then(|head| issue_of_run_branch(&head)))
}

/// Answers the comment: with a reaction, and with a reply where the command was refused.
fn answer(handling: &EventHandling, number: IssueNumber, id: u64, result: &EventResult) -> EventResult<()> {
    if handling.project.role == JobRole::Work {
        return Ok(());
    }
    let refusal = match result {
        Ok(_) => None,
        // The process that works on the run reads the comment, too.
        Err(EventError::Refused(refusal)) if refusal.code == BUSY => return Ok(()),
        Err(EventError::Refused(refusal)) => Some(refusal.to_string()),
        Err(EventError::Failed(failure)) => Some(failure.message.clone()),
    };
    let reaction = if refusal.is_some() { Reaction::Confused } else { Reaction::Rocket };
    if let Some(why) = refusal {
        let marker = format!("<!-- ai-workflow:reply v1 comment={id} -->");
        if let Err(error) = handling.comment(number, &marker, &format!("😕 {why}"))? {
            tracing::warn!("The comment gets no answer: {error}");
        }
    }
    Ok(handling.react(ReactionTarget::Comment(id), reaction)?)
}

fn perform(handling: &EventHandling, number: IssueNumber, command: &SlashCommand) -> EventResult {
    let reports = matches!(command, SlashCommand::Status | SlashCommand::Explain);
    match handling.project.role {
        JobRole::Work if reports => return nothing_to_do("who publishes answers this"),
        JobRole::Publish if !reports => return handling.publish(number),
        JobRole::Both | JobRole::Work | JobRole::Publish => {}
    }
    let run = handling.run_of(number)?;
    let answer = |choice| AnswerRequest::new(number, Some(choice));
    match (command, run) {
        (SlashCommand::Run, run) => begin_or_go_on(handling, number, run.as_ref()),
        (_, None) => Err(command_refusal("there is no run of this issue: `/ai-workflow run` begins one")),
        (SlashCommand::Resume, Some(run)) if !run.waits_for_a_person() => {
            begin_or_go_on(handling, number, Some(&run))
        }
        (SlashCommand::Resume, Some(_)) => resume_with(handling, &answer(PauseChoice::Continue)),
        (SlashCommand::Answer { text }, Some(_)) => resume_with(
            handling,
            &AnswerRequest { answer: Some(text.clone()), ..answer(PauseChoice::Continue) },
        ),
        (SlashCommand::Accept { reason }, Some(_)) => resume_with(
            handling,
            &AnswerRequest { reason: Some(reason.clone()), ..answer(PauseChoice::Accept) },
        ),
        (SlashCommand::Pause, Some(_)) => pause(handling, number),
        (SlashCommand::Cancel, Some(_)) => end(handling, number),
        (SlashCommand::Retry { phase }, Some(run)) => retry(handling, number, &run, phase),
        (SlashCommand::Skip { phase }, Some(_)) => skip(handling, number, phase),
        (SlashCommand::Status, Some(run)) => report(handling, number, "status", &status::text(&run)),
        (SlashCommand::Explain, Some(_)) => {
            report(handling, number, "explain", &explain::text(&view(&handling.project, number)?))
        }
    }
}

/// A run that waits for words, or that failed, is not moved by asking for it once more.
fn begin_or_go_on(handling: &EventHandling, number: IssueNumber, run: Option<&Run>) -> EventResult {
    if let Some(run) = run {
        if run.waits_for_a_person() || has_failed(run) {
            refresh_now(&handling.project, run);
        }
        if run.waits_for_a_person() {
            let how = "`/ai-workflow answer TEXT`, `/ai-workflow resume` or `/ai-workflow accept REASON`";
            return Err(command_refusal(&format!("the run waits for an answer: {how}")));
        }
        if let Some(phase) = run.phases.iter().find(|phase| phase.status == Status::Failed && has_failed(run))
        {
            let name = phase.name();
            return Err(command_refusal(&format!("the run failed in {name}: `/ai-workflow retry {name}`")));
        }
    }
    handling.go_on(number, run, false)
}

fn resume_with(handling: &EventHandling, request: &AnswerRequest) -> EventResult {
    event_result(resume(&handling.project, handling.observer, request), request.issue)
}

fn take_run(handling: &EventHandling, number: IssueNumber) -> Result<LockedRun, EventError> {
    let mut locked = LockedRun::take(&handling.project, number, &|_| Ok(()))
        .map_err(|failure| event_error(failure, number))?;
    locked.log_facts();
    Ok(locked)
}

/// Writes down what ends the run's turn and shares it. Before that stands where the branch is now.
fn share(handling: &EventHandling, mut locked: LockedRun, last: Fact) -> EventResult {
    record_whole_run(&handling.project, &mut locked)?;
    handling.driver().share(locked, last)?;
    Ok(EventOutcome::Ran(None))
}

/// Writes a fact down and goes on with the run.
fn record_and_go_on(handling: &EventHandling, mut locked: LockedRun, fact: Fact) -> EventResult {
    let number = locked.folder.issue();
    locked.journal.record(fact).map_err(Failure::from)?;
    drop(locked);
    handling.execute(number, false)
}

/// A run under way sees the comment by itself; this one lies still between two jobs.
fn pause(handling: &EventHandling, number: IssueNumber) -> EventResult {
    let locked = take_run(handling, number)?;
    let run = locked.run();
    if run.outcome == RunOutcome::Paused && handling.project.role == JobRole::Work {
        return nothing_to_do("the run waits; whoever worked on it may have read this already");
    }
    if run.outcome != RunOutcome::Running {
        return Err(command_refusal(&format!("the run is {} already", run.outcome.as_str())));
    }
    let next = run.current().map(|phase| phase.name().clone());
    let escalation = pause_on_request(next.as_ref(), &handling.project.person);
    share(handling, locked, Fact::Paused { escalation })
}

fn end(handling: &EventHandling, number: IssueNumber) -> EventResult {
    let mut locked = take_from_holder(&handling.project, number)?;
    if locked.run().outcome == RunOutcome::Cancelled && handling.project.role == JobRole::Work {
        return nothing_to_do("the run is cancelled; whoever worked on it may have read this already");
    }
    if locked.run().outcome == RunOutcome::Cancelled {
        return Err(command_refusal("the run is cancelled already"));
    }
    locked.log_facts();
    share(handling, locked, Fact::Cancelled { by: handling.project.person.clone() })
}

fn retry(handling: &EventHandling, number: IssueNumber, run: &Run, phase: &str) -> EventResult {
    let failed = run.phases.iter().find(|phase| phase.status == Status::Failed);
    if failed.is_some_and(|failed| failed.name().as_str() == phase && has_failed(run)) {
        return handling.execute(number, true);
    }
    let phase = reopenable_phase(run, phase)?;
    let mut locked = take_run(handling, number)?;
    locked.put_back_documents(&phase)?;
    let (step, reason, by) = (Step::Execute, asked_again(&handling.project.person), ReopenedBy::Rollback);
    record_and_go_on(handling, locked, Fact::Reopened(Reopened { phase, step, reason, by }))
}

/// Leaves out a phase that has not begun; what waits for an answer goes on waiting.
fn skip(handling: &EventHandling, number: IssueNumber, phase: &str) -> EventResult {
    let locked = take_run(handling, number)?;
    let run = locked.run();
    let (phase, because) = (find_skippable_phase(run, phase)?, skipped_by(&handling.project.person));
    let skipped = Fact::PhaseSkipped { phase, because };
    if run.waits_for_a_person() {
        share(handling, locked, skipped)
    } else {
        record_and_go_on(handling, locked, skipped)
    }
}

fn find_skippable_phase(run: &Run, name: &str) -> Result<PhaseName, EventError> {
    if !matches!(run.outcome, RunOutcome::Running | RunOutcome::Paused) {
        return Err(command_refusal(&format!("the run is {}", run.outcome.as_str())));
    }
    let Some(phase) = run.phases.iter().find(|phase| phase.name().as_str() == name) else {
        let names: Vec<&str> = run.phases.iter().map(|phase| phase.name().as_str()).collect();
        return Err(command_refusal(&format!("this run has no phase `{name}`; it has {}", names.join(", "))));
    };
    if phase.status != Status::Pending {
        let status = phase.status;
        return Err(command_refusal(&format!("{name} is {status}: only what has not begun can be left out")));
    }
    Ok(phase.name().clone())
}

/// The longest report, in characters; a comment of GitHub takes a little more.
const LONGEST: usize = 60_000;

/// Writes a report into one comment, which is written over when it is asked for again. In its box nothing is Markdown, and no
/// box ends early.
fn report(handling: &EventHandling, number: IssueNumber, kind: &str, text: &str) -> EventResult {
    let marker = format!("<!-- ai-workflow:{kind} v1 issue={number} -->");
    let text: String = text.replace("```", "'''").chars().take(LONGEST).collect();
    handling.comment(number, &marker, &format!("```text\n{}\n```", text.trim_end()))??;
    Ok(EventOutcome::Reported)
}
