//! A run told to the job that it ran in: the outputs that later steps read, and the table on the job's page.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::progress::evidence;
use super::{
    cell, cost_line, counted, duration, next_command, note, plain_address, quoted, status_word, untested,
    verdict_word,
};
use engine::{PhaseState, Run, Status};
use model::event::{Outcome, PauseReason};

/// The most notes of a run that the job's page shows.
const MOST_NOTES: usize = 20;

/// Returns how the run stands, for a later step to branch on: one of five words.
pub fn conclusion(run: &Run) -> &'static str {
    match run.outcome {
        Outcome::Completed | Outcome::Running => "success",
        Outcome::Failed | Outcome::Incomplete | Outcome::Cancelled => "failure",
        Outcome::Paused if run.waits_by_itself() => "paused",
        Outcome::Paused => "needs_human",
    }
}

/// Returns why the run stands so, as one stable word: why it waits, why its phase failed, or its outcome.
pub fn code(run: &Run) -> String {
    let failed = run.phases.iter().find(|phase| phase.status == Status::Failed);
    let word = match run.outcome {
        Outcome::Paused => run.paused.as_ref().map(|escalation| escalation.reason.as_str().to_owned()),
        Outcome::Failed | Outcome::Incomplete => failed.and_then(|phase| phase.reason.clone()),
        Outcome::Running | Outcome::Completed | Outcome::Cancelled => None,
    };
    word.unwrap_or_else(|| run.outcome.as_str().to_owned())
}

/// Returns why the run waits for another job; nothing where it does not.
pub fn wants_another_job(run: &Run) -> Option<String> {
    let pause = run.paused.as_ref().filter(|_| run.outcome == Outcome::Paused)?;
    match (pause.reason, pause.until) {
        (PauseReason::JobLimit, _) => Some("The time of this job is over".to_owned()),
        (PauseReason::RateLimit, Some(until)) => Some(format!("The server asks to wait until {until}")),
        _ => None,
    }
}

/// Returns the outputs of the step. `head` is where the run's branch stands.
pub fn outputs(run: &Run, head: &str) -> Vec<(&'static str, String)> {
    let (started, spent) = (&run.started, &run.spent);
    let (number, url) = run.pull_request.clone().unwrap_or_default();
    let phases: Vec<Value> = run.phases.iter().map(phase).collect();
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

fn phase(phase: &PhaseState) -> Value {
    let (usd, seconds) = used(phase);
    json!({
        "name": phase.name(),
        "status": phase.status,
        "reason": phase.skipped_because.as_ref().or(phase.reason.as_ref()),
        "verdict": phase.current_rounds().last().and_then(|round| round.verdict),
        "rounds": phase.rounds.len(),
        "cost_usd": usd,
        "seconds": seconds,
    })
}

fn used(phase: &PhaseState) -> (f64, u64) {
    let calls = phase.usage.values();
    let (usd, millis) =
        calls.fold((0.0, 0), |(usd, millis), spent| (usd + spent.cost_usd, millis + spent.millis));
    (usd, millis / 1000)
}

/// Says in a word or two what a paused run waits for.
pub(super) fn waited_for(run: &Run) -> &'static str {
    if run.waits_by_itself() { "Waiting" } else { "A person is needed" }
}

/// Returns the run for the job's page, in Markdown.
pub fn step_summary(run: &Run) -> String {
    let issue = &run.started.issue;
    let mut text =
        format!("### ai-workflow: {} · #{} {}\n\n", run.outcome.as_str(), issue.number, quoted(&issue.title));
    text.push_str(&untested::warning(run, run.outcome));
    if let Some(escalation) = &run.paused {
        let _ = writeln!(text, "**{}:** {}\n", waited_for(run), quoted(&escalation.question));
    }
    text.push_str("| Phase | Result | Rounds | Evidence | Reviewer | Cost | Time |\n");
    text.push_str("|---|---|---|---|---|---|---|\n");
    run.phases.iter().for_each(|phase| text.push_str(&row(phase)));
    if let Some((Some(_), url)) = &run.pull_request {
        let _ = writeln!(text, "\nPull request: {}", plain_address(url));
    }
    let _ = writeln!(text, "\n{}. Next: `{}`", cost_line(run), next_command(run));
    text + &notes(run)
}

fn row(phase: &PhaseState) -> String {
    let (usd, seconds) = used(phase);
    let worked = !phase.usage.is_empty();
    let reviewer =
        phase.review.as_ref().map(|review| format!("{}: {}", review.reviewer, verdict_word(phase)));
    let (note, status) = (note(phase), status_word(phase));
    let cells = [
        phase.name().to_string(),
        if note.is_empty() { status } else { format!("{status}: {}", quoted(&note)) },
        if worked { phase.rounds.len().to_string() } else { String::new() },
        evidence(phase).unwrap_or_default(),
        quoted(&reviewer.unwrap_or_default()),
        if worked { format!("{usd:.2} USD") } else { String::new() },
        if worked { duration(seconds) } else { String::new() },
    ];
    format!("| {} |\n", cells.map(|text| cell(&text)).join(" | "))
}

fn notes(run: &Run) -> String {
    if run.notes.is_empty() {
        return String::new();
    }
    let earlier = run.notes.len().saturating_sub(MOST_NOTES);
    let latest = run.notes.iter().skip(earlier);
    let told = latest.fold(String::new(), |text, (_, note)| text + "- " + &quoted(note) + "\n");
    format!("\n{}, the latest:\n\n{told}", counted(run.notes.len() as u64, "note"))
}
