//! The question attached to a pause: who is asked what, and what has happened so far.

use jiff::Timestamp;

use super::ending::limit_reached;
use super::state::PhaseState;
use crate::event::{Choice, Escalation, PauseReason};
use crate::phase::Step;

/// The longest report of an escalation, in lines.
const LONGEST_REPORT: usize = 40;

/// Writes the question for a phase that cannot go on by itself; `why` is what led there.
pub(super) fn escalation(phase: &PhaseState, reason: PauseReason, why: &str) -> Escalation {
    Escalation {
        reason,
        phase: Some(phase.name().clone()),
        question: question(phase, reason, why),
        options: vec![Choice::Continue, Choice::Accept, Choice::GiveUp],
        report: report(phase),
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
        PauseReason::Budget | PauseReason::Quota | PauseReason::JobLimit | PauseReason::Gate => {
            format!("{name} waits for the {}.", reason.as_str())
        }
    }
}

fn report(phase: &PhaseState) -> Vec<String> {
    let rounds = phase.rounds.iter().map(|round| {
        let verdict = round.verdict.map_or("no verdict", |verdict| verdict.as_str());
        let still = round.standstill.as_ref().map_or(String::new(), |why| format!(", standstill: {why}"));
        format!("round {}: {verdict}, {} findings, {}{still}", round.n, round.findings.len(), round.ruling)
    });
    let now = format!("round {}: {}, now", phase.round, phase.judgment().1);
    let checks = phase.failed_checks().map(|result| format!("check {}: {}", result.check, result.summary));
    let findings = phase.findings().iter().map(|finding| {
        let place = finding.file.as_deref().unwrap_or("-");
        format!("{} {place}: {}", finding.severity.as_str(), finding.issue)
    });
    rounds.chain([now]).chain(checks).chain(findings).take(LONGEST_REPORT).collect()
}
