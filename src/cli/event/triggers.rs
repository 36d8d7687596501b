//! The events that begin a run or go on with one: a label, and a start of the workflow. GitHub is asked whether the event is
//! true and who is behind it.

use jiff::Timestamp;

use super::handling::{EventHandling, EventResult, NotObeyed, has_failed, nothing, refuse_at_rest};
use app::admission::{Refusal, admit, denied, mismatch, refuse_too_many, unknown};
use app::bundle::refused;
use engine::Run;
use forge::GithubForge;
use forge::github::{Dispatched, Labeled, Reaction, ReactionTarget};
use model::event::Outcome;
use model::issue::{AsOf, IssueNumber};
use model::redact::Masker;
use runner::JobRole;
use settings::GithubKeys;

/// A label that somebody put on who may.
struct AcceptedLabel {
    at: Timestamp,
    /// It is still there; otherwise it was taken off, by us when the same event came before.
    is_on: bool,
}

/// A label that starts a run. It is taken off as soon as it is accepted, so that it works once.
pub(super) fn labeled(handling: &mut EventHandling, event: &Labeled) -> EventResult {
    let keys = handling.project.settings.github.clone();
    let number = event.issue.number;
    if !event.label.name.eq_ignore_ascii_case(&keys.trigger_label) || event.issue.is_pull_request() {
        return Ok(nothing("this label starts no run"));
    }
    let masker = handling.project.masker.clone();
    let accepted = handling.ask(async |github| accept_label(github, &keys, &masker, event).await)??;
    handling.about = Some(number);
    let known = handling.run_of(number)?;
    if !accepted.is_on && known.is_none() && handling.project.role == JobRole::Publish {
        return Err(refused(
            "E_LABEL_GONE",
            &format!("the label is on issue {number} no more, and there is no run of it yet"),
        )
        .into());
    }
    if !accepted.is_on && known.is_none() {
        return Err(Refusal::LabelGone(number).into());
    }
    // The label is off first: should the run not begin, putting it on again is the way to another try.
    if accepted.is_on {
        handling.react(ReactionTarget::Issue(number), Reaction::Eyes)?;
    }
    if accepted.is_on && handling.project.role == JobRole::Both {
        take_off(handling, number, &keys)?;
    }
    let (title, body) = (event.issue.title.clone(), event.issue.body.clone().unwrap_or_default());
    handling.project.as_of = Some(AsOf { at: accepted.at, title, body });
    handling.project.person.clone_from(&event.sender.login);
    // Who puts the label on again after a failure wants another try; the same event twice does not.
    let again = accepted.is_on && known.as_ref().is_some_and(has_failed);
    let result = if accepted.is_on {
        handling.go_on(number, known.as_ref(), again)
    } else {
        handling.execute(number, false)
    };
    let last = match &result {
        Ok(_) => Reaction::Rocket,
        Err(_) => Reaction::Confused,
    };
    if accepted.is_on {
        handling.react(ReactionTarget::Issue(number), last)?;
    }
    // A job that publishes and could not is repeated as it is.
    let comes_again = matches!(&result, Err(NotObeyed::Failed(failure)) if failure.passes());
    if accepted.is_on && handling.project.role == JobRole::Publish && !comes_again {
        take_off(handling, number, &keys)?;
    }
    result
}

fn take_off(handling: &EventHandling, number: IssueNumber, keys: &GithubKeys) -> Result<(), NotObeyed> {
    Ok(handling.ask(async |github| github.unlabel(number, &keys.trigger_label).await)??)
}

/// Looks whether GitHub says the same as the event, and whether who is behind it may start a run now.
async fn accept_label(
    github: &GithubForge,
    keys: &GithubKeys,
    masker: &Masker,
    event: &Labeled,
) -> Result<AcceptedLabel, NotObeyed> {
    let (who, number) = (&event.sender, event.issue.number);
    admit(github, keys, who).await?;
    let unreadable = |error| unknown(who, &error);
    let happened = github.last_labelling(number, &keys.trigger_label).await.map_err(unreadable)?;
    let happened = happened.ok_or_else(|| mismatch(who, "nobody"))?;
    let actor = happened.actor.as_ref().ok_or_else(|| mismatch(who, "an account that is gone"))?;
    if actor.id != who.id {
        return Err(mismatch(who, &actor.login).into());
    }
    let state = github.issue_state(number).await.map_err(unreadable)?;
    refuse_at_rest(number, state.as_ref())?;
    let at = happened.created_at;
    refuse_too_many(github, (keys, masker), who, number, at).await?;
    Ok(AcceptedLabel { at, is_on: state.is_some_and(|state| state.has(&keys.trigger_label)) })
}

/// A start of the workflow for an issue: by a person, or by a job of ours whose time was over.
pub(super) fn dispatched(handling: &mut EventHandling, event: &Dispatched) -> EventResult {
    let keys = handling.project.settings.github.clone();
    let (number, who) = (event.issue, &event.sender);
    let (masker, now) = (handling.project.masker.clone(), journal::now());
    let is_job =
        handling.ask(async |github| accept_dispatch(github, (&keys, &masker), event, now).await)??;
    if is_job && !handling.run_of(number)?.as_ref().is_some_and(goes_on_by_itself) {
        return Err(denied(who, "a job may only go on with a run that needs nobody's word").into());
    }
    handling.project.person.clone_from(&who.login);
    handling.about = Some(number);
    handling.execute(number, false)
}

/// Looks who is behind it; tells whether it is a job with our own token.
async fn accept_dispatch(
    github: &GithubForge,
    (keys, masker): (&GithubKeys, &Masker),
    event: &Dispatched,
    now: Timestamp,
) -> Result<bool, NotObeyed> {
    let (number, who) = (event.issue, &event.sender);
    let unreadable = |error| unknown(who, &error);
    let is_job = who.is_bot() && github.is_me(&who.login).await.map_err(unreadable)?;
    if !is_job {
        admit(github, keys, who).await?;
    }
    let state = github.issue_state(number).await.map_err(unreadable)?;
    refuse_at_rest(number, state.as_ref())?;
    if !is_job {
        refuse_too_many(github, (keys, masker), who, number, now).await?;
    }
    Ok(is_job)
}

fn goes_on_by_itself(run: &Run) -> bool {
    match run.outcome {
        Outcome::Running => true,
        Outcome::Paused => run.waits_by_itself(),
        Outcome::Completed | Outcome::Failed | Outcome::Incomplete | Outcome::Cancelled => false,
    }
}
