//! The view that people, scripts and later phases read: `metadata.json`, computed from the state.
//! Never read back to decide anything. Its digest tells an edited view from an old one.

mod document_review;
mod findings;
mod lock;
mod usage;

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use engine::{Exchange, Opinion, PhaseState, Round, Run, Stage, State, Status, Trend};
use model::event::{CheckResult, CheckStatus, Choice, Outcome};
use model::finding::{Finding, Severity};
use model::phase::{PhaseName, Step};
use model::verdict::{Grade, ReadAs, Verdict};

pub use document_review::{
    DocumentReview, DocumentRound, FixStatus, ReviewStatus, RoundStatus, document_review,
};
pub use findings::{ListedView, TaskView};
pub use lock::{Lock, LockedAgent, lock};
pub use usage::{Cost, StepUsage};

/// `metadata.json`. `phases` is an object in the order of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metadata {
    pub engine: Engine,
    pub issue_number: u64,
    pub issue_url: String,
    pub issue_title: String,
    pub repository: String,
    pub language: String,
    /// The version of the program that began the run.
    pub workflow_version: String,
    pub branch_name: String,
    pub base_branch: String,
    pub base_commit: String,
    pub pr_number: Option<u64>,
    pub pr_url: Option<String>,
    pub current_phase: Option<PhaseName>,
    pub outcome: Outcome,
    /// A scripted or plain-command agent took part: nothing here was thought by a model.
    pub simulated: bool,
    pub preset: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Pause>,
    /// When the pause ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub paused_until: Option<Timestamp>,
    /// By name: [`PhaseView`].
    #[schemars(with = "std::collections::BTreeMap<String, PhaseView>")]
    pub phases: Map<String, Value>,
    pub cost_tracking: Cost,
    /// The programs, models and prompts of the run.
    #[serde(default)]
    pub lock: Lock,
    pub github_integration: Integration,
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
}

/// Where in the log this view was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Engine {
    /// Number of the last fact.
    pub seq: u64,
    /// Chain hash of the last fact.
    pub chain: String,
    /// SHA-256 of this document without this field; a wrong one means edited by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// One phase of the view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseView {
    pub status: Status,
    /// Why it failed or waits, as a code.
    pub reason: Option<String>,
    pub current_step: Option<Step>,
    pub completed_steps: Vec<Step>,
    /// Revisions used; with triage: rounds whose triage changed files.
    pub retry_count: u32,
    #[schemars(with = "Option<String>")]
    pub started_at: Option<Timestamp>,
    #[schemars(with = "Option<String>")]
    pub completed_at: Option<Timestamp>,
    /// The verdict of the latest review since the phase was opened.
    pub review_result: Option<Verdict>,
    pub rounds: Vec<RoundView>,
    /// Everything that was ever found in the phase.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<ListedView>,
    /// How the number of open findings moved in the last round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trend: Option<Trend>,
    /// What the authors were given to repair.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskView>,
    pub skipped_because: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
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
    pub by: String,
    pub reason: Option<String>,
}

/// One round of a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundView {
    pub n: u32,
    /// Nothing when a failed check ended the round.
    pub verdict: Option<Verdict>,
    pub read_as: Option<ReadAs>,
    /// The grade the reviewer gave, where the policy uses grades.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
    /// `advance`, `revise`, `pause`, `fail` or `reopen`.
    pub ruling: String,
    pub findings: Vec<FindingView>,
    /// What each reviewer came to, where there are several: the first one, then the seats of the panel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opinions: Vec<Opinion>,
    /// The checks that did not pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckView>,
    /// Agent calls in this round.
    pub attempts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standstill: Option<String>,
    /// What a reviewer asked the author before its verdict counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<ExchangeView>,
}

/// Questions of a reviewer to the author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeView {
    /// The agent that asked.
    pub asked_by: String,
    pub questions: u64,
    /// An answer came, and the reviewer was asked again; else its first verdict counts.
    pub answered: bool,
}

/// One finding, as short as it can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingView {
    pub severity: Severity,
    pub category: String,
    pub file: Option<String>,
    pub line: Option<u64>,
    pub issue: String,
}

/// One check that did not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckView {
    pub check: String,
    /// `fail` or `unavailable`.
    pub status: CheckStatus,
    pub summary: String,
}

/// What is asked while a run waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pause {
    pub reason: String,
    pub phase: Option<PhaseName>,
    pub question: String,
    /// Who is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// `continue`, `edited`, `accept`, `give_up`.
    pub options: Vec<String>,
    pub report: Vec<String>,
}

/// Ids of what was posted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Integration {
    pub progress_comment_id: Option<u64>,
    pub progress_comment_url: Option<String>,
    /// The issue with what is left for later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow_up_number: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow_up_url: Option<String>,
}

/// Returns the view of a run, without its digest; nothing when no run has begun.
pub fn metadata(state: &State, chain: &str) -> Option<Metadata> {
    let run = state.run.as_ref()?;
    let started = &run.started;
    let pull_request = run.publication.pull_request.as_ref();
    Some(Metadata {
        engine: Engine { seq: state.seq, chain: chain.to_owned(), digest: None },
        issue_number: started.issue.number.get(),
        issue_url: started.issue.url.clone(),
        issue_title: started.issue.title.clone(),
        repository: started.repository.clone(),
        language: started.language.clone(),
        workflow_version: started.version.clone(),
        branch_name: started.branch.clone(),
        base_branch: started.base_branch.clone(),
        base_commit: started.base_commit.clone(),
        pr_number: pull_request.and_then(|(number, _)| *number),
        pr_url: pull_request.map(|(_, url)| url.clone()),
        current_phase: run.current().map(|phase| phase.name().clone()),
        outcome: run.outcome,
        simulated: run.simulated,
        preset: started.agreement.preset.clone(),
        paused: pause(run),
        paused_until: run.paused.as_ref().and_then(|escalation| escalation.until),
        phases: run.phases.iter().map(phase_entry).collect(),
        cost_tracking: usage::cost(run),
        lock: lock::lock(run),
        github_integration: integration(run),
        created_at: run.created_at,
        updated_at: run.updated_at,
    })
}

fn integration(run: &Run) -> Integration {
    Integration {
        progress_comment_id: run.publication.progress_comment,
        progress_comment_url: run.progress_comment_url(),
        follow_up_number: run.publication.follow_up.as_ref().map(|(number, _)| *number),
        follow_up_url: run.publication.follow_up.as_ref().map(|(_, url)| url.clone()),
    }
}

/// Returns the published JSON Schema of the view.
pub fn schema() -> Value {
    schemars::schema_for!(Metadata).to_value()
}

fn pause(run: &Run) -> Option<Pause> {
    run.paused.as_ref().map(|escalation| Pause {
        reason: escalation.reason.as_str().to_owned(),
        phase: escalation.phase.clone(),
        question: escalation.question.clone(),
        asked: run.asked_of(),
        options: escalation.options.iter().map(|choice| choice_word(*choice).to_owned()).collect(),
        report: escalation.report.clone(),
    })
}

/// Returns the word with which a person answers.
pub fn choice_word(choice: Choice) -> &'static str {
    match choice {
        Choice::Continue => "continue",
        Choice::Accept => "accept",
        Choice::GiveUp => "give_up",
        Choice::Edited => "edited",
    }
}

fn phase_entry(phase: &PhaseState) -> (String, Value) {
    let view = serde_json::to_value(phase_view(phase)).expect("a view holds text, numbers and lists only");
    (phase.name().to_string(), view)
}

fn phase_view(phase: &PhaseState) -> PhaseView {
    PhaseView {
        status: phase.status,
        reason: phase.reason.clone(),
        current_step: if phase.stage == Stage::Closed { None } else { phase.current_step() },
        completed_steps: phase.evidence.completed_steps.clone(),
        retry_count: phase.counters.revisions,
        started_at: phase.started_at,
        completed_at: phase.completed_at,
        review_result: phase.history.current_rounds().iter().rev().find_map(|round| round.verdict),
        rounds: phase.history.rounds.iter().map(round_view).collect(),
        findings: findings::findings(phase),
        trend: phase.ledger.trend(),
        tasks: findings::tasks(phase),
        skipped_because: phase.skipped_because.clone(),
        commit: phase.files.commit.clone(),
        accepted: accepted(phase),
        usage: usage::usage(phase),
        document_review: document_review(phase),
    }
}

fn accepted(phase: &PhaseState) -> Option<AcceptedView> {
    let by = phase.person.accepted_by.clone()?;
    Some(AcceptedView { by, reason: phase.person.accepted_because.clone() })
}

fn round_view(round: &Round) -> RoundView {
    RoundView {
        n: round.n,
        verdict: round.verdict,
        read_as: round.read_as.clone(),
        grade: round.grade,
        ruling: round.ruling.to_owned(),
        findings: round.findings.iter().map(finding_view).collect(),
        opinions: round.opinions.clone(),
        checks: round.failed.iter().map(check_view).collect(),
        attempts: round.attempts,
        standstill: round.standstill.clone(),
        exchange: round.exchange.as_ref().map(exchange_view),
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
    CheckView { check: result.check.clone(), status: result.status, summary: result.summary.clone() }
}

fn finding_view(finding: &Finding) -> FindingView {
    FindingView {
        severity: finding.severity,
        category: finding.category.clone(),
        file: finding.file.clone(),
        line: finding.line,
        issue: finding.issue.clone(),
    }
}
