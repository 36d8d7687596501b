//! The findings of a review as tasks for the author, one for each file: first what forbids an approval, and of that what can be
//! repaired mechanically. Which findings become tasks is decided in `findings`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ledger::{FindingId, Ledger, LedgerFinding};
use model::finding::Severity;

/// The most tasks that one revision gets.
pub const LARGEST_BATCH: usize = 8;

/// The number of a task in its phase, written as `T1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::Display)]
#[display("T{_0}")]
pub struct TaskId(u32);

/// How a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, strum::Display)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// Nobody works on it yet.
    Open,
    /// The author was given it, and nobody has looked since.
    Claimed,
    /// The next review names none of it any more.
    Done,
    /// The next review still names some of it.
    Failed,
}

/// The findings in one file, to be repaired together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixTask {
    /// Its number in the phase.
    pub id: TaskId,
    /// The file it owns; nothing for findings that name none.
    pub owns: Option<String>,
    /// In the order in which to repair them.
    pub findings: Vec<FindingId>,
    /// The rounds whose revision was given it.
    pub given_in: Vec<u32>,
    /// The agents that ended such a revision since a person last decided.
    pub tried_by: Vec<String>,
}

impl FixTask {
    /// Returns how often the author was given it.
    pub fn tries(&self) -> usize {
        self.given_in.len()
    }

    fn is_given_in(&self, round: u32) -> bool {
        self.given_in.last() == Some(&round)
    }
}

/// The tasks of a phase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FixTasks {
    tasks: Vec<FixTask>,
    /// Those of the latest revision in their order, the ones left for later last.
    latest: Vec<TaskId>,
}

impl FixTasks {
    /// Returns all of them in the order of their ids.
    pub fn all(&self) -> &[FixTask] {
        &self.tasks
    }

    /// Returns those of the latest revision in the order in which to work on them: what is given, and what is left for later.
    pub fn latest(&self) -> (Vec<&FixTask>, Vec<&FixTask>) {
        let all = self.latest.iter().filter_map(|id| self.tasks.iter().find(|task| task.id == *id));
        let all: Vec<&FixTask> = all.collect();
        let (given, later) = all.split_at(all.len().min(LARGEST_BATCH));
        (given.to_vec(), later.to_vec())
    }

    /// Hands out what is to be repaired in the revision of a round; `blocking` is the mildest severity that forbids an approval.
    pub(crate) fn hand_out(&mut self, round: u32, findings: Vec<&LedgerFinding>, blocking: Severity) {
        self.latest.clear();
        for (index, group) in group_by_file(findings, blocking).into_iter().enumerate() {
            let findings: Vec<FindingId> = group.iter().map(|listed| listed.id).collect();
            let task = self.find_or_add(group[0].finding.file.as_deref(), &findings);
            task.findings = findings;
            if index < LARGEST_BATCH && !task.is_given_in(round) {
                task.given_in.push(round);
            }
            let id = task.id;
            self.latest.push(id);
        }
    }

    /// Remembers the agent that ended the revision of a round.
    pub(crate) fn record_try(&mut self, round: u32, agent: &str) {
        for task in self.tasks.iter_mut().filter(|task| task.is_given_in(round)) {
            task.tried_by.push(agent.to_owned());
        }
    }

    /// Forgets which agents tried which task: an answer of a person starts the tries again.
    pub(crate) fn forget_tries(&mut self) {
        self.tasks.iter_mut().for_each(|task| task.tried_by.clear());
    }

    /// Returns the task that has some of these findings already, else a new one.
    fn find_or_add(&mut self, file: Option<&str>, findings: &[FindingId]) -> &mut FixTask {
        let goes_on = |task: &FixTask| {
            task.owns.as_deref() == file && task.findings.iter().any(|id| findings.contains(id))
        };
        let index = self.tasks.iter().rposition(goes_on).unwrap_or_else(|| {
            let id = TaskId(u32::try_from(self.tasks.len()).unwrap_or(u32::MAX).saturating_add(1));
            let owns = file.map(str::to_owned);
            self.tasks.push(FixTask { id, owns, findings: Vec::new(), given_in: vec![], tried_by: vec![] });
            self.tasks.len() - 1
        });
        &mut self.tasks[index]
    }
}

/// Groups findings by file. In a group what can be repaired mechanically comes first, then the worst. The groups stand in the
/// same order, but those with nothing that forbids an approval come last.
fn group_by_file(mut findings: Vec<&LedgerFinding>, blocking: Severity) -> Vec<Vec<&LedgerFinding>> {
    findings.sort_by_key(|listed| (rank(listed), listed.finding.line, listed.id));
    let mut files: BTreeMap<Option<&str>, Vec<&LedgerFinding>> = BTreeMap::new();
    for listed in findings {
        files.entry(listed.finding.file.as_deref()).or_default().push(listed);
    }
    let mut groups: Vec<Vec<&LedgerFinding>> = files.into_values().collect();
    groups.sort_by_key(|group| {
        let forbids = |listed: &&&LedgerFinding| listed.finding.weight() >= blocking;
        let first = group.iter().find(forbids);
        (first.is_none(), rank(first.unwrap_or(&group[0])), group[0].id)
    });
    groups
}

fn rank(listed: &LedgerFinding) -> (bool, Reverse<Severity>) {
    (!listed.finding.auto_fixable, Reverse(listed.finding.severity))
}

/// Returns the findings of a task.
pub fn items<'a>(task: &'a FixTask, ledger: &'a Ledger) -> impl Iterator<Item = &'a LedgerFinding> {
    task.findings.iter().filter_map(|id| ledger.get(*id))
}
