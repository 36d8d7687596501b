//! The facts of a run as review loops: seven kinds of events in the form of an older system, one loop for each time a phase
//! is worked on until it ends or a person is asked. Works for every policy. A view: nothing is decided from it, and it
//! decides nothing; every judgment in it is a ruling of the engine in that system's words. Outputs are named by where they
//! are, never repeated.

mod iteration;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};

use iteration::Iteration;
use model::event::{Entry, Fact, Ruled, Ruling, StepStarted, Worked};
use model::phase::{PhaseName, Step};
use model::policy::{PhaseDef, criterion};
use model::verdict::Judgment;

/// One event of a review loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoopEvent {
    /// The kind, such as `REVIEW_LOOP_START`.
    pub event_type: &'static str,
    /// When the fact was recorded from which it follows; RFC 3339.
    pub timestamp: String,
    /// `summary` for everybody, `full` for who wants all of it.
    pub visibility: &'static str,
    /// What it is about; the fields depend on the kind.
    pub content: Value,
}

/// Returns the text of a prompt where it is still on this machine.
pub type PromptText<'a> = dyn Fn(&PhaseDef, &StepStarted) -> Option<String> + 'a;

/// Returns the events of a run so far, of one phase or of all.
pub fn review_loop(
    entries: &[Entry],
    only: Option<&PhaseName>,
    prompt_text: &PromptText<'_>,
) -> Vec<LoopEvent> {
    let Some(Fact::RunStarted(started)) = entries.first().map(|entry| &entry.fact) else { return Vec::new() };
    let wanted = started.agreement.phases.iter().filter(|def| only.is_none_or(|only| *only == def.name));
    let issue = started.issue.number.get();
    let loops = wanted.map(|def| (&def.name, ReviewLoop::new(issue, def))).collect();
    let mut builder = EventBuilder { entries, prompt_text, loops, events: Vec::new() };
    for index in 0..entries.len() {
        builder.read(index);
    }
    builder.events
}

/// Reads a run's entries one by one and collects the events that follow from them.
struct EventBuilder<'a> {
    entries: &'a [Entry],
    prompt_text: &'a PromptText<'a>,
    loops: BTreeMap<&'a PhaseName, ReviewLoop<'a>>,
    events: Vec<LoopEvent>,
}

impl<'a> EventBuilder<'a> {
    fn read(&mut self, index: usize) {
        let Entry { at, fact, .. } = &self.entries[index];
        match fact {
            Fact::PhaseStarted { phase, .. } => self.open_loop(phase, *at),
            Fact::StepStarted(started) => self.open_iteration(&started.phase, started.step, *at),
            Fact::Worked(worked) => self.add(&worked.phase, *at, |facts| facts.work = Some(worked)),
            Fact::Checked(checked) => self.add(&checked.phase, *at, |facts| facts.checks = Some(checked)),
            Fact::Reviewed(reviewed) => self.add(&reviewed.phase, *at, |facts| facts.review = Some(reviewed)),
            Fact::Triaged(triaged) => self.add(&triaged.phase, *at, |facts| facts.triage = Some(triaged)),
            Fact::Ruled(ruled) => self.end_iteration(index, ruled, *at),
            Fact::Committed { phase, .. } => self.close_loop(phase, "COMPLETE", "advance", *at),
            Fact::Reopened(_) | Fact::FedBack(_) => self.close_all("reopened", *at),
            Fact::Cancelled { .. } => self.close_all("cancelled", *at),
            _ => {}
        }
    }

    fn open_loop(&mut self, phase: &PhaseName, at: Timestamp) {
        let Some(found) = self.loops.get_mut(phase).filter(|found| !found.open) else { return };
        let content = found.begin();
        self.push("REVIEW_LOOP_START", "summary", at, content);
    }

    fn open_iteration(&mut self, phase: &PhaseName, step: Step, at: Timestamp) {
        self.open_loop(phase, at);
        let Some(found) = self.loops.get_mut(phase).filter(|found| found.started_at.is_none()) else {
            return;
        };
        found.begin_iteration(at);
        let content = found.about(&json!({"step": step}));
        self.push("REVIEW_ITERATION_START", "full", at, content);
    }

    fn add(&mut self, phase: &PhaseName, at: Timestamp, add: impl FnOnce(&mut Iteration<'a>)) {
        self.open_iteration(phase, Step::Check, at);
        if let Some(found) = self.loops.get_mut(phase) {
            add(&mut found.facts);
        }
    }

    fn end_iteration(&mut self, index: usize, ruled: &Ruled, at: Timestamp) {
        self.open_iteration(&ruled.phase, Step::Check, at);
        let prompt = self.next_prompt(index, ruled);
        let Some(found) = self.loops.get_mut(&ruled.phase) else { return };
        for (event_type, visibility, content) in found.rule(ruled, prompt, at) {
            self.push(event_type, visibility, at, content);
        }
        if let Some((status, reason)) = loop_end(&ruled.ruling) {
            self.close_loop(&ruled.phase, status, reason, at);
        }
    }

    /// Returns the prompt of the revision that a ruling led to, once there is one.
    fn next_prompt(&self, index: usize, ruled: &Ruled) -> Option<Prompt> {
        let def = self.loops.get(&ruled.phase)?.def;
        let later = self.entries[index + 1..].iter().map(|entry| &entry.fact);
        let mut own =
            later.take_while(|fact| !matches!(fact, Fact::Ruled(_) | Fact::Reopened(_) | Fact::FedBack(_)));
        let started = own.find_map(|fact| match fact {
            Fact::StepStarted(started) if started.phase == ruled.phase => Some(started),
            _ => None,
        })?;
        if ruled.ruling != Ruling::Revise || started.step != Step::Revise {
            return None;
        }
        let text = (self.prompt_text)(def, started);
        let digest = started.prompt.clone();
        Some(Prompt { text: text.unwrap_or_else(|| format!("sha256:{digest}")), digest })
    }

    fn close_all(&mut self, reason: &str, at: Timestamp) {
        let open: Vec<_> = self.loops.iter().filter(|(_, found)| found.open).map(|(name, _)| *name).collect();
        for phase in open {
            self.close_loop(phase, "INCOMPLETE", reason, at);
        }
    }

    fn close_loop(&mut self, phase: &PhaseName, status: &str, reason: &str, at: Timestamp) {
        let Some(found) = self.loops.get_mut(phase).filter(|found| found.open) else { return };
        let content = found.end(status, reason);
        self.push("REVIEW_LOOP_END", "summary", at, content);
    }

    fn push(&mut self, event_type: &'static str, visibility: &'static str, at: Timestamp, content: Value) {
        self.events.push(LoopEvent { event_type, timestamp: at.to_string(), visibility, content });
    }
}

/// A kind of event, for whom it is, and its content.
type Event = (&'static str, &'static str, Value);

/// The prompt of a revision: its text, or its digest where the text is not here.
struct Prompt {
    text: String,
    digest: String,
}

/// Returns a ruling in the older system's words. What lets nothing through and asks for nothing again is a rejection.
fn judgment(ruled: &Ruled) -> &'static str {
    let redone = ruled.judgment == Judgment::Redo;
    match &ruled.ruling {
        Ruling::Advance => "PASS",
        Ruling::Redo { .. } | Ruling::Wait { .. } | Ruling::LeaveOut { .. } => "RETRY",
        Ruling::Pause { .. } | Ruling::Fail { .. } if redone => "RETRY",
        Ruling::Revise | Ruling::Pause { .. } | Ruling::Fail { .. } | Ruling::Reopen { .. } => "REJECT",
    }
}

/// Returns with which status and reason a ruling ends the loop; an approval ends it with its commit, and a quota only makes it wait.
fn loop_end(ruling: &Ruling) -> Option<(&'static str, &str)> {
    match ruling {
        Ruling::Advance
        | Ruling::Revise
        | Ruling::Redo { .. }
        | Ruling::Wait { .. }
        | Ruling::LeaveOut { .. } => None,
        Ruling::Pause { escalation } if escalation.reason.passes_by_itself() => None,
        Ruling::Pause { escalation } => Some(("INCOMPLETE", escalation.reason.as_str())),
        Ruling::Fail { reason, incomplete } => {
            Some((if *incomplete { "INCOMPLETE" } else { "ERROR" }, reason))
        }
        Ruling::Reopen { .. } => Some(("INCOMPLETE", "reopened")),
    }
}

/// One loop of a phase, and what its present iteration has shown.
struct ReviewLoop<'a> {
    issue: u64,
    def: &'a PhaseDef,
    /// It has begun and not ended.
    open: bool,
    /// From 1; 0 before the first.
    iteration: u32,
    /// When the present iteration began; nothing between two of them.
    started_at: Option<Timestamp>,
    facts: Iteration<'a>,
    history: Vec<Value>,
    output: Option<String>,
}

impl<'a> ReviewLoop<'a> {
    fn new(issue: u64, def: &'a PhaseDef) -> Self {
        let facts = Iteration::default();
        Self {
            issue,
            def,
            open: false,
            iteration: 0,
            started_at: None,
            facts,
            history: Vec::new(),
            output: None,
        }
    }

    /// Begins the loop and returns what it is about: the policy, its limit, its criteria.
    fn begin(&mut self) -> Value {
        *self = Self { open: true, output: self.output.take(), ..Self::new(self.issue, self.def) };
        let PhaseDef { name, policy_name, policy, .. } = self.def;
        let limits = &policy.limits;
        let rounds = limits.max_revisions.saturating_add(u32::from(!policy.triage));
        let checks: Vec<&str> =
            policy.checks.iter().map(|rule| criterion(&rule.id).unwrap_or(&rule.id)).collect();
        json!({
            "phase": name, "policy": policy_name, "criteria": checks,
            "max_iterations": limits.max_passes.unwrap_or(rounds),
        })
    }

    fn begin_iteration(&mut self, at: Timestamp) {
        self.iteration += 1;
        self.started_at = Some(at);
        self.facts = Iteration::default();
    }

    /// Returns the content of an event of the present iteration: which one it is, and these fields.
    fn about(&self, fields: &Value) -> Value {
        let mut content = Map::new();
        content.insert("phase".into(), json!(self.def.name));
        content.insert("iteration".into(), json!(self.iteration));
        content.extend(fields.as_object().cloned().unwrap_or_default());
        Value::Object(content)
    }

    /// Ends an iteration with a ruling, and returns the events that follow from it.
    fn rule(&mut self, ruled: &Ruled, prompt: Option<Prompt>, at: Timestamp) -> Vec<Event> {
        let judgment = judgment(ruled);
        let failed = if judgment == "PASS" { Vec::new() } else { self.facts.criteria_failed(self.def) };
        let summary = json!({"judgment": judgment, "criteria_failed": failed, "summary": ruled.rule});
        let mut events = vec![("QUALITY_JUDGMENT", "summary", self.about(&summary))];
        let mut details = None;
        if judgment == "REJECT" {
            let rejection = json!({
                "criteria_failed": failed,
                "issues_detected": self.facts.issues(self.def, ruled),
                "modification_prompt": prompt.as_ref().map_or("", |prompt| &prompt.text),
                "iteration": self.iteration,
            });
            events.push(("REJECTION_DETAILS", "full", self.about(&rejection)));
            if let Some(Prompt { text, digest }) = prompt {
                let content = json!({"prompt": text, "digest": digest});
                events.push(("MODIFICATION_PROMPT", "full", self.about(&content)));
            }
            details = Some(rejection);
        }
        let record = self.end_iteration(judgment, details, at);
        events.push(("REVIEW_ITERATION_END", "full", self.about(&record)));
        events
    }

    /// Ends the iteration and returns its record.
    fn end_iteration(&mut self, judgment: &str, details: Option<Value>, at: Timestamp) -> Value {
        if let Some(Worked { step, round, attempt, .. }) = self.facts.work {
            self.output = Some(self.path(&format!("{step}/round-{round}/attempt-{attempt}/answer.md")));
        }
        let started_at = self.started_at.take().unwrap_or(at);
        let mut record = json!({
            "iteration": self.iteration,
            "started_at": started_at.to_string(),
            "ended_at": at.to_string(),
            "judgment": judgment,
            "criteria_results": self.facts.criteria_results(),
            "executor_output_ref": self.output,
        });
        if let (Some(fields), Some(details)) = (record.as_object_mut(), details) {
            fields.insert("rejection_details".into(), details);
        }
        self.history.push(record.clone());
        record
    }

    /// Ends the loop and returns what came of it.
    fn end(&mut self, status: &str, reason: &str) -> Value {
        self.open = false;
        self.started_at = None;
        let deliverable = self.path(&format!("output/{}", self.def.output));
        json!({
            "phase": self.def.name,
            "final_status": status,
            "reason": reason,
            "total_iterations": self.history.len(),
            "iteration_history": std::mem::take(&mut self.history),
            "final_output": {"deliverable": deliverable, "executor_output_ref": self.output},
        })
    }

    /// Returns the path of a file of the phase, seen from the top of the repository.
    fn path(&self, rest: &str) -> String {
        format!(".ai-workflow/issue-{}/{}/{rest}", self.issue, self.def.folder)
    }
}
