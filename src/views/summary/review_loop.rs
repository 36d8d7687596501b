//! The facts of a run as review loops: seven kinds of events in the form of an older system, one loop for each time a phase
//! is worked on until it ends or a person is asked. Works for every policy. A view: nothing is decided from it, and it
//! decides nothing; every judgment in it is a ruling of the engine in that system's words. Outputs are named by where they
//! are, never repeated.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use super::criteria::{CriterionResult, criteria_of, reasons};
use super::problems::places_or_summary;
use crate::text::place;
use model::event::{
    CheckResult, CheckStatus, Checked, Claim, ClaimStatus, Entry, Fact, Place, Reading, Reviewed, Ruled,
    Ruling, StepStarted, Triaged, Worked,
};
use model::finding::Finding;
use model::phase::{PhaseName, Step};
use model::policy::{OnFail, PhaseDef, check_id, criteria, criterion, finding_type};
use model::verdict::{Judgment, ReadAs, Verdict};

/// One event of a review loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewLoopEvent {
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
) -> Vec<ReviewLoopEvent> {
    let Some(Fact::RunStarted(started)) = entries.first().map(|entry| &entry.fact) else { return Vec::new() };
    let wanted = started.agreement.phases.iter().filter(|def| only.is_none_or(|only| *only == def.name));
    let issue = started.issue.number.get();
    let mut loops: BTreeMap<_, _> =
        wanted.map(|def| (&def.name, ReviewLoop::new(issue, def, prompt_text))).collect();
    let mut events = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        for each in loops.values_mut() {
            each.read(entry, &entries[index + 1..]);
            events.append(&mut each.events);
        }
    }
    events
}

/// The kinds of events that are for everybody.
const FOR_EVERYBODY: [&str; 3] = ["REVIEW_LOOP_START", "QUALITY_JUDGMENT", "REVIEW_LOOP_END"];

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

/// Returns with which status and reason a ruling ends the loop; an approval ends it with its commit, and a quota only
/// makes it wait.
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

/// Returns the beginning of the revision that a ruling led to, once there is one.
fn next_revision<'e>(ruled: &Ruled, later: &'e [Entry]) -> Option<&'e StepStarted> {
    let facts = later.iter().map(|entry| &entry.fact);
    let mut own =
        facts.take_while(|fact| !matches!(fact, Fact::Ruled(_) | Fact::Reopened(_) | Fact::FedBack(_)));
    let started = own.find_map(|fact| match fact {
        Fact::StepStarted(started) if started.phase == ruled.phase => Some(started),
        _ => None,
    })?;
    if ruled.ruling == Ruling::Revise && started.step == Step::Revise { Some(started) } else { None }
}

/// One loop of a phase, and what its present iteration has shown.
struct ReviewLoop<'a> {
    issue: u64,
    def: &'a PhaseDef,
    prompt_text: &'a PromptText<'a>,
    /// It has begun and not ended.
    open: bool,
    /// From 1; 0 before the first.
    iteration: u32,
    /// When the present iteration began; nothing between two of them.
    started_at: Option<Timestamp>,
    facts: Iteration<'a>,
    history: Vec<Value>,
    output: Option<String>,
    /// When the fact was recorded that is read.
    at: Timestamp,
    /// What follows from that fact.
    events: Vec<ReviewLoopEvent>,
}

impl<'a> ReviewLoop<'a> {
    fn new(issue: u64, def: &'a PhaseDef, prompt_text: &'a PromptText<'a>) -> Self {
        Self {
            issue,
            def,
            prompt_text,
            open: false,
            iteration: 0,
            started_at: None,
            facts: Iteration::default(),
            history: Vec::new(),
            output: None,
            at: Timestamp::UNIX_EPOCH,
            events: Vec::new(),
        }
    }

    /// Reads a fact of the run; `later` are the entries after it.
    fn read(&mut self, entry: &'a Entry, later: &'a [Entry]) {
        self.at = entry.at;
        let own = &self.def.name;
        match &entry.fact {
            Fact::PhaseStarted { phase, .. } if phase == own => self.begin(),
            Fact::StepStarted(started) if started.phase == *own => self.begin_iteration(started.step),
            Fact::Worked(worked) if worked.phase == *own => self.current().work = Some(worked),
            Fact::Checked(checked) if checked.phase == *own => self.current().checks = Some(checked),
            Fact::Reviewed(reviewed) if reviewed.phase == *own => self.current().review = Some(reviewed),
            Fact::Triaged(triaged) if triaged.phase == *own => self.current().triage = Some(triaged),
            Fact::Ruled(ruled) if ruled.phase == *own => self.rule(ruled, later),
            Fact::Committed { phase, .. } if phase == own => self.end("COMPLETE", "advance"),
            Fact::Reopened(_) | Fact::FedBack(_) => self.end("INCOMPLETE", "reopened"),
            Fact::Cancelled { .. } => self.end("INCOMPLETE", "cancelled"),
            _ => {}
        }
    }

    /// Begins the loop and tells what it is about: the policy, its limit, its criteria.
    fn begin(&mut self) {
        if self.open {
            return;
        }
        self.open = true;
        self.iteration = 0;
        let PhaseDef { name, policy_name, policy, .. } = self.def;
        let limits = &policy.limits;
        let rounds = limits.max_revisions.saturating_add(u32::from(!policy.triage));
        let checks: Vec<&str> = policy.checks.iter().map(|rule| criterion_or_name(&rule.id)).collect();
        let content = json!({
            "phase": name, "policy": policy_name, "criteria": checks,
            "max_iterations": limits.max_passes.unwrap_or(rounds),
        });
        self.push("REVIEW_LOOP_START", content);
    }

    fn begin_iteration(&mut self, step: Step) {
        self.begin();
        if self.started_at.is_none() {
            self.iteration += 1;
            self.started_at = Some(self.at);
            self.facts = Iteration::default();
            self.push_of_iteration("REVIEW_ITERATION_START", &json!({"step": step}));
        }
    }

    /// Returns what is known of the present iteration, to add to it.
    fn current(&mut self) -> &mut Iteration<'a> {
        self.begin_iteration(Step::Check);
        &mut self.facts
    }

    /// Ends the iteration with a ruling, and the loop where the ruling does.
    fn rule(&mut self, ruled: &Ruled, later: &[Entry]) {
        self.begin_iteration(Step::Check);
        let judgment = judgment(ruled);
        let failed = if judgment == "PASS" { Vec::new() } else { self.facts.criteria_failed(self.def) };
        let summary = json!({"judgment": judgment, "criteria_failed": failed, "summary": ruled.rule});
        self.push_of_iteration("QUALITY_JUDGMENT", &summary);
        let rejection = if judgment == "REJECT" { Some(self.reject(ruled, &failed, later)) } else { None };
        self.end_iteration(judgment, rejection);
        if let Some((status, reason)) = loop_end(&ruled.ruling) {
            self.end(status, reason);
        }
    }

    /// Tells why work was rejected and with which prompt it is revised, and returns the details.
    fn reject(&mut self, ruled: &Ruled, failed: &[&str], later: &[Entry]) -> Value {
        let revision = next_revision(ruled, later);
        let text = revision.map(|started| {
            let text = (self.prompt_text)(self.def, started);
            text.unwrap_or_else(|| format!("sha256:{}", started.prompt))
        });
        let details = json!({
            "criteria_failed": failed,
            "issues_detected": self.facts.issues(self.def, ruled),
            "modification_prompt": text.as_deref().unwrap_or_default(),
            "iteration": self.iteration,
        });
        self.push_of_iteration("REJECTION_DETAILS", &details);
        if let Some(started) = revision {
            let prompt = json!({"prompt": text, "digest": started.prompt});
            self.push_of_iteration("MODIFICATION_PROMPT", &prompt);
        }
        details
    }

    fn end_iteration(&mut self, judgment: &str, rejection: Option<Value>) {
        if let Some(Worked { step, round, attempt, .. }) = self.facts.work {
            self.output = Some(self.path(&format!("{step}/round-{round}/attempt-{attempt}/answer.md")));
        }
        let mut record = json!({
            "iteration": self.iteration,
            "started_at": self.started_at.take().unwrap_or(self.at).to_string(),
            "ended_at": self.at.to_string(),
            "judgment": judgment,
            "criteria_results": self.facts.criteria_results(),
            "executor_output_ref": self.output,
        });
        if let Some(rejection) = rejection {
            record["rejection_details"] = rejection;
        }
        self.push_of_iteration("REVIEW_ITERATION_END", &record);
        self.history.push(record);
    }

    /// Ends the loop and tells what came of it.
    fn end(&mut self, status: &str, reason: &str) {
        if !self.open {
            return;
        }
        self.open = false;
        self.started_at = None;
        let deliverable = self.path(&format!("output/{}", self.def.output));
        let content = json!({
            "phase": self.def.name,
            "final_status": status,
            "reason": reason,
            "total_iterations": self.history.len(),
            "iteration_history": std::mem::take(&mut self.history),
            "final_output": {"deliverable": deliverable, "executor_output_ref": self.output},
        });
        self.push("REVIEW_LOOP_END", content);
    }

    fn push(&mut self, event_type: &'static str, content: Value) {
        let visibility = if FOR_EVERYBODY.contains(&event_type) { "summary" } else { "full" };
        self.events.push(ReviewLoopEvent { event_type, timestamp: self.at.to_string(), visibility, content });
    }

    /// Tells of the present iteration: which one it is, and these fields.
    fn push_of_iteration(&mut self, event_type: &'static str, fields: &Value) {
        let mut content = json!({"phase": self.def.name, "iteration": self.iteration});
        for (key, value) in fields.as_object().into_iter().flatten() {
            content[key] = value.clone();
        }
        self.push(event_type, content);
    }

    /// Returns the path of a file of the phase, seen from the top of the repository.
    fn path(&self, rest: &str) -> String {
        format!(".ai-workflow/issue-{}/{}/{rest}", self.issue, self.def.folder)
    }
}

/// The criteria that are no checks of ours.
const REVIEW: &str = "review";
const TRIAGE: &str = "triage";
const CLAIM: &str = "claim";

/// The latest facts of an iteration.
#[derive(Clone, Copy, Default)]
struct Iteration<'a> {
    work: Option<&'a Worked>,
    checks: Option<&'a Checked>,
    review: Option<&'a Reviewed>,
    triage: Option<&'a Triaged>,
}

impl<'a> Iteration<'a> {
    /// Returns the criteria that failed, each once.
    fn criteria_failed(&self, def: &'a PhaseDef) -> Vec<&'a str> {
        let judged = self.failed_checks(def).flat_map(criteria_of);
        let mut failed: Vec<&str> = judged.filter(|judged| !judged.passed).map(|judged| judged.id).collect();
        if self.unfinished_claim().is_some() {
            failed.push(CLAIM);
        }
        if let Some(reading) = self.rejecting_review(def) {
            let named: Vec<&str> = reading.findings.iter().filter_map(criterion_of).collect();
            failed.extend(if named.is_empty() { vec![REVIEW] } else { named });
        }
        if self.count_unsettled_findings() > 0 {
            failed.push(TRIAGE);
        }
        let mut known = BTreeSet::new();
        failed.retain(|id| known.insert(*id));
        failed
    }

    /// Returns the result of each criterion that was judged; what does not apply, or failed before the run began, was not.
    fn criteria_results(&self) -> Vec<Value> {
        let is_judged = |checked: &&CheckResult| {
            !matches!(checked.status, CheckStatus::Skipped | CheckStatus::FailedBefore)
        };
        let applied = self.results().filter(is_judged);
        let checks = applied.flat_map(criteria_of);
        let review = self.reading().map(|reading| CriterionResult {
            id: REVIEW,
            quality: None,
            passed: approves(reading),
            details: &reading.reason,
        });
        checks.chain(review).map(|judged| criterion_result(&judged)).collect()
    }

    /// Returns what is wrong, one issue for each place; at least the ruling itself.
    fn issues(&self, def: &'a PhaseDef, ruled: &Ruled) -> Vec<Value> {
        let mut issues: Vec<Value> = self.failed_checks(def).flat_map(issues_of_check).collect();
        if self.claims_falsely(def) {
            issues.push(issue("early_termination", None, "the author says that it is complete", None));
        }
        issues.extend(self.unfinished_claim().map(issue_of_claim));
        if let Some(reading) = self.rejecting_review(def) {
            issues.extend(issues_of_review(reading));
        }
        if self.count_unsettled_findings() > 0 {
            let what = format!("{} findings are not settled", self.count_unsettled_findings());
            issues.push(issue("incomplete", None, &what, None));
        }
        if issues.is_empty() {
            issues.push(issue("incomplete", None, &ruled.rule, None));
        }
        issues
    }

    fn results(&self) -> impl Iterator<Item = &'a CheckResult> {
        self.checks.into_iter().flat_map(|checked| &checked.results)
    }

    fn failed_checks(&self, def: &'a PhaseDef) -> impl Iterator<Item = &'a CheckResult> {
        self.results().filter(|result| result.demand(&def.policy) != OnFail::Note)
    }

    fn reading(&self) -> Option<&'a Reading> {
        self.review.and_then(|review| review.reading.as_ref())
    }

    /// Returns a review that does not approve.
    fn rejecting_review(&self, def: &PhaseDef) -> Option<&'a Reading> {
        let blocking = def.policy.review.as_ref().map(|rule| rule.blocking);
        let reading = self.reading()?;
        let is_serious = blocking.is_some_and(|blocking| reading.worst() >= Some(blocking));
        let rejects = !def.policy.triage && (!approves(reading) || is_serious);
        if rejects { Some(reading) } else { None }
    }

    /// Tells whether the author declared what our checks refute.
    fn claims_falsely(&self, def: &'a PhaseDef) -> bool {
        let claim = self.work.and_then(|work| work.claim.as_ref());
        let complete = claim.is_some_and(|claim| claim.status == ClaimStatus::Completed);
        complete && self.failed_checks(def).next().is_some()
    }

    fn unfinished_claim(&self) -> Option<&'a Claim> {
        let claim = self.work.and_then(|work| work.claim.as_ref());
        claim.filter(|claim| claim.status != ClaimStatus::Completed)
    }

    /// Returns how many findings of a document review are not settled.
    fn count_unsettled_findings(&self) -> u32 {
        let table = self.triage.and_then(|triage| triage.table);
        table.map_or(0, |table| table.fix_required.saturating_add(table.needs_discussion))
    }
}

fn approves(reading: &Reading) -> bool {
    reading.judgment.approves() && reading.result != Verdict::Fail && reading.read_as != ReadAs::Default
}

/// Returns the criterion of a check, or its own name.
fn criterion_or_name(check: &str) -> &str {
    criterion(check).unwrap_or(check)
}

/// Returns the criterion that a finding names as its category.
fn criterion_of(finding: &Finding) -> Option<&'static str> {
    criteria().map(|(id, _)| id).find(|id| id.eq_ignore_ascii_case(finding.category.trim()))
}

fn criterion_result(judged: &CriterionResult<'_>) -> Value {
    let CriterionResult { id, quality, passed, details } = judged;
    let mut value = json!({"criteria_id": id, "passed": passed, "details": details});
    if let Some(quality) = quality {
        value["quality_criterion"] = json!(quality);
    }
    value
}

/// Returns an issue for each reason of a template, and for each place of another check.
fn issues_of_check(result: &CheckResult) -> Vec<Value> {
    let of_template: Vec<Value> = reasons(result).flat_map(issues_of_reason).collect();
    if !of_template.is_empty() {
        return of_template;
    }
    let kind = finding_type(&result.check);
    let places = places_or_summary(result);
    let issue_at = |at: &Place| {
        let location = place(at.file.as_deref(), at.line);
        issue(kind, location.as_deref(), &at.what, at.suggestion.as_deref())
    };
    places.iter().map(issue_at).collect()
}

fn issues_of_reason(reason: &Value) -> Vec<Value> {
    let text = |key: &str| reason[key].as_str().unwrap_or_default();
    let (id, violation) = (text("criteria_id"), text("violation_type"));
    let kind = finding_type(check_id(id));
    let evidence = reason["evidence"].as_array().into_iter().flatten().filter_map(Value::as_str);
    evidence.map(|seen| issue(kind, None, &format!("{id} ({violation}): {seen}"), None)).collect()
}

fn issue_of_claim(claim: &Claim) -> Value {
    let words = claim.summary.trim();
    let words = if words.is_empty() { "the author says that it is not finished" } else { words };
    issue("incomplete", None, words, None)
}

fn issues_of_review(reading: &Reading) -> Vec<Value> {
    let findings = reading.findings.iter().map(|finding| {
        let kind = criterion_of(finding).map_or("incomplete", |id| finding_type(check_id(id)));
        let location = place(finding.file.as_deref(), finding.line);
        issue(kind, location.as_deref(), &finding.issue, finding.suggestion.as_deref())
    });
    let all: Vec<Value> = findings.collect();
    if all.is_empty() { vec![issue("incomplete", None, &reading.reason, None)] } else { all }
}

/// Makes an issue; what is not known is left out.
fn issue(kind: &str, location: Option<&str>, description: &str, suggestion: Option<&str>) -> Value {
    let mut issue =
        json!({"type": kind, "location": location, "description": description, "suggestion": suggestion});
    if let Some(fields) = issue.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    issue
}
