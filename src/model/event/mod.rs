//! What happened: the facts a run consists of. Past tense, data only, masked before they are written.
//! A run is the fold of its facts; decisions are facts too, so that replay never decides again.

mod call;
mod evidence;
mod review_question;
mod ruling;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::issue::Issue;
use crate::phase::{PhaseName, Step};
use crate::policy::{Agreement, Budget, BudgetScopes};

pub use call::{
    CallEnd, Claim, ClaimStatus, ClaimedNextAction, CostBasis, DifficultyAssessed, Evaluation,
    EvaluationDecision, ExecOutcome, RemainingTask, Replied, ReportedProgram, Reviewed, SpentOnDay,
    StepStarted, Triaged, Usage, UsageTotal, Worked,
};
pub use evidence::{
    CheckResult, CheckStatus, Checked, DocumentChange, DocumentSeen, FindingJudgment, Place, Reading,
    TriageTable, failure_type,
};
pub use review_question::{
    AnswerJudgment, MOST_REVIEW_QUESTIONS, ReviewAnswer, ReviewQuestion, ReviewQuestions,
};
pub use ruling::{
    Answered, Escalation, Feedback, FeedbackSource, FeedbackThread, PauseChoice, PauseReason, Reopened,
    ReopenedBy, Ruled, Ruling,
};

/// The format of the log this program writes; a log with a greater number is refused.
pub const FORMAT: u32 = 1;

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// 1, 2, 3, …
    pub seq: u64,
    /// UTC, RFC 3339 with milliseconds.
    pub at: jiff::Timestamp,
    /// What happened.
    pub fact: Fact,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the doc of a variant says what its fields are")]
pub enum Fact {
    /// The first fact: what the run is about and what was agreed.
    RunStarted(Box<RunStarted>),
    /// A person or a job asked for (a part of) the run; written by every `execute` that finds something to do.
    #[serde(rename = "asked")]
    RunRequested(RunRequested),
    /// A phase is not going to run.
    PhaseSkipped { phase: PhaseName, because: String },
    /// A phase began; `tree` is the state of the files its work is compared with, and `by_hand` what of it no commit has and no
    /// call of an author changed by its record: a person did, or a program that was killed.
    PhaseStarted {
        phase: PhaseName,
        tree: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        by_hand: Vec<String>,
    },
    /// The difficulty of the issue was assessed, or could not be.
    Assessed(Box<DifficultyAssessed>),
    /// Other runs of the repository spent something today; written before a call when it is more than was known.
    SpentElsewhere(SpentOnDay),
    /// An agent is about to be called.
    StepStarted(StepStarted),
    /// The author's call ended, well or not.
    Worked(Worked),
    /// The evidence of a round was gathered.
    Checked(Checked),
    /// The reviewer's call ended, well or not.
    Reviewed(Reviewed),
    /// The author's call that answers questions of a reviewer ended, well or not.
    Replied(Replied),
    /// An approval of the same files on the same commit with the same settings stands for the review of this round.
    ReviewStands { phase: PhaseName, round: u32 },
    /// The triage call ended, well or not.
    Triaged(Triaged),
    /// The engine decided what the round leads to; `advance` announces the commit that holds the log up to this fact.
    Ruled(Ruled),
    /// What was approved changed before it could be committed: checks and review again.
    ApprovalVoided { phase: PhaseName, reason: String },
    /// A person changed the files while no process of ours worked; the evidence is gathered on what is there now. With
    /// `after_kill` a program was at work when the process before was killed, and may have changed them as well.
    ChangedByHand {
        phase: PhaseName,
        tree: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed: Vec<String>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        after_kill: bool,
    },
    /// The announced commit is on the branch; `documents` are the digests of the deliverables of all completed phases in it.
    Committed {
        phase: PhaseName,
        commit: String,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        documents: BTreeMap<PhaseName, String>,
    },
    /// The progress comment of the run is on the issue.
    Commented { id: u64 },
    /// The pull request (or its text, on the local forge) is up to date with the branch.
    Published {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pr_number: Option<u64>,
        pr_url: String,
    },
    /// What is left for later has an issue of its own.
    FollowedUp { number: u64, url: String },
    /// The run waits for a person, a budget or a time.
    Paused { escalation: Escalation },
    /// A person answered, or the reason of the pause is gone.
    Answered(Answered),
    /// A phase was opened again; it and all later ones are pending.
    Reopened(Reopened),
    /// The pull request left its draft.
    MarkedReady,
    /// The owners of what changed were asked to review: those who could be.
    ReviewersAsked { reviewers: Vec<String> },
    /// What others said about finished work opened a phase again; it and all later ones are pending.
    FedBack(Box<Feedback>),
    /// The threads that were taken up are seen to.
    ThreadsAnswered {
        /// Those that the server did not let us resolve, though their place changed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        left_open: Vec<String>,
    },
    /// A signal ended the work under way; the phase stays in progress.
    Interrupted { signal: String },
    /// A person ended the run for good.
    Cancelled { by: String },
    /// Something worth telling that changes nothing.
    Noted { kind: String, text: String },
    /// Nothing is left to do.
    Finished { outcome: RunOutcome },
}

/// What a run is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunStarted {
    /// The format of the log.
    pub format: u32,
    /// 128 random bits in hex.
    pub run_id: String,
    /// The version of this program.
    pub version: String,
    /// The issue as it was.
    pub issue: Issue,
    /// SHA-256 of title and body, to notice later edits.
    pub issue_digest: String,
    /// The repository as people name it.
    pub repository: String,
    /// The branch the run works on.
    pub branch: String,
    /// The branch it started from, and is merged into.
    pub base_branch: String,
    /// The commit it started from.
    pub base_commit: String,
    /// The language of what is written for people.
    pub language: String,
    /// Untracked files that were there before: never committed.
    #[serde(default)]
    pub strays: Vec<String>,
    /// Everything that was agreed.
    pub agreement: Agreement,
}

/// The part of the run that was asked for.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunRequested {
    /// One phase, or all.
    pub only: Option<PhaseName>,
    /// No other steps than these; all when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Unmet needs do not stop the phase.
    pub ignore_needs: bool,
    /// The limits now in force, when they were raised.
    pub budget: Option<Budget>,
    /// The narrower and wider limits now in force, likewise.
    pub budget_scopes: Option<BudgetScopes>,
    /// How long a provider that fails is waited for, in seconds; not at all when missing.
    pub outage_seconds: Option<u64>,
    /// Assess the difficulty of the issue first, and let it choose the models of agents named without one.
    pub auto_model: bool,
    /// The author's chain, when another one was asked for explicitly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// The reviewer's chain, likewise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reviewers: Vec<String>,
    /// SHA-256 of the repository's configuration and prompts, as a person vouched for them.
    pub settings: Option<String>,
    /// Where the branch stood when this process took over.
    pub head: Option<String>,
    /// The latest commit there that is no record of how this run halted.
    pub content_head: Option<String>,
}

impl RunRequested {
    /// Tells whether a step was asked for.
    pub fn may_take(&self, step: Step) -> bool {
        self.steps.is_empty() || self.steps.contains(&step)
    }
}

/// Where a run stands as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum RunOutcome {
    #[default]
    Running,
    Completed,
    Failed,
    Incomplete,
    Paused,
    Cancelled,
}

impl RunOutcome {
    /// Returns the word used in records.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Tells whether nothing more happens in the run unless a person opens it again.
    pub fn is_final(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Incomplete | Self::Cancelled => true,
            Self::Running | Self::Paused => false,
        }
    }
}
