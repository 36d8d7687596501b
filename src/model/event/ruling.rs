//! What the engine ruled, what it asks a person, what the person answers, and what others said about work that was
//! finished: reviewers of a pull request, or the checks of a server.

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::phase::{PhaseName, Step};
use crate::verdict::Judgment;

/// A judgment and what `decide` made of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ruled {
    /// The phase that was ruled on.
    pub phase: PhaseName,
    /// The round that was ruled on.
    pub round: u32,
    /// What the round shows.
    pub judgment: Judgment,
    /// What happens next.
    pub ruling: Ruling,
    /// The rule that led here, with the limits used, in one line.
    pub rule: String,
    /// Standstill is seen and shown; it ends nothing unless the policy says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standstill: Option<String>,
}

/// What happens next in a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(tag = "do", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs, reason = "the doc of a variant says what its fields are")]
pub enum Ruling {
    /// The phase is approved: its commit comes next.
    Advance,
    /// The author revises the work.
    Revise,
    /// The same step again.
    Redo {
        step: Step,
        delay_ms: u64,
        /// The next agent of the chain takes over.
        #[serde(default)]
        next_agent: bool,
        /// Its name, when it takes over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        takes_over: Option<String>,
    },
    /// The provider fails: the same step again, not before then.
    Wait { step: Step, until: jiff::Timestamp },
    /// A second opinion that nobody gives is done without.
    LeaveOut { seat: String },
    /// A person is asked, or a time is waited for.
    Pause { escalation: Escalation },
    /// The phase fails.
    Fail {
        reason: String,
        #[serde(default)]
        incomplete: bool,
    },
    /// The evaluation sends the run back.
    Reopen { phase: PhaseName },
}

impl Ruling {
    /// Returns the word of the glossary.
    pub fn word(&self) -> &'static str {
        self.into()
    }
}

/// The question attached to a pause.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalation {
    /// Why the run waits.
    pub reason: PauseReason,
    /// The phase that waits, where it is one.
    pub phase: Option<PhaseName>,
    /// What is asked, for people.
    pub question: String,
    /// What can be answered.
    pub options: Vec<PauseChoice>,
    /// Rounds so far and open findings, one line each.
    #[serde(default)]
    pub report: Vec<String>,
    /// The pause ends by itself then.
    pub until: Option<jiff::Timestamp>,
}

/// Why a run waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PauseReason {
    /// A limit is reached.
    Exhausted,
    /// Something stops the phase that no revision can repair.
    Blocked,
    /// A finding needs a decision by a person.
    Discuss,
    /// The judgment could not be read.
    Unreadable,
    /// No reviewer answered.
    ReviewerUnavailable,
    /// No agent could finish the step.
    AgentFailed,
    /// The rounds bring nothing new.
    Stalled,
    /// The next call cannot be paid.
    Budget,
    /// Every agent has used up its quota.
    Quota,
    /// The provider failed for as long as the run waits for it.
    Outage,
    /// The time of the job is over.
    JobLimit,
    /// The server lets nobody in for longer than we wait.
    RateLimit,
    /// A person asked the run to wait.
    OnRequest,
    /// The gate of a phase.
    Gate,
}

impl PauseReason {
    /// Returns the word used in records.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Tells whether `execute` may go on by itself once the reason is gone.
    pub fn passes_by_itself(self) -> bool {
        matches!(self, Self::Budget | Self::Quota | Self::Outage | Self::JobLimit | Self::RateLimit)
    }
}

/// What a person may answer to a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PauseChoice {
    /// Go on, with a fresh set of limits.
    Continue,
    /// The person takes the responsibility that the reviewer did not take.
    Accept,
    /// The phase fails.
    GiveUp,
    /// The person changed files: the evidence is gathered and reviewed again, on the limits that are left.
    Edited,
}

impl PauseChoice {
    /// Returns the word with which a person answers.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl Escalation {
    /// Tells whether this can be answered so. Where work can be accepted, it can also be changed by hand.
    pub fn takes(&self, choice: PauseChoice) -> bool {
        match choice {
            PauseChoice::Continue => true,
            PauseChoice::Edited => {
                [PauseChoice::Edited, PauseChoice::Accept].iter().any(|it| self.options.contains(it))
            }
            PauseChoice::Accept | PauseChoice::GiveUp => self.options.contains(&choice),
        }
    }
}

/// The answer to a pause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// What was chosen.
    pub choice: PauseChoice,
    /// What the person wants the author to know; of an accept, why.
    #[serde(default)]
    pub text: String,
    /// Who answered.
    pub by: String,
    /// Go on for so many revisions (with triage: rounds) instead of a fresh set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// The paths the person changed, relative to the worktree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
}

impl Answered {
    /// Makes an answer that goes on with a fresh set of limits.
    pub fn new(choice: PauseChoice, text: &str, by: &str) -> Self {
        Self { choice, text: text.to_owned(), by: by.to_owned(), rounds: None, changed: Vec::new() }
    }
}

/// A phase was opened again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reopened {
    /// The first phase that is opened.
    pub phase: PhaseName,
    /// The step it goes on with.
    pub step: Step,
    /// Why, for the next author.
    pub reason: String,
    /// Who opened it.
    pub by: ReopenedBy,
}

/// Who opened a phase again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReopenedBy {
    /// A person tries again.
    Retry,
    /// A person went back to an earlier phase.
    Rollback,
    /// The evaluation sent the run back.
    Evaluation,
    /// What others said about finished work.
    Feedback,
}

/// Work that was finished is taken up again because of what others said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// The phase that is opened again; it goes on with a revision.
    pub phase: PhaseName,
    /// Who said it.
    pub by: FeedbackSource,
    /// The number of the pull request.
    pub pull_request: u64,
    /// Where the branch stood: what changes after it answers what was said.
    pub head: String,
    /// What was said, one finding a thread or check.
    pub findings: Vec<Finding>,
    /// The threads that are to be answered, one for each finding.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<FeedbackThread>,
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackSource {
    /// People who reviewed the pull request.
    Reviewers,
    /// The checks that ran on its head.
    Checks,
}

/// A thread of review comments that was taken up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackThread {
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

impl Feedback {
    /// Returns the first line for the author of the phase.
    pub fn reason(&self) -> String {
        let who = match self.by {
            FeedbackSource::Reviewers => "People who reviewed",
            FeedbackSource::Checks => "The checks of",
        };
        let told = self.findings.iter().map(|finding| {
            let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
            let place = finding.file.as_ref().map(|file| format!("{file}{line}: ")).unwrap_or_default();
            format!("\n- {place}{}", finding.issue)
        });
        format!("{who} pull request {} ask for a change:{}", self.pull_request, told.collect::<String>())
    }
}
