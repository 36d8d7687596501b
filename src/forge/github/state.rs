//! Where an issue stands: whether it is here, open, unlocked, and what labels it has. Its text is `issue`'s.

use serde::Deserialize;

use super::super::ForgeError;
use super::GithubForge;
use super::event::Label;
use super::pages::read;
use model::issue::IssueNumber;

const READ: &str = "read the issue";

/// Where an issue stands.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct IssueState {
    state: String,
    #[serde(default)]
    pub locked: bool,
    #[serde(default)]
    labels: Vec<Label>,
}

impl IssueState {
    pub fn is_open(&self) -> bool {
        self.state == "open"
    }

    /// Tells whether it has a label.
    pub fn has(&self, label: &str) -> bool {
        self.labels.iter().any(|have| have.name.eq_ignore_ascii_case(label))
    }

    /// Returns the names of its labels.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().map(|label| label.name.as_str())
    }
}

impl GithubForge {
    /// Returns where an issue stands; nothing when it was moved elsewhere or deleted.
    pub async fn issue_state(&self, number: IssueNumber) -> Result<Option<IssueState>, ForgeError> {
        match self.line.get(READ, &format!("/issues/{number}")).await {
            Err(ForgeError::Refused { status: 301 | 302 | 307 | 308 | 404 | 410, .. }) => Ok(None),
            found => read(READ, found?).map(Some),
        }
    }
}
