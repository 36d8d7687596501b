//! Who may start and steer runs: those who may write, and those whom the settings name. GitHub is asked, and what it does
//! not say is a no. An account is its number; a program is known by its whole name.

use jiff::Timestamp;

use super::job;
use super::refusal::{Refusal, rate_reply};
use content_parser::{SlashCommand, slash_command};
use forge::github::Person;
use forge::{CommentDraft, ForgeError, GithubForge, is_named};
use model::issue::IssueNumber;
use model::redact::Masker;
use settings::GithubKeys;

/// Refuses whoever may neither write nor is named.
pub(super) async fn admit(github: &GithubForge, keys: &GithubKeys, who: &Person) -> Result<(), Refusal> {
    if is_named(&keys.allowed_actors, &who.login) {
        return same_account(github, who).await;
    }
    if who.is_bot() {
        return Err(denied(who, "a bot that the settings do not name"));
    }
    let permission = github.permission(&who.login).await.map_err(|error| unknown(who, &error))?;
    if !permission.is_of(who) {
        return Err(mismatch(who, "another account of that name"));
    }
    if permission.may_write() { Ok(()) } else { Err(denied(who, permission.role())) }
}

/// A login can change hands, and a person can take the name of a program.
async fn same_account(github: &GithubForge, who: &Person) -> Result<(), Refusal> {
    let account = github.account(&who.login).await.map_err(|error| unknown(who, &error))?;
    if account.id == who.id && account.is_bot() == who.is_bot() {
        return Ok(());
    }
    Err(mismatch(who, "another account of that name"))
}

/// Refuses whoever started too many runs in the day before a time, the present one included: by labels, by comments, by hand.
/// The first one beyond the limit is told on its issue; a flood is not answered by a flood.
pub(super) async fn refuse_too_many(
    github: &GithubForge,
    (keys, masker): (&GithubKeys, &Masker),
    who: &Person,
    number: IssueNumber,
    at: Timestamp,
) -> Result<(), Refusal> {
    let told = |error: ForgeError| unknown(who, &error);
    let most = usize::try_from(keys.runs_per_actor).unwrap_or(usize::MAX);
    let runs = runs_of(github, keys, who, at, most.saturating_add(2)).await.map_err(told)?;
    if runs <= most {
        return Ok(());
    }
    if runs == most.saturating_add(1) && !github.reads_only() {
        let (marker, body) = rate_reply(who, keys.runs_per_actor);
        let draft = CommentDraft { id: None, marker: &marker, body: &masker.mask(&body) };
        github.upsert_comment(number, draft).await.map_err(told)?;
    }
    Err(Refusal::Rate { login: who.login.clone(), most: keys.runs_per_actor })
}

async fn runs_of(
    github: &GithubForge,
    keys: &GithubKeys,
    who: &Person,
    at: Timestamp,
    most: usize,
) -> Result<usize, ForgeError> {
    let within = job::last_day(at);
    let labels = github.count_labellings(who, &keys.trigger_label, within, most).await?;
    let asks = |text: &str| slash_command(text) == Some(Ok(SlashCommand::Run));
    let comments = github.count_comments(who, asks, within, most).await?;
    let by_hand = match job::workflow(&github.repository()) {
        Some(workflow) => counted(github.starts(&workflow, who, within, most).await)?,
        None => 0,
    };
    Ok(labels.saturating_add(comments).saturating_add(by_hand))
}

/// A token that may not see jobs starts none by hand either.
fn counted(starts: Result<usize, ForgeError>) -> Result<usize, ForgeError> {
    match starts {
        Err(error) if error.is_final() => {
            tracing::warn!("Runs that were started by hand are not counted: {error}");
            Ok(0)
        }
        counted => counted,
    }
}

pub(super) fn denied(who: &Person, role: &str) -> Refusal {
    Refusal::Denied { login: who.login.clone(), role: role.to_owned() }
}

pub(super) fn unknown(who: &Person, error: &ForgeError) -> Refusal {
    Refusal::Unknown { login: who.login.clone(), why: error.to_string() }
}

pub(super) fn mismatch(who: &Person, found: &str) -> Refusal {
    Refusal::Mismatch { named: who.login.clone(), found: found.to_owned() }
}
