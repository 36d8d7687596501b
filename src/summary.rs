//! A run told to people: the phase table, the progress comment, the pull request text, the question of a pause.
//! Plain Markdown from the state; says nothing that is not in the facts.

mod plain;

use std::fmt::Write as _;

use crate::event::{CheckStatus, Choice, Escalation, Outcome, PauseReason};
use crate::flow::{Measure, PhaseState, Run, Scope, Shortage, Status, shortage};
use crate::issue::IssueNumber;
use crate::phase::Step;
pub use plain::{columns, padded, plain};

/// The most suggestions a pull request carries.
const MOST_SUGGESTIONS: usize = 20;

/// Returns a symbol and a word for the status of a phase.
pub fn status_word(phase: &PhaseState) -> String {
    let symbol = match phase.status {
        Status::Pending => "·",
        Status::InProgress => "▶",
        Status::Completed => "✓",
        Status::Failed => "✗",
        Status::Paused => "?",
        Status::Skipped => "-",
    };
    let step = phase.current_step().filter(|_| phase.status == Status::InProgress);
    match step {
        Some(step) => format!("{symbol} {} ({step})", phase.status.as_str()),
        None => format!("{symbol} {}", phase.status.as_str()),
    }
}

/// Returns how the latest round of a phase ended, such as `PASS by json`.
pub fn verdict_word(phase: &PhaseState) -> String {
    let Some(round) = phase.rounds.last() else { return String::new() };
    match (&round.verdict, &round.read_as) {
        (Some(verdict), Some(read_as)) => format!("{verdict} by {read_as}"),
        (Some(verdict), None) => verdict.to_string(),
        (None, _) if round.ruling == "advance" => "checks passed".into(),
        (None, _) => "failed check".into(),
    }
}

/// Returns the note of a phase: why it was skipped, failed or waits.
pub fn note(phase: &PhaseState) -> String {
    phase.skipped_because.clone().or_else(|| phase.reason.clone()).unwrap_or_default()
}

/// Returns the phases as a Markdown table.
pub fn phase_table(run: &Run) -> String {
    let mut table =
        String::from("| Phase | Status | Verdict | Rounds | Revisions | Note |\n|---|---|---|---|---|---|\n");
    for phase in &run.phases {
        let (rounds, revisions) = (phase.rounds.len(), phase.counters.revisions);
        let (status, verdict, note) = (status_word(phase), verdict_word(phase), note(phase));
        let _ = writeln!(
            table,
            "| {} | {status} | {verdict} | {rounds} | {revisions} | {} |",
            phase.name(),
            cell(&note)
        );
    }
    table
}

/// Returns a text that stays inside one table cell and on one line.
fn cell(text: &str) -> String {
    text.replace(['\r', '\n'], " ").replace('|', "\\|")
}

/// Returns a text from outside as one line of Markdown that mentions nobody, closes nothing and shows no image or link.
pub fn quoted(text: &str) -> String {
    let calm = plain(text)
        .replace('@', "@\u{200b}")
        .replace('#', "#\u{200b}")
        .replace("](", "]\u{200b}(")
        .replace('<', "&lt;");
    let mut short: String = calm.trim().chars().take(400).collect();
    if short.len() < calm.trim().len() {
        short.push('…');
    }
    short
}

/// Returns the one progress comment of a run.
pub fn progress_comment(run: &Run) -> String {
    let mut body = format!("{}\n### ai-workflow: {}\n\n", marker(run), run.outcome.as_str());
    body.push_str(&phase_table(run));
    if let Some(escalation) = &run.paused {
        let _ = write!(body, "\n{}", question(run, escalation));
    }
    let agents = agent_lines(run);
    if !agents.is_empty() {
        let _ = write!(body, "\n{}", in_list(&agents));
    }
    let _ = write!(body, "\n{}\n", cost_line(run));
    if run.simulated {
        body.push_str("\nSimulated: a scripted or plain-command agent took part.\n");
    }
    body
}

/// Returns the mark by which our own comment is found again.
pub fn marker(run: &Run) -> String {
    format!("<!-- ai-workflow:progress issue={} -->", run.started.issue.number)
}

/// Returns what the agents have used, in one line.
pub fn cost_line(run: &Run) -> String {
    let spent = &run.spent;
    let calls = counted(spent.calls, "agent call");
    let (tokens_in, tokens_out, usd) = (spent.input_tokens, spent.output_tokens, spent.cost_usd);
    let unpriced = match spent.unpriced_calls {
        0 => String::new(),
        number => format!(" and {} of unknown price", counted(number, "call")),
    };
    let time = duration(spent.millis / 1000);
    format!(
        "{calls}, {tokens_in} tokens in, {tokens_out} tokens out, {usd:.2} USD{unpriced}, {time} of agents at work"
    )
}

/// Returns a number with its noun, in the plural where there is not exactly one.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns a time as people say it: `4s`, `12m05s`, `3h07m`.
pub fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Returns title and body of the pull request.
pub fn pull_request(run: &Run) -> (String, String) {
    let issue = &run.started.issue;
    let title: String = quoted(&issue.title).chars().take(200).collect();
    let mut body = format!("Closes #{}\n\n", issue.number);
    if run.simulated {
        body.push_str(
            "> **Simulated**: a scripted or plain-command agent took part; no model did this work.\n\n",
        );
    }
    let _ = write!(body, "## Phases\n\n{}", phase_table(run));
    let _ = write!(body, "\n## Evidence gathered by ai-workflow\n\n{}", evidence(run));
    body.push_str(&documents_section(run));
    let agents = agent_lines(run);
    if !agents.is_empty() {
        let _ = write!(body, "\n## Agents\n\n{}", in_list(&agents));
    }
    let suggestions = suggestions(run);
    if !suggestions.is_empty() {
        let _ = write!(body, "\n## Suggestions of the reviewers\n\n{suggestions}");
    }
    let tasks = remaining_tasks(run);
    if !tasks.is_empty() {
        let _ = write!(body, "\n## Left for later\n\n{tasks}");
    }
    let _ = write!(body, "\n---\n{}. Run `{}`.\n", cost_line(run), run.started.run_id);
    (title, body)
}

/// Returns title and body of the pull request of a finalized run: its documents are off the branch, so none is named.
pub fn finalized_pull_request(run: &Run) -> (String, String) {
    let (title, body) = pull_request(run);
    (title, body.replacen(&documents_section(run), "", 1))
}

fn documents_section(run: &Run) -> String {
    format!("\n## Documents\n\n{}", documents(run))
}

/// Returns what is worth knowing about the agents, one line each: who took over, and who reviewed its own work.
pub fn agent_lines(run: &Run) -> Vec<String> {
    let fallbacks = run.fallbacks.iter();
    let fallbacks = fallbacks.map(|fallback| format!("{} {}: {fallback}", fallback.phase, fallback.step));
    let own = run.phases.iter().filter(|phase| phase.reviewed_by_its_author());
    let own = own.map(|phase| format!("{}: the reviewer is the author's own model", phase.name()));
    fallbacks.chain(own).collect()
}

fn in_list(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |list, line| list + "- " + &quoted(line) + "\n")
}

fn evidence(run: &Run) -> String {
    let mut lines = String::new();
    for phase in run.phases.iter().filter(|phase| phase.status == Status::Completed) {
        for result in phase.checks.iter().flatten() {
            let word = match result.status {
                CheckStatus::Pass => "pass",
                CheckStatus::Fail => "FAIL",
                CheckStatus::Unavailable => "unavailable",
                CheckStatus::Skipped => "skipped",
            };
            let _ =
                writeln!(lines, "- {} · {}: {word}, {}", phase.name(), result.check, quoted(&result.summary));
        }
        if let Some(person) = &phase.accepted_by {
            let _ =
                writeln!(lines, "- {} · **accepted by {}, not by a reviewer**", phase.name(), quoted(person));
        }
    }
    lines
}

fn documents(run: &Run) -> String {
    let completed =
        run.phases.iter().filter(|phase| phase.status == Status::Completed && !phase.def.policy.triage);
    completed.fold(String::new(), |mut lines, phase| {
        let _ = writeln!(lines, "- `{}`", deliverable_path(run, phase));
        lines
    })
}

/// Returns the path of a phase's deliverable, relative to the top of the repository.
pub fn deliverable_path(run: &Run, phase: &PhaseState) -> String {
    format!(
        ".ai-workflow/issue-{}/{}/output/{}",
        run.started.issue.number, phase.def.folder, phase.def.output
    )
}

fn suggestions(run: &Run) -> String {
    let readings = run.phases.iter().filter_map(|phase| {
        let reading = phase.review.as_ref()?.reading.as_ref()?;
        Some((phase.name(), reading))
    });
    let all = readings.flat_map(|(name, reading)| reading.suggestions.iter().map(move |text| (name, text)));
    all.take(MOST_SUGGESTIONS).fold(String::new(), |mut lines, (name, text)| {
        let _ = writeln!(lines, "- {name}: {}", quoted(text));
        lines
    })
}

fn remaining_tasks(run: &Run) -> String {
    let tasks = run
        .phases
        .iter()
        .filter_map(|phase| phase.evaluation.as_ref())
        .flat_map(|found| &found.remaining_tasks);
    tasks.fold(String::new(), |mut lines, task| {
        let _ =
            writeln!(lines, "- {} ({} {})", quoted(&task.task), quoted(&task.priority), quoted(&task.phase));
        lines
    })
}

/// Returns the question of a pause with the commands that answer it, in Markdown.
pub fn question(run: &Run, escalation: &Escalation) -> String {
    let head = format!("**Waiting ({}).** {}", escalation.reason.as_str(), quoted(&escalation.question));
    let commands = answers(run, escalation).join("\n    ");
    format!("{head}\n\n{}\nAnswer with one of:\n\n    {commands}\n", report(escalation, quoted))
}

/// Returns the same question for a terminal.
pub fn question_lines(run: &Run, escalation: &Escalation) -> String {
    let head = format!("waiting ({}): {}", escalation.reason.as_str(), plain(&escalation.question));
    let commands = answers(run, escalation).join("\n  ");
    format!("{head}\n{}answer with one of:\n  {commands}\n", report(escalation, plain))
}

fn report(escalation: &Escalation, shown: fn(&str) -> String) -> String {
    escalation.report.iter().fold(String::new(), |text, line| text + "- " + &shown(line) + "\n")
}

/// Returns the commands that answer a pause.
fn answers(run: &Run, escalation: &Escalation) -> Vec<String> {
    let number = run.started.issue.number;
    let again = format!("ai-workflow execute --phase all --issue {number}");
    match escalation.reason {
        PauseReason::Budget => vec![format!("{again} --set {}", raised(run))],
        reason if reason.passes_by_itself() => vec![match escalation.until {
            Some(until) => format!("{again}    # from {until} on"),
            None => again,
        }],
        _ => escalation.options.iter().map(|choice| answer(number, *choice)).collect(),
    }
}

/// Returns the limit that leaves too little, doubled, as a setting.
fn raised(run: &Run) -> String {
    let phase = run.paused.as_ref().and_then(|pause| run.phase(pause.phase.as_ref()?));
    let short = phase.and_then(|phase| shortage(run, phase, phase.current_step().unwrap_or(Step::Execute)));
    let Some(Shortage { limit, reserve }) = short else {
        return format!("budget.usd={:.2}", run.budget.usd.unwrap_or(run.spent.cost_usd).max(0.5) * 2.0);
    };
    let table = match limit.scope {
        Scope::Run => "budget",
        Scope::Step => "budget.step",
        Scope::Phase(_) => "budget.phase",
        Scope::Day => "budget.day",
    };
    let (key, needed) = (limit.measure.as_str(), limit.most.max(limit.used + reserve));
    match limit.measure {
        Measure::Usd => format!("{table}.{key}={:.2}", needed.max(0.5) * 2.0),
        _ => format!("{table}.{key}={}", (needed.max(1.0) * 2.0).ceil()),
    }
}

fn answer(number: IssueNumber, choice: Choice) -> String {
    match choice {
        Choice::Continue => format!("ai-workflow resume --issue {number} --continue --text \"your advice\""),
        Choice::Accept => format!("ai-workflow resume --issue {number} --accept"),
        Choice::GiveUp => format!("ai-workflow resume --issue {number} --give-up"),
    }
}

/// Returns the one command that comes next.
pub fn next_command(run: &Run) -> String {
    let number = run.started.issue.number;
    match run.outcome {
        Outcome::Running => format!("ai-workflow execute --phase all --issue {number}"),
        Outcome::Completed => format!("ai-workflow finalize --issue {number}"),
        Outcome::Failed | Outcome::Incomplete => {
            format!("ai-workflow execute --phase all --issue {number} --retry-failed")
        }
        Outcome::Paused => {
            let first = run.paused.as_ref().and_then(|pause| answers(run, pause).into_iter().next());
            first.unwrap_or_else(|| format!("ai-workflow status --issue {number}"))
        }
        Outcome::Cancelled => format!("ai-workflow cleanup --issue {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_mentions_nobody_and_closes_nothing() {
        let calm = quoted("@everyone fixes #2\n![x](https://evil.example) <b>");
        assert!(
            !calm.contains("@everyone")
                && !calm.contains("#2")
                && !calm.contains("](")
                && !calm.contains("<b")
        );
        assert!(!calm.contains('\n'));
    }

    #[test]
    fn a_long_text_is_cut_where_a_reader_sees_it() {
        assert!(quoted(&"ぁ".repeat(500)).ends_with('…'));
    }
}
