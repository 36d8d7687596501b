//! What an author is given to repair: the findings of a review as tasks, one a file, the worst first. Handed out when a
//! revision begins; how a task stands is computed from what the next review names.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::ledger::{FindingId, Ledger, Listed, Standing};
use super::state::{PhaseState, Stage};
use model::finding::{Disposition, Severity};
use model::phase::Step;
use model::policy::{ReviewRule, TaskRule};

/// More tasks than this are not given at once (seed 001, B-31).
pub const LARGEST_BATCH: usize = 8;

/// The number of a task in its phase, told as `T1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(u32);

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "T{}", self.0)
    }
}

/// How a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
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

impl TaskState {
    /// Returns the word used in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Claimed => "claimed",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

/// The findings in one file, to be repaired together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixTask {
    pub id: TaskId,
    /// The file it owns; nothing for findings that name none.
    pub owns: Option<String>,
    /// In the order in which to repair them.
    pub findings: Vec<FindingId>,
    /// The rounds whose revision was given it.
    pub given_in: Vec<u32>,
    /// The agents that ended such a revision, since a person last had a say.
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

    /// Hands out what is to be repaired in the revision of a round.
    fn hand_out(&mut self, round: u32, groups: Vec<Group<'_>>) {
        self.latest.clear();
        for (index, group) in groups.into_iter().enumerate() {
            let findings: Vec<FindingId> = group.findings.iter().map(|listed| listed.id).collect();
            let task = self.of_findings(group.file, &findings);
            task.findings = findings;
            if index < LARGEST_BATCH && !task.is_given_in(round) {
                task.given_in.push(round);
            }
            let id = task.id;
            self.latest.push(id);
        }
    }

    /// Remembers who ended the revision of a round.
    pub(super) fn tried(&mut self, round: u32, agent: &str) {
        for task in self.tasks.iter_mut().filter(|task| task.is_given_in(round)) {
            task.tried_by.push(agent.to_owned());
        }
    }

    /// Forgets who has tried what: a person's word begins the tries anew.
    pub(super) fn forget_tries(&mut self) {
        self.tasks.iter_mut().for_each(|task| task.tried_by.clear());
    }

    /// Returns the task that has some of these findings already, else a new one.
    fn of_findings(&mut self, file: Option<&str>, findings: &[FindingId]) -> &mut FixTask {
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

/// The findings of one file.
struct Group<'a> {
    file: Option<&'a str>,
    findings: Vec<&'a Listed>,
}

impl Group<'_> {
    /// Severity first; of equals what can be repaired mechanically.
    fn place(&self) -> (Reverse<Option<Severity>>, bool, FindingId) {
        let worst = self.findings.iter().map(|listed| listed.finding.severity).max();
        let manual = !self.findings.iter().all(|listed| listed.finding.auto_fixable);
        (Reverse(worst), manual, self.findings[0].id)
    }
}

/// Groups findings by file: groups and the findings in them in the order in which to repair them.
fn grouped<'a>(findings: impl Iterator<Item = &'a Listed>) -> Vec<Group<'a>> {
    let mut files: BTreeMap<Option<&str>, Vec<&Listed>> = BTreeMap::new();
    for listed in findings {
        files.entry(listed.finding.file.as_deref()).or_default().push(listed);
    }
    let mut groups: Vec<Group<'_>> =
        files.into_iter().map(|(file, findings)| Group { file, findings: in_order(findings) }).collect();
    groups.sort_by_key(Group::place);
    groups
}

fn in_order(mut findings: Vec<&Listed>) -> Vec<&Listed> {
    findings.sort_by_key(|listed| {
        let it = &listed.finding;
        (Reverse(it.severity), !it.auto_fixable, it.line, listed.id)
    });
    findings
}

impl PhaseState {
    /// Makes tasks of what the latest review demands, for the revision that begins.
    pub(super) fn hand_out_tasks(&mut self) {
        let ids: Vec<FindingId> = self.demanded().iter().map(|listed| listed.id).collect();
        self.tasks = self.tasks_now();
        self.ledger.demand_fix(&ids);
    }

    fn tasks_now(&self) -> FixTasks {
        let mut tasks = self.tasks.clone();
        tasks.hand_out(self.round, grouped(self.demanded().into_iter()));
        tasks
    }

    /// Returns the tasks as a revision would have them that is ruled now.
    pub(super) fn tasks_to_come(&self) -> FixTasks {
        let mut ruled = self.clone();
        ruled.take_up_findings();
        ruled.tasks_now()
    }

    /// Returns the findings of this round's review that are to be repaired.
    fn demanded(&self) -> Vec<&Listed> {
        let Some(rule) = &self.def.policy.review else { return Vec::new() };
        let named: Vec<&Listed> = self.ledger.open().filter(|listed| self.is_named_now(listed)).collect();
        let blocking: Vec<&Listed> = named.iter().copied().filter(|listed| blocks(rule, listed)).collect();
        let all = rule.tasks == TaskRule::All || blocking.is_empty();
        if all { named } else { blocking }
    }

    fn is_named_now(&self, listed: &Listed) -> bool {
        let settled = matches!(listed.disposition, Disposition::NoFix | Disposition::NeedsDiscussion);
        listed.last_round == self.round && !listed.is_of_checks() && !settled
    }

    /// Returns the open findings of this round's review that are no task: nothing has to be done about them.
    pub fn remarks(&self) -> Vec<&Listed> {
        let (given, later) = self.tasks.latest();
        let is_task = |id: FindingId| given.iter().chain(&later).any(|task| task.findings.contains(&id));
        let named = self.ledger.open().filter(|listed| self.is_named_now(listed));
        named.filter(|listed| !is_task(listed.id)).collect()
    }

    /// Returns how a task stands.
    pub fn state_of(&self, task: &FixTask) -> TaskState {
        let Some(given) = task.given_in.last().copied() else { return self.state_ungiven(task) };
        let items: Vec<&Listed> = items(task, &self.ledger).collect();
        if !items.iter().any(|listed| listed.is_open()) {
            return TaskState::Done;
        }
        if items.iter().any(|listed| listed.is_open() && listed.last_round > given) {
            return TaskState::Failed;
        }
        let waits = self.round == given && self.stage == Stage::Ready(Step::Revise);
        let began = self.calls.attempts.contains_key(&(given, Step::Revise)) && !waits;
        if began { TaskState::Claimed } else { TaskState::Open }
    }

    fn state_ungiven(&self, task: &FixTask) -> TaskState {
        let gone = items(task, &self.ledger).all(|listed| listed.standing == Standing::Resolved);
        if gone { TaskState::Done } else { TaskState::Open }
    }
}

fn blocks(rule: &ReviewRule, listed: &Listed) -> bool {
    listed.finding.weight() >= rule.blocking
}

/// Returns the findings of a task.
pub fn items<'a>(task: &'a FixTask, ledger: &'a Ledger) -> impl Iterator<Item = &'a Listed> {
    task.findings.iter().filter_map(|id| ledger.get(*id))
}
