//! Whom a pause asks. One question at a time: a run has one pause, and nothing goes on beside it.

use super::state::Run;
use model::event::PauseReason;

impl Run {
    /// Returns who is asked, for people; nothing while the run does not wait.
    pub fn asked_of(&self) -> Option<String> {
        let (paused, issue) = (self.paused.as_ref()?, &self.started.issue);
        let maintainer = format!("a maintainer of {}", self.started.repository);
        Some(match paused.reason {
            PauseReason::Discuss if !issue.author.is_empty() => {
                format!("{}, who wrote the issue, or {maintainer}", issue.author)
            }
            PauseReason::Budget => "whoever pays for the agents".to_owned(),
            PauseReason::Quota | PauseReason::Outage | PauseReason::JobLimit | PauseReason::RateLimit => {
                "nobody: the pause ends by itself".to_owned()
            }
            PauseReason::Discuss
            | PauseReason::Exhausted
            | PauseReason::Blocked
            | PauseReason::Unreadable
            | PauseReason::ReviewerUnavailable
            | PauseReason::AgentFailed
            | PauseReason::Stalled
            | PauseReason::OnRequest
            | PauseReason::Gate => maintainer,
        })
    }
}
