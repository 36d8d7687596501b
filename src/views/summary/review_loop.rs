//! The facts of a run told as review loops: seven kinds of events in the form of seed 000, one loop for each time a phase
//! is worked on until it ends or a person is asked. Works for every policy. A view: nothing is decided from it, and it
//! decides nothing; every judgment in it is a ruling of the engine in the seed's words.

mod failed;
mod record;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use failed::{Seen, criteria_failed, issues};
use model::event::{Entry, Fact, Ruled, Ruling, StepStarted};
use model::phase::{PhaseName, Step};
use model::policy::PhaseDef;
use model::verdict::Judgment;
use record::{Folder, Loop};

/// One event of a review loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoopEvent {
    pub event_type: &'static str,
    pub timestamp: String,
    /// `summary` for everybody, `full` for who wants all of it.
    pub visibility: &'static str,
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
    let loops = wanted.map(|def| (&def.name, Loop::new(Folder { issue, def }))).collect();
    let mut telling = Telling { entries, prompt_text, loops, events: Vec::new() };
    (0..entries.len()).for_each(|index| telling.tell(index));
    telling.events
}

struct Telling<'a> {
    entries: &'a [Entry],
    prompt_text: &'a PromptText<'a>,
    loops: BTreeMap<&'a PhaseName, Loop<'a>>,
    events: Vec<LoopEvent>,
}

impl<'a> Telling<'a> {
    fn tell(&mut self, index: usize) {
        let Entry { at, fact, .. } = &self.entries[index];
        match fact {
            Fact::PhaseStarted { phase, .. } => self.open_loop(phase, *at),
            Fact::StepStarted(started) => self.open_iteration(&started.phase, started.step, *at),
            Fact::Worked(worked) => self.see(&worked.phase, *at, |seen| seen.work = Some(worked)),
            Fact::Checked(checked) => self.see(&checked.phase, *at, |seen| seen.checks = Some(checked)),
            Fact::Reviewed(reviewed) => self.see(&reviewed.phase, *at, |seen| seen.review = Some(reviewed)),
            Fact::Triaged(triaged) => self.see(&triaged.phase, *at, |seen| seen.triage = Some(triaged)),
            Fact::Ruled(ruled) => self.judged(index, ruled, *at),
            Fact::Committed { phase, .. } => self.close_loop(phase, "COMPLETE", "advance", *at),
            Fact::Reopened(_) | Fact::FedBack(_) => self.close_all("reopened", *at),
            Fact::Cancelled { .. } => self.close_all("cancelled", *at),
            _ => {}
        }
    }

    fn open_loop(&mut self, phase: &PhaseName, at: Timestamp) {
        let Some(found) = self.loops.get_mut(phase).filter(|found| !found.open) else { return };
        found.begin();
        let content = found.beginning();
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

    fn see(&mut self, phase: &PhaseName, at: Timestamp, note: impl FnOnce(&mut Seen<'a>)) {
        self.open_iteration(phase, Step::Check, at);
        if let Some(found) = self.loops.get_mut(phase) {
            note(&mut found.seen);
        }
    }

    fn judged(&mut self, index: usize, ruled: &Ruled, at: Timestamp) {
        self.open_iteration(&ruled.phase, Step::Check, at);
        let prompt = self.next_prompt(index, ruled);
        let Some(found) = self.loops.get_mut(&ruled.phase) else { return };
        let told = verdict(found, ruled, prompt, at);
        for (event_type, visibility, content) in told {
            self.push(event_type, visibility, at, content);
        }
        if let Some((status, reason)) = ending(&ruled.ruling) {
            self.close_loop(&ruled.phase, status, reason, at);
        }
    }

    /// Returns the prompt of the revision that a ruling led to, and its digest, once there is one.
    fn next_prompt(&self, index: usize, ruled: &Ruled) -> Option<Prompt> {
        let def = self.loops.get(&ruled.phase)?.folder.def;
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
        Some((text.unwrap_or_else(|| format!("sha256:{}", started.prompt)), started.prompt.clone()))
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

/// A kind of event, for whom it is, and what it tells.
type Told = (&'static str, &'static str, Value);

/// The prompt of a revision and its digest.
type Prompt = (String, String);

/// Ends an iteration with a ruling, and returns the events that tell it.
fn verdict(found: &mut Loop<'_>, ruled: &Ruled, prompt: Option<Prompt>, at: Timestamp) -> Vec<Told> {
    let judgment = judgment(ruled);
    let passed = judgment == "PASS";
    let failed = if passed { Vec::new() } else { criteria_failed(found.folder.def, &found.seen) };
    let summary = json!({"judgment": judgment, "criteria_failed": failed, "summary": ruled.rule});
    let mut told = vec![("QUALITY_JUDGMENT", "summary", found.about(&summary))];
    let rejected = judgment == "REJECT";
    let details = rejected.then(|| rejection(found, ruled, &failed, prompt.as_ref()));
    told.extend(details.iter().map(|details| ("REJECTION_DETAILS", "full", found.about(details))));
    if let Some((text, digest)) = prompt.filter(|_| rejected) {
        let content = json!({"prompt": text, "digest": digest});
        told.push(("MODIFICATION_PROMPT", "full", found.about(&content)));
    }
    let record = found.end_iteration(judgment, details, at);
    told.push(("REVIEW_ITERATION_END", "full", found.about(&record)));
    told
}

fn rejection(found: &Loop<'_>, ruled: &Ruled, failed: &[String], prompt: Option<&Prompt>) -> Value {
    json!({
        "criteria_failed": failed,
        "issues_detected": issues(found.folder.def, &found.seen, ruled),
        "modification_prompt": prompt.map_or("", |(text, _)| text),
        "iteration": found.iteration,
    })
}

/// Returns a ruling in the seed's words. What opens no door and asks for nothing again is a rejection.
fn judgment(ruled: &Ruled) -> &'static str {
    let redone = ruled.judgment == Judgment::Redo;
    match &ruled.ruling {
        Ruling::Advance => "PASS",
        Ruling::Redo { .. } | Ruling::Wait { .. } | Ruling::LeaveOut { .. } => "RETRY",
        Ruling::Pause { .. } | Ruling::Fail { .. } if redone => "RETRY",
        Ruling::Revise | Ruling::Pause { .. } | Ruling::Fail { .. } | Ruling::Reopen { .. } => "REJECT",
    }
}

/// Returns how a ruling ends the loop; an approval ends it with its commit, and a quota only makes it wait.
fn ending(ruling: &Ruling) -> Option<(&'static str, &str)> {
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
