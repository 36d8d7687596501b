//! The question attached to a pause: who is asked what, and what has happened so far.

use super::state::PhaseState;
use crate::event::{Choice, Escalation, PauseReason};

/// The longest report of an escalation, in lines.
const LONGEST_REPORT: usize = 40;

/// Writes the question for a phase that cannot go on by itself.
pub(super) fn escalation(phase: &PhaseState, reason: PauseReason) -> Escalation {
    Escalation {
        reason,
        phase: Some(phase.name().clone()),
        question: question(phase, reason),
        options: vec![Choice::Continue, Choice::Accept, Choice::GiveUp],
        report: report(phase),
        until: None,
    }
}

fn question(phase: &PhaseState, reason: PauseReason) -> String {
    let name = phase.name();
    let (used, most) = phase.used_of_limit();
    match reason {
        PauseReason::Exhausted => format!(
            "{name} has used {used}/{most} rounds and is not approved. Go on, accept it as it is, or give up?"
        ),
        PauseReason::Blocked => {
            format!("{name} is blocked: {}. Repair the cause and go on, accept it, or give up?", cause(phase))
        }
        PauseReason::Discuss => {
            format!("{name} has findings that need a decision by a person. What should be done about them?")
        }
        PauseReason::Unreadable => format!(
            "The answer about {name} could not be read twice. Ask again, accept the work, or give up?"
        ),
        PauseReason::ReviewerUnavailable => {
            format!("No reviewer answered in {name}. Try again, accept the work unreviewed, or give up?")
        }
        PauseReason::AgentFailed => {
            format!("No agent could finish {name}: {}. Try again or give up?", cause(phase))
        }
        PauseReason::Stalled => format!(
            "{name} stands still: rounds bring nothing new. Go on with advice, accept it, or give up?"
        ),
        PauseReason::Budget | PauseReason::Quota | PauseReason::JobLimit => {
            format!("{name} waits for the {}.", reason.as_str())
        }
    }
}

fn cause(phase: &PhaseState) -> String {
    phase.judgment().1
}

fn report(phase: &PhaseState) -> Vec<String> {
    let rounds = phase.rounds.iter().map(|round| {
        let verdict = round.verdict.map_or("failed check", |verdict| verdict.as_str());
        let still = round.standstill.as_ref().map_or(String::new(), |why| format!(", standstill: {why}"));
        format!("round {}: {verdict}, {} findings, {}{still}", round.n, round.findings.len(), round.ruling)
    });
    let checks = phase.failed_checks().map(|result| format!("check {}: {}", result.check, result.summary));
    let findings = phase.findings().iter().map(|finding| {
        let place = finding.file.as_deref().unwrap_or("-");
        format!("{} {place}: {}", finding.severity.as_str(), finding.issue)
    });
    rounds.chain(checks).chain(findings).take(LONGEST_REPORT).collect()
}
