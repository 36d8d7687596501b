//! What a person sees who is asked: which limit is reached, what is unresolved, what each round came to, and who is asked.
//! The same tables in Markdown and for a terminal; the facts are the state's, so that nothing is told from memory.

use std::fmt::Write as _;

use super::{cell, columns, padded, plain, quoted};
use engine::{PhaseState, Round, Run, limit_reached};
use model::event::{CheckResult, CheckStatus, Escalation, PauseReason};
use model::finding::Finding;
use model::policy::OnFail;
use model::verdict::Grade;

/// The most rows of a table.
const MOST_ROWS: usize = 20;
/// The most characters of a problem in a terminal.
const LONGEST_PROBLEM: usize = 90;

/// How a text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Markdown,
    Terminal,
}

/// Returns what stands between the question and the commands that answer it.
pub(super) fn background(run: &Run, escalation: &Escalation, layout: Layout) -> String {
    let phase = escalation.phase.as_ref().and_then(|name| run.phase(name));
    let Some(phase) = phase.filter(|_| tells_tables(escalation.reason)) else {
        return lines(escalation, layout);
    };
    let mut text = heading(phase, escalation.reason, layout);
    text.push_str(&table("Unresolved", &["#", "Place", "Problem", "Severity"], &problems(phase), layout));
    text.push_str(&table("Rounds", &["Round", "Verdict", "Grade", "Findings"], &rounds(phase), layout));
    text
}

/// What stops a phase at once has words of its own; a gate or a budget has no problems.
fn tells_tables(reason: PauseReason) -> bool {
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

fn lines(escalation: &Escalation, layout: Layout) -> String {
    escalation.report.iter().fold(String::new(), |text, line| text + "- " + &shown(line, layout) + "\n")
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
fn problems(phase: &PhaseState) -> Vec<[String; 4]> {
    let mut findings: Vec<&Finding> = phase.findings().iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let of_review = findings.into_iter().map(|finding| {
        (place(finding.file.as_deref(), finding.line), finding.issue.clone(), finding.severity.as_str())
    });
    let of_checks = phase.checks.iter().flatten().filter(|result| is_open(phase, result)).flat_map(of_check);
    let all = of_checks.chain(of_review).enumerate();
    all.map(|(index, (place, problem, severity))| {
        [(index + 1).to_string(), place, problem, severity.to_owned()]
    })
    .collect()
}

/// What is only noted asks nothing of anybody.
fn is_open(phase: &PhaseState, result: &CheckResult) -> bool {
    match result.status {
        CheckStatus::Pass | CheckStatus::Skipped => false,
        CheckStatus::Fail => phase.on_fail(&result.check) != OnFail::Note,
        CheckStatus::Unavailable => true,
    }
}

fn of_check(result: &CheckResult) -> Vec<(String, String, &'static str)> {
    let word = if result.status == CheckStatus::Fail { "failed check" } else { "unavailable" };
    let told = |what: &str| format!("{}: {what}", result.check);
    if result.places.is_empty() {
        return vec![("-".into(), told(&result.summary), word)];
    }
    let places = result.places.iter();
    places.map(|seen| (place(seen.file.as_deref(), seen.line), told(&seen.what), word)).collect()
}

fn place(file: Option<&str>, line: Option<u64>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_owned(),
        (None, _) => "-".to_owned(),
    }
}

fn rounds(phase: &PhaseState) -> Vec<[String; 4]> {
    phase.rounds.iter().map(round).collect()
}

fn round(round: &Round) -> [String; 4] {
    let verdict = round.verdict.map_or("no verdict".to_owned(), |verdict| verdict.to_string());
    let grade = round.grade.map_or("N/A", Grade::as_str).to_owned();
    let findings = match round.failed.len() {
        0 => round.findings.len().to_string(),
        failed => format!("{}, {}", round.findings.len(), super::counted(failed as u64, "failed check")),
    };
    [round.n.to_string(), verdict, grade, findings]
}

/// A table with nothing in it is none.
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
        let cells: Vec<String> = row.iter().map(|text| cell(&shown(text, Layout::Markdown))).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

fn in_columns(head: &[&str; 4], rows: &[[String; 4]]) -> String {
    let head = head.map(str::to_lowercase);
    let rows: Vec<[String; 4]> =
        rows.iter().map(|row| row.clone().map(|text| short(&plain(&text)))).collect();
    let all = || std::iter::once(&head).chain(&rows);
    let widths: Vec<usize> =
        (0..4).map(|column| all().map(|row| columns(&row[column])).max().unwrap_or(0) + 2).collect();
    all().fold(String::new(), |mut text, row| {
        let line: String = row.iter().zip(&widths).map(|(text, width)| padded(text, *width)).collect();
        let _ = writeln!(text, "  {}", line.trim_end());
        text
    })
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST_PROBLEM) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn shown(text: &str, layout: Layout) -> String {
    match layout {
        Layout::Markdown => quoted(text),
        Layout::Terminal => plain(text),
    }
}
