//! A label that starts a run. It is taken off as soon as it is accepted, so that it works once.

use jiff::Timestamp;

use super::super::admission::{admit, mismatch, refuse_too_many, unknown};
use super::super::bundle::refused;
use super::super::refusal::Refusal;
use super::{Desk, Obeyed, Undone, has_failed, nothing, refuse_at_rest};
use app::runner::JobRole;
use forge::GithubForge;
use forge::github::{Labeled, Reaction, ReactionTarget};
use model::issue::{AsOf, IssueNumber};
use model::redact::Masker;
use settings::GithubKeys;

/// A label that somebody put on who may.
struct Accepted {
    at: Timestamp,
    /// It is still there; otherwise it was taken off, by us when the same event came before.
    is_on: bool,
}

pub(super) fn obey(desk: &mut Desk, event: &Labeled) -> Obeyed {
    let keys = desk.door.settings.github.clone();
    let number = event.issue.number;
    if !event.label.name.eq_ignore_ascii_case(&keys.trigger_label) || event.issue.is_pull_request() {
        return Ok(nothing("this label starts no run"));
    }
    let masker = desk.door.masker.clone();
    let accepted = desk.ask(async |github| accepted(github, &keys, &masker, event).await)??;
    desk.about = Some(number);
    let known = desk.known(number)?;
    if !accepted.is_on && known.is_none() && desk.door.role == JobRole::Publish {
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
        desk.react(ReactionTarget::Issue(number), Reaction::Eyes)?;
    }
    if accepted.is_on && desk.door.role == JobRole::Both {
        take_off(desk, number, &keys)?;
    }
    let (title, body) = (event.issue.title.clone(), event.issue.body.clone().unwrap_or_default());
    desk.door.as_of = Some(AsOf { at: accepted.at, title, body });
    desk.door.person.clone_from(&event.sender.login);
    // Who puts the label on again after a failure wants another try; the same event twice does not.
    let again = accepted.is_on && known.as_ref().is_some_and(has_failed);
    let obeyed =
        if accepted.is_on { desk.go_on(number, known.as_ref(), again) } else { desk.execute(number, false) };
    let last = match &obeyed {
        Ok(_) => Reaction::Rocket,
        Err(_) => Reaction::Confused,
    };
    if accepted.is_on {
        desk.react(ReactionTarget::Issue(number), last)?;
    }
    // A job that publishes and could not is repeated as it is.
    let comes_again = matches!(&obeyed, Err(Undone::Failed(failure)) if failure.passes());
    if accepted.is_on && desk.door.role == JobRole::Publish && !comes_again {
        take_off(desk, number, &keys)?;
    }
    obeyed
}

fn take_off(desk: &Desk, number: IssueNumber, keys: &GithubKeys) -> Result<(), Undone> {
    Ok(desk.ask(async |github| github.unlabel(number, &keys.trigger_label).await)??)
}

/// Looks whether GitHub says the same as the event, and whether who is behind it may start a run now.
async fn accepted(
    github: &GithubForge,
    keys: &GithubKeys,
    masker: &Masker,
    event: &Labeled,
) -> Result<Accepted, Undone> {
    let (who, number) = (&event.sender, event.issue.number);
    admit(github, keys, who).await?;
    let told = |error| unknown(who, &error);
    let happened = github.last_labelling(number, &keys.trigger_label).await.map_err(told)?;
    let happened = happened.ok_or_else(|| mismatch(who, "nobody"))?;
    let actor = happened.actor.as_ref().ok_or_else(|| mismatch(who, "an account that is gone"))?;
    if actor.id != who.id {
        return Err(mismatch(who, &actor.login).into());
    }
    let state = github.issue_state(number).await.map_err(told)?;
    refuse_at_rest(number, state.as_ref())?;
    let at = happened.created_at;
    refuse_too_many(github, (keys, masker), who, number, at).await?;
    Ok(Accepted { at, is_on: state.is_some_and(|state| state.has(&keys.trigger_label)) })
}
