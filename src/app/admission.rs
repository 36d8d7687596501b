//! Who may start and steer runs: those who may write, and those whom the settings name. GitHub is asked, and what it does
//! not say is a no. An account is its number; a program is known by its whole name. A refusal is no failure, so that a
//! stranger's comment makes no job red; its code stays when the words change: scripts and people look for it in the summary
//! of the job.

use jiff::Timestamp;

use crate::failure::TEXT_NOT_TRUSTED;
use crate::github_job;
use crate::project::Project;
use content_parser::{SlashCommand, slash_command};
use forge::github::Person;
use forge::{CommentDraft, ForgeError, GithubForge, is_named};
use model::issue::IssueNumber;
use settings::GithubKeys;
use views::summary::quoted;

/// Refuses whoever may neither write nor is named.
pub async fn admit(github: &GithubForge, keys: &GithubKeys, who: &Person) -> Result<(), Refusal> {
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
/// The first one beyond the limit gets a comment on its issue; a flood is not answered by a flood.
pub async fn refuse_too_many(
    github: &GithubForge,
    project: &Project,
    who: &Person,
    number: IssueNumber,
    at: Timestamp,
) -> Result<(), Refusal> {
    let keys = &project.settings.github;
    let told = |error: ForgeError| unknown(who, &error);
    let most = usize::try_from(keys.runs_per_actor).unwrap_or(usize::MAX);
    let runs = runs_of(github, keys, who, at, most.saturating_add(2)).await.map_err(told)?;
    if runs <= most {
        return Ok(());
    }
    if runs == most.saturating_add(1) && !github.reads_only() {
        let (marker, body) = rate_reply(who, keys.runs_per_actor);
        let draft = CommentDraft { id: None, marker: &marker, body: &project.masker.mask(&body) };
        github.upsert_comment(number, draft).await.map_err(told)?;
    }
    Err(Refusal::Rate(who.login.clone(), keys.runs_per_actor))
}

async fn runs_of(
    github: &GithubForge,
    keys: &GithubKeys,
    who: &Person,
    at: Timestamp,
    most: usize,
) -> Result<usize, ForgeError> {
    let window = github_job::last_day(at, most);
    let labels = github.count_labellings(who, &keys.trigger_label, window).await?;
    let asks = |text: &str| slash_command(text) == Some(Ok(SlashCommand::Run));
    let comments = github.count_comments(who, asks, window).await?;
    let by_hand = match github_job::workflow(&github.repository()) {
        Some(workflow) => counted(github.starts(&workflow, who, window).await)?,
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

/// Makes the refusal of somebody who may not.
pub fn denied(who: &Person, role: &str) -> Refusal {
    Refusal::Denied(who.login.clone(), role.to_owned())
}

/// Makes the refusal of somebody of whom GitHub does not say what they may do.
pub fn unknown(who: &Person, error: &ForgeError) -> Refusal {
    Refusal::Unknown(who.login.clone(), error.to_string())
}

/// Makes the refusal of an event that names another account than GitHub does.
pub fn mismatch(who: &Person, found: &str) -> Refusal {
    Refusal::Mismatch(who.login.clone(), found.to_owned())
}

/// Why an event, or a comment, is not obeyed.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Somebody who may not write to the repository (`E_ACTOR_DENIED`): the login, and the role that GitHub names.
    #[error("{} ({}) may not start or steer runs here", quoted(.0), quoted(.1))]
    Denied(String, String),
    /// GitHub does not say what somebody may do: the login, and what it answered.
    #[error("GitHub does not say what {} may do: {}", quoted(.0), quoted(.1))]
    Unknown(String, String),
    /// The event names another account than GitHub does: the login in the event, and what GitHub names.
    #[error("the event names {}, and GitHub names {}", quoted(.0), quoted(.1))]
    Mismatch(String, String),
    /// Somebody started too many runs in 24 hours: the login, and the most that one person may start.
    #[error("{} started more than {} runs in 24 hours", quoted(.0), .1)]
    Rate(String, u32),
    /// The issue is closed.
    #[error("issue {0} is closed")]
    Closed(IssueNumber),
    /// The issue is locked.
    #[error("issue {0} is locked")]
    Locked(IssueNumber),
    /// The issue was moved or deleted.
    #[error("issue {0} is not in this repository any more")]
    Gone(IssueNumber),
    /// The label that started this job was taken off before there was a run.
    #[error("the label was taken off issue {0} again, and there is no run: put it on once more")]
    LabelGone(IssueNumber),
    /// The comment is not what it was when the event was sent.
    #[error("the comment was changed or deleted after it was written: write a new one")]
    Changed,
    /// The command cannot be read.
    #[error("{0}")]
    Unclear(String),
    /// The run does not take the command now.
    #[error("{}", quoted(.0))]
    Impossible(String),
    /// The text of the issue does not count, because its author may not write.
    #[error("{}", quoted(.0))]
    Untrusted(String),
    /// Another process holds the issue or its checkout.
    #[error("another process works on issue {0} or in its checkout")]
    Busy(IssueNumber),
}

impl Refusal {
    /// Returns the code, which stays when the words change.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Denied(..) => "E_ACTOR_DENIED",
            Self::Unknown(..) => "E_ACTOR_UNKNOWN",
            Self::Mismatch(..) => "E_ACTOR_MISMATCH",
            Self::Rate(..) => "E_RATE",
            Self::Closed(_) => "E_ISSUE_CLOSED",
            Self::Locked(_) => "E_ISSUE_LOCKED",
            Self::Gone(_) => "E_ISSUE_GONE",
            Self::LabelGone(_) => "E_LABEL_GONE",
            Self::Changed => "E_COMMAND_CHANGED",
            Self::Unclear(_) => "E_COMMAND_UNKNOWN",
            Self::Impossible(_) => "E_COMMAND_REFUSED",
            Self::Untrusted(_) => TEXT_NOT_TRUSTED,
            Self::Busy(_) => "E_BUSY",
        }
    }

    /// Returns the code and the reason in one line.
    pub fn line(&self) -> String {
        format!("{} {self}", self.code())
    }
}

/// Returns the mark and the text for somebody who started too many runs.
fn rate_reply(who: &Person, most: u32) -> (String, String) {
    let marker = format!("<!-- ai-workflow:paused_rate v1 account={} -->", who.id);
    let body = format!(
        "{marker}\n`paused_rate`: {} started {most} runs in 24 hours, which is the limit. Try again when that \
         time is over, or raise `runs_per_actor` in `[github]`.\n",
        quoted(&who.login)
    );
    (marker, body)
}
