//! The question of a pause as a person reads it: which limit is reached, what is unresolved, what each round came to, who is
//! asked, and the commands that answer. The same tables in Markdown and for a terminal; all of it comes from the state.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::commands::{answer_commands, answer_comments, when_to_answer};
use super::lines::stated_refusal_lines;
use super::problems::places_or_summary;
use crate::text::{cell, columns, counted, fill_template, pad, place, plain, quoted};
use engine::{PhaseState, Round, Run, limit_reached};
use model::event::{CheckResult, CheckStatus, Escalation, PauseReason, Place};
use model::finding::worst_first;
use model::policy::OnFail;
use model::text::shorten;
use model::verdict::Grade;

/// The most rows of a table.
const MOST_ROWS: usize = 20;
/// The most characters of a problem in a terminal.
const LONGEST_PROBLEM: usize = 90;

/// Returns the question of a pause with the commands that answer it, in Markdown: where the issue is on a server by a comment, and
/// at a terminal in any case.
pub(super) fn question(run: &Run, escalation: &Escalation) -> String {
    fill_template(include_str!("question.hbs"), &values(run, escalation, &MARKDOWN))
}

/// Returns the same question for a terminal.
pub fn question_lines(run: &Run, escalation: &Escalation) -> String {
    fill_template(include_str!("question_lines.hbs"), &values(run, escalation, &TERMINAL))
}

/// How a text, a table and a list of commands are laid out.
struct QuestionFormat {
    text: fn(&str) -> String,
    table: fn(&str, [&str; 4], &[[String; 4]]) -> String,
    indent: &'static str,
}

const MARKDOWN: QuestionFormat = QuestionFormat { text: quoted, table: markdown, indent: "\n    " };
const TERMINAL: QuestionFormat = QuestionFormat { text: plain, table: in_columns, indent: "\n  " };

fn values(run: &Run, escalation: &Escalation, layout: &QuestionFormat) -> Value {
    let reason = escalation.reason;
    let phase = escalation.phase.as_ref().and_then(|name| run.phase(name));
    let explained = if has_tables(reason) { phase } else { None };
    let limit = match explained {
        Some(phase) if reason == PauseReason::Exhausted => Some(limit_line(phase)),
        _ => None,
    };
    let report = explained.map_or_else(|| escalation.report.clone(), words_of_refusal);
    let comments = if run.started.issue.is_on_a_server() { answer_comments(escalation) } else { Vec::new() };
    json!({
        "reason": reason.as_str(),
        "question": (layout.text)(&escalation.question),
        "decision": decision(escalation, phase).map(|word| (layout.text)(word)),
        "limit": limit,
        "tables": explained.map(|phase| tables(phase, layout)),
        "report": report.iter().map(|line| (layout.text)(line)).collect::<Vec<_>>(),
        "asked": run.recipient_of_question().map(|who| (layout.text)(&who)),
        "comments": comments.join(layout.indent),
        "when": when_to_answer(run, escalation),
        "commands": answer_commands(run, escalation).join(layout.indent),
    })
}

/// Returns what was decided about the phase that waits, in the words of its policy; nothing before its first round ended. The report
/// of what stops a phase at once says it itself.
fn decision<'a>(escalation: &Escalation, phase: Option<&'a PhaseState>) -> Option<&'a str> {
    if escalation.reason == PauseReason::Blocked {
        return None;
    }
    phase?.history.current_rounds().last()?.decision.as_deref()
}

/// Returns what the reviewer of the latest round says of its refusal; the tables have the rest.
fn words_of_refusal(phase: &PhaseState) -> Vec<String> {
    phase.history.current_rounds().last().map(stated_refusal_lines).unwrap_or_default()
}

fn limit_line(phase: &PhaseState) -> String {
    format!("{}: the limit is reached ({})", phase.name(), limit_reached(phase))
}

fn tables(phase: &PhaseState, layout: &QuestionFormat) -> String {
    let rounds: Vec<[String; 4]> = phase.history.rounds.iter().map(round_row).collect();
    table("Unresolved", ["#", "Place", "Problem", "Severity"], &problem_rows(phase), layout)
        + &table("Rounds", ["Round", "Verdict", "Grade", "Findings"], &rounds, layout)
}

/// Tells whether the tables explain a pause. What stops a phase at once has words of its own; a gate or a budget has no problems.
fn has_tables(reason: PauseReason) -> bool {
    match reason {
        PauseReason::Exhausted
        | PauseReason::Discuss
        | PauseReason::Unreadable
        | PauseReason::ReviewerUnavailable
        | PauseReason::AgentFailed
        | PauseReason::Stalled => true,
        PauseReason::Blocked
        | PauseReason::Budget
        | PauseReason::Quota
        | PauseReason::Outage
        | PauseReason::JobLimit
        | PauseReason::RateLimit
        | PauseReason::OnRequest
        | PauseReason::Gate => false,
    }
}

/// Returns what is open: findings, then the checks that did not pass at each place they name. The worst comes first.
fn problem_rows(phase: &PhaseState) -> Vec<[String; 4]> {
    let of_review = worst_first(phase.findings()).into_iter().map(|finding| {
        let place = place(finding.file.as_deref(), finding.line);
        (place, finding.issue.clone(), finding.severity.as_str())
    });
    let open = phase.evidence.checks.iter().flatten().filter(|result| is_open(phase, result));
    let all = open.flat_map(problems_of_check).chain(of_review).enumerate();
    let row = |(index, (place, problem, severity)): (usize, PlacedProblem)| {
        let place = place.unwrap_or_else(|| "-".to_owned());
        [(index + 1).to_string(), place, problem, severity.to_owned()]
    };
    all.map(row).collect()
}

/// Tells whether a check is something to settle; what is only noted asks nothing of anybody.
fn is_open(phase: &PhaseState, result: &CheckResult) -> bool {
    match result.status {
        CheckStatus::Pass | CheckStatus::Skipped | CheckStatus::FailedBefore => false,
        CheckStatus::Fail => !result.asks && phase.on_fail(&result.check) != OnFail::Note,
        CheckStatus::Unavailable => true,
    }
}

/// Where a problem is, what it is, and how severe.
type PlacedProblem = (Option<String>, String, &'static str);

fn problems_of_check(result: &CheckResult) -> Vec<PlacedProblem> {
    let word = if result.status == CheckStatus::Fail { "failed check" } else { "unavailable" };
    let problem =
        |at: &Place| (place(at.file.as_deref(), at.line), format!("{}: {}", result.check, at.what), word);
    places_or_summary(result).iter().map(problem).collect()
}

fn round_row(round: &Round) -> [String; 4] {
    let verdict = round.stated_decision().unwrap_or("no verdict").to_owned();
    let grade = round.grade.map_or("N/A", Grade::as_str).to_owned();
    let findings = match round.failed.len() {
        0 => round.findings.len().to_string(),
        failed => format!("{}, {}", round.findings.len(), counted(failed as u64, "failed check")),
    };
    [round.n.to_string(), verdict, grade, findings]
}

/// Returns a table with its title; nothing when it has no row.
fn table(title: &str, head: [&str; 4], rows: &[[String; 4]], layout: &QuestionFormat) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let kept = &rows[..rows.len().min(MOST_ROWS)];
    let more = match rows.len() - kept.len() {
        0 => String::new(),
        more => format!("{more} more\n"),
    };
    (layout.table)(title, head, kept) + &more
}

fn markdown(title: &str, head: [&str; 4], rows: &[[String; 4]]) -> String {
    let mut text = format!("\n{title}:\n\n| {} |\n|---|---|---|---|\n", head.join(" | "));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.clone().map(|text| cell(&quoted(&text))).join(" | "));
    }
    text
}

fn in_columns(title: &str, head: [&str; 4], rows: &[[String; 4]]) -> String {
    let head = head.map(str::to_lowercase);
    let rows: Vec<[String; 4]> =
        rows.iter().map(|row| row.clone().map(|text| shorten(&plain(&text), LONGEST_PROBLEM))).collect();
    let all = || std::iter::once(&head).chain(&rows);
    let widths: Vec<usize> =
        (0..4).map(|column| all().map(|row| columns(&row[column])).max().unwrap_or(0) + 2).collect();
    let mut text = format!("\n{}:\n", title.to_lowercase());
    for row in all() {
        let line: String = row.iter().zip(&widths).map(|(text, width)| pad(text, *width)).collect();
        let _ = writeln!(text, "  {}", line.trim_end());
    }
    text
}
