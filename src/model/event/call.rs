//! An agent call: that it began, how it ended, what the agent says about itself, how hard it found the issue, what
//! the last phase decides about the whole run, and what calls used together. A sum holds only what is known: a missing figure
//! adds nothing.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::evidence::{FindingJudgment, Reading, TriageTable};
use crate::phase::{PhaseName, Step};
use crate::policy::Difficulty;

/// The least confidence with which an assessment counts.
const LEAST_CONFIDENCE: f64 = 0.5;

/// An agent call that is about to begin.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepStarted {
    /// The phase of the call.
    pub phase: PhaseName,
    /// The step of the call.
    pub step: Step,
    /// The round of the call, from 1.
    pub round: u32,
    /// The number of the attempt in its round, from 1.
    pub attempt: u32,
    /// The agent spec, such as `claude:opus`.
    pub agent: String,
    /// The nonce of a review or triage.
    pub review_id: Option<String>,
    /// SHA-256 of the prompt.
    pub prompt: String,
    /// SHA-256 of the templates that the prompt is made of: unlike the prompt the same in other runs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub template: String,
    /// How long the prompt is.
    #[serde(default)]
    pub prompt_bytes: u64,
    /// The author's session that is continued.
    pub resumes: Option<String>,
    /// The seat of the panel whose review it is; nothing for the first reviewer and all other steps.
    pub seat: Option<String>,
}

/// How an agent call ended. Read from structured fields only: exit code, subtype of a result, error object; never from
/// what the agent says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExecOutcome {
    /// It ended with an answer.
    Done,
    /// It ended, but says itself or shows that something is missing.
    Partial,
    /// It ended without a word.
    NoOutput,
    /// It ran longer than it may.
    TimedOut,
    /// It was silent longer than it may, at its beginning or later.
    Idle,
    /// It asked a person something, and nobody was there.
    BlockedOnPrompt,
    /// Too many requests for now; `resets_at` says until when, where the provider says it.
    RateLimited,
    /// The provider cannot serve anybody at the moment.
    Overloaded,
    /// The provider failed otherwise: an error of its own, a connection that was lost, a page of a proxy, a stream that
    /// broke off.
    ProviderFailed,
    /// Quota or credit is used up; `resets_at` says until when, where the provider says it.
    QuotaExhausted,
    /// Not signed in, or the key is not accepted.
    SignedOut,
    /// The model does not exist, or this account may not use it.
    ModelUnknown,
    /// The prompt, or the session it continues, is longer than the model can read.
    ContextTooLong,
    /// The model refuses to work on this.
    Refused,
    /// A limit of turns that we handed on ended it, or one of the program's own.
    LimitReached,
    /// It used up what it might spend: we ended it, or the program did that we had told how much that was.
    OverBudget,
    /// It broke: exit code, signal, broken stream.
    #[default]
    Crashed,
    /// The program could not be started at all.
    NotStarted,
    /// It was stopped from outside.
    Cancelled,
}

impl ExecOutcome {
    /// Tells whether the call came to an end that can be judged.
    pub fn ended(self) -> bool {
        matches!(self, Self::Done | Self::Partial | Self::NoOutput)
    }

    /// Tells whether only the provider kept the agent from its work: later the same call may work.
    pub fn is_outage(self) -> bool {
        matches!(self, Self::RateLimited | Self::Overloaded | Self::ProviderFailed)
    }
}

/// What a call cost. Missing figures are missing, not zero.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// All tokens that went in, cached ones included.
    pub input_tokens: Option<u64>,
    /// Those of them that were read from the provider's cache.
    pub cached_tokens: Option<u64>,
    /// All tokens that came out.
    pub output_tokens: Option<u64>,
    /// How often the model was asked.
    pub turns: Option<u64>,
    /// US dollars.
    pub cost_usd: Option<f64>,
    /// Where `cost_usd` comes from, or why there is none.
    pub cost_basis: Option<CostBasis>,
}

impl Usage {
    /// Returns the cost, if it is one: neither missing nor negative nor infinite nor no number at all.
    pub fn cost(&self) -> Option<f64> {
        self.cost_usd.filter(|usd| usd.is_finite() && *usd >= 0.0)
    }

    fn tokens(&self) -> u64 {
        self.input_tokens.unwrap_or(0).saturating_add(self.output_tokens.unwrap_or(0))
    }

    /// Tells whether something was used whose price nobody knows.
    pub fn is_unpriced(&self) -> bool {
        self.cost_basis == Some(CostBasis::Unknown) || (self.cost().is_none() && self.tokens() > 0)
    }
}

/// Where a cost comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CostBasis {
    /// The program says so.
    Reported,
    /// Computed from tokens by the price table.
    Table,
    /// Nobody knows the model's price: the call counts by its tokens only.
    Unknown,
}

/// The program behind a call, as far as it tells.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedProgram {
    /// `claude`, `codex`, or the file name of a command.
    pub name: String,
    /// Its version, as it says itself.
    pub version: Option<String>,
    /// The model as the program names it.
    pub model: Option<String>,
}

/// The end of an agent call.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CallEnd {
    /// The class of the end.
    pub outcome: ExecOutcome,
    /// Why it did not end well, for people.
    pub reason: Option<String>,
    /// How long it took, in milliseconds.
    pub millis: u64,
    /// What it used.
    #[serde(default)]
    pub usage: Usage,
    /// The answer was longer than what is kept.
    #[serde(default)]
    pub truncated: bool,
    /// The agent is a script or a plain command: nothing here was thought.
    #[serde(default)]
    pub simulated: bool,
    /// When a rate limit or a quota is said to end.
    pub resets_at: Option<jiff::Timestamp>,
    /// The agent's session, by which a later call can continue it on this machine.
    pub session: Option<String>,
    /// The program behind the agent.
    pub program: Option<ReportedProgram>,
    /// SHA-256 of the document that was made of the answer, in a phase with triage.
    pub document: Option<String>,
    /// The document itself, from which the engine writes the file again; nothing in logs of earlier versions.
    pub document_text: Option<String>,
}

/// The author's call (execute or revise) ended.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Worked {
    /// The phase of the call.
    pub phase: PhaseName,
    /// Execute or revise.
    pub step: Step,
    /// The round of the call, from 1.
    pub round: u32,
    /// The number of the attempt in its round, from 1.
    pub attempt: u32,
    /// How the call ended.
    pub ended: CallEnd,
    /// The files as the author left them.
    pub tree: String,
    /// Paths the call changed, relative to the worktree.
    #[serde(default)]
    pub changed: Vec<String>,
    /// Approved documents that the call changed without being allowed to, and that were put back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub put_back: Vec<String>,
    /// What the author says about itself, where it says it.
    pub claim: Option<Claim>,
    /// The decision about the run, from a phase that decides.
    pub evaluation: Option<Evaluation>,
}

/// What an author says about itself: may trigger a check, is never evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Whether it says that it is finished.
    pub status: ClaimStatus,
    /// What it would do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_action: Option<ClaimedNextAction>,
    /// What it did, in its own words.
    #[serde(default)]
    pub summary: String,
    /// What it wants later authors to know.
    #[serde(default)]
    pub notices: Vec<String>,
    /// The files it says it wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// The word of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ClaimStatus {
    /// All that was asked for is done.
    Completed,
    /// Something is missing.
    Incomplete,
    /// It cannot go on by itself.
    Blocked,
}

/// What an author says it would do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimedNextAction {
    /// The action, in its own words.
    pub action: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

/// The reviewer's call ended.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reviewed {
    /// The phase of the call.
    pub phase: PhaseName,
    /// The round of the call, from 1.
    pub round: u32,
    /// The number of the attempt in its round, from 1.
    pub attempt: u32,
    /// The agent spec of the reviewer.
    pub reviewer: String,
    /// How the call ended.
    pub ended: CallEnd,
    /// What was read; nothing when there was no answer.
    pub reading: Option<Reading>,
    /// The files that were judged: an approval holds for these only.
    pub tree: String,
    /// The seat of the panel whose review it is; nothing for the first reviewer.
    pub seat: Option<String>,
}

/// The author's call that answers the questions of a reviewer ended. What it says is a claim: nothing follows from it but
/// that the same reviewer is asked again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replied {
    /// The phase of the call.
    pub phase: PhaseName,
    /// The round of the call, from 1.
    pub round: u32,
    /// The number of the attempt in its round, from 1.
    pub attempt: u32,
    /// How the call ended.
    pub ended: CallEnd,
    /// What the author says; nothing where no answer counts. Length-limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The triage call ended.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Triaged {
    /// The phase of the call.
    pub phase: PhaseName,
    /// The round of the call, from 1.
    pub round: u32,
    /// The number of the attempt in its round, from 1.
    pub attempt: u32,
    /// How the call ended.
    pub ended: CallEnd,
    /// What its table says; nothing when the answer does not count.
    pub table: Option<TriageTable>,
    /// Why it does not count: it could not be read, contradicts its review, or dismisses a critical finding without evidence.
    pub unread: Option<String>,
    /// What it says about the single findings. For the record: the table counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judgments: Vec<FindingJudgment>,
    /// The files as the triage left them.
    pub tree: String,
    /// Paths the call changed, relative to the worktree.
    #[serde(default)]
    pub changed: Vec<String>,
    /// Approved documents that the call changed without being allowed to, and that were put back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub put_back: Vec<String>,
}

/// The evaluation's decision about the whole run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The decision itself.
    pub decision: EvaluationDecision,
    /// What is left for a later issue.
    #[serde(default)]
    pub remaining_tasks: Vec<RemainingTask>,
}

/// The words of an evaluation, mildest first; `max` of several counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvaluationDecision {
    /// The run is done.
    Pass,
    /// The run is done, with remarks.
    PassWithIssues,
    /// The phase as written: its name or its folder number.
    FailPhase(String),
    /// The run is given up.
    Abort,
}

/// Work that the evaluation leaves for later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemainingTask {
    /// What has to be done.
    pub task: String,
    /// The phase it belongs to, as written.
    #[serde(default)]
    pub phase: String,
    /// How urgent it is, as written.
    #[serde(default)]
    pub priority: String,
}

/// The assessing call ended: how hard the issue was found to be, once, before the first phase. Doubt counts as the hardest.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DifficultyAssessed {
    /// The agent spec that was asked.
    pub agent: String,
    /// What its answer says; nothing when it could not be read.
    pub difficulty: Option<Difficulty>,
    /// From 0 to 1, as its answer says.
    pub confidence: Option<f64>,
    /// Why, in one line: the answer's own reason, or why there is none.
    #[serde(default)]
    pub reason: String,
    /// How the call ended.
    pub ended: CallEnd,
}

impl DifficultyAssessed {
    /// Returns what the issue counts as: the hardest, unless the call ended well and was sure.
    pub fn counts_as(&self) -> Difficulty {
        let sure = self.confidence.is_some_and(|sure| (LEAST_CONFIDENCE..=1.0).contains(&sure));
        let whole = self.ended.outcome == ExecOutcome::Done && !self.ended.truncated;
        if sure && whole { self.difficulty.unwrap_or(Difficulty::Complex) } else { Difficulty::Complex }
    }
}

/// What agents used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageTotal {
    /// All tokens that went in, cached ones included.
    pub input_tokens: u64,
    /// Those of them that were read from a cache.
    pub cached_tokens: u64,
    /// All tokens that came out.
    pub output_tokens: u64,
    /// How often models were asked.
    pub turns: u64,
    /// US dollars, as far as they are known.
    pub cost_usd: f64,
    /// Agent calls begun.
    pub calls: u64,
    /// Calls whose price nobody knows: they count by their tokens only.
    pub unpriced_calls: u64,
    /// Time of agents at work.
    pub millis: u64,
    /// How long their prompts were.
    pub prompt_bytes: u64,
}

/// What was spent on one day: by a run, or by all others of its repository as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SpentOnDay {
    /// In UTC.
    pub day: Date,
    /// On that day.
    pub spent: UsageTotal,
}

impl UsageTotal {
    /// Returns all tokens.
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Returns what the beginning of a call counts.
    pub fn of_call_start(prompt_bytes: u64) -> Self {
        Self { calls: 1, prompt_bytes, ..Self::default() }
    }

    /// Returns what the rest of a call counts.
    pub fn of(ended: &CallEnd) -> Self {
        let usage = &ended.usage;
        Self {
            input_tokens: usage.input_tokens.unwrap_or(0),
            cached_tokens: usage.cached_tokens.unwrap_or(0),
            output_tokens: usage.output_tokens.unwrap_or(0),
            turns: usage.turns.unwrap_or(0),
            cost_usd: usage.cost().unwrap_or(0.0),
            unpriced_calls: u64::from(usage.is_unpriced()),
            millis: ended.millis,
            ..Self::default()
        }
    }

    /// Adds another sum.
    pub fn add(&mut self, other: &Self) {
        let sum = |own: &mut u64, more: u64| *own = own.saturating_add(more);
        sum(&mut self.input_tokens, other.input_tokens);
        sum(&mut self.cached_tokens, other.cached_tokens);
        sum(&mut self.output_tokens, other.output_tokens);
        sum(&mut self.turns, other.turns);
        sum(&mut self.calls, other.calls);
        sum(&mut self.unpriced_calls, other.unpriced_calls);
        sum(&mut self.millis, other.millis);
        sum(&mut self.prompt_bytes, other.prompt_bytes);
        if other.cost_usd.is_finite() {
            self.cost_usd += other.cost_usd.max(0.0);
        }
    }
}
