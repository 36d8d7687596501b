//! GitHub as a forge: issues in, one comment and one pull request out. Every write can be repeated: an answer that is
//! lost is looked for before anything is written again. Who may do what in the repository is what GitHub says now, and never
//! what an event claims. Does not decide who may start a run.

mod actions;
mod client;
mod event;
mod issues;
mod managed_section;
mod pull_requests;
mod retry;

use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;
use tokio::sync::OnceCell;

pub use actions::{WorkflowRef, missing_permission};
pub use client::{Access, CountWindow, PUBLIC_API};
pub use event::{
    Event, EventComment, EventIssue, GithubUser, IssueCommentEvent, LARGEST_EVENT, LabeledEvent,
    WorkflowDispatchEvent, read_event,
};
pub use issues::{IssueState, Reaction, ReactionTarget};
pub use pull_requests::{PullRequest, ReviewComment, ReviewThread, ThreadReply};
pub use retry::RetryPolicy;

use crate::Result;
use client::{Client, LOGIN, PagedList, escape_name};
use event::Label;
use model::issue::IssueNumber;

/// One repository on GitHub.
#[derive(Clone)]
pub struct GithubForge {
    client: Arc<Client>,
    /// The login of the token's account; nothing when GitHub does not say it.
    myself: Arc<OnceCell<Option<String>>>,
}

impl std::fmt::Debug for GithubForge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GithubForge({:?})", self.client.access)
    }
}

impl GithubForge {
    /// Names a repository; nothing is asked yet.
    pub fn new(access: Access, retry: RetryPolicy) -> Self {
        Self { client: Arc::new(Client::new(access, retry)), myself: Arc::new(OnceCell::new()) }
    }

    /// Tells whether every write is refused here.
    pub fn reads_only(&self) -> bool {
        self.client.access.reads_only
    }

    /// Returns `owner/name`.
    pub fn repository(&self) -> String {
        format!("{}/{}", self.client.access.owner, self.client.access.name)
    }
}

const ASK_PERMISSION: &str = "ask what somebody may do";
const READ_EVENTS: &str = "read what happened to the issue";
const READ_COMMENT: &str = "read the comment";

/// Of the newest events of a repository not more pages than these are read.
const MOST_EVENT_PAGES: usize = 20;

/// The permission of an account in the repository.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Permission {
    #[serde(rename = "permission")]
    level: String,
    #[serde(default)]
    role_name: String,
    user: Option<GithubUser>,
}

impl Permission {
    /// Tells whether they may write. A role that an organisation made up counts as what it is built on.
    pub fn may_write(&self) -> bool {
        matches!(self.level.as_str(), "write" | "maintain" | "admin")
    }

    /// Returns the role, for people.
    pub fn role(&self) -> &str {
        if self.role_name.is_empty() { &self.level } else { &self.role_name }
    }

    /// Tells whether this is about the same account, which a login alone does not.
    pub fn is_of(&self, person: &GithubUser) -> bool {
        self.user.as_ref().is_some_and(|user| user.id == person.id)
    }
}

/// Something that happened to an issue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct IssueEvent {
    event: String,
    /// The account; nothing when it is deleted.
    pub actor: Option<GithubUser>,
    /// When it happened.
    pub created_at: Timestamp,
    #[serde(default)]
    label: Option<Label>,
}

impl IssueEvent {
    fn is_labelling(&self, label: &str) -> bool {
        let named = self.label.as_ref().is_some_and(|given| given.name.eq_ignore_ascii_case(label));
        self.event == "labeled" && named
    }
}

impl GithubForge {
    /// Returns what a person may do; an error when GitHub does not say it. Of programs GitHub says nothing.
    pub async fn permission(&self, login: &str) -> Result<Permission> {
        let path = format!("/collaborators/{}/permission", escape_name(login, LOGIN));
        self.client.get(ASK_PERMISSION, &path).await
    }

    /// Tells whether a person may write to the repository; an unknown account may not.
    pub async fn may_write(&self, login: &str) -> Result<bool> {
        if login.is_empty() {
            return Ok(false);
        }
        match self.permission(login).await {
            Err(error) if error.is_missing() => Ok(false),
            permission => permission.map(|permission| permission.may_write()),
        }
    }

    /// Returns who has a login now.
    pub async fn account(&self, login: &str) -> Result<GithubUser> {
        self.client.get_path(ASK_PERMISSION, format!("/users/{}", escape_name(login, LOGIN))).await
    }

    /// Tells whether an issue bears the title that it had at a time.
    pub async fn has_kept_title(&self, number: IssueNumber, since: Timestamp) -> Result<bool> {
        let events = self.issue_events(number).await?;
        Ok(!events.iter().any(|event| event.event == "renamed" && event.created_at >= since))
    }

    /// Returns when a label was last put on an issue and by whom.
    pub async fn last_labelling(&self, number: IssueNumber, label: &str) -> Result<Option<IssueEvent>> {
        Ok(self.issue_events(number).await?.into_iter().rfind(|event| event.is_labelling(label)))
    }

    async fn issue_events(&self, number: IssueNumber) -> Result<Vec<IssueEvent>> {
        self.client.list(READ_EVENTS, &format!("/issues/{number}/events")).await
    }

    /// Returns how often an account put a label on any issue.
    pub async fn count_labellings(&self, by: &GithubUser, label: &str, window: CountWindow) -> Result<usize> {
        let (path, most_pages) = ("/issues/events", MOST_EVENT_PAGES);
        let list = PagedList { action: READ_EVENTS, path, key: None, most_pages };
        let is_theirs = |event: &IssueEvent| {
            event.actor.as_ref().is_some_and(|actor| actor.id == by.id) && event.is_labelling(label)
        };
        self.client.count(&list, window, |event: &IssueEvent| Some(event.created_at), is_theirs).await
    }

    /// Returns how often an account wrote a comment of a kind on any issue.
    pub async fn count_comments(
        &self,
        by: &GithubUser,
        is_counted: impl Fn(&str) -> bool,
        window: CountWindow,
    ) -> Result<usize> {
        let path = format!("/issues/comments?sort=created&direction=desc&since={}", window.after);
        let list = PagedList { action: READ_COMMENT, path: &path, key: None, most_pages: MOST_EVENT_PAGES };
        let is_theirs = |comment: &EventComment| {
            let same = comment.user.as_ref().is_some_and(|user| user.id == by.id);
            same && is_counted(comment.body.as_deref().unwrap_or_default())
        };
        self.client.count(&list, window, |comment: &EventComment| Some(comment.created_at), is_theirs).await
    }

    /// Returns a comment as it is now; nothing when it is gone.
    pub async fn current_comment(&self, id: u64) -> Result<Option<EventComment>> {
        self.client.find(READ_COMMENT, &format!("/issues/comments/{id}")).await
    }

    /// Returns the comments of an issue that were written or changed at or after a time, oldest first.
    pub async fn comments_since(&self, number: IssueNumber, since: Timestamp) -> Result<Vec<EventComment>> {
        self.client.list(READ_COMMENT, &format!("/issues/{number}/comments?since={since}")).await
    }
}

#[cfg(test)]
mod tests;
