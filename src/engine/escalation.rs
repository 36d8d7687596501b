//! The question to a person that every pause carries: what is asked, which answers there are, and what has happened so far.
//! Whether a phase pauses is decided in `revision_limit`, `redo` and `budget`; what stopped a phase is told in `stop_report`.

use jiff::Timestamp;

use crate::findings::next_tasks;
use crate::fix_tasks::FixTask;
use crate::phase_state::{PhaseState, limit_reached};
use crate::stop_report::{StopReport, describe_issue, describe_refusal, stop_report};
use model::event::{Escalation, EvaluationDecision, PauseChoice, PauseReason};
use model::phase::{PhaseName, Step};

/// The longest report of an escalation, in lines.
const LONGEST_REPORT: usize = 40;

/// Writes the question for a phase that cannot go on by itself; `why` is what led there.
pub(crate) fn escalation(phase: &PhaseState, reason: PauseReason, why: &str) -> Escalation {
    let question = question(phase, reason, &add_decision(phase, &phase.with_unreviewed_fixes(why)));
    let stopped = if reason == PauseReason::Blocked { stop_report(phase) } else { None };
    let (question, lines) = match stopped {
        Some(StopReport { heading, lines }) => (format!("{heading}. {question}"), lines),
        None => (question, describe_refusal(phase)),
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
        let verdict = round.stated_decision().unwrap_or("no verdict");
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
    let findings = phase.findings().iter();
    let findings =
        findings.map(|finding| format!("{} {}", finding.severity.as_str(), describe_issue(finding)));
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
