//! What happened: the facts a run consists of. Past tense, data only, masked before they are written.
//! A run is the fold of its facts; decisions are facts too, so that replay never decides again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Severity};
use crate::issue::{Issue, IssueNumber};
use crate::phase::{PhaseName, Step};
use crate::policy::{Agreement, Budget};
use crate::verdict::{Grade, Judgment, ReadAs, Verdict};

/// The format of the log this program writes; a log with a greater number is refused.
pub const FORMAT: u32 = 1;

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// 1, 2, 3, …
    pub seq: u64,
    /// UTC, RFC 3339 with milliseconds.
    pub at: jiff::Timestamp,
    pub fact: Fact,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    /// The first fact: what the run is about and what was agreed.
    RunStarted(Box<RunStarted>),
    /// A person or a job asked for (a part of) the run; written by every `execute` that finds something to do.
    Asked(Asked),
    /// A phase is not going to run.
    PhaseSkipped { phase: PhaseName, because: String },
    /// A phase began; `tree` is the state of the files its work is compared with.
    PhaseStarted { phase: PhaseName, tree: String },
    /// An agent is about to be called.
    StepStarted(StepStarted),
    /// The author's call ended, well or not.
    Worked(Worked),
    /// The evidence of a round was gathered.
    Checked(Checked),
    /// The reviewer's call ended, well or not.
    Reviewed(Reviewed),
    /// The triage call ended, well or not.
    Triaged(Triaged),
    /// The engine decided what the round leads to; `advance` announces the commit that holds the log up to this fact.
    Ruled(Ruled),
    /// What was approved changed before it could be committed: checks and review again.
    ApprovalVoided { phase: PhaseName, reason: String },
    /// The announced commit is on the branch.
    Committed { phase: PhaseName, commit: String },
    /// The pull request (or its text, on the local forge) is up to date with the branch.
    Published {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pr_number: Option<u64>,
        pr_url: String,
    },
    /// The run waits for a person, a budget or a time.
    Paused { escalation: Escalation },
    /// A person answered, or the reason of the pause is gone.
    Answered(Answered),
    /// A phase was opened again; it and all later ones are pending.
    Reopened(Reopened),
    /// A signal ended the work under way; the phase stays in progress.
    Interrupted { signal: String },
    /// A person ended the run for good.
    Cancelled { by: String },
    /// Something worth telling that changes nothing.
    Noted { kind: String, text: String },
    /// Nothing is left to do.
    Finished { outcome: Outcome },
}

/// What a run is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunStarted {
    pub format: u32,
    /// 128 random bits in hex.
    pub run_id: String,
    pub version: String,
    pub issue: Issue,
    /// SHA-256 of title and body, to notice later edits.
    pub issue_digest: String,
    pub repository: String,
    pub branch: String,
    pub base_branch: String,
    pub base_commit: String,
    pub language: String,
    /// Untracked files that were there before: never committed.
    #[serde(default)]
    pub strays: Vec<String>,
    pub agreement: Agreement,
}

/// The part of the run that was asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// One phase, or all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<PhaseName>,
    /// Unmet needs do not stop the phase.
    #[serde(default)]
    pub ignore_needs: bool,
    /// The limits now in force, when they were raised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// The author's chain, when another one was asked for explicitly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// The reviewer's chain, likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviewers: Vec<String>,
    /// Where the branch stood when this process took over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
}

/// An agent call that is about to begin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepStarted {
    pub phase: PhaseName,
    pub step: Step,
    pub round: u32,
    pub attempt: u32,
    /// The agent spec, such as `claude:opus`.
    pub agent: String,
    /// The nonce of a review or triage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_id: Option<String>,
    /// SHA-256 of the prompt.
    pub prompt: String,
}

/// How an agent call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExecOutcome {
    Done,
    /// It ended, but says itself or shows that something is missing.
    Partial,
    /// It ended without a word.
    NoOutput,
    TimedOut,
    Idle,
    BlockedOnPrompt,
    RateLimited,
    /// It broke: exit code, signal, broken stream.
    Crashed,
    /// The program could not be started at all.
    NotStarted,
    Cancelled,
}

impl ExecOutcome {
    /// Tells whether the call came to an end that can be judged.
    pub fn ended(self) -> bool {
        matches!(self, Self::Done | Self::Partial | Self::NoOutput)
    }
}

/// What a call cost. Missing figures are missing, not zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// The end of an agent call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    pub outcome: ExecOutcome,
    /// Why it did not end well, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub millis: u64,
    #[serde(default)]
    pub usage: Usage,
    /// The answer was longer than what is kept.
    #[serde(default)]
    pub truncated: bool,
    /// The agent is a script or a plain command: nothing here was thought.
    #[serde(default)]
    pub simulated: bool,
}

/// The author's call (execute or revise) ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Worked {
    pub phase: PhaseName,
    pub step: Step,
    pub round: u32,
    pub attempt: u32,
    pub ended: Ended,
    /// The files as the author left them.
    pub tree: String,
    /// Paths the call changed, relative to the worktree.
    #[serde(default)]
    pub changed: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// The decision about the run, from a phase that decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluation>,
}

/// What an author says about itself: may trigger a check, is never evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    pub status: ClaimStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_action: Option<NextAction>,
    #[serde(default)]
    pub summary: String,
    #[serde(default)]
    pub notices: Vec<String>,
}

/// The word of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimStatus {
    Completed,
    Incomplete,
    Blocked,
}

/// What an author says it would do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextAction {
    pub action: String,
    #[serde(default)]
    pub reason: String,
}

/// The evaluation's decision about the whole run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    pub decision: RunDecision,
    #[serde(default)]
    pub remaining_tasks: Vec<RemainingTask>,
}

/// The words of an evaluation, mildest first; `max` of several counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunDecision {
    Pass,
    PassWithIssues,
    /// The phase as written: its name or its folder number.
    FailPhase(String),
    Abort,
}

/// Work that the evaluation leaves for later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemainingTask {
    pub task: String,
    #[serde(default)]
    pub phase: String,
    #[serde(default)]
    pub priority: String,
}

/// The evidence of one round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    pub phase: PhaseName,
    pub round: u32,
    pub results: Vec<CheckResult>,
    /// The files as the checks left them.
    pub tree: String,
}

/// What one check saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    pub check: String,
    pub status: CheckStatus,
    /// The name of the failure, which chooses the retry prompt; `E_…` codes are shown to people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// One line for people.
    pub summary: String,
    /// What we saw: the last lines of a command, the path that is missing. Length-limited.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
    /// What the retry prompt may insert.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
}

/// The status of a check; only `Pass` is a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    Pass,
    Fail,
    /// It could not run: a missing tool, no permission.
    Unavailable,
    /// It does not apply here.
    Skipped,
}

/// The reviewer's call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reviewed {
    pub phase: PhaseName,
    pub round: u32,
    pub attempt: u32,
    pub reviewer: String,
    pub ended: Ended,
    /// What was read; nothing when there was no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
    /// The files that were judged: an approval holds for these only.
    pub tree: String,
}

/// What was read out of a reviewer's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Reading {
    /// After the rules of DESIGN §7.3.
    pub result: Verdict,
    /// The same in the engine's words, by the policy's verdict map.
    pub judgment: Judgment,
    /// The word as written; empty when there was none.
    pub stated: String,
    pub read_as: ReadAs,
    /// Why it was read so, in one line.
    pub reason: String,
    /// What the author should read: the summary, or the answer around the verdict, or all of it.
    pub feedback: String,
    #[serde(default)]
    pub suggestions: Vec<String>,
    #[serde(default)]
    pub findings: Vec<Finding>,
    #[serde(default)]
    pub questions: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub viewpoints: BTreeMap<String, Grade>,
}

impl Reading {
    /// Returns the worst severity among the findings.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

/// The triage call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Triaged {
    pub phase: PhaseName,
    pub round: u32,
    pub attempt: u32,
    pub ended: Ended,
    /// What its table says; nothing when it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TriageTable>,
    pub tree: String,
    #[serde(default)]
    pub changed: Vec<String>,
}

/// The sums of the triage table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriageTable {
    pub fix_required: u32,
    pub no_fix_needed: u32,
    pub needs_discussion: u32,
}

/// A judgment and what `decide` made of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ruled {
    pub phase: PhaseName,
    pub round: u32,
    pub judgment: Judgment,
    pub ruling: Ruling,
    /// The rule that led here, with the limits used, in one line.
    pub rule: String,
    /// Standstill is seen and shown; it ends nothing unless the policy says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standstill: Option<String>,
}

/// What happens next in a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Ruling {
    Advance,
    Revise,
    Redo {
        step: Step,
        delay_ms: u64,
        /// The next agent of the chain takes over.
        #[serde(default)]
        next_agent: bool,
    },
    Pause {
        escalation: Escalation,
    },
    Fail {
        reason: String,
        #[serde(default)]
        incomplete: bool,
    },
    /// The evaluation sends the run back.
    Reopen {
        phase: PhaseName,
    },
}

impl Ruling {
    /// Returns the word of the glossary.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Advance => "advance",
            Self::Revise => "revise",
            Self::Redo { .. } => "redo",
            Self::Pause { .. } => "pause",
            Self::Fail { .. } => "fail",
            Self::Reopen { .. } => "reopen",
        }
    }
}

/// The question attached to a pause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalation {
    pub reason: PauseReason,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseName>,
    pub question: String,
    /// What can be answered.
    pub options: Vec<Choice>,
    /// Rounds so far and open findings, one line each.
    #[serde(default)]
    pub report: Vec<String>,
    /// The pause ends by itself then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<jiff::Timestamp>,
}

/// Why a run waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    Exhausted,
    Blocked,
    Discuss,
    Unreadable,
    ReviewerUnavailable,
    AgentFailed,
    Stalled,
    Budget,
    Quota,
    JobLimit,
}

impl PauseReason {
    /// Returns the word used in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::Blocked => "blocked",
            Self::Discuss => "discuss",
            Self::Unreadable => "unreadable",
            Self::ReviewerUnavailable => "reviewer_unavailable",
            Self::AgentFailed => "agent_failed",
            Self::Stalled => "stalled",
            Self::Budget => "budget",
            Self::Quota => "quota",
            Self::JobLimit => "job_limit",
        }
    }

    /// Tells whether `execute` may go on by itself once the reason is gone.
    pub fn passes_by_itself(self) -> bool {
        matches!(self, Self::Budget | Self::Quota | Self::JobLimit)
    }
}

/// What a person may answer to a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Go on, with a fresh set of limits.
    Continue,
    /// The person takes the responsibility that the reviewer did not take.
    Accept,
    /// The phase fails.
    GiveUp,
}

/// The answer to a pause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    pub choice: Choice,
    /// What the person wants the author to know.
    #[serde(default)]
    pub text: String,
    pub by: String,
}

/// A phase was opened again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reopened {
    pub phase: PhaseName,
    /// The step it goes on with.
    pub step: Step,
    pub reason: String,
    pub by: ReopenedBy,
}

/// Who opened a phase again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReopenedBy {
    Retry,
    Rollback,
    Evaluation,
}

/// Where a run stands as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    #[default]
    Running,
    Completed,
    Failed,
    Incomplete,
    Paused,
    Cancelled,
}

impl Outcome {
    /// Returns the word used in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Incomplete => "incomplete",
            Self::Paused => "paused",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Returns the name of the branch a run works on.
pub fn branch_of(issue: IssueNumber) -> String {
    format!("ai-workflow/issue-{issue}")
}
