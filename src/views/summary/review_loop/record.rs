//! What a review loop has gathered: the record of each iteration and of the whole (seed 000, A-19 and A-22).
//! Outputs are named by where they are, never repeated.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::failed::{Seen, criteria_results};
use model::event::Worked;
use model::policy::{PhaseDef, criterion};

/// A phase and where its files are.
#[derive(Clone, Copy)]
pub(super) struct Folder<'a> {
    pub(super) issue: u64,
    pub(super) def: &'a PhaseDef,
}

impl Folder<'_> {
    fn path(self, rest: &str) -> String {
        format!(".ai-workflow/issue-{}/{}/{rest}", self.issue, self.def.folder)
    }

    /// Returns where the answer of an author's call is kept.
    fn answer(self, work: &Worked) -> String {
        let Worked { step, round, attempt, .. } = work;
        self.path(&format!("{step}/round-{round}/attempt-{attempt}/answer.md"))
    }

    fn deliverable(self) -> String {
        self.path(&format!("output/{}", self.def.output))
    }
}

/// One loop of a phase, and what its present iteration has shown.
pub(super) struct Loop<'a> {
    pub(super) folder: Folder<'a>,
    /// It has begun and not ended.
    pub(super) open: bool,
    /// From 1; 0 before the first.
    pub(super) iteration: u32,
    /// When the present iteration began; nothing between two of them.
    pub(super) started_at: Option<Timestamp>,
    pub(super) seen: Seen<'a>,
    history: Vec<Value>,
    output: Option<String>,
}

impl<'a> Loop<'a> {
    pub(super) fn new(folder: Folder<'a>) -> Self {
        let seen = Seen::default();
        Self { folder, open: false, iteration: 0, started_at: None, seen, history: Vec::new(), output: None }
    }

    pub(super) fn begin(&mut self) {
        *self = Self { open: true, output: self.output.take(), ..Self::new(self.folder) };
    }

    /// Returns what the loop is about: the policy, its limit, its criteria.
    pub(super) fn beginning(&self) -> Value {
        let PhaseDef { name, policy_name, policy, .. } = self.folder.def;
        let limits = &policy.limits;
        let rounds = limits.max_revisions.saturating_add(u32::from(!policy.triage));
        let checks: Vec<&str> =
            policy.checks.iter().map(|rule| criterion(&rule.id).unwrap_or(&rule.id)).collect();
        json!({
            "phase": name, "policy": policy_name, "criteria": checks,
            "max_iterations": limits.max_passes.unwrap_or(rounds),
        })
    }

    pub(super) fn begin_iteration(&mut self, at: Timestamp) {
        self.iteration += 1;
        self.started_at = Some(at);
        self.seen = Seen::default();
    }

    /// Returns what an event of the present iteration tells: which one it is, and these fields.
    pub(super) fn about(&self, fields: &Value) -> Value {
        let mut content = Map::new();
        content.insert("phase".into(), json!(self.folder.def.name));
        content.insert("iteration".into(), json!(self.iteration));
        content.extend(fields.as_object().cloned().unwrap_or_default());
        Value::Object(content)
    }

    /// Ends the iteration and returns its record.
    pub(super) fn end_iteration(&mut self, judgment: &str, details: Option<Value>, at: Timestamp) -> Value {
        if let Some(work) = self.seen.work {
            self.output = Some(self.folder.answer(work));
        }
        let started_at = self.started_at.take().unwrap_or(at);
        let mut record = json!({
            "iteration": self.iteration,
            "started_at": started_at.to_string(),
            "ended_at": at.to_string(),
            "judgment": judgment,
            "criteria_results": criteria_results(&self.seen),
            "executor_output_ref": self.output,
        });
        if let (Some(fields), Some(details)) = (record.as_object_mut(), details) {
            fields.insert("rejection_details".into(), details);
        }
        self.history.push(record.clone());
        record
    }

    /// Ends the loop and returns what came of it.
    pub(super) fn end(&mut self, status: &str, reason: &str) -> Value {
        self.open = false;
        self.started_at = None;
        json!({
            "phase": self.folder.def.name,
            "final_status": status,
            "reason": reason,
            "total_iterations": self.history.len(),
            "iteration_history": std::mem::take(&mut self.history),
            "final_output": {"deliverable": self.folder.deliverable(), "executor_output_ref": self.output},
        })
    }
}
