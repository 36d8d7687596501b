//! Where issues come from and where comments and pull requests go. Every write is repeatable: a comment is found
//! by its id or its marker, a pull request by its head branch. Does not decide what a closed issue means.
//! The methods are async because GitHub is; the local forge answers at once.
#![warn(missing_docs)]
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

mod code_owners;
mod discussion;
mod error;
pub mod github;
pub mod local;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use code_owners::{CODE_OWNERS_PATHS, CodeOwner, CodeOwners};
pub use discussion::{OpenThread, WriteAccess, comments_before, discussion_of, is_named, referenced_issues};
pub use error::ForgeError;
use error::Result;
pub use github::GithubForge;
pub use local::LocalForge;
use model::issue::{Issue, IssueNumber};
use model::redact::Masked;
use model::text::sha256_hex;

/// What the name of a program ends with where people have none.
const BOT: &str = "[bot]";

/// A comment as the forge holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Its id on the forge.
    pub id: u64,
    /// The login of its author; empty when the account is gone.
    #[serde(default)]
    pub author: String,
    /// The author is a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_bot: bool,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Its text, in Markdown.
    pub body: String,
}

/// A comment that is to be there.
#[derive(Debug, Clone, Copy)]
pub struct CommentDraft<'a> {
    /// The id under which it was written before, if that is known.
    pub id: Option<u64>,
    /// A text inside the body by which it is found when the id is not known or leads nowhere.
    pub marker: &'a str,
    /// The whole text.
    pub body: &'a Masked,
}

/// A pull request that is to be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequestContent {
    /// Its title, used when it is opened.
    pub title: Masked,
    /// The name of its branch.
    pub head: String,
    /// The name of the branch that it goes into.
    pub base: String,
    /// Whether it is opened as a draft.
    pub draft: bool,
    /// Our section of its text.
    pub body: Masked,
    /// The run that it is of. Its text names the run, so one that a person closed is known.
    pub run: String,
    /// Its number, where it was opened before.
    pub number: Option<u64>,
}

/// The issue with what a run left for later, as it is to be there.
#[derive(Debug, Clone, Copy)]
pub struct FollowUpIssue<'a> {
    /// The issue it comes from.
    pub parent: IssueNumber,
    /// A text inside the body by which it is found again.
    pub marker: &'a str,
    /// Its title.
    pub title: &'a Masked,
    /// Its text.
    pub body: &'a Masked,
    /// It cannot be older than this.
    pub since: Timestamp,
    /// The label that would start a run of its own.
    pub trigger: &'a str,
}

/// Where an issue is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueRef {
    /// Its number.
    pub number: u64,
    /// Its page.
    pub url: String,
}

/// Where a pull request is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequestRef {
    /// The local forge gives no numbers.
    pub number: Option<u64>,
    /// Its page, or its file.
    pub url: String,
    /// A person closed it, and it was left as it is.
    pub is_closed: bool,
}

/// Returns the SHA-256 of what an issue says, to notice later edits.
pub fn digest(issue: &Issue) -> String {
    sha256_hex(&[issue.title.as_bytes(), b"\0", issue.body.as_bytes()])
}

/// The forge of a run.
#[derive(Debug, Clone)]
pub enum Forge {
    /// Files beside the code.
    Local(LocalForge),
    /// A repository on GitHub.
    Github(GithubForge),
}

impl Forge {
    /// Tells whether others see what is written here: there is a server, and a branch has to be pushed to it.
    pub fn is_remote(&self) -> bool {
        matches!(self, Self::Github(_))
    }

    /// Takes a pull request out of its draft.
    pub async fn mark_ready(&self, pull_request: &PullRequestRef) -> Result<()> {
        match (self, pull_request.number) {
            (Self::Github(github), Some(number)) => github.mark_ready(number).await,
            (Self::Local(_), _) | (Self::Github(_), None) => Ok(()),
        }
    }

    /// Opens the follow-up issue of a run unless it is there. Files beside the code need none: the report has the tasks.
    pub async fn follow_up(&self, wanted: &FollowUpIssue<'_>) -> Result<Option<IssueRef>> {
        match self {
            Self::Local(_) => Ok(None),
            Self::Github(github) => github.follow_up(wanted).await.map(Some),
        }
    }

    /// Returns the login that we write as, where there is one.
    pub async fn myself(&self) -> Result<Option<&str>> {
        match self {
            Self::Local(_) => Ok(None),
            Self::Github(github) => github.myself().await,
        }
    }

    /// Returns an issue, open or closed.
    pub async fn issue(&self, number: IssueNumber) -> Result<Issue> {
        match self {
            Self::Local(local) => local.issue(number),
            Self::Github(github) => github.issue(number).await,
        }
    }

    /// Returns the comments of an issue, oldest first.
    pub async fn comments(&self, number: IssueNumber) -> Result<Vec<Comment>> {
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
    ) -> Result<u64> {
        match self {
            Self::Local(local) => local.upsert_comment(number, draft, at),
            Self::Github(github) => github.upsert_comment(number, draft).await,
        }
    }

    /// Returns the newest comment of ours that bears a mark. Files beside the code need no looking for.
    pub async fn own_comment(&self, number: IssueNumber, marker: &str) -> Result<Option<u64>> {
        match self {
            Self::Local(_) => Ok(None),
            Self::Github(github) => github.own_comment(number, marker).await,
        }
    }

    /// Opens the pull request of a head branch, or brings it up to date.
    pub async fn upsert_pull_request(
        &self,
        number: IssueNumber,
        request: &PullRequestContent,
    ) -> Result<PullRequestRef> {
        match self {
            Self::Local(local) => local.upsert_pull_request(number, request),
            Self::Github(github) => github.upsert_pull_request(request).await,
        }
    }
}
