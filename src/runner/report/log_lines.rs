//! The log lines of a run, one stderr line each, for people and for scripts.

use tracing::{debug, error, info, warn};

use super::Reporter;
use crate::documents::BY_WHOM_IS_UNKNOWN;
use engine::{PhaseState, Run, State};
use model::event::{
    CallEnd, CheckResult, CheckStatus, Checked, Entry, ExecOutcome, Fact, PauseChoice, Reading, Replied,
    Ruled, Ruling, Triaged,
};
use model::phase::PhaseName;
use model::policy::OnFail;
use model::verdict::ReadAs;
use views::summary::{self, counted, exchange_line, reused_approval_line, table_line};

/// The most paths that are named in a line.
const MOST_NAMED: usize = 5;

/// Writes a line for each fact that a reader of the log wants to see.
#[derive(Debug, Default)]
pub struct LogLines {
    skip_line_written: bool,
    /// The phase whose approval was written down in this process.
    approved: Option<PhaseName>,
}

impl Reporter for LogLines {
    fn report(&mut self, entry: &Entry, state: &State) {
        let Some(run) = &state.run else { return };
        match &entry.fact {
            Fact::PhaseStarted { phase, .. } => info!("Phase {phase}: Started"),
            Fact::StepStarted(started) => {
                let seat = seat_suffix(started.seat.as_deref());
                info!("Phase {}: Starting {} step{seat}", started.phase, started.step);
            }
            Fact::Worked(worked) => warn_if_broken(&worked.phase, worked.step.as_str(), &worked.ended),
            Fact::Triaged(fact) => log_triage(fact),
            Fact::Checked(checked) => log_checks(run, checked),
            Fact::Reviewed(reviewed) => {
                warn_if_broken(&reviewed.phase, "review", &reviewed.ended);
                if let Some(reading) = &reviewed.reading {
                    info!("{}{}", verdict_line(reading), seat_suffix(reviewed.seat.as_deref()));
                }
            }
            Fact::Replied(fact) => log_reply(run, fact),
            Fact::Ruled(ruled) => self.log_ruling(run, ruled),
            Fact::ReviewStands { phase, .. } => log_reused_approval(run.phase(phase)),
            Fact::PhaseSkipped { because, .. } => self.log_skipped(because),
            Fact::ApprovalVoided { phase, reason } => warn!("Phase {phase}: Approval void: {reason}"),
            Fact::ChangedByHand { phase, changed, after_kill, .. } => {
                let paths = list_first(changed);
                let who = if *after_kill { BY_WHOM_IS_UNKNOWN } else { " by hand since the last step" };
                warn!("Phase {phase}: Changed{who}, judged as it is: {paths}");
            }
            Fact::Committed { phase, commit, .. } => {
                if self.approved.as_ref() != Some(phase) {
                    log_reused_approval(run.phase(phase));
                }
                info!("Phase {phase}: Completed, commit {}", short(commit));
            }
            Fact::Commented { .. } => {
                info!("Progress comment: {}", run.progress_comment_url().unwrap_or_default());
            }
            Fact::Published { pr_url, .. } => info!("Pull request: {pr_url}"),
            Fact::FollowedUp { url, .. } => info!("Follow-up issue: {url}"),
            Fact::Paused { escalation } => {
                warn!("Paused ({}): {}", escalation.reason.as_str(), escalation.question);
            }
            Fact::Answered(answer) => {
                let (word, text) = (answer.choice.as_str(), answer.text.trim());
                let why =
                    if answer.choice == PauseChoice::Accept { format!(": {text}") } else { String::new() };
                info!("Answered by {}: {word}{why}", answer.by);
            }
            Fact::Reopened(reopened) => info!("Phase {}: Reopened: {}", reopened.phase, reopened.reason),
            Fact::FedBack(fed) => {
                let (found, number) = (counted(fed.findings.len() as u64, "finding"), fed.pull_request);
                info!("Phase {}: Reopened: {found} of pull request #{number}", fed.phase);
            }
            Fact::MarkedReady => info!("The pull request is ready for review"),
            Fact::ReviewersAsked { reviewers } if reviewers.is_empty() => {}
            Fact::ReviewersAsked { reviewers } => info!("Asked to review: {}", reviewers.join(", ")),
            Fact::ThreadsAnswered { .. } => info!("Went through the review threads that were taken up"),
            Fact::Interrupted { signal } => warn!("Interrupted by {signal}; execute again to go on"),
            Fact::Cancelled { by } => warn!("Cancelled by {by}"),
            Fact::Noted { text, .. } => warn!("{text}"),
            Fact::Finished { outcome } => info!("Run {}", outcome.as_str()),
            Fact::Assessed(assessed) => {
                info!("The issue counts as {}: {}", assessed.counts_as().as_str(), assessed.reason);
            }
            Fact::RunStarted(_) | Fact::RunRequested(_) | Fact::SpentElsewhere(_) => {}
        }
    }
}

impl LogLines {
    fn log_ruling(&mut self, run: &Run, ruled: &Ruled) {
        let Ruled { phase, round, rule, standstill, .. } = ruled;
        if let Some(standstill) = standstill {
            warn!("Phase {phase}: Standstill: {standstill}");
        }
        match &ruled.ruling {
            Ruling::Fail { reason, .. } => {
                error!("{}", failure_line(run.phase(phase), phase, reason));
                error!("Phase {phase}: Reason {reason}: {rule}");
            }
            Ruling::Pause { escalation } => {
                warn!("Phase {phase}: Paused ({}): {rule}", escalation.reason.as_str());
            }
            Ruling::Redo { next_agent: true, .. } => {
                let fallback = run.agents.fallbacks.last().map(ToString::to_string);
                warn!("Phase {phase}: {}", fallback.unwrap_or_else(|| rule.clone()));
            }
            Ruling::Redo { step, .. } => warn!("Phase {phase}: Redoing {step} step: {rule}"),
            Ruling::Wait { step, .. } => {
                warn!("Phase {phase}: Waiting for the provider before the {step} step: {rule}");
            }
            Ruling::LeaveOut { seat } => {
                warn!("Phase {phase}: Goes on without the second opinion {seat}: {rule}");
            }
            Ruling::Advance => {
                self.approved = Some(phase.clone());
                info!("Phase {phase}: Round {round} approved: {rule}");
            }
            Ruling::Revise => info!("Phase {phase}: Round {round} not approved: {rule}"),
            Ruling::Reopen { phase: target } => {
                warn!("Phase {phase}: Sends the run back to {target}: {rule}");
            }
        }
        self.skip_line_written = false;
    }

    fn log_skipped(&mut self, because: &str) {
        if let (Some(failed), false) = (because.strip_prefix("failed:"), self.skip_line_written) {
            error!("{}", skip_line(failed));
            self.skip_line_written = true;
        }
    }
}

/// Says that no reviewer is called because an earlier approval holds; nothing where no reviewer approved.
fn log_reused_approval(phase: Option<&PhaseState>) {
    let Some(phase) = phase else { return };
    if let Some(approval) = &phase.reviews.approval {
        let line = reused_approval_line(approval.review.round);
        info!("Phase {}: {line}", phase.name());
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
    let stated = format!("{}, in doubt", reading.stated);
    let result = if reading.doubt.is_some() { stated } else { reading.result.to_string() };
    match &reading.read_as {
        ReadAs::Schema | ReadAs::Json => format!("Verdict read from JSON: {result}"),
        ReadAs::Marker(label) => format!("Verdict by fallback: {result} (marker: {label})"),
        ReadAs::Table => format!("Verdict by fallback: {result} (table)"),
        ReadAs::GoNogo => format!("Verdict by fallback: {result} (GO/NOGO)"),
        ReadAs::Default => format!("Verdict by default: {result} ({})", reading.reason),
    }
}

/// Names the seat of a second opinion, at the end of a line.
fn seat_suffix(seat: Option<&str>) -> String {
    seat.map(|seat| format!(", second opinion {seat}")).unwrap_or_default()
}

fn warn_if_broken(phase: &PhaseName, step: &str, ended: &CallEnd) {
    if !ended.outcome.ended() && ended.outcome != ExecOutcome::Cancelled {
        let reason = ended.reason.as_deref().unwrap_or("no reason given");
        warn!("Phase {phase}: The {step} step broke: {reason}");
    }
}

fn log_reply(run: &Run, fact: &Replied) {
    warn_if_broken(&fact.phase, "answer", &fact.ended);
    let exchange = run.phase(&fact.phase).and_then(|phase| phase.reviews.exchange.as_ref());
    if let Some(exchange) = exchange {
        info!("Phase {}: {}", fact.phase, exchange_line(exchange));
    }
}

/// Logs the result of a triage. A warning names what needs discussion, so that a person can think about it during the fixes.
fn log_triage(fact: &Triaged) {
    let (phase, round) = (&fact.phase, fact.round);
    warn_if_broken(phase, "triage", &fact.ended);
    let Some(table) = fact.table else { return };
    info!("Phase {phase}: Round {round} answered: {}", table_line(table));
    if table.needs_discussion > 0 {
        warn!(
            "Phase {phase}: {} of round {round} to be discussed: read document-review-{round}-reply.md; {}",
            counted(u64::from(table.needs_discussion), "finding"),
            if table.fix_required > 0 { "the fixes go on first" } else { "a person decides" }
        );
    }
}

/// Logs the results of checks: passed checks together in one line, commands and failed checks each in a line of its own.
fn log_checks(run: &Run, checked: &Checked) {
    let phase = &checked.phase;
    let quiet =
        |result: &&CheckResult| result.status == CheckStatus::Pass && result.param("command").is_none();
    let passed: Vec<&str> = checked.results.iter().filter(quiet).map(|it| it.check.as_str()).collect();
    match passed.as_slice() {
        [] => {}
        [only] => info!("Phase {phase}: Check {only} passed"),
        several => info!("Phase {phase}: {} checks passed", several.len()),
    }
    debug!("Phase {phase}: Checks passed: {}", passed.join(", "));
    for result in checked.results.iter().filter(|result| !quiet(result)) {
        let is_note = |phase: &PhaseState| phase.on_fail(&result.check) == OnFail::Note;
        let noted = result.asks || run.phase(phase).is_some_and(is_note);
        log_check(phase, result, noted);
    }
}

fn log_check(phase: &PhaseName, result: &CheckResult, noted: bool) {
    let (check, summary) = (&result.check, &result.summary);
    let code = result.param("code").map(|code| format!(" ({code})")).unwrap_or_default();
    match result.status {
        CheckStatus::Pass => info!("Phase {phase}: Check {check} passed: {summary}"),
        CheckStatus::FailedBefore => {
            info!("Phase {phase}: Check {check} {}: {summary}", summary::FAILED_BEFORE);
        }
        CheckStatus::Skipped => debug!("Phase {phase}: Check {check} skipped: {summary}"),
        CheckStatus::Unavailable => error!("Phase {phase}: Check {check} unavailable: {summary}"),
        CheckStatus::Fail if noted => warn!("Phase {phase}: Noted by check {check}: {summary}"),
        CheckStatus::Fail => error!("Phase {phase}: Check {check} failed{code}: {summary}"),
    }
}

fn list_first(paths: &[String]) -> String {
    let shown = paths.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(MOST_NAMED) {
        0 if paths.is_empty() => "nothing that the run publishes".to_owned(),
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn short(commit: &str) -> &str {
    commit.get(..9).unwrap_or(commit)
}
