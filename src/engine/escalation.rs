//! The question to a person that every pause carries: what is asked, which answers there are, and what has happened so far.
//! Whether a phase pauses is decided in `revision_limit`, `redo` and `budget`.

use jiff::Timestamp;

use crate::findings::next_tasks;
use crate::fix_tasks::FixTask;
use crate::phase_state::{PhaseState, limit_reached};
use model::event::{
    CheckResult, CheckStatus, Escalation, EvaluationDecision, PauseChoice, PauseReason, Place,
};
use model::finding::{Finding, Severity};
use model::phase::{PhaseName, Step};
use model::policy::OnFail;
use model::verdict::Judgment;

/// The longest report of an escalation, in lines.
const LONGEST_REPORT: usize = 40;

/// Writes the question for a phase that cannot go on by itself; `why` is what led there.
pub(crate) fn escalation(phase: &PhaseState, reason: PauseReason, why: &str) -> Escalation {
    let question = question(phase, reason, &add_decision(phase, &phase.with_unreviewed_fixes(why)));
    let stopped = if reason == PauseReason::Blocked { describe_stop(phase) } else { None };
    let (question, lines) = match stopped {
        Some((heading, lines)) => (format!("{heading}. {question}"), lines),
        None => (question, Vec::new()),
    };
    let options = vec![PauseChoice::Continue, PauseChoice::Edited, PauseChoice::Accept, PauseChoice::GiveUp];
    let report = lines.into_iter().chain(report(phase)).take(LONGEST_REPORT).collect();
    Escalation { options, report, ..pause(reason, Some(phase.name()), question) }
}

/// Asks whether a phase may begin.
pub(crate) fn gate_question(phase: &PhaseState) -> Escalation {
    let question = format!("{} begins only when a person says so. Begin it, or give it up?", phase.name());
    let options = vec![PauseChoice::Continue, PauseChoice::GiveUp];
    Escalation { options, ..pause(PauseReason::Gate, Some(phase.name()), question) }
}

/// Makes the pause before a closed gate while a phase before it is not completed.
pub(crate) fn closed_gate(phase: &PhaseState) -> Escalation {
    let question = format!(
        "The run stops before {}, and not every phase before it is completed. Go on with those?",
        phase.name()
    );
    pause(PauseReason::Gate, Some(phase.name()), question)
}

/// Writes the question for a run that no agent can serve until a quota is renewed.
pub(crate) fn quota_pause(phase: &PhaseState, step: Step, until: Option<Timestamp>) -> Escalation {
    let question = format!(
        "No quota is left for the {step} step of {} ({}). Execute again {}, or go on now if that has changed.",
        phase.name(),
        phase.chain(step).join(", "),
        describe_until(until)
    );
    Escalation { until, ..pause(PauseReason::Quota, Some(phase.name()), question) }
}

/// Makes the pause for a provider that failed longer than the run waits for it.
pub(crate) fn outage_pause(
    phase: &PhaseState,
    step: Step,
    why: &str,
    until: Option<Timestamp>,
) -> Escalation {
    let question = format!(
        "{} cannot go on while the provider of its agents ({}) fails ({why}). Execute again {}, or go on now if it \
         works again.",
        phase.name(),
        phase.chain(step).join(", "),
        describe_until(until)
    );
    Escalation { until, ..pause(PauseReason::Outage, Some(phase.name()), question) }
}

fn describe_until(until: Option<Timestamp>) -> String {
    until.map_or_else(|| "later".to_owned(), |until| format!("from {until} on"))
}

/// Makes the pause that a person requested before a phase.
pub fn pause_on_request(before: Option<&PhaseName>, by: &str) -> Escalation {
    let place = before.map_or(String::new(), |phase| format!(" before {phase}"));
    let question = format!("{by} asked the run to wait{place}. Go on?");
    pause(PauseReason::OnRequest, before, question)
}

/// Makes the pause at the time limit of a job.
pub fn job_limit_pause(before: &PhaseName, minutes: u64) -> Escalation {
    let question = format!("This job has worked for more than {minutes} min; {before} is for the next one.");
    pause(PauseReason::JobLimit, Some(before), question)
}

/// Says that the rate limit of the server ends at this time; `action` is what it refused for so long.
pub fn rate_limit_pause(phase: Option<&PhaseName>, action: &str, until: Timestamp) -> Escalation {
    let question = format!(
        "The server's limit of requests is reached: it asks to wait until {until} (we could not {action}). Nothing is lost."
    );
    Escalation { until: Some(until), ..pause(PauseReason::RateLimit, phase, question) }
}

/// Makes a pause that a person can only end by going on.
pub fn pause(reason: PauseReason, phase: Option<&PhaseName>, question: String) -> Escalation {
    let (phase, options) = (phase.cloned(), vec![PauseChoice::Continue]);
    Escalation { reason, phase, question, options, report: vec![], until: None }
}

/// Adds what an evaluation decided to a reason: a person who accepts its phase accepts that decision too.
fn add_decision(phase: &PhaseState, why: &str) -> String {
    let word = match phase.evidence.evaluation.as_ref().map(|evaluation| &evaluation.decision) {
        Some(EvaluationDecision::Abort) => "ABORT".to_owned(),
        Some(EvaluationDecision::FailPhase(phase)) => format!("FAIL_PHASE_{phase}"),
        Some(EvaluationDecision::Pass | EvaluationDecision::PassWithIssues) | None => return why.to_owned(),
    };
    format!("{why}; the evaluation decided {word}")
}

fn question(phase: &PhaseState, reason: PauseReason, why: &str) -> String {
    let name = phase.name();
    let (problem, choices) = match reason {
        PauseReason::Exhausted => (
            format!("{name} is not approved and has used {}", limit_reached(phase)),
            "Go on, accept it as it is, or give up?",
        ),
        PauseReason::Blocked => {
            (format!("{name} is blocked"), "Repair the cause and go on, accept it, or give up?")
        }
        PauseReason::Discuss => {
            (format!("{name} needs a decision by a person"), "What should be done about it?")
        }
        PauseReason::Unreadable => {
            (format!("The judgment of {name} could not be read"), "Ask again, accept the work, or give up?")
        }
        PauseReason::ReviewerUnavailable => {
            (format!("No reviewer answered in {name}"), "Try again, accept the work unreviewed, or give up?")
        }
        PauseReason::AgentFailed => {
            (format!("No agent could finish {name}"), "Try again, accept the work as it is, or give up?")
        }
        PauseReason::Stalled => (format!("{name} stands still"), "Go on with advice, accept it, or give up?"),
        PauseReason::Budget
        | PauseReason::Quota
        | PauseReason::Outage
        | PauseReason::JobLimit
        | PauseReason::RateLimit
        | PauseReason::OnRequest
        | PauseReason::Gate => return format!("{name} waits for the {}.", reason.as_str()),
    };
    format!("{problem}: {why}. {choices}")
}

fn report(phase: &PhaseState) -> Vec<String> {
    let rounds = phase.history.rounds.iter().map(|round| {
        let verdict = round.verdict.map_or("no verdict", |verdict| verdict.as_str());
        let still = round.standstill.as_ref().map_or(String::new(), |why| format!(", standstill: {why}"));
        let checks = match round.failed.len() {
            0 => String::new(),
            1 => ", 1 failed check".to_owned(),
            several => format!(", {several} failed checks"),
        };
        let (n, findings, ruling) = (round.n, round.findings.len(), round.ruling);
        format!("round {n}: {verdict}, {findings} findings{checks}, {ruling}{still}")
    });
    let now = format!("round {}: {}, now", phase.round, phase.judgment().1);
    let checks = phase.failed_checks().map(|result| format!("check {}: {}", result.check, result.summary));
    let findings = phase.findings().iter().map(|finding| {
        let place = finding.file.as_deref().unwrap_or("-");
        format!("{} {place}: {}", finding.severity.as_str(), finding.issue)
    });
    rounds.chain([now]).chain(describe_tries(phase)).chain(checks).chain(findings).collect()
}

/// Lists the agents that tried each task that several agents could not solve.
pub(crate) fn describe_tries(phase: &PhaseState) -> Vec<String> {
    let open = next_tasks(phase);
    let (given, later) = open.latest();
    let several = |task: &&FixTask| task.tried_by.iter().any(|by| *by != task.tried_by[0]);
    given.into_iter().chain(later).filter(several).map(describe_task_tries).collect()
}

fn describe_task_tries(task: &FixTask) -> String {
    let owns = task.owns.as_deref().unwrap_or("no file");
    format!("{} {owns}: tried by {}", task.id, task.tried_by.join(", "))
}

/// The most required fixes of one check that are listed.
const MOST_FIXES: usize = 10;

/// Returns what stopped a phase that is blocked, under a heading; nothing when neither a reviewer nor a check stopped it.
fn describe_stop(phase: &PhaseState) -> Option<(&'static str, Vec<String>)> {
    if let Some((judgment, why)) = phase.evidence_judgment() {
        return (judgment == Judgment::Block)
            .then(|| ("Verification Failed", describe_failed_checks(phase, &why)));
    }
    let (judgment, why) = phase.reviews_judgment(phase.reading()?);
    (judgment == Judgment::Block)
        .then(|| ("Manual Intervention Required", describe_intervention(phase, &why)))
}

fn describe_intervention(phase: &PhaseState, why: &str) -> Vec<String> {
    let grade = phase.reading().and_then(|reading| reading.grade);
    let grade = grade.map_or_else(|| "N/A".to_owned(), |grade| grade.to_string());
    let head = [
        format!("Decision: {}", decision(phase)),
        format!("Grade: {grade}"),
        format!("Reason: {why}"),
        "Critical issues:".to_owned(),
    ];
    let critical = phase.findings().iter().filter(|finding| finding.severity == Severity::Critical);
    let issues: Vec<String> = critical.enumerate().map(describe_issue).collect();
    let head = head.into_iter().take(if issues.is_empty() { 3 } else { 4 });
    head.chain(issues).collect()
}

/// Returns the word that stops in this policy: the stated one, else the first of them.
fn decision(phase: &PhaseState) -> String {
    let map = phase.def.policy.review.as_ref().map(|rule| &rule.verdict_map);
    let stops = |word: &String| map.and_then(|map| map.get(word)) == Some(&Judgment::Block);
    let stated = phase.reading().map(|reading| reading.stated.clone()).filter(|word| stops(word));
    let any = || map.into_iter().flatten().find(|(_, judgment)| **judgment == Judgment::Block);
    stated.or_else(|| any().map(|(word, _)| word.clone())).unwrap_or_else(|| "stop".into())
}

fn describe_issue((index, finding): (usize, &Finding)) -> String {
    let Finding { file, line, issue, suggestion, .. } = finding.clone();
    describe_fix((index, &Place { file, line, what: issue, suggestion }))
}

fn describe_failed_checks(phase: &PhaseState, why: &str) -> Vec<String> {
    let mut lines = vec!["Decision: STOP".to_owned()];
    let stops = |result: &&CheckResult| result.demand(&phase.def.policy) == OnFail::Stop;
    for result in phase.evidence.results().filter(stops) {
        lines.push(format!("Failure type: {}", failure_type(result)));
        lines.push(format!("Failed command: {}", result.param("command").unwrap_or(&result.check)));
        lines.push(format!("Required fixes: {}", result.summary));
        lines.extend(result.places.iter().take(MOST_FIXES).enumerate().map(describe_fix));
        let more = result.places.len().saturating_sub(MOST_FIXES);
        lines.extend((more > 0).then(|| format!("… and {more} more")));
    }
    if lines.len() == 1 {
        lines.push(format!("Required fixes: {why}"));
    }
    lines
}

fn describe_fix((index, place): (usize, &Place)) -> String {
    let suggestion = place.suggestion.as_ref().map_or(String::new(), |text| format!(" → {text}"));
    let line = place.line.map_or(String::new(), |line| format!(":{line}"));
    format!("{}. {}{line}: {}{suggestion}", index + 1, place.file.as_deref().unwrap_or("-"), place.what)
}

/// Returns the kind of a failure; what could not run says nothing about the code.
fn failure_type(result: &CheckResult) -> &'static str {
    match result.check.as_str() {
        _ if result.status == CheckStatus::Unavailable => "environment_error",
        "tests" | "red_green" => "test_failure",
        "build" | "typecheck" | "syntax" => "build_failure",
        "lint" | "format" => "lint_failure",
        _ => "check_failure",
    }
}
