//! The rounds of a document review as people and scripts follow them: how far each is, what its triage counted, and
//! whether fixes were made. Computed from the rounds like everything else; decides nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::{PhaseState, Status};
use model::event::TriageTable;

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
    let rounds = phase.history.rounds.iter();
    let finished =
        rounds.map(|round| row(round.n, round.verdict.is_some(), round.table, round.changed_files));
    Some(DocumentReview {
        status: status(phase.status),
        current_round: current.as_ref().map(|round| round.number),
        rounds: finished.chain(current).collect(),
    })
}

fn status(status: Status) -> ReviewStatus {
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
    Some(row(phase.round, reviewed, triage.and_then(|triage| triage.table), changed))
}

/// `changed` says whether the triage changed files.
fn row(number: u32, reviewed: bool, table: Option<TriageTable>, changed: bool) -> DocumentRound {
    DocumentRound {
        number,
        status: match (table, reviewed) {
            (Some(_), _) => RoundStatus::ReplyComplete,
            (None, true) => RoundStatus::ReviewComplete,
            (None, false) => RoundStatus::Incomplete,
        },
        fix_status: table.map(|table| FixStatus::of(table, changed)),
        fix_required: table.map(|table| table.fix_required),
        no_fix_needed: table.map(|table| table.no_fix_needed),
        needs_discussion: table.map(|table| table.needs_discussion),
    }
}
