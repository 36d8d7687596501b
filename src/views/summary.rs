//! A run told to people: the phase table, the progress comment, the pull request text, the question of a pause.
//! Plain Markdown from the state; says nothing that is not in the facts.

mod annotations;
mod commands;
mod evidence;
mod exchange;
mod findings;
mod follow_up;
pub mod job;
mod neutral;
mod opinions;
mod plain;
mod problems;
mod progress;
mod pull_request;
mod quoted;
pub mod review_loop;
mod sarif;
mod thread;
mod unresolved;
mod unreviewed;
mod untested;
mod used;

use std::fmt::Write as _;

pub use annotations::annotations;
use engine::{Measure, PhaseState, Run, Scope, Shortage, Status, shortage};
pub use exchange::exchange_line;
pub use findings::{finding_lines, line as finding_line};
pub use follow_up::{follow_up, follow_up_marker, wants_follow_up};
use model::event::{Choice, Escalation, Outcome, PauseReason, TriageTable};
use model::issue::IssueNumber;
use model::phase::Step;
pub use neutral::{neutral, neutral_json};
pub use opinions::opinion_lines;
pub use plain::{columns, padded, plain};
pub use problems::{Problem, history, problems};
use progress::plain_address;
pub use progress::{
    NO_CI, REQUEST_CLOSED, REQUEST_OPEN, STARTS_CI, is_request_closed, marker, progress_comment,
    starts_no_ci, stopped_comment, unshared_marker,
};
pub use pull_request::{Documents, pull_request};
pub use quoted::{quoted, titled};
pub use sarif::sarif;
pub use thread::{Place, answered_up_to, thread_answer, thread_marker};
use unresolved::{Layout, background};
pub use unreviewed::Unreviewed;
pub use untested::untested;
pub use used::used_line;

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

/// Returns how the latest round since a phase was opened ended, such as `PASS by json`.
pub fn verdict_word(phase: &PhaseState) -> String {
    let Some(round) = phase.current_rounds().last() else { return String::new() };
    match (&round.verdict, &round.read_as) {
        (Some(verdict), Some(read_as)) => format!("{verdict} by {read_as}"),
        (Some(verdict), None) => verdict.to_string(),
        (None, _) if round.ruling == "advance" => "checks passed".into(),
        (None, _) => "failed check".into(),
    }
}

/// Returns the note of a phase: why it was skipped, failed or waits, or who accepted it.
pub fn note(phase: &PhaseState) -> String {
    let known = phase.skipped_because.clone().or_else(|| phase.reason.clone());
    known.or_else(|| accepted(phase)).unwrap_or_default()
}

fn accepted(phase: &PhaseState) -> Option<String> {
    let person = phase.accepted_by.as_ref()?;
    let why = phase.accepted_because.as_ref().map_or(String::new(), |why| format!(": {why}"));
    Some(format!("accepted by {person}{why}"))
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
            cell(&quoted(&note))
        );
    }
    table
}

/// Returns a text that stays inside one table cell and on one line. A backslash before a bar could be the text's own.
fn cell(text: &str) -> String {
    text.replace(['\r', '\n'], " ").replace('|', "&#124;")
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

/// Returns what a triage counted, in a few words.
pub fn table_line(table: TriageTable) -> String {
    let TriageTable { fix_required, no_fix_needed, needs_discussion } = table;
    format!("{fix_required} to fix, {no_fix_needed} not to fix, {needs_discussion} to discuss")
}

/// Returns a time as people say it: `4s`, `12m05s`, `3h07m`.
pub fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Returns what is worth knowing about the agents, one line each: who took over, who reviewed its own work,
/// and what reviewers asked.
pub fn agent_lines(run: &Run) -> Vec<String> {
    let fallbacks = run.fallbacks.iter();
    let fallbacks = fallbacks.map(|fallback| format!("{} {}: {fallback}", fallback.phase, fallback.step));
    let own = run.phases.iter().filter(|phase| phase.reviewed_by_its_author());
    let own = own.map(|phase| format!("{}: the reviewer is the author's own model", phase.name()));
    let of_phases = run.phases.iter().flat_map(|phase| panel_lines(phase).chain(exchange::lines(phase)));
    fallbacks.chain(own).chain(of_phases).collect()
}

/// Returns which second opinions the latest round went without, and which came from the author's own model.
fn panel_lines(phase: &PhaseState) -> impl Iterator<Item = String> {
    let name = phase.name();
    let left_out = phase.left_out.iter();
    let left_out =
        left_out.map(move |(seat, why)| format!("{name}: without the second opinion {seat}: {why}"));
    let own = phase.seats_of_its_author();
    left_out
        .chain(own.map(move |seat| format!("{name}: the second opinion {seat} is the author's own model")))
}

/// Returns the path of a phase's deliverable, relative to the top of the repository.
pub fn deliverable_path(run: &Run, phase: &PhaseState) -> String {
    format!(
        ".ai-workflow/issue-{}/{}/output/{}",
        run.started.issue.number, phase.def.folder, phase.def.output
    )
}

/// Returns the question of a pause with the commands that answer it, in Markdown.
pub fn question(run: &Run, escalation: &Escalation) -> String {
    let head = format!("**Waiting ({}).** {}", escalation.reason.as_str(), quoted(&escalation.question));
    let how = commands::answered_with(run, escalation, &answers(run, escalation));
    let background = background(run, escalation, Layout::Markdown);
    let asked = run.asked_of().map_or(String::new(), |who| format!("Asked: {}.\n\n", quoted(&who)));
    format!("{head}\n\n{background}\n{asked}{how}")
}

/// Returns the same question for a terminal.
pub fn question_lines(run: &Run, escalation: &Escalation) -> String {
    let head = format!("waiting ({}): {}", escalation.reason.as_str(), plain(&escalation.question));
    let commands = answers(run, escalation).join("\n  ");
    let background = background(run, escalation, Layout::Terminal);
    let asked = run.asked_of().map_or(String::new(), |who| format!("asked: {}\n", plain(&who)));
    format!("{head}\n{background}{asked}answer with one of:\n  {commands}\n")
}

/// Returns the commands that answer a pause.
fn answers(run: &Run, escalation: &Escalation) -> Vec<String> {
    let number = run.started.issue.number;
    let again = format!("ai-workflow execute --phase all --issue {number}");
    match escalation.reason {
        PauseReason::Budget => vec![format!("{again} --set {}", raised(run))],
        PauseReason::OnRequest => vec![format!("ai-workflow resume --issue {number} --continue")],
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
        Choice::Continue => format!("ai-workflow resume --issue {number} --answer \"your advice\""),
        Choice::Accept => format!("ai-workflow resume --issue {number} --accept --reason \"why\""),
        Choice::Edited => format!("ai-workflow resume --issue {number} --edited"),
        Choice::GiveUp => format!("ai-workflow resume --issue {number} --give-up"),
    }
}

/// Returns the one command that comes next.
pub fn next_command(run: &Run) -> String {
    next_command_after(run, run.outcome)
}

fn next_command_after(run: &Run, outcome: Outcome) -> String {
    let number = run.started.issue.number;
    match outcome {
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
