//! A run for the job that it ran in: the outputs that later steps read, the table on the job's page, and annotations beside
//! the lines of a change, in the command form that a runner of GitHub Actions reads.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::commands::next_command;
use super::evidence::untested_warning;
use super::lines::{cost_line, phase_values, waiting_line};
use super::problems::Problem;
use super::sarif;
use crate::text::{counted, fill_template, neutralize, plain, plain_address, quoted};
use engine::{PhaseState, Run, Status};
use model::event::{PauseReason, RunOutcome};

/// The most notes of a run that the job's page shows.
const MOST_NOTES: usize = 20;
/// The most annotations of a level: a runner shows ten of each for a step.
const MOST_ANNOTATIONS: usize = 10;
/// The longest text of an annotation, in characters.
const LONGEST_ANNOTATION: usize = 2_000;

/// Returns the conclusion of the run, for a later step to branch on: one of four words.
pub fn conclusion(run: &Run) -> &'static str {
    match run.outcome {
        RunOutcome::Completed | RunOutcome::Running => "success",
        RunOutcome::Failed | RunOutcome::Incomplete | RunOutcome::Cancelled => "failure",
        RunOutcome::Paused if run.waits_by_itself() => "paused",
        RunOutcome::Paused => "needs_human",
    }
}

/// Returns the reason for the conclusion as one stable word: why it waits, why its phase failed, or its outcome.
pub fn code(run: &Run) -> String {
    let failed = run.phases.iter().find(|phase| phase.status == Status::Failed);
    let word = match run.outcome {
        RunOutcome::Paused => run.paused.as_ref().map(|escalation| escalation.reason.as_str().to_owned()),
        RunOutcome::Failed | RunOutcome::Incomplete => failed.and_then(|phase| phase.reason.clone()),
        RunOutcome::Running | RunOutcome::Completed | RunOutcome::Cancelled => None,
    };
    word.unwrap_or_else(|| run.outcome.as_str().to_owned())
}

/// Returns why the run waits for another job; nothing where it does not.
pub fn wants_another_job(run: &Run) -> Option<String> {
    if run.outcome != RunOutcome::Paused {
        return None;
    }
    let pause = run.paused.as_ref()?;
    match (pause.reason, pause.until) {
        (PauseReason::JobLimit, _) => Some("The time of this job is over".to_owned()),
        (PauseReason::RateLimit, Some(until)) => Some(format!("The server asks to wait until {until}")),
        _ => None,
    }
}

/// Returns the outputs of the step. `head` is the head of the run's branch.
pub fn outputs(run: &Run, head: &str) -> Vec<(&'static str, String)> {
    let (started, spent) = (&run.started, &run.spending.total);
    let (number, url) = run.publication.pull_request.clone().unwrap_or_default();
    let phases: Vec<Value> = run.phases.iter().map(phase_output).collect();
    vec![
        ("conclusion", conclusion(run).to_owned()),
        ("code", code(run)),
        ("issue", started.issue.number.to_string()),
        ("branch-name", started.branch.clone()),
        ("pr-number", number.map(|number| number.to_string()).unwrap_or_default()),
        ("pr-url", if number.is_some() { url } else { String::new() }),
        ("head-sha", head.to_owned()),
        ("cost-usd", format!("{:.4}", spent.cost_usd)),
        ("input-tokens", spent.input_tokens.to_string()),
        ("output-tokens", spent.output_tokens.to_string()),
        ("run-id", started.run_id.clone()),
        ("phases", Value::from(phases).to_string()),
        ("state-path", format!(".ai-workflow/issue-{}", started.issue.number)),
    ]
}

fn phase_output(phase: &PhaseState) -> Value {
    let spent = phase.spent();
    json!({
        "name": phase.name(),
        "status": phase.status,
        "reason": phase.skipped_because.as_ref().or(phase.reason.as_ref()),
        "verdict": phase.history.current_rounds().last().and_then(|round| round.verdict),
        "rounds": phase.history.rounds.len(),
        "cost_usd": spent.cost_usd,
        "seconds": spent.millis / 1000,
    })
}

/// Returns the run for the job's page, in Markdown.
pub fn step_summary(run: &Run) -> String {
    let request = match &run.publication.pull_request {
        Some((Some(_), url)) => Some(format!("Pull request: {}", plain_address(url))),
        _ => None,
    };
    let notes = &run.notes[run.notes.len().saturating_sub(MOST_NOTES)..];
    let values = json!({
        "state": run.outcome.as_str(),
        "number": run.started.issue.number,
        "title": quoted(&run.started.issue.title),
        "untested": untested_warning(run, run.outcome),
        "waiting": waiting_line(run),
        "phases": run.phases.iter().map(|phase| phase_values(run, phase)).collect::<Vec<_>>(),
        "request": request,
        "cost": cost_line(run),
        "next": next_command(run),
        "number_of_notes": counted(run.notes.len() as u64, "note"),
        "notes": notes.iter().map(|(_, text)| quoted(text)).collect::<Vec<_>>(),
    });
    fill_template(include_str!("step_summary.hbs"), &values)
}

/// Returns the lines that show open problems beside the lines of a change, the worst first; `changed` are the paths that the
/// change has and that are still there. A problem without such a path is not shown, nor more than a runner shows of a level.
pub fn annotations(problems: &[Problem], changed: &BTreeSet<String>) -> Vec<String> {
    let mut open: Vec<(&Problem, &str)> = Vec::new();
    for problem in problems.iter().filter(|problem| problem.open) {
        let Some(file) = problem.file.as_deref() else { continue };
        let file = file.strip_prefix("./").unwrap_or(file);
        if changed.contains(file) {
            open.push((problem, file));
        }
    }
    open.sort_by_key(|(problem, _)| std::cmp::Reverse(problem.severity));
    let mut lines = Vec::new();
    for (level, command) in [("error", "error"), ("warning", "warning"), ("note", "notice")] {
        let of_level = open.iter().filter(|(problem, _)| sarif::level(problem.severity) == level);
        let first = of_level.take(MOST_ANNOTATIONS);
        lines.extend(first.map(|(problem, file)| annotation(command, problem, file)));
    }
    lines
}

fn annotation(command: &str, problem: &Problem, file: &str) -> String {
    let line = match problem.line {
        Some(line) if line > 0 => format!(",line={line}"),
        _ => String::new(),
    };
    let title = format!("{} in {}", problem.severity.as_str(), problem.phase);
    let mut message = one_line(&problem.issue);
    if let Some(suggestion) = &problem.suggestion {
        let _ = write!(message, "\nSuggestion: {}", one_line(suggestion));
    }
    format!("::{command} file={}{line},title={}::{}", property(file), property(&title), data(&message))
}

/// Returns one line of text without anything that a terminal or a runner obeys.
fn one_line(text: &str) -> String {
    neutralize(&plain(text)).chars().take(LONGEST_ANNOTATION).collect()
}

/// Escapes the message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests;
