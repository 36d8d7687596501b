//! The events that begin a run or go on with one: a label, and a start of the workflow. GitHub is asked whether the event is
//! true and who is behind it.

use jiff::Timestamp;

use super::{EventError, EventHandling, EventResult, has_failed, nothing_to_do, refuse_inactive_issue};
use crate::admission::{Actor, AdmissionRefusal, denied};
use crate::bundle::refused;
use crate::project::Project;
use engine::Run;
use forge::GithubForge;
use forge::github::{LabeledEvent, Reaction, ReactionTarget, WorkflowDispatchEvent};
use model::event::RunOutcome;
use model::issue::{IssueNumber, IssueSnapshot};
use runner::JobRole;

/// A label that somebody put on who may.
struct AcceptedLabel {
    at: Timestamp,
    /// It is still there; otherwise it was taken off, by us when the same event came before.
    is_on: bool,
}

/// A label that starts a run. It is taken off as soon as it is accepted, so that it works once.
pub(super) fn handle_label(handling: &mut EventHandling, event: &LabeledEvent) -> EventResult {
    let number = event.issue.number;
    let trigger = &handling.project.settings.github.trigger_label;
    if !event.label.name.eq_ignore_ascii_case(trigger) || event.issue.is_pull_request() {
        return nothing_to_do("this label starts no run");
    }
    let AcceptedLabel { at, is_on } =
        handling.ask(async |github| accept_label(github, &handling.project, event).await)??;
    handling.about = Some(number);
    let known = handling.run_of(number)?;
    let role = handling.project.role;
    if !is_on && known.is_none() && role == JobRole::Publish {
        let why = format!("the label is on issue {number} no more, and there is no run of it yet");
        return Err(refused("E_LABEL_GONE", &why).into());
    }
    if !is_on && known.is_none() {
        let why =
            format!("the label was taken off issue {number} again, and there is no run: put it on once more");
        return Err(AdmissionRefusal::new("E_LABEL_GONE", why).into());
    }
    // The label is off first: should the run not begin, putting it on again is the way to another try.
    if is_on {
        handling.react(ReactionTarget::Issue(number), Reaction::Eyes)?;
    }
    if is_on && role == JobRole::Both {
        remove_trigger_label(handling, number)?;
    }
    let (title, body) = (event.issue.title.clone(), event.issue.body.clone().unwrap_or_default());
    handling.project.as_of = Some(IssueSnapshot { at, title, body });
    handling.project.person.clone_from(&event.sender.login);
    if !is_on {
        return handling.execute(number, false);
    }
    // Who puts the label on again after a failure wants another try; the same event twice does not.
    let result = handling.go_on(number, known.as_ref(), known.as_ref().is_some_and(has_failed));
    let last = if result.is_ok() { Reaction::Rocket } else { Reaction::Confused };
    handling.react(ReactionTarget::Issue(number), last)?;
    // A job that publishes and could not is repeated as it is.
    let comes_again = matches!(&result, Err(EventError::Failed(failure)) if failure.passes());
    if role == JobRole::Publish && !comes_again {
        remove_trigger_label(handling, number)?;
    }
    result
}

fn remove_trigger_label(handling: &EventHandling, number: IssueNumber) -> Result<(), EventError> {
    let trigger = &handling.project.settings.github.trigger_label;
    Ok(handling.ask(async |github| github.remove_label(number, trigger).await)??)
}

/// Looks whether GitHub says the same as the event, and whether who is behind it may start a run now.
async fn accept_label(
    github: &GithubForge,
    project: &Project,
    event: &LabeledEvent,
) -> EventResult<AcceptedLabel> {
    let (who, number, keys) = (&event.sender, event.issue.number, &project.settings.github);
    let actor = Actor { github, keys, who };
    actor.admit().await?;
    let unreadable = |error| actor.unknown(&error);
    let happened = github.last_labelling(number, &keys.trigger_label).await.map_err(unreadable)?;
    let happened = happened.ok_or_else(|| actor.mismatch("nobody"))?;
    let by = happened.actor.as_ref().ok_or_else(|| actor.mismatch("an account that is gone"))?;
    if by.id != who.id {
        return Err(actor.mismatch(&by.login).into());
    }
    let state = github.issue_state(number).await.map_err(unreadable)?;
    refuse_inactive_issue(number, state.as_ref())?;
    let at = happened.created_at;
    actor.refuse_too_many(&project.masker, number, at).await?;
    Ok(AcceptedLabel { at, is_on: state.is_some_and(|state| state.has(&keys.trigger_label)) })
}

/// A start of the workflow for an issue: by a person, or by a job of ours whose time was over.
pub(super) fn handle_dispatch(handling: &mut EventHandling, event: &WorkflowDispatchEvent) -> EventResult {
    let (number, who) = (event.issue, &event.sender);
    let is_job = handling.ask(async |github| accept_dispatch(github, &handling.project, event).await)??;
    if is_job && !handling.run_of(number)?.as_ref().is_some_and(goes_on_by_itself) {
        return Err(denied(who, "a job may only continue a run that waits for nobody").into());
    }
    handling.project.person.clone_from(&who.login);
    handling.about = Some(number);
    handling.execute(number, false)
}

/// Looks who is behind it; tells whether it is a job with our own token.
async fn accept_dispatch(
    github: &GithubForge,
    project: &Project,
    event: &WorkflowDispatchEvent,
) -> EventResult<bool> {
    let (number, who) = (event.issue, &event.sender);
    let actor = Actor { github, keys: &project.settings.github, who };
    let unreadable = |error| actor.unknown(&error);
    let is_job = who.is_bot() && github.is_me(&who.login).await.map_err(unreadable)?;
    if !is_job {
        actor.admit().await?;
    }
    let state = github.issue_state(number).await.map_err(unreadable)?;
    refuse_inactive_issue(number, state.as_ref())?;
    if !is_job {
        actor.refuse_too_many(&project.masker, number, journal::now()).await?;
    }
    Ok(is_job)
}

fn goes_on_by_itself(run: &Run) -> bool {
    match run.outcome {
        RunOutcome::Running => true,
        RunOutcome::Paused => run.waits_by_itself(),
        RunOutcome::Completed | RunOutcome::Failed | RunOutcome::Incomplete | RunOutcome::Cancelled => false,
    }
}
