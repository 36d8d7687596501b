//! Where issues come from and where comments and pull requests go. Every write is repeatable: a comment is found
//! by its id or its marker, a pull request by its head branch. Does not decide what a closed issue means.
//! The methods are async because GitHub is; the local forge answers at once.
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

mod asking;
mod code_owners;
mod front_matter;
pub mod github;
mod heard;
pub mod local;
mod voices;

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use asking::{Asking, asked_for};
pub use code_owners::{CodeOwners, Owner, PLACES as CODE_OWNERS};
pub use github::GithubForge;
pub use heard::{earlier, heard, named};
pub use local::LocalForge;
use model::issue::{Issue, IssueNumber};
use model::redact::Masked;
pub use voices::{Voices, is_named};

/// Says why a forge did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ForgeError {
    #[error("issue {number} does not exist: there is no {place}")]
    NotFound { number: IssueNumber, place: String },
    #[error("{file}, line {line}: {why}")]
    Unreadable { file: String, line: usize, why: String },
    #[error("{file} is the pull request of {found}, not of {head}")]
    OtherHead { file: String, found: String, head: String },
    #[error("cannot {action} {}: {source}", .file.display())]
    Io { action: &'static str, file: PathBuf, source: std::io::Error },
    #[error("GitHub cannot be used: {why}")]
    Access { why: String },
    #[error("{server} does not accept the token")]
    Token { server: String },
    #[error("{number} of {repository} is a pull request, no issue")]
    NoIssue { number: IssueNumber, repository: String },
    #[error("cannot {action}: GitHub answered {status} {message}")]
    Refused { action: &'static str, status: u16, message: String, needs: String },
    #[error("cannot {action}: GitHub asks to wait until {until}")]
    Limited { action: &'static str, until: Timestamp },
    #[error("cannot {action}: {server} gave no answer: {why}")]
    Unreachable { action: &'static str, server: String, why: String },
    #[error("cannot {action}: the answer is not what it should be: {why}")]
    Unexpected { action: &'static str, why: String },
    #[error("cannot {action}: this process only reads from GitHub")]
    ReadsOnly { action: &'static str },
}

impl ForgeError {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> String {
        let hint = match self {
            Self::Refused { .. } if self.says(NO_REQUESTS) => {
                "allow it in the settings of the repository: Settings, Actions, General, Workflow permissions, \
                 \"Allow GitHub Actions to create and approve pull requests\"; or use the token of an app"
            }
            Self::Refused { status, needs, .. } => return refused(*status, needs),
            Self::NotFound { .. } => "look at the number, or write the issue into that file",
            Self::Unreadable { .. } => "correct the file; nothing was changed",
            Self::OtherHead { .. } => "move the file out of the way, or delete it",
            Self::Io { .. } => "look at the permissions and the disk",
            Self::Access { .. } => {
                "set GITHUB_TOKEN, and GITHUB_REPOSITORY or the address of origin; or use `--forge local`"
            }
            Self::Token { .. } => {
                "make a new token: the one in GITHUB_TOKEN or GH_TOKEN is wrong or has expired"
            }
            Self::NoIssue { .. } => "give the number of the issue that the pull request is about",
            Self::ReadsOnly { .. } => "the job that applies what this one hands over writes",
            Self::Limited { .. } => "go on after that time with the same command; nothing is lost",
            Self::Unreachable { .. } | Self::Unexpected { .. } => {
                "go on with the same command when GitHub works again; nothing is lost"
            }
        };
        hint.to_owned()
    }

    /// Tells whether trying again later is of no use.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Limited { .. } | Self::Unreachable { .. } | Self::Unexpected { .. })
    }

    /// Tells whether what was asked for is not there, or not for us to see.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Refused { status: 404 | 410, .. })
    }

    /// Tells whether GitHub refused with these words.
    fn says(&self, words: &str) -> bool {
        matches!(self, Self::Refused { message, .. } if message.to_lowercase().contains(words))
    }
}

/// What GitHub says where the repository's settings let no workflow open pull requests, whatever the token may do.
const NO_REQUESTS: &str = "not permitted to create or approve pull requests";

fn refused(status: u16, needs: &str) -> String {
    match status {
        _ if !needs.is_empty() => format!("the token lacks a permission; it needs {}", rights(needs)),
        301 | 302 | 307 | 308 => "the repository has another name now: correct the address of origin".into(),
        403 | 404 => "look at the name of the repository and at what the token may do".into(),
        _ => "this was not done, what was done before it stays; go on with the same command when the cause is gone"
            .into(),
    }
}

/// GitHub writes `a=write,b=write; c=write` for: both of the first, or the last.
fn rights(needs: &str) -> String {
    let set = |set: &str| set.split(',').map(str::trim).collect::<Vec<_>>().join(" and ");
    needs.split(';').map(set).collect::<Vec<_>>().join(", or ")
}

/// A comment as the forge holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    pub id: u64,
    #[serde(default)]
    pub author: String,
    /// The author is a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_bot: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub body: String,
}

/// A comment that is to be there.
#[derive(Debug, Clone, Copy)]
pub struct CommentDraft<'a> {
    /// The id under which it was written before, if that is known.
    pub id: Option<u64>,
    /// A text inside the body by which it is found when the id is not known or leads nowhere.
    pub marker: &'a str,
    pub body: &'a Masked,
}

/// A pull request that is to be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequest {
    pub title: Masked,
    pub head: String,
    pub base: String,
    pub draft: bool,
    pub body: Masked,
    /// The run that it is of. Its text names the run, so one that a person closed is known.
    pub run: String,
    /// Its number, where it was opened before.
    pub number: Option<u64>,
}

/// The issue with what a run left for later, as it is to be there.
#[derive(Debug, Clone, Copy)]
pub struct FollowUp<'a> {
    /// The issue it comes from.
    pub parent: IssueNumber,
    /// A text inside the body by which it is found again.
    pub marker: &'a str,
    pub title: &'a Masked,
    pub body: &'a Masked,
    /// It cannot be older than this.
    pub since: Timestamp,
    /// The label that would start a run of its own.
    pub trigger: &'a str,
}

/// Where an issue is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueRef {
    pub number: u64,
    pub url: String,
}

/// Where a pull request is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequestRef {
    /// The local forge gives no numbers.
    pub number: Option<u64>,
    pub url: String,
    /// A person closed it, and it was left as it is.
    pub is_closed: bool,
}

/// Returns the SHA-256 of what an issue says, to notice later edits.
pub fn digest(issue: &Issue) -> String {
    let text = format!("{}\0{}", issue.title, issue.body);
    Sha256::digest(text.as_bytes()).iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

/// The forge of a run.
#[derive(Debug, Clone)]
pub enum Forge {
    Local(LocalForge),
    Github(GithubForge),
}

impl Forge {
    /// Tells whether others see what is written here: there is a server, and a branch has to be pushed to it.
    pub fn is_remote(&self) -> bool {
        matches!(self, Self::Github(_))
    }

    /// Takes a pull request out of its draft.
    pub async fn mark_ready(&self, pull_request: &PullRequestRef) -> Result<(), ForgeError> {
        match (self, pull_request.number) {
            (Self::Github(github), Some(number)) => github.mark_ready(number).await,
            (Self::Local(_), _) | (Self::Github(_), None) => Ok(()),
        }
    }

    /// Opens the follow-up issue of a run unless it is there. Files beside the code need none: the report has the tasks.
    pub async fn follow_up(&self, wanted: &FollowUp<'_>) -> Result<Option<IssueRef>, ForgeError> {
        match self {
            Self::Local(_) => Ok(None),
            Self::Github(github) => github.follow_up(wanted).await.map(Some),
        }
    }

    /// Returns the login that we write as, where there is one.
    pub async fn myself(&self) -> Result<Option<&str>, ForgeError> {
        match self {
            Self::Local(_) => Ok(None),
            Self::Github(github) => github.myself().await,
        }
    }

    /// Returns an issue, open or closed.
    pub async fn issue(&self, number: IssueNumber) -> Result<Issue, ForgeError> {
        match self {
            Self::Local(local) => local.issue(number),
            Self::Github(github) => github.issue(number).await,
        }
    }

    /// Returns the comments of an issue, oldest first.
    pub async fn comments(&self, number: IssueNumber) -> Result<Vec<Comment>, ForgeError> {
        match self {
            Self::Local(local) => local.comments(number),
            Self::Github(github) => github.comments(number).await,
        }
    }

    /// Writes a comment, or writes it again, and returns its id.
    pub async fn upsert_comment(
        &self,
        number: IssueNumber,
        draft: CommentDraft<'_>,
        at: Timestamp,
    ) -> Result<u64, ForgeError> {
        match self {
            Self::Local(local) => local.upsert_comment(number, draft, at),
            Self::Github(github) => github.upsert_comment(number, draft).await,
        }
    }

    /// Returns the newest comment of ours that bears a mark. Files beside the code need no looking for.
    pub async fn own_comment(&self, number: IssueNumber, marker: &str) -> Result<Option<u64>, ForgeError> {
        match self {
            Self::Local(_) => Ok(None),
            Self::Github(github) => github.own_comment(number, marker).await,
        }
    }

    /// Opens the pull request of a head branch, or brings it up to date.
    pub async fn upsert_pull_request(
        &self,
        number: IssueNumber,
        request: &PullRequest,
    ) -> Result<PullRequestRef, ForgeError> {
        match self {
            Self::Local(local) => local.upsert_pull_request(number, request),
            Self::Github(github) => github.upsert_pull_request(request).await,
        }
    }
}
