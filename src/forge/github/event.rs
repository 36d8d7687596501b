//! What GitHub says happened, in the file it gives to a job or the body it sends to a webhook. Reads only the events that
//! something follows from, and of those only what is used; everything else is `Other`, never an error.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::client::read;
use crate::{BOT, ForgeError, Result};
use model::issue::IssueNumber;

/// GitHub sends nothing larger than 25 MB.
pub const LARGEST_EVENT: u64 = 26 << 20;

const READ_EVENT: &str = "read the event";

/// An event of GitHub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A label was put on an issue.
    Labeled(LabeledEvent),
    /// A comment was written.
    Commented(IssueCommentEvent),
    /// The workflow was started for an issue, by a person or by a job of ours.
    Dispatched(WorkflowDispatchEvent),
    /// Another workflow or a check came to its end; `by` is who had started it.
    Upstream {
        /// Who started the other workflow.
        by: GithubUser,
    },
    /// Nothing follows from it.
    Other,
}

/// The event that a label was put on an issue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LabeledEvent {
    /// The label.
    pub label: Label,
    /// The issue.
    pub issue: EventIssue,
    /// Who did it, as the event claims.
    pub sender: GithubUser,
}

/// The event that a comment was written on an issue or a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct IssueCommentEvent {
    /// The comment.
    pub comment: EventComment,
    /// The issue, or the pull request.
    pub issue: EventIssue,
    /// Who did it, as the event claims.
    pub sender: GithubUser,
}

/// The event that the workflow was started by hand or by the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowDispatchEvent {
    /// The issue that it was started for.
    pub issue: IssueNumber,
    /// Who did it, as the event claims.
    pub sender: GithubUser,
}

/// A label of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Label {
    /// Its name.
    pub name: String,
}

/// An account on GitHub. Its number identifies it; a login can pass to another account.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GithubUser {
    /// The number of the account.
    pub id: u64,
    /// The login now.
    pub login: String,
    /// `User`, `Bot` or `Organization`.
    #[serde(rename = "type", default)]
    pub kind: String,
}

impl GithubUser {
    /// Tells whether this is a program.
    pub fn is_bot(&self) -> bool {
        self.kind == "Bot" || self.login.ends_with(BOT)
    }
}

/// The issue, or the pull request, as it was when it happened.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EventIssue {
    /// Its number.
    pub number: IssueNumber,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// Its text.
    #[serde(default)]
    pub body: Option<String>,
    #[serde(default)]
    pull_request: Option<Value>,
}

impl EventIssue {
    /// Tells whether it is a pull request.
    pub fn is_pull_request(&self) -> bool {
        self.pull_request.is_some()
    }
}

/// A comment with who wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EventComment {
    /// Its id.
    pub id: u64,
    /// Its text.
    #[serde(default)]
    pub body: Option<String>,
    /// The author; nothing when the account is deleted.
    pub user: Option<GithubUser>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Reads an event by its name (`GITHUB_EVENT_NAME`, `X-GitHub-Event`) and its text.
pub fn read_event(name: &str, text: &[u8]) -> Result<Event> {
    let payload: Value = serde_json::from_slice(text)
        .map_err(|error| ForgeError::unexpected(READ_EVENT, error.to_string()))?;
    match (name, payload["action"].as_str()) {
        ("issues", Some("labeled")) => Ok(Event::Labeled(read(READ_EVENT, payload)?)),
        ("issue_comment", Some("created")) => Ok(Event::Commented(read(READ_EVENT, payload)?)),
        ("workflow_dispatch", _) => read_dispatch(&payload),
        ("workflow_run", _) => {
            let run = &payload["workflow_run"];
            let by = [&run["triggering_actor"], &run["actor"]].into_iter().find(|by| by.is_object());
            read_upstream(by.unwrap_or(&payload["sender"]))
        }
        ("check_run", _) => read_upstream(&payload["sender"]),
        _ => Ok(Event::Other),
    }
}

/// The input `issue` comes as a text or, from a workflow file, as a number.
fn read_dispatch(payload: &Value) -> Result<Event> {
    let unexpected = |why| ForgeError::unexpected(READ_EVENT, format!("its input `issue` is wrong: {why}"));
    let issue = match &payload["inputs"]["issue"] {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return Ok(Event::Other),
    };
    let issue = issue.parse().map_err(unexpected)?;
    let sender = read(READ_EVENT, payload["sender"].clone())?;
    Ok(Event::Dispatched(WorkflowDispatchEvent { issue, sender }))
}

fn read_upstream(by: &Value) -> Result<Event> {
    Ok(Event::Upstream { by: read(READ_EVENT, by.clone())? })
}

#[cfg(test)]
mod tests;
