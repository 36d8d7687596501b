//! The workflow was started for an issue: by a person, or by a job of ours whose time was over.

use jiff::Timestamp;

use super::super::admission::{admit, denied, refuse_too_many, unknown};
use super::{Desk, Obeyed, Undone, refuse_at_rest};
use engine::Run;
use forge::GithubForge;
use forge::github::Dispatched;
use model::event::Outcome;
use model::redact::Masker;
use settings::GithubKeys;

pub(super) fn obey(desk: &mut Desk, event: &Dispatched) -> Obeyed {
    let keys = desk.door.settings.github.clone();
    let (number, who) = (event.issue, &event.sender);
    let (masker, now) = (desk.door.masker.clone(), desk.door.clock.now());
    let is_job = desk.ask(async |github| admitted(github, (&keys, &masker), event, now).await)??;
    if is_job && !desk.known(number)?.as_ref().is_some_and(goes_on_by_itself) {
        return Err(denied(who, "a job may only go on with a run that needs nobody's word").into());
    }
    desk.door.person.clone_from(&who.login);
    desk.about = Some(number);
    desk.execute(number, false)
}

/// Looks who is behind it; tells whether it is a job with our own token.
async fn admitted(
    github: &GithubForge,
    (keys, masker): (&GithubKeys, &Masker),
    event: &Dispatched,
    now: Timestamp,
) -> Result<bool, Undone> {
    let (number, who) = (event.issue, &event.sender);
    let told = |error| unknown(who, &error);
    let is_job = who.is_bot() && github.is_me(&who.login).await.map_err(told)?;
    if !is_job {
        admit(github, keys, who).await?;
    }
    let state = github.issue_state(number).await.map_err(told)?;
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
