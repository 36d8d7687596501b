//! Where issues come from and where comments and pull requests go. Every write is repeatable: a comment is found
//! by its id or its marker, a pull request by its head branch. Does not decide what a closed issue means.
//! The methods are async because the forge on the network is; the local one answers at once.

mod front_matter;
pub mod local;

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::issue::{Issue, IssueNumber};
use crate::redact::Masked;
pub use local::LocalForge;

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
}

impl ForgeError {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "look at the number, or write the issue into that file",
            Self::Unreadable { .. } => "correct the file; nothing was changed",
            Self::OtherHead { .. } => "move the file out of the way, or delete it",
            Self::Io { .. } => "look at the permissions and the disk",
        }
    }
}

/// A comment as the forge holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    pub id: u64,
    #[serde(default)]
    pub author: String,
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
}

/// Where a pull request is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequestRef {
    /// The local forge gives no numbers.
    pub number: Option<u64>,
    pub url: String,
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
}

#[expect(clippy::unused_async, reason = "the forge on the network awaits; callers shall not change for it")]
impl Forge {
    /// Returns an issue, open or closed.
    pub async fn issue(&self, number: IssueNumber) -> Result<Issue, ForgeError> {
        match self {
            Self::Local(local) => local.issue(number),
        }
    }

    /// Returns the comments of an issue, oldest first.
    pub async fn comments(&self, number: IssueNumber) -> Result<Vec<Comment>, ForgeError> {
        match self {
            Self::Local(local) => local.comments(number),
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
        }
    }
}
