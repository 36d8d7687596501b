//! The findings of a phase and the tasks made of them, as short as they can be told.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FindingView;
use engine::{FixTask, LedgerFinding, PhaseState, Standing, TaskState, state_of};
use model::finding::Disposition;

/// One finding of a phase, whatever was said about it in its rounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedView {
    /// `F1`, `F2`, … in the order in which they were first seen.
    pub id: String,
    /// `new`, `repeated`, `resolved` or `waived`.
    pub state: Standing,
    pub disposition: Disposition,
    /// Why it needs no fix or a discussion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    pub first_round: u32,
    pub last_round: u32,
    /// The round in which it was there again after it had gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned_in: Option<u32>,
    /// Agents, and checks as `check ID`.
    pub found_by: Vec<String>,
    /// Not, when it is new and about what had not changed since the review before.
    pub in_scope: bool,
    pub finding: FindingView,
}

/// One task of a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskView {
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

pub(super) fn findings(phase: &PhaseState) -> Vec<ListedView> {
    phase.ledger.all().iter().map(listed).collect()
}

fn listed(listed: &LedgerFinding) -> ListedView {
    ListedView {
        id: listed.id.to_string(),
        state: listed.standing,
        disposition: listed.disposition,
        evidence: listed.evidence.clone(),
        first_round: listed.first_round,
        last_round: listed.last_round,
        returned_in: listed.returned_in,
        found_by: listed.found_by.iter().map(ToString::to_string).collect(),
        in_scope: listed.finding.in_scope,
        finding: super::finding_view(&listed.told()),
    }
}

pub(super) fn tasks(phase: &PhaseState) -> Vec<TaskView> {
    let view = |task: &FixTask| TaskView {
        id: task.id.to_string(),
        state: state_of(phase, task),
        owns: task.owns.clone(),
        findings: task.findings.iter().map(ToString::to_string).collect(),
        tries: task.tries(),
    };
    phase.tasks.all().iter().map(view).collect()
}
