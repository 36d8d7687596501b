//! What others said about work that was finished: reviewers of a pull request, or the checks of a server.

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::phase::PhaseName;

/// Work that was finished is taken up again because of what others said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FedBack {
    /// The phase that is opened again; it goes on with a revision.
    pub phase: PhaseName,
    /// Who said it.
    pub by: Source,
    /// The number of the pull request.
    pub pull_request: u64,
    /// Where the branch stood: what changes after it answers what was said.
    pub head: String,
    /// What was said, one finding a thread or check.
    pub findings: Vec<Finding>,
    /// The threads that are to be answered, one for each finding.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<TakenThread>,
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// People who reviewed the pull request.
    Reviewers,
    /// The checks that ran on its head.
    Checks,
}

/// A thread of review comments that was taken up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenThread {
    /// The id of the thread on the server.
    pub id: String,
    /// The last comment that was read; what is said after it is taken up another time.
    pub up_to: u64,
    /// The file it stands at.
    pub path: String,
    /// The line it stands at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

impl FedBack {
    /// Returns what the author of the phase is told first.
    pub fn reason(&self) -> String {
        let who = match self.by {
            Source::Reviewers => "People who reviewed",
            Source::Checks => "The checks of",
        };
        let told = self.findings.iter().map(|finding| {
            let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
            let place = finding.file.as_ref().map(|file| format!("{file}{line}: ")).unwrap_or_default();
            format!("\n- {place}{}", finding.issue)
        });
        format!("{who} pull request {} ask for a change:{}", self.pull_request, told.collect::<String>())
    }
}
