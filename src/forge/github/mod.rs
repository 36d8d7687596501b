//! GitHub as a forge: issues in, one comment and one pull request out. Every write can be repeated: an answer that is
//! lost is looked for before anything is written again. Does not decide who may start a run.

mod access;
mod checks;
mod comment;
mod dispatch;
mod event;
mod fitting;
mod follow_up;
mod island;
mod issue;
mod label;
mod pages;
mod patience;
mod people;
mod pull_request;
mod reaction;
mod ready;
mod reviewers;
mod state;
mod talk;
mod threads;

use std::sync::Arc;

use tokio::sync::OnceCell;

pub use access::{Access, PUBLIC};
pub use checks::lacking_right;
pub use dispatch::Workflow;
pub use event::{
    Commented, Dispatched, Event, EventComment, EventIssue, LARGEST_EVENT, Labeled, Person, read_event,
};
pub use patience::Patience;
pub use people::{Happened, Permission};
pub use pull_request::PullRequestSeen;
pub use reaction::{On, Reaction};
pub use state::IssueState;
pub use threads::{ReviewComment, ReviewThread, ThreadAnswer};

use talk::Line;

/// One repository on GitHub.
#[derive(Clone)]
pub struct GithubForge {
    line: Arc<Line>,
    /// Whom the token speaks for; nothing when GitHub does not say.
    myself: Arc<OnceCell<Option<String>>>,
}

impl std::fmt::Debug for GithubForge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GithubForge({:?})", self.line.access)
    }
}

impl GithubForge {
    /// Names a repository; nothing is asked yet.
    pub fn new(access: Access, patience: Patience) -> Self {
        Self { line: Arc::new(Line::new(access, patience)), myself: Arc::new(OnceCell::new()) }
    }

    /// Tells whether every write is refused here.
    pub fn reads_only(&self) -> bool {
        self.line.access.reads_only
    }

    /// Returns `owner/name`.
    pub fn repository(&self) -> String {
        format!("{}/{}", self.line.access.owner, self.line.access.name)
    }
}
