//! GitHub as a forge: issues in, one comment and one pull request out. Every write can be repeated: an answer that is
//! lost is looked for before anything is written again. Does not decide who may start a run.

mod actions;
mod client;
mod event;
mod issues;
mod managed_section;
mod pull_requests;
mod repository;
mod retry;

pub use actions::{WorkflowRef, missing_permission};
pub use client::{Access, CountWindow, PUBLIC_API};
pub use event::{
    Commented, Dispatched, Event, EventComment, EventIssue, LARGEST_EVENT, Labeled, Person, read_event,
};
pub use issues::{IssueState, Reaction, ReactionTarget};
pub use pull_requests::{PullRequestState, ReviewComment, ReviewThread, ThreadReply};
pub use repository::{GithubForge, IssueEvent, Permission};
pub use retry::RetryPolicy;
