//! How a run stands when it halts, in the five lines that end what is printed of it: the result, the task, what comes next, why,
//! and a hint. The reasons are the engine's own words, short and without a guess; the text of the issue is its title alone.

use super::commands::next_command;
use super::evidence::reason_without_tests;
use crate::text::{counted, plain};
use engine::{PhaseState, Run, Status};
use model::event::{PauseReason, RunOutcome};
use model::text::shorten;

/// The longest reason, in characters.
const LONGEST_REASON: usize = 50;

/// What is said of a run that halted, one line each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnding {
    /// What the run has come to.
    pub result: String,
    /// The issue.
    pub task: String,
    /// The command that comes next.
    pub next: String,
    /// Why the run halted.
    pub why: String,
    /// What else a person may want to do.
    pub hint: String,
}

impl RunEnding {
    /// Describes how a run stands.
    pub fn of(run: &Run) -> Self {
        let issue = &run.started.issue;
        Self {
            result: result(run),
            task: format!("#{} {}", issue.number, issue.title),
            next: next_command(run),
            why: why(run),
            hint: hint(run),
        }
    }

    /// Returns the five lines.
    pub fn lines(&self) -> String {
        let Self { result, task, next, why, hint } = self;
        let all = [("RESULT:", result), ("TASK:", task), ("NEXT:", next), ("WHY:", why), ("HINT:", hint)];
        all.iter().map(|(name, text)| format!("{name:<8}{}\n", plain(text))).collect()
    }
}

fn failed_phase(run: &Run) -> Option<&PhaseState> {
    run.phases.iter().find(|phase| phase.status == Status::Failed)
}

fn result(run: &Run) -> String {
    // The process has ended, so nothing runs any more.
    let word = if run.outcome == RunOutcome::Running { "unfinished" } else { run.outcome.as_str() };
    if let (RunOutcome::Failed | RunOutcome::Incomplete, Some(phase)) = (run.outcome, failed_phase(run)) {
        return format!("{word}: {} ({})", phase.name(), phase.reason.as_deref().unwrap_or("no reason"));
    }
    let done = run.phases.iter().filter(|phase| phase.status == Status::Completed).count();
    let left = run.phases.iter().filter(|phase| phase.status != Status::Skipped).count() as u64;
    let untested = reason_without_tests(run, run.outcome);
    let untested = untested.map(|why| format!("; no test was run: {why}")).unwrap_or_default();
    format!("{word}, {done} of {} completed{untested}", counted(left, "phase"))
}

fn why(run: &Run) -> String {
    match run.outcome {
        RunOutcome::Completed => match run.phases.iter().find(|phase| phase.status == Status::Pending) {
            Some(phase) => format!("the run stops before {}", phase.name()),
            None => "every phase is completed".to_owned(),
        },
        RunOutcome::Failed | RunOutcome::Incomplete => {
            failed_phase(run).map_or_else(|| "a phase failed".to_owned(), why_failed)
        }
        RunOutcome::Paused => {
            let asked = run.paused.as_ref();
            asked.map_or("it waits", |escalation| why_paused(escalation.reason)).to_owned()
        }
        RunOutcome::Cancelled => "a person cancelled the run".to_owned(),
        RunOutcome::Running => match &run.asked.only {
            Some(only) => format!("only {only} was asked for"),
            None => "the run has not ended".to_owned(),
        },
    }
}

fn why_failed(phase: &PhaseState) -> String {
    if let Some(step) = phase.evidence.broken {
        return format!("no agent finished the {step} step");
    }
    let failed: Vec<&str> = phase.failed_checks().map(|result| result.check.as_str()).collect();
    if let [check] = failed[..] {
        return shorten(&format!("the check {check} failed"), LONGEST_REASON);
    }
    if !failed.is_empty() {
        return shorten(&format!("these checks failed: {}", failed.join(", ")), LONGEST_REASON);
    }
    let last = phase.history.current_rounds().last();
    match (phase.reason.as_deref(), last.and_then(|round| round.verdict)) {
        (Some("retry_limit"), Some(verdict)) => format!("the last review states {verdict}"),
        (Some(reason), _) => shorten(&reason.replace('_', " "), LONGEST_REASON),
        (None, _) => "the phase failed".to_owned(),
    }
}

fn why_paused(reason: PauseReason) -> &'static str {
    match reason {
        PauseReason::Exhausted => "its limit is reached and nothing is approved",
        PauseReason::Blocked => "something stops it that no revision repairs",
        PauseReason::Discuss => "a finding needs the decision of a person",
        PauseReason::Unreadable => "the judgment cannot be read",
        PauseReason::ReviewerUnavailable => "no reviewer answered",
        PauseReason::AgentFailed => "no agent finished the step",
        PauseReason::Stalled => "the rounds bring nothing new",
        PauseReason::Budget => "the budget does not cover the next call",
        PauseReason::Quota => "every agent has used up its quota",
        PauseReason::Outage => "the provider of the agents does not answer",
        PauseReason::JobLimit => "the time of the job is over",
        PauseReason::RateLimit => "the server lets nobody in for now",
        PauseReason::OnRequest => "a person asked it to wait",
        PauseReason::Gate => "the next phase begins only when a person says so",
    }
}

fn hint(run: &Run) -> String {
    let (number, started) = (run.started.issue.number, &run.started);
    match run.outcome {
        RunOutcome::Completed => {
            format!(
                "`git diff refs/heads/{}...refs/heads/{}` shows what was done",
                started.base_branch, started.branch
            )
        }
        RunOutcome::Failed | RunOutcome::Incomplete => {
            format!("`ai-workflow explain --issue {number}` shows each round and what it led to")
        }
        RunOutcome::Paused if run.waits_for_a_person() => {
            format!("`ai-workflow status --issue {number}` shows the question and every answer")
        }
        RunOutcome::Paused => "the same command goes on once the reason is gone".to_owned(),
        RunOutcome::Cancelled => format!("the commits on {} stay until then", started.branch),
        RunOutcome::Running => format!("`ai-workflow status --issue {number}` shows what is left"),
    }
}

#[cfg(test)]
mod tests;
