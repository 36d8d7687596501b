//! The one progress comment of a run: what a person has to do first, then a box for each phase, then what is folded.
//! Every part is bounded, so that the whole fits into a comment of GitHub.

use std::fmt::Write as _;

use super::commands::{after_failure, again};
use super::evidence::{checks_line, untested_warning};
use super::lines::{
    agent_lines, cost_line, finding_line, note, status_word, usage_of, verdict_word, waiting_word,
};
use super::pull_request::{closed_request, starts_no_ci};
use super::question::question;
use super::text::{counted, duration, plain_address, quoted};
use engine::{PhaseState, Run, Status};
use model::event::Outcome;
use model::issue::IssueNumber;

/// The most findings that are listed.
const MOST_FINDINGS: usize = 30;
/// The most lines about agents.
const MOST_LINES: usize = 20;

/// Returns the one progress comment of a run.
pub fn progress_comment(run: &Run) -> String {
    comment(run, None)
}

/// Returns the progress comment of a run that was stopped, with the reason in its first line: nobody works on it.
pub fn stopped_comment(run: &Run, why: &str) -> String {
    comment(run, Some(why))
}

fn comment(run: &Run, stopped: Option<&str>) -> String {
    let mut body = format!("{}\n", marker(run));
    if is_unshared(run) {
        let _ = writeln!(body, "{}", unshared_marker(run.started.issue.number));
    }
    if let Some(why) = stopped {
        let _ = writeln!(body, "**Stopped:** {}\n", quoted(why));
    }
    if let Some(escalation) = &run.paused {
        let _ = writeln!(body, "**{}:** {}\n", waiting_word(run), quoted(&escalation.question));
    }
    let is_cut_off = stopped.is_some() && run.outcome == Outcome::Running;
    let state = if is_cut_off { "stopped" } else { run.outcome.as_str() };
    let _ = writeln!(body, "### ai-workflow: {state}\n");
    if is_cut_off && let Some(again) = again(run, Outcome::Running) {
        let _ = writeln!(body, "{again}\n");
    }
    body.push_str(&untested_warning(run, run.outcome));
    for warning in starts_no_ci(run).into_iter().chain(closed_request(run)) {
        let _ = writeln!(body, "> {}\n", quoted(warning));
    }
    if let Some(next) = after_failure(run) {
        let _ = writeln!(body, "{next}\n");
    }
    run.phases.iter().for_each(|phase| body.push_str(&phase_line(phase)));
    if let Some((_, url)) = &run.publication.pull_request {
        let _ = writeln!(body, "\nPull request: {}", plain_address(url));
    }
    if let Some((number, _)) = &run.publication.follow_up {
        let _ = writeln!(body, "\nLeft for later: #{number}");
    }
    if let Some(escalation) = &run.paused {
        let _ = write!(body, "\n{}", question(run, escalation));
    }
    body.push_str(&folded("open finding", &open_findings(run), MOST_FINDINGS));
    let agents: Vec<String> = agent_lines(run).iter().map(|line| quoted(line)).collect();
    body.push_str(&folded("note about the agents", &agents, MOST_LINES));
    let _ = write!(body, "\n{}\n", cost_line(run));
    if run.simulated {
        body.push_str("\nSimulated: a scripted or plain-command agent took part.\n");
    }
    body
}

/// Returns the mark by which our own comment is found again.
pub fn marker(run: &Run) -> String {
    format!("<!-- ai-workflow:progress v1 issue={} run={} -->", run.started.issue.number, run.started.run_id)
}

/// Returns the mark of a run that nobody else can know of yet: should its machine be lost, the next run of the issue takes its
/// comment over.
pub fn unshared_marker(issue: IssueNumber) -> String {
    format!("<!-- ai-workflow:unshared v1 issue={issue} -->")
}

/// Tells whether nobody else can know of a run yet: what was committed may be on the server, and what halted is.
fn is_unshared(run: &Run) -> bool {
    run.started.issue.is_on_a_server()
        && run.outcome == Outcome::Running
        && run.publication.pull_request.is_none()
        && run.phases.iter().all(|phase| phase.files.commit.is_none())
}

fn phase_line(phase: &PhaseState) -> String {
    let tick = if phase.status == Status::Completed { "x" } else { " " };
    let mut parts = vec![format!("- [{tick}] **{}** {}", phase.name(), status_word(phase))];
    if phase.status != Status::Pending && phase.status != Status::Skipped {
        let (verdict, (usd, millis)) = (verdict_word(phase), usage_of(phase));
        if !verdict.is_empty() {
            parts.push(verdict);
        }
        parts.push(format!("round {}", phase.round));
        parts.extend(checks_line(phase));
        if millis > 0 {
            parts.push(format!("{usd:.2} USD, {}", duration(millis / 1000)));
        }
    }
    let note = note(phase);
    if !note.is_empty() {
        parts.push(quoted(&note));
    }
    parts.join(" · ") + "\n"
}

fn open_findings(run: &Run) -> Vec<String> {
    let mut lines = Vec::new();
    for phase in run.phases.iter().filter(|phase| phase.status != Status::Completed) {
        let open = phase.ledger.open();
        lines.extend(open.map(|listed| format!("{}: {}", phase.name(), quoted(&finding_line(listed)))));
    }
    lines
}

fn folded(noun: &str, lines: &[String], most: usize) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("\n<details><summary>{}</summary>\n\n", counted(lines.len() as u64, noun));
    for line in lines.iter().take(most) {
        let _ = writeln!(text, "- {line}");
    }
    if lines.len() > most {
        let _ = writeln!(text, "- … and {} more: `ai-workflow findings`", lines.len() - most);
    }
    text + "\n</details>\n"
}
