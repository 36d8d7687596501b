//! Why nothing is done for an event. Each reason has a code that stays: scripts and people look for it in the summary of
//! the job. A refusal is no failure, so that a stranger's comment makes no job red.

use forge::github::Person;
use model::issue::IssueNumber;
use views::summary::quoted;

/// The code of a run whose issue was written by somebody whose text does not count.
pub(super) const TEXT_NOT_TRUSTED: &str = "E_TEXT_NOT_TRUSTED";

/// Why an event, or a comment, is not obeyed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error("{} ({}) may not start or steer runs here", quoted(.login), quoted(.role))]
    Denied { login: String, role: String },
    #[error("GitHub does not say what {} may do: {}", quoted(.login), quoted(.why))]
    Unknown { login: String, why: String },
    #[error("the event names {}, and GitHub names {}", quoted(.named), quoted(.found))]
    Mismatch { named: String, found: String },
    #[error("{} started more than {most} runs in 24 hours", quoted(.login))]
    Rate { login: String, most: u32 },
    #[error("issue {0} is closed")]
    Closed(IssueNumber),
    #[error("issue {0} is locked")]
    Locked(IssueNumber),
    #[error("issue {0} is not in this repository any more")]
    Gone(IssueNumber),
    #[error("the label was taken off issue {0} again, and there is no run: put it on once more")]
    LabelGone(IssueNumber),
    #[error("the comment was changed or deleted after it was written: write a new one")]
    Changed,
    #[error("{0}")]
    Unclear(String),
    #[error("{}", quoted(.0))]
    Impossible(String),
    #[error("{}", quoted(.0))]
    Untrusted(String),
    #[error("another process works on issue {0} or in its checkout")]
    Busy(IssueNumber),
}

impl Refusal {
    /// Returns the code, which stays when the words change.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Denied { .. } => "E_ACTOR_DENIED",
            Self::Unknown { .. } => "E_ACTOR_UNKNOWN",
            Self::Mismatch { .. } => "E_ACTOR_MISMATCH",
            Self::Rate { .. } => "E_RATE",
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
    pub(super) fn line(&self) -> String {
        format!("{} {self}", self.code())
    }
}

/// Returns the mark and the text for somebody who started too many runs.
pub(super) fn rate_reply(who: &Person, most: u32) -> (String, String) {
    let marker = format!("<!-- ai-workflow:paused_rate v1 account={} -->", who.id);
    let body = format!(
        "{marker}\n`paused_rate`: {} started {most} runs in 24 hours, which is the limit. Try again when that \
         time is over, or raise `runs_per_actor` in `[github]`.\n",
        quoted(&who.login)
    );
    (marker, body)
}
