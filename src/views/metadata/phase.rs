//! One phase of `metadata.json`: its status, rounds, findings, tasks and usage, and the rounds of a document review, as short as
//! they can be told. Computed from the state like everything else; decides nothing.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use engine::{
    Exchange, FindingStatus, FixTask, LedgerFinding, Opinion, PhaseState, Round, Status, StepPosition,
    TaskState, Trend, state_of,
};
use model::event::{CheckResult, CheckStatus, TriageTable, UsageTotal};
use model::finding::{Disposition, Finding, Severity};
use model::phase::Step;
use model::verdict::{Grade, ReadAs, Verdict};

/// One phase of the view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseView {
    /// How far the phase is.
    pub status: Status,
    /// Why it failed or waits, as a code.
    pub reason: Option<String>,
    /// The step under way.
    pub current_step: Option<Step>,
    /// The steps that are done since the phase was opened.
    pub completed_steps: Vec<Step>,
    /// Revisions used; with triage: rounds whose triage changed files.
    pub retry_count: u32,
    /// When the phase began.
    #[schemars(with = "Option<String>")]
    pub started_at: Option<Timestamp>,
    /// When the phase was over.
    #[schemars(with = "Option<String>")]
    pub completed_at: Option<Timestamp>,
    /// The verdict of the latest review since the phase was opened.
    pub review_result: Option<Verdict>,
    /// The rounds that a ruling has closed.
    pub rounds: Vec<RoundView>,
    /// Everything that was ever found in the phase.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<LedgerFindingView>,
    /// How the number of open findings moved in the last round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trend: Option<Trend>,
    /// What the authors were given to repair.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskView>,
    /// Why the phase does not run.
    pub skipped_because: Option<String>,
    /// The commit of the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Who accepted the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<AcceptedView>,
    /// What its calls have used, by step.
    #[serde(default)]
    pub usage: BTreeMap<String, StepUsage>,
    /// The rounds of a phase whose findings are triaged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_review: Option<DocumentReview>,
}

/// A person took the responsibility instead of a reviewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AcceptedView {
    /// Who it was.
    pub by: String,
    /// What the person gave as the reason.
    pub reason: Option<String>,
}

/// One round of a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundView {
    /// From 1; numbers go on counting when the phase is opened again.
    pub n: u32,
    /// Nothing when a failed check ended the round.
    pub verdict: Option<Verdict>,
    /// How the verdict was read, such as `json`.
    pub read_as: Option<ReadAs>,
    /// The grade the reviewer gave, where the policy uses grades.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
    /// `advance`, `revise`, `pause`, `fail` or `reopen`.
    pub ruling: String,
    /// What led to the ruling, with the limits used.
    #[serde(default)]
    pub rule: String,
    /// What the reviewer says of its verdict in one line, where it does not approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What failed, as a reviewer states it that stops the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_type: Option<String>,
    /// The command that failed, as such a reviewer states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_command: Option<String>,
    /// What the review found.
    pub findings: Vec<FindingView>,
    /// What each reviewer came to, where there are several: the first one, then the seats of the panel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opinions: Vec<Opinion>,
    /// The checks that did not pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckView>,
    /// Agent calls in this round.
    pub attempts: u32,
    /// What did not change since the round before, where nothing moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standstill: Option<String>,
    /// What a reviewer asked the author before its verdict counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<ExchangeView>,
    /// When the review came in: with several reviewers, the last of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub review_completed_at: Option<Timestamp>,
    /// When the author's reply to the review came in, where findings are triaged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reply_completed_at: Option<Timestamp>,
}

/// Questions of a reviewer to the author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeView {
    /// The agent that asked.
    pub asked_by: String,
    /// How many questions it asked.
    pub questions: u64,
    /// An answer came, and the reviewer was asked again; else its first verdict counts.
    pub answered: bool,
}

/// One finding, as short as it can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingView {
    /// How bad it is.
    pub severity: Severity,
    /// The category that the reviewer gave.
    pub category: String,
    /// The file it is in.
    pub file: Option<String>,
    /// The line of the file, from 1.
    pub line: Option<u64>,
    /// What is wrong.
    pub issue: String,
}

/// One check that did not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckView {
    /// The id of the check.
    pub check: String,
    /// `fail` or `unavailable`.
    pub status: CheckStatus,
    /// What it saw, in one line.
    pub summary: String,
    /// `test_failure`, `build_failure`, `lint_failure`, `environment_error` or `check_failure`.
    #[serde(default)]
    pub failure_type: String,
    /// The command that it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// One finding of a phase, whatever was said about it in its rounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ListedView")]
pub struct LedgerFindingView {
    /// `F1`, `F2`, … in the order in which they were first seen.
    pub id: String,
    /// `new`, `repeated`, `resolved`, `waived` or `withdrawn`.
    pub state: FindingStatus,
    /// What is to be done about it.
    pub disposition: Disposition,
    /// Why it needs no fix or a discussion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The round that named it first.
    pub first_round: u32,
    /// The latest round that named it.
    pub last_round: u32,
    /// The round in which it was there again after it had gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned_in: Option<u32>,
    /// Agents, and checks as `check ID`.
    pub found_by: Vec<String>,
    /// Not, when it is new and about what had not changed since the review before.
    pub in_scope: bool,
    /// The finding itself.
    pub finding: FindingView,
}

/// One task of a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskView {
    /// `T1`, `T2`, …
    pub id: String,
    /// `open`, `claimed`, `done` or `failed`.
    pub state: TaskState,
    /// The file it owns.
    pub owns: Option<String>,
    /// Ids of findings.
    pub findings: Vec<String>,
    /// How often an author was given it.
    pub tries: usize,
}

/// What the calls of one step of a phase have used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepUsage {
    /// Calls of agents.
    pub calls: u64,
    /// Tokens in.
    pub input_tokens: u64,
    /// Those of them that were read from a cache.
    pub cached_tokens: u64,
    /// Tokens out.
    pub output_tokens: u64,
    /// What the calls have cost, as far as it is known.
    pub cost_usd: f64,
    /// Calls whose price nobody knows.
    pub unpriced_calls: u64,
    /// How long the prompts were, all together.
    pub prompt_bytes: u64,
}

pub(super) fn phase_entry(phase: &PhaseState) -> (String, Value) {
    let view = serde_json::to_value(phase_view(phase)).expect("a view holds text, numbers and lists only");
    (phase.name().to_string(), view)
}

fn phase_view(phase: &PhaseState) -> PhaseView {
    let accepted_by = phase.person.accepted_by.clone();
    PhaseView {
        status: phase.status,
        reason: phase.reason.clone(),
        current_step: if phase.position == StepPosition::Closed { None } else { phase.current_step() },
        completed_steps: phase.evidence.completed_steps.clone(),
        retry_count: phase.counters.revisions,
        started_at: phase.started_at,
        completed_at: phase.completed_at,
        review_result: phase.history.current_rounds().iter().rev().find_map(|round| round.verdict),
        rounds: phase.history.rounds.iter().map(round_view).collect(),
        findings: phase.ledger.all().iter().map(ledger_finding).collect(),
        trend: phase.ledger.trend(),
        tasks: phase.tasks.all().iter().map(|task| task_view(phase, task)).collect(),
        skipped_because: phase.skipped_because.clone(),
        commit: phase.files.commit.clone(),
        accepted: accepted_by.map(|by| AcceptedView { by, reason: phase.person.accepted_because.clone() }),
        usage: phase.calls.usage.iter().map(|(step, spent)| (step.to_string(), step_usage(spent))).collect(),
        document_review: document_review(phase),
    }
}

/// Returns a round as short as it can be told.
pub fn round_view(round: &Round) -> RoundView {
    RoundView {
        n: round.n,
        verdict: round.verdict,
        read_as: round.read_as.clone(),
        grade: round.grade,
        ruling: round.ruling.to_owned(),
        rule: round.rule.clone(),
        summary: round.summary.clone(),
        failure_type: round.stated_failure.as_ref().map(|failure| failure.kind.to_owned()),
        failed_command: round.stated_failure.as_ref().and_then(|failure| failure.command.clone()),
        findings: round.findings.iter().map(finding_view).collect(),
        opinions: round.opinions.clone(),
        checks: round.failed.iter().map(check_view).collect(),
        attempts: round.attempts,
        standstill: round.standstill.clone(),
        exchange: round.exchange.as_ref().map(exchange_view),
        review_completed_at: round.reviewed_at,
        reply_completed_at: round.triaged_at,
    }
}

fn exchange_view(exchange: &Exchange) -> ExchangeView {
    ExchangeView {
        asked_by: exchange.first.reviewer.clone(),
        questions: exchange.questions().len() as u64,
        answered: exchange.answer().is_some(),
    }
}

fn check_view(result: &CheckResult) -> CheckView {
    CheckView {
        check: result.check.clone(),
        status: result.status,
        summary: result.summary.clone(),
        failure_type: result.failure_type().to_owned(),
        command: result.param("command").map(str::to_owned),
    }
}

fn finding_view(finding: &Finding) -> FindingView {
    let Finding { severity, category, file, line, issue, .. } = finding.clone();
    FindingView { severity, category, file, line, issue }
}

fn ledger_finding(listed: &LedgerFinding) -> LedgerFindingView {
    LedgerFindingView {
        id: listed.id.to_string(),
        state: listed.status,
        disposition: listed.disposition,
        evidence: listed.evidence.clone(),
        first_round: listed.first_round,
        last_round: listed.last_round,
        returned_in: listed.returned_in,
        found_by: listed.found_by.iter().map(ToString::to_string).collect(),
        in_scope: listed.finding.in_scope,
        finding: finding_view(&listed.with_latest_wording()),
    }
}

fn task_view(phase: &PhaseState, task: &FixTask) -> TaskView {
    TaskView {
        id: task.id.to_string(),
        state: state_of(phase, task),
        owns: task.owns.clone(),
        findings: task.findings.iter().map(ToString::to_string).collect(),
        tries: task.tries(),
    }
}

fn step_usage(spent: &UsageTotal) -> StepUsage {
    let UsageTotal { calls, input_tokens, cached_tokens, output_tokens, .. } = *spent;
    let UsageTotal { cost_usd, unpriced_calls, prompt_bytes, .. } = *spent;
    StepUsage { calls, input_tokens, cached_tokens, output_tokens, cost_usd, unpriced_calls, prompt_bytes }
}

/// Where a document review stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentReview {
    /// How far the review is.
    pub status: ReviewStatus,
    /// The round under way; nothing before the first and after the last.
    pub current_round: Option<u32>,
    /// The rounds, the one under way last.
    pub rounds: Vec<DocumentRound>,
}

/// The status of a document review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewStatus {
    /// It has not begun.
    Pending,
    /// It is under way.
    InProgress,
    /// It waits for a person.
    Paused,
    /// It ended without an approval.
    Failed,
    /// Its phase is completed.
    Approved,
}

/// One round of a document review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentRound {
    /// From 1.
    pub number: u32,
    /// How far the round is.
    pub status: RoundStatus,
    /// When the review came in.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub review_completed_at: Option<Timestamp>,
    /// When the author's reply to it came in.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub reply_completed_at: Option<Timestamp>,
    /// Nothing before the triage, and when its table could not be read.
    pub fix_status: Option<FixStatus>,
    /// Findings that have to be fixed.
    pub fix_required: Option<u32>,
    /// Findings that need no fix.
    pub no_fix_needed: Option<u32>,
    /// Findings that need a discussion.
    pub needs_discussion: Option<u32>,
}

/// How far a round is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoundStatus {
    /// Not reviewed yet, or ended without an answer that could be read.
    Incomplete,
    /// The review was read, the triage not yet.
    ReviewComplete,
    /// The triage was read.
    ReplyComplete,
}

/// What became of the fixes of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FixStatus {
    /// Nothing to fix, nothing to discuss, nothing changed: the only one that approves.
    NotRequired,
    /// Something is left to be fixed or discussed.
    Pending,
    /// Files changed: they are reviewed again.
    Applied,
}

impl FixStatus {
    /// Returns what a table and the files say together.
    pub fn of(table: TriageTable, changed_files: bool) -> Self {
        if changed_files {
            Self::Applied
        } else if table.fix_required + table.needs_discussion == 0 {
            Self::NotRequired
        } else {
            Self::Pending
        }
    }
}

/// Returns the document review of a phase; nothing when its policy has no triage.
pub fn document_review(phase: &PhaseState) -> Option<DocumentReview> {
    if !phase.def.policy.triage {
        return None;
    }
    let current = under_way(phase);
    let finished = phase.history.rounds.iter().map(|round| DocumentRound {
        review_completed_at: round.reviewed_at,
        reply_completed_at: round.triaged_at,
        ..document_round(round.n, round.verdict.is_some(), round.table, round.changed_files)
    });
    Some(DocumentReview {
        status: review_status(phase.status),
        current_round: current.as_ref().map(|round| round.number),
        rounds: finished.chain(current).collect(),
    })
}

fn review_status(status: Status) -> ReviewStatus {
    match status {
        Status::Pending | Status::Skipped => ReviewStatus::Pending,
        Status::InProgress => ReviewStatus::InProgress,
        Status::Paused => ReviewStatus::Paused,
        Status::Failed => ReviewStatus::Failed,
        Status::Completed => ReviewStatus::Approved,
    }
}

/// Returns the round that no ruling has closed yet.
fn under_way(phase: &PhaseState) -> Option<DocumentRound> {
    let closed = phase.history.rounds.last().is_some_and(|round| round.n >= phase.round);
    if phase.status != Status::InProgress || closed {
        return None;
    }
    let reviewed = phase.reviews.current.as_ref().is_some_and(|review| review.reading.is_some());
    let triage = phase.evidence.triage.as_ref();
    let changed = triage.is_some_and(|triage| !triage.changed.is_empty());
    Some(DocumentRound {
        review_completed_at: phase.reviewed_at(),
        reply_completed_at: phase.triaged_at(),
        ..document_round(phase.round, reviewed, triage.and_then(|triage| triage.table), changed)
    })
}

/// Returns a round without its times; `changed` says whether the triage changed files.
fn document_round(number: u32, reviewed: bool, table: Option<TriageTable>, changed: bool) -> DocumentRound {
    DocumentRound {
        number,
        status: match (table, reviewed) {
            (Some(_), _) => RoundStatus::ReplyComplete,
            (None, true) => RoundStatus::ReviewComplete,
            (None, false) => RoundStatus::Incomplete,
        },
        review_completed_at: None,
        reply_completed_at: None,
        fix_status: table.map(|table| FixStatus::of(table, changed)),
        fix_required: table.map(|table| table.fix_required),
        no_fix_needed: table.map(|table| table.no_fix_needed),
        needs_discussion: table.map(|table| table.needs_discussion),
    }
}
