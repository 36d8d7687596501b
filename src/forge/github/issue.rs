//! Reads an issue and its comments.

use jiff::Timestamp;
use serde::Deserialize;

use super::super::{Comment, ForgeError};
use super::GithubForge;
use super::pages::read;
use model::issue::{Discussion, Issue, IssueNumber};

const READ: &str = "read the issue";

/// What we use of an issue.
#[derive(Deserialize)]
struct Given {
    title: String,
    body: Option<String>,
    labels: Vec<Label>,
    user: Option<User>,
    state: String,
    html_url: String,
    pull_request: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Label {
    Plain(String),
    Named { name: Option<String> },
}

/// Who wrote something; nobody when the account is gone.
#[derive(Deserialize)]
pub(super) struct User {
    pub login: String,
    #[serde(default, rename = "type")]
    pub kind: String,
}

/// What we use of a comment.
#[derive(Deserialize)]
pub(super) struct Said {
    pub id: u64,
    user: Option<User>,
    created_at: Timestamp,
    updated_at: Timestamp,
    body: Option<String>,
}

impl From<Said> for Comment {
    fn from(said: Said) -> Self {
        Self {
            id: said.id,
            by_bot: said.user.as_ref().is_some_and(|user| user.kind == "Bot"),
            author: said.user.map(|user| user.login).unwrap_or_default(),
            created_at: said.created_at,
            updated_at: said.updated_at,
            body: said.body.unwrap_or_default(),
        }
    }
}

impl GithubForge {
    /// Returns an issue, open or closed. A pull request is none.
    pub async fn issue(&self, number: IssueNumber) -> Result<Issue, ForgeError> {
        let not_found =
            || ForgeError::NotFound { number, place: format!("such issue in {}", self.repository()) };
        let answer = self.line.get(READ, &format!("/issues/{number}")).await;
        let value = answer.map_err(|error| if error.is_missing() { not_found() } else { error })?;
        let given: Given = read(READ, value)?;
        if given.pull_request.is_some() {
            return Err(ForgeError::NoIssue { number, repository: self.repository() });
        }
        let name = |label: Label| match label {
            Label::Plain(name) => Some(name),
            Label::Named { name } => name,
        };
        Ok(Issue {
            number,
            title: given.title,
            body: given.body.unwrap_or_default(),
            labels: given.labels.into_iter().filter_map(name).collect(),
            author: given.user.map(|user| user.login).unwrap_or_default(),
            open: given.state == "open",
            url: given.html_url,
            discussion: Discussion::default(),
        })
    }

    /// Returns the comments of an issue, oldest first.
    pub async fn comments(&self, number: IssueNumber) -> Result<Vec<Comment>, ForgeError> {
        const LIST: &str = "list the comments";
        let all = self.all(LIST, &format!("/issues/{number}/comments"), "").await?;
        all.into_iter().map(|value| read::<Said>(LIST, value).map(Comment::from)).collect()
    }
}
