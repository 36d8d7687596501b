//! The question of a pause as a person reads it: which limit is reached, what is unresolved, what each round came to, who is
//! asked, and the commands that answer. The same tables in Markdown and for a terminal; all of it comes from the state.

use std::fmt::Write as _;

use serde_json::json;

use super::commands::{answer_commands, answer_comments, when_to_answer};
use super::problems::places_or_summary;
use super::text::{cell, columns, counted, filled, padded, place, plain, quoted};
use engine::{PhaseState, Round, Run, limit_reached};
use model::event::{CheckResult, CheckStatus, Escalation, PauseReason, Place};
use model::finding::Finding;
use model::policy::OnFail;
use model::verdict::Grade;

/// The most rows of a table.
const MOST_ROWS: usize = 20;
/// The most characters of a problem in a terminal.
const LONGEST_PROBLEM: usize = 90;

/// Returns the question of a pause with the commands that answer it, in Markdown: where the issue is on a server by a comment, and
/// at a terminal in any case.
pub(super) fn question(run: &Run, escalation: &Escalation) -> String {
    let comments = if run.started.issue.is_on_a_server() { answer_comments(escalation) } else { Vec::new() };
    let values = json!({
        "reason": escalation.reason.as_str(),
        "question": quoted(&escalation.question),
        "background": background(run, escalation, Layout::Markdown),
        "asked": run.asked_of().map(|who| quoted(&who)),
        "comments": comments.join("\n    "),
        "when": when_to_answer(run, escalation),
        "commands": answer_commands(run, escalation).join("\n    "),
    });
    filled(include_str!("question.hbs"), &values)
}

/// Returns the same question for a terminal.
pub fn question_lines(run: &Run, escalation: &Escalation) -> String {
    let head = format!("waiting ({}): {}", escalation.reason.as_str(), plain(&escalation.question));
    let commands = answer_commands(run, escalation).join("\n  ");
    let background = background(run, escalation, Layout::Terminal);
    let asked = run.asked_of().map_or(String::new(), |who| format!("asked: {}\n", plain(&who)));
    format!("{head}\n{background}{asked}answer with one of:\n  {commands}\n")
}

/// How a text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Markdown,
    Terminal,
}

/// Returns what stands between the question and the commands that answer it.
fn background(run: &Run, escalation: &Escalation, layout: Layout) -> String {
    let phase = escalation.phase.as_ref().and_then(|name| run.phase(name));
    match phase {
        Some(phase) if has_tables(escalation.reason) => {
            let rounds: Vec<[String; 4]> = phase.history.rounds.iter().map(round_row).collect();
            heading(phase, escalation.reason, layout)
                + &table("Unresolved", &["#", "Place", "Problem", "Severity"], &problem_rows(phase), layout)
                + &table("Rounds", &["Round", "Verdict", "Grade", "Findings"], &rounds, layout)
        }
        _ => escalation.report.iter().map(|line| format!("- {}\n", laid_out(line, layout))).collect(),
    }
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

fn heading(phase: &PhaseState, reason: PauseReason, layout: Layout) -> String {
    if reason != PauseReason::Exhausted {
        return String::new();
    }
    let text = format!("{}: the limit is reached ({})", phase.name(), limit_reached(phase));
    match layout {
        Layout::Markdown => format!("### {text}\n"),
        Layout::Terminal => format!("{text}\n"),
    }
}

/// Returns what is open: findings, then the checks that did not pass at each place they name. The worst stands first.
fn problem_rows(phase: &PhaseState) -> Vec<[String; 4]> {
    let mut findings: Vec<&Finding> = phase.findings().iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let of_review = findings.into_iter().map(|finding| {
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
        CheckStatus::Pass | CheckStatus::Skipped => false,
        CheckStatus::Fail => phase.on_fail(&result.check) != OnFail::Note,
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
    let verdict = round.verdict.map_or("no verdict".to_owned(), |verdict| verdict.to_string());
    let grade = round.grade.map_or("N/A", Grade::as_str).to_owned();
    let findings = match round.failed.len() {
        0 => round.findings.len().to_string(),
        failed => format!("{}, {}", round.findings.len(), counted(failed as u64, "failed check")),
    };
    [round.n.to_string(), verdict, grade, findings]
}

/// Returns a table with its title; nothing when it has no row.
fn table(title: &str, head: &[&str; 4], rows: &[[String; 4]], layout: Layout) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let more = match rows.len().saturating_sub(MOST_ROWS) {
        0 => String::new(),
        more => format!("{more} more\n"),
    };
    let kept = &rows[..rows.len().min(MOST_ROWS)];
    match layout {
        Layout::Markdown => format!("\n{title}:\n\n{}{more}", markdown(head, kept)),
        Layout::Terminal => format!("\n{}:\n{}{more}", title.to_lowercase(), in_columns(head, kept)),
    }
}

fn markdown(head: &[&str; 4], rows: &[[String; 4]]) -> String {
    let mut text = format!("| {} |\n|---|---|---|---|\n", head.join(" | "));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|text| cell(&quoted(text))).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

fn in_columns(head: &[&str; 4], rows: &[[String; 4]]) -> String {
    let head = head.map(str::to_lowercase);
    let rows: Vec<[String; 4]> =
        rows.iter().map(|row| row.clone().map(|text| shortened(&plain(&text)))).collect();
    let all = || std::iter::once(&head).chain(&rows);
    let widths: Vec<usize> =
        (0..4).map(|column| all().map(|row| columns(&row[column])).max().unwrap_or(0) + 2).collect();
    all().fold(String::new(), |mut text, row| {
        let line: String = row.iter().zip(&widths).map(|(text, width)| padded(text, *width)).collect();
        let _ = writeln!(text, "  {}", line.trim_end());
        text
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_PROBLEM) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn laid_out(text: &str, layout: Layout) -> String {
    match layout {
        Layout::Markdown => quoted(text),
        Layout::Terminal => plain(text),
    }
}
