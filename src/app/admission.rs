//! Who may start and steer runs: those who may write, and those whom the settings name. GitHub is asked, and what it does
//! not say is a no. An account is its number; a program is known by its whole name. A refusal is no failure, so that a
//! stranger's comment makes no job red; its code stays when the words change: scripts and people look for it in the summary
//! of the job.

use std::fmt;

use jiff::Timestamp;

use crate::github_job;
use crate::slash_command::{SlashCommand, slash_command};
use forge::github::GithubUser;
use forge::{CommentDraft, ForgeError, GithubForge, is_named};
use model::issue::IssueNumber;
use model::redact::Masker;
use settings::GithubKeys;
use views::summary::quoted;

/// The account behind an event or a comment, and what decides whether it may act.
pub(crate) struct Actor<'a> {
    /// The repository.
    pub github: &'a GithubForge,
    /// Its settings.
    pub keys: &'a GithubKeys,
    /// Who it is, by the event.
    pub who: &'a GithubUser,
}

impl Actor<'_> {
    /// Refuses an account that neither has write access nor is named in the settings.
    pub(crate) async fn admit(&self) -> Result<(), AdmissionRefusal> {
        let login = &self.who.login;
        if is_named(&self.keys.allowed_actors, login) {
            return self.same_account().await;
        }
        if self.who.is_bot() {
            return Err(denied(self.who, "a bot that the settings do not name"));
        }
        let permission = self.github.permission(login).await.map_err(|error| self.unknown(&error))?;
        if !permission.is_of(self.who) {
            return Err(self.mismatch("another account of that name"));
        }
        if permission.may_write() { Ok(()) } else { Err(denied(self.who, permission.role())) }
    }

    /// Refuses a login that another account has now, or that a person took over from a program.
    async fn same_account(&self) -> Result<(), AdmissionRefusal> {
        let account = self.github.account(&self.who.login).await.map_err(|error| self.unknown(&error))?;
        if account.id == self.who.id && account.is_bot() == self.who.is_bot() {
            return Ok(());
        }
        Err(self.mismatch("another account of that name"))
    }

    /// Refuses an account that started too many runs in the day before a time, the present one included: by labels, by
    /// comments, by hand. The first one beyond the limit gets a comment on its issue; a flood is not answered by a flood.
    pub(crate) async fn refuse_too_many(
        &self,
        masker: &Masker,
        number: IssueNumber,
        at: Timestamp,
    ) -> Result<(), AdmissionRefusal> {
        let (login, limit) = (quoted(&self.who.login), self.keys.runs_per_actor);
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let runs = self.runs(at, most.saturating_add(2)).await.map_err(|error| self.unknown(&error))?;
        if runs <= most {
            return Ok(());
        }
        if runs == most.saturating_add(1) && !self.github.reads_only() {
            let (marker, body) = rate_reply(self.who, limit);
            let draft = CommentDraft { id: None, marker: &marker, body: &masker.mask(&body) };
            self.github.upsert_comment(number, draft).await.map_err(|error| self.unknown(&error))?;
        }
        Err(AdmissionRefusal::new("E_RATE", format!("{login} started more than {limit} runs in 24 hours")))
    }

    async fn runs(&self, at: Timestamp, most: usize) -> Result<usize, ForgeError> {
        let (github, who, window) = (self.github, self.who, github_job::last_day(at, most));
        let labels = github.count_labellings(who, &self.keys.trigger_label, window).await?;
        let asks = |text: &str| slash_command(text) == Some(Ok(SlashCommand::Run));
        let comments = github.count_comments(who, asks, window).await?;
        let by_hand = match github_job::workflow(&github.repository()) {
            Some(workflow) => count_or_warn(github.count_starts_by(&workflow, who, window).await)?,
            None => 0,
        };
        Ok(labels.saturating_add(comments).saturating_add(by_hand))
    }

    /// Makes the refusal of an account of which GitHub does not say what it may do.
    pub(crate) fn unknown(&self, error: &ForgeError) -> AdmissionRefusal {
        let (login, answer) = (quoted(&self.who.login), quoted(&error.to_string()));
        AdmissionRefusal::new("E_ACTOR_UNKNOWN", format!("GitHub does not say what {login} may do: {answer}"))
    }

    /// Makes the refusal of an event that names another account than GitHub does.
    pub(crate) fn mismatch(&self, found: &str) -> AdmissionRefusal {
        let (login, found) = (quoted(&self.who.login), quoted(found));
        AdmissionRefusal::new("E_ACTOR_MISMATCH", format!("the event names {login} and GitHub names {found}"))
    }
}

/// Counts none where the token may not see jobs: it could not start one either.
fn count_or_warn(starts: Result<usize, ForgeError>) -> Result<usize, ForgeError> {
    match starts {
        Err(error) if error.is_final() => {
            tracing::warn!("Runs that were started by hand are not counted: {error}");
            Ok(0)
        }
        counted => counted,
    }
}

/// Makes the refusal of an account without the right to write, with the role that GitHub names.
pub(crate) fn denied(who: &GithubUser, role: &str) -> AdmissionRefusal {
    let (login, role) = (quoted(&who.login), quoted(role));
    AdmissionRefusal::new("E_ACTOR_DENIED", format!("{login} ({role}) may not start or steer runs here"))
}

/// The code of an event for whose issue another process works.
pub(crate) const BUSY: &str = "E_BUSY";

/// Why an event, or a comment, is not obeyed.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub(crate) struct AdmissionRefusal {
    /// Stays when the words change.
    pub code: &'static str,
    text: String,
}

impl AdmissionRefusal {
    /// Makes a refusal.
    pub(crate) fn new(code: &'static str, text: impl fmt::Display) -> Self {
        Self { code, text: text.to_string() }
    }

    /// Returns the code and the reason in one line.
    pub(crate) fn line(&self) -> String {
        format!("{} {self}", self.code)
    }
}

/// Returns the marker and the text of the comment to an account that started too many runs.
fn rate_reply(who: &GithubUser, most: u32) -> (String, String) {
    let marker = format!("<!-- ai-workflow:paused_rate v1 account={} -->", who.id);
    let body = format!(
        "{marker}\n`paused_rate`: {} started {most} runs in 24 hours, which is the limit. Try again when that \
         time is over, or raise `runs_per_actor` in `[github]`.\n",
        quoted(&who.login)
    );
    (marker, body)
}
