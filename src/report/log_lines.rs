//! The log lines of a run, one stderr line each (DESIGN §6): scripts look for them, people read along.

use tracing::{error, info, warn};

use super::Reporter;
use crate::event::{CheckStatus, Checked, Entry, Fact, Reading, Ruled, Ruling};
use crate::flow::{PhaseState, Run, State};
use crate::phase::PhaseName;
use crate::verdict::ReadAs;

/// Writes a line for each fact that a reader of the log wants to see.
#[derive(Debug, Default)]
pub struct LogLines {
    skipping_told: bool,
}

impl Reporter for LogLines {
    fn report(&mut self, entry: &Entry, state: &State) {
        let Some(run) = &state.run else { return };
        match &entry.fact {
            Fact::PhaseStarted { phase, .. } => info!("Phase {phase}: Started"),
            Fact::StepStarted(started) => info!("Phase {}: Starting {} step", started.phase, started.step),
            Fact::Worked(worked) => broke(&worked.phase, worked.step.as_str(), &worked.ended),
            Fact::Triaged(triaged) => broke(&triaged.phase, "triage", &triaged.ended),
            Fact::Checked(checked) => checks(checked),
            Fact::Reviewed(reviewed) => {
                broke(&reviewed.phase, "review", &reviewed.ended);
                if let Some(reading) = &reviewed.reading {
                    info!("{}", verdict_line(reading));
                }
            }
            Fact::Ruled(ruled) => self.ruled(run, ruled),
            Fact::PhaseSkipped { because, .. } => self.skipped(because),
            Fact::ApprovalVoided { phase, reason } => warn!("Phase {phase}: Approval void: {reason}"),
            Fact::Committed { phase, commit } => info!("Phase {phase}: Completed, commit {}", short(commit)),
            Fact::Published { pr_url, .. } => info!("Pull request: {pr_url}"),
            Fact::Paused { escalation } => {
                warn!("Paused ({}): {}", escalation.reason.as_str(), escalation.question);
            }
            Fact::Answered(answer) => {
                info!("Answered by {}: {}", answer.by, crate::metadata::choice_word(answer.choice));
            }
            Fact::Reopened(reopened) => info!("Phase {}: Reopened: {}", reopened.phase, reopened.reason),
            Fact::Interrupted { signal } => warn!("Interrupted by {signal}; execute again to go on"),
            Fact::Cancelled { by } => warn!("Cancelled by {by}"),
            Fact::Noted { text, .. } => warn!("{text}"),
            Fact::Finished { outcome } => info!("Run {}", outcome.as_str()),
            Fact::Assessed(assessed) => {
                info!("The issue counts as {}: {}", assessed.counts_as().as_str(), assessed.reason);
            }
            Fact::RunStarted(_) | Fact::Asked(_) | Fact::SpentElsewhere(_) => {}
        }
    }
}

impl LogLines {
    fn ruled(&mut self, run: &Run, ruled: &Ruled) {
        let phase = &ruled.phase;
        if let Some(standstill) = &ruled.standstill {
            warn!("Phase {phase}: Standstill: {standstill}");
        }
        match &ruled.ruling {
            Ruling::Fail { reason, .. } => {
                error!("{}", failure_line(run.phase(phase), phase, reason));
                error!("Phase {phase}: Reason {reason}: {}", ruled.rule);
            }
            Ruling::Pause { escalation } => {
                warn!("Phase {phase}: Paused ({}): {}", escalation.reason.as_str(), ruled.rule);
            }
            Ruling::Redo { next_agent: true, .. } => {
                let told = run.fallbacks.last().map(ToString::to_string);
                warn!("Phase {phase}: {}", told.unwrap_or_else(|| ruled.rule.clone()));
            }
            Ruling::Redo { step, .. } => warn!("Phase {phase}: Redoing {step} step: {}", ruled.rule),
            Ruling::Advance => info!("Phase {phase}: Round {} approved: {}", ruled.round, ruled.rule),
            Ruling::Revise => info!("Phase {phase}: Round {} not approved: {}", ruled.round, ruled.rule),
            Ruling::Reopen { phase: target } => {
                warn!("Phase {phase}: Sends the run back to {target}: {}", ruled.rule);
            }
        }
        self.skipping_told = false;
    }

    fn skipped(&mut self, because: &str) {
        if let (Some(failed), false) = (because.strip_prefix("failed:"), self.skipping_told) {
            error!("{}", skip_line(failed));
            self.skipping_told = true;
        }
    }
}

/// Returns the line that says why later phases do not run.
pub fn skip_line(failed: &str) -> String {
    format!("Skipping subsequent phases due to failed phase: {failed}")
}

fn failure_line(state: Option<&PhaseState>, phase: &PhaseName, reason: &str) -> String {
    let (used, most) = state.map_or((0, 0), PhaseState::used_of_limit);
    if used >= most && reason != "agent_failed" {
        format!("Phase {phase}: Retry limit exceeded ({used}/{most}). Marking phase as failed.")
    } else {
        format!("Phase {phase}: Marking phase as failed.")
    }
}

/// Returns the line that says how a verdict was read.
pub fn verdict_line(reading: &Reading) -> String {
    let result = reading.result;
    match &reading.read_as {
        ReadAs::Schema | ReadAs::Json => format!("Verdict read from JSON: {result}"),
        ReadAs::Marker(label) => format!("Verdict by fallback: {result} (marker: {label})"),
        ReadAs::Table => format!("Verdict by fallback: {result} (table)"),
        ReadAs::GoNogo => format!("Verdict by fallback: {result} (GO/NOGO)"),
        ReadAs::Default => format!("Verdict by default: {result} ({})", reading.reason),
    }
}

fn broke(phase: &PhaseName, step: &str, ended: &crate::event::Ended) {
    if !ended.outcome.ended() {
        warn!(
            "Phase {phase}: The {step} step broke: {}",
            ended.reason.as_deref().unwrap_or("no reason given")
        );
    }
}

fn checks(checked: &Checked) {
    for result in &checked.results {
        let (phase, check, summary) = (&checked.phase, &result.check, &result.summary);
        match result.status {
            CheckStatus::Pass => info!("Phase {phase}: Check {check} passed: {summary}"),
            CheckStatus::Skipped => info!("Phase {phase}: Check {check} skipped: {summary}"),
            CheckStatus::Unavailable => error!("Phase {phase}: Check {check} unavailable: {summary}"),
            CheckStatus::Fail => {
                if let Some(code) = result.params.get("code") {
                    error!("Phase {phase}: Check {check} failed ({code}): {summary}");
                } else {
                    error!("Phase {phase}: Check {check} failed: {summary}");
                }
            }
        }
    }
}

fn short(commit: &str) -> &str {
    commit.get(..9).unwrap_or(commit)
}
