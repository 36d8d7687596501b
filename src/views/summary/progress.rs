//! The one progress comment of a run: what a person has to do first, then a box for each phase, then what is folded.
//! Every part is bounded, so that the whole fits into a comment of GitHub.

use serde_json::{Value, json};

use super::commands::{after_failure, again};
use super::evidence::untested_warning;
use super::lines::{agent_lines, cost_line, finding_line, phase_values, waiting_line};
use super::pull_request::{closed_request, starts_no_ci};
use super::question::question;
use crate::text::{counted, fill_template, plain_address, quoted};
use engine::{Run, Status};
use model::event::RunOutcome;
use model::issue::IssueNumber;

/// The most findings that are listed.
const MOST_FINDINGS: usize = 30;
/// The most lines about agents.
const MOST_LINES: usize = 20;

/// Returns the one progress comment of a run.
pub fn progress_comment(run: &Run) -> String {
    comment(run, None)
}

/// Returns the progress comment of a run that was stopped, with the reason in its first line: no process works on it.
pub fn stopped_comment(run: &Run, why: &str) -> String {
    comment(run, Some(why))
}

fn comment(run: &Run, stopped: Option<&str>) -> String {
    let is_cut_off = stopped.is_some() && run.outcome == RunOutcome::Running;
    let warning = |text: &str| format!("> {}", quoted(text));
    let before = [stopped.map(|why| format!("**Stopped:** {}", quoted(why))), waiting_line(run)];
    let after = [
        if is_cut_off { again(run, RunOutcome::Running) } else { None },
        untested_warning(run, run.outcome).map(|warning| format!("> {warning}")),
        starts_no_ci(run).map(warning),
        closed_request(run).map(warning),
        after_failure(run),
    ];
    let (request, later) = (&run.publication.pull_request, &run.publication.follow_up);
    let below = [
        request.as_ref().map(|(_, url)| format!("Pull request: {}", plain_address(url))),
        later.as_ref().map(|(number, _)| format!("Left for later: #{number}")),
    ];
    let question = run.paused.as_ref().map(|escalation| question(run, escalation));
    let agents: Vec<String> = agent_lines(run).iter().map(|line| quoted(line)).collect();
    let values = json!({
        "marker": marker(run),
        "unshared": if is_unshared(run) { Some(unshared_marker(run.started.issue.number)) } else { None },
        "before": before.iter().flatten().collect::<Vec<_>>(),
        "state": if is_cut_off { "stopped" } else { run.outcome.as_str() },
        "after": after.iter().flatten().collect::<Vec<_>>(),
        "phases": run.phases.iter().map(|phase| phase_values(run, phase)).collect::<Vec<_>>(),
        "below": below.iter().flatten().collect::<Vec<_>>(),
        "question": question.as_ref().map(|question| question.trim_end_matches('\n')),
        "folded": [
            fold_lines("open finding", &open_findings(run), MOST_FINDINGS),
            fold_lines("note about the agents", &agents, MOST_LINES),
        ],
        "cost": cost_line(run),
        "simulated": run.simulated,
    });
    fill_template(include_str!("progress_comment.hbs"), &values)
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
        && run.outcome == RunOutcome::Running
        && run.publication.pull_request.is_none()
        && run.phases.iter().all(|phase| phase.files.commit.is_none())
}

fn open_findings(run: &Run) -> Vec<String> {
    let mut lines = Vec::new();
    for phase in run.phases.iter().filter(|phase| phase.status != Status::Completed) {
        let open = phase.ledger.open();
        lines.extend(open.map(|listed| format!("{}: {}", phase.name(), quoted(&finding_line(listed)))));
    }
    lines
}

/// Returns what the template folds: how many lines there are, and the first of them; nothing where there is none.
fn fold_lines(noun: &str, lines: &[String], most: usize) -> Value {
    if lines.is_empty() {
        return Value::Null;
    }
    let shown: Vec<&String> = lines.iter().take(most).collect();
    json!({"summary": counted(lines.len() as u64, noun), "more": lines.len() - shown.len(), "lines": shown})
}
