//! The question attached to a pause: who is asked what, and what has happened so far.

use jiff::Timestamp;

use super::ending::limit_reached;
use super::ladder::tries_told;
use super::state::PhaseState;
use super::stopped::stopped;
use model::event::{Choice, Escalation, PauseReason, RunDecision};
use model::phase::{PhaseName, Step};

/// The longest report of an escalation, in lines.
const LONGEST_REPORT: usize = 40;

/// Writes the question for a phase that cannot go on by itself; `why` is what led there.
pub(super) fn escalation(phase: &PhaseState, reason: PauseReason, why: &str) -> Escalation {
    let question = question(phase, reason, &with_decision(phase, &phase.with_unreviewed_fixes(why)));
    let stopped = stopped(phase).filter(|_| reason == PauseReason::Blocked);
    let (question, lines) = match stopped {
        Some(stopped) => (format!("{}. {question}", stopped.heading), stopped.lines),
        None => (question, Vec::new()),
    };
    Escalation {
        reason,
        phase: Some(phase.name().clone()),
        question,
        options: vec![Choice::Continue, Choice::Edited, Choice::Accept, Choice::GiveUp],
        report: lines.into_iter().chain(report(phase)).take(LONGEST_REPORT).collect(),
        until: None,
    }
}

/// Asks whether a phase may begin.
pub(super) fn gate_question(phase: &PhaseState) -> Escalation {
    let question = format!("{} begins only when a person says so. Begin it, or give it up?", phase.name());
    at_the_gate(phase, question, vec![Choice::Continue, Choice::GiveUp])
}

/// Says that the run goes no further, while something before the gate is not done.
pub(super) fn closed_gate(phase: &PhaseState) -> Escalation {
    let question = format!(
        "The run stops before {}, and not every phase before it is completed. Go on with those?",
        phase.name()
    );
    at_the_gate(phase, question, vec![Choice::Continue])
}

fn at_the_gate(phase: &PhaseState, question: String, options: Vec<Choice>) -> Escalation {
    let phase = Some(phase.name().clone());
    Escalation { reason: PauseReason::Gate, phase, question, options, report: vec![], until: None }
}

/// Writes the question for a run that no agent can serve until a quota is renewed.
pub(super) fn quota_pause(phase: &PhaseState, step: Step, until: Option<Timestamp>) -> Escalation {
    let agents = phase.chain(step).join(", ");
    let when = until.map_or_else(|| "later".to_owned(), |until| format!("from {until} on"));
    let question = format!(
        "No quota is left for the {step} step of {} ({agents}). Execute again {when}, or go on now if that has changed.",
        phase.name()
    );
    let (phase, options) = (Some(phase.name().clone()), vec![Choice::Continue]);
    Escalation { reason: PauseReason::Quota, phase, question, options, report: vec![], until }
}

/// Says that the provider of a step's agents failed for as long as the run waits for it.
pub(super) fn outage_pause(
    phase: &PhaseState,
    step: Step,
    why: &str,
    until: Option<Timestamp>,
) -> Escalation {
    let agents = phase.chain(step).join(", ");
    let when = until.map_or_else(|| "later".to_owned(), |until| format!("from {until} on"));
    let question = format!(
        "{} cannot go on while the provider of its agents ({agents}) fails ({why}). Execute again {when}, or go on \
         now if it works again.",
        phase.name()
    );
    let (phase, options) = (Some(phase.name().clone()), vec![Choice::Continue]);
    Escalation { reason: PauseReason::Outage, phase, question, options, report: vec![], until }
}

/// Says that a person asked the run to wait before a phase.
pub fn pause_on_request(before: Option<&PhaseName>, by: &str) -> Escalation {
    let place = before.map_or(String::new(), |phase| format!(" before {phase}"));
    let question = format!("{by} asked the run to wait{place}. Go on?");
    between_phases(PauseReason::OnRequest, before, question)
}

/// Says that the time of a job is over before a phase.
pub fn job_limit_pause(before: &PhaseName, minutes: u64) -> Escalation {
    let question = format!("This job has worked for more than {minutes} min; {before} is for the next one.");
    between_phases(PauseReason::JobLimit, Some(before), question)
}

/// Says that the server lets nobody in until then; `action` is what it refused for so long.
pub fn rate_limit_pause(phase: Option<&PhaseName>, action: &str, until: Timestamp) -> Escalation {
    let question = format!(
        "The server's limit of requests is reached: it asks to wait until {until} (we could not {action}). Nothing is lost."
    );
    Escalation { until: Some(until), ..between_phases(PauseReason::RateLimit, phase, question) }
}

fn between_phases(reason: PauseReason, before: Option<&PhaseName>, question: String) -> Escalation {
    let (phase, options) = (before.cloned(), vec![Choice::Continue]);
    Escalation { reason, phase, question, options, report: vec![], until: None }
}

/// Adds what an evaluation decided to a reason: who accepts its phase accepts that too.
fn with_decision(phase: &PhaseState, why: &str) -> String {
    let word = match phase.evidence.evaluation.as_ref().map(|evaluation| &evaluation.decision) {
        Some(RunDecision::Abort) => "ABORT".to_owned(),
        Some(RunDecision::FailPhase(phase)) => format!("FAIL_PHASE_{phase}"),
        Some(RunDecision::Pass | RunDecision::PassWithIssues) | None => return why.to_owned(),
    };
    format!("{why}; the evaluation decided {word}")
}

fn question(phase: &PhaseState, reason: PauseReason, why: &str) -> String {
    let name = phase.name();
    match reason {
        PauseReason::Exhausted => format!(
            "{name} is not approved and has used {}: {why}. Go on, accept it as it is, or give up?",
            limit_reached(phase)
        ),
        PauseReason::Blocked => {
            format!("{name} is blocked: {why}. Repair the cause and go on, accept it, or give up?")
        }
        PauseReason::Discuss => {
            format!("{name} needs a decision by a person: {why}. What should be done about it?")
        }
        PauseReason::Unreadable => {
            format!(
                "The judgment of {name} could not be read: {why}. Ask again, accept the work, or give up?"
            )
        }
        PauseReason::ReviewerUnavailable => {
            format!(
                "No reviewer answered in {name}: {why}. Try again, accept the work unreviewed, or give up?"
            )
        }
        PauseReason::AgentFailed => {
            format!("No agent could finish {name}: {why}. Try again, accept the work as it is, or give up?")
        }
        PauseReason::Stalled => {
            format!("{name} stands still: {why}. Go on with advice, accept it, or give up?")
        }
        PauseReason::Budget
        | PauseReason::Quota
        | PauseReason::Outage
        | PauseReason::JobLimit
        | PauseReason::RateLimit
        | PauseReason::OnRequest
        | PauseReason::Gate => {
            format!("{name} waits for the {}.", reason.as_str())
        }
    }
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
    rounds.chain([now]).chain(tries_told(phase)).chain(checks).chain(findings).collect()
}
