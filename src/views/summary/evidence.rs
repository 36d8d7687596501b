//! The evidence of a run: each check with its command, exit code and result as a table for the pull request, what a person
//! accepted instead, and whether any test was run. No text of a command can leave its cell.

use std::fmt::Write as _;

use super::criteria::{CriterionResult, criteria_of, of_template};
use crate::text::{cell, counted, plain, quoted};
use engine::{PhaseState, Run, Status};
use model::event::{CheckResult, CheckStatus, EvaluationDecision, RunOutcome};
use model::phase::Step;

/// The longest table, in characters: what comes after it in a request has to have room, too.
const LONGEST_TABLE: usize = 40_000;
/// The longest command that is shown whole, in characters.
const LONGEST_COMMAND: usize = 160;

/// What a failure is called that the base of the run has as well.
pub const FAILED_BEFORE: &str = "failed before, not charged";

const TABLE_HEAD: &str = "| Phase | Round | Check | Result | Exit code | Command | What was seen |\n\
                    |---|---|---|---|---|---|---|\n";

/// Returns what the latest round of each phase was checked with, as a table; nothing where nothing was.
pub(super) fn evidence_table(run: &Run) -> String {
    let rows: Vec<String> = run.phases.iter().flat_map(rows).collect();
    if rows.is_empty() {
        return String::new();
    }
    let mut length = 0;
    let fits = |row: &&String| {
        length += row.chars().count();
        length <= LONGEST_TABLE
    };
    let shown: Vec<&str> = rows.iter().take_while(fits).map(String::as_str).collect();
    let more = match rows.len() - shown.len() {
        0 => String::new(),
        more => format!("\n… and {more} more rows; the log of the run has all checks.\n"),
    };
    format!("{TABLE_HEAD}{}{more}", shown.concat())
}

/// Returns a row for each check that ran a command or did not pass and for each criterion of a template, and one for all
/// others together.
fn rows(phase: &PhaseState) -> Vec<String> {
    let checks = phase.evidence.checks.as_deref().unwrap_or_default();
    rows_of(phase.name().as_str(), phase.round, checks)
}

fn rows_of(phase: &str, round: u32, checks: &[CheckResult]) -> Vec<String> {
    let checks = checks.iter();
    let (templates, checks): (Vec<&CheckResult>, Vec<&CheckResult>) =
        checks.partition(|result| !of_template(result).is_empty());
    let checks = checks.into_iter();
    let has_row = |it: &&CheckResult| it.status != CheckStatus::Pass || it.param("command").is_some();
    let (single, others): (Vec<&CheckResult>, Vec<&CheckResult>) = checks.partition(has_row);
    let mut rows: Vec<String> = single.into_iter().map(|result| row(phase, round, result)).collect();
    if !others.is_empty() {
        let names: Vec<String> = others.iter().map(|it| cell(&quoted(&name(it)))).collect();
        let (number, names) = (counted(names.len() as u64, "other check"), names.join(", "));
        rows.push(format!("| {phase} | {round} | {number} | pass |  |  | {names} |\n"));
    }
    let criteria = |template: &&CheckResult| -> Vec<String> {
        of_template(template)
            .iter()
            .map(|judged| criterion_row(phase, round, &template.check, judged))
            .collect()
    };
    rows.extend(templates.iter().flat_map(criteria));
    rows
}

fn criterion_row(phase: &str, round: u32, template: &str, judged: &CriterionResult<'_>) -> String {
    let word = if judged.passed { "pass" } else { "**FAIL**" };
    let name = cell(&quoted(&format!("{template} {}", judged.label())));
    let seen = cell(&quoted(judged.details));
    format!("| {phase} | {round} | {name} | {word} |  |  | {seen} |\n")
}

/// Returns the name of a check with its criterion, where that is reported as another one.
fn name(result: &CheckResult) -> String {
    match &criteria_of(result)[..] {
        [judged] if judged.quality.is_some() => format!("{} ({})", result.check, judged.label()),
        _ => result.check.clone(),
    }
}

fn row(phase: &str, round: u32, result: &CheckResult) -> String {
    let word = match result.status {
        CheckStatus::Pass => "pass",
        CheckStatus::Fail => "**FAIL**",
        CheckStatus::Unavailable => "unavailable",
        CheckStatus::Skipped => "skipped",
        CheckStatus::FailedBefore => FAILED_BEFORE,
    };
    let command = result.param("command").unwrap_or_default();
    let seen = result.summary.strip_prefix(&format!("`{command}` ")).unwrap_or(&result.summary);
    let exit = result.params.get("exitCode").and_then(serde_json::Value::as_i64);
    let cells = [
        phase.to_owned(),
        round.to_string(),
        cell(&quoted(&name(result))),
        word.to_owned(),
        exit.map_or_else(String::new, |code| code.to_string()),
        code(command),
        cell(&quoted(seen)),
    ];
    format!("| {} |\n", cells.join(" | "))
}

/// Returns a text as code that reads as it was written and in which nothing means anything: what Markdown, HTML or GitHub
/// could see a sign in is written by its number.
fn code(text: &str) -> String {
    let text = plain(text);
    if text.is_empty() {
        return text;
    }
    let mut shown = String::from("<code>");
    for c in text.chars().take(LONGEST_COMMAND) {
        match c {
            '-' | '/' | '=' | ',' | ' ' => shown.push(c),
            c if c.is_ascii_punctuation() => {
                let _ = write!(shown, "&#{};", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    let more = if text.chars().nth(LONGEST_COMMAND).is_some() { "…" } else { "" };
    format!("{shown}{more}</code>")
}

/// Returns what a person accepted instead of evidence, as a Markdown list.
pub(super) fn accepted_list(run: &Run) -> String {
    let mut lines = String::new();
    for phase in &run.phases {
        let Some(person) = &phase.person.accepted_by else { continue };
        let why = phase.person.accepted_because.as_ref();
        let why = why.map_or(String::new(), |why| format!(": {}", quoted(why)));
        let (name, person) = (phase.name(), quoted(person));
        let _ = writeln!(lines, "- {name} · **accepted by {person}, not by a reviewer**{why}");
        for path in &phase.files.changed_after_review {
            let path = quoted(path);
            let _ = writeln!(lines, "- {name} · {path}: **changed by the triage after the last review**");
        }
        if let Some(decision) = overruled_decision(phase) {
            let _ = writeln!(lines, "- {name} · {decision}, which {person} accepted{why}");
        }
    }
    if lines.is_empty() { lines } else { lines + "\n" }
}

/// Returns the decision of an evaluation with which the run would not have gone on; nothing where it would.
fn overruled_decision(phase: &PhaseState) -> Option<String> {
    let decision = phase.evidence.evaluation.as_ref().map(|evaluation| &evaluation.decision);
    let word = match decision {
        _ if !phase.def.decides => return None,
        Some(EvaluationDecision::Pass | EvaluationDecision::PassWithIssues) => return None,
        Some(EvaluationDecision::Abort) => "ABORT".to_owned(),
        Some(EvaluationDecision::FailPhase(word)) => format!("FAIL_PHASE_{}", quoted(word)),
        None => return Some("the evaluation made **no decision**".to_owned()),
    };
    Some(format!("the evaluation decided **{word}**"))
}

/// Returns how many checks of a phase's current work passed and failed; nothing before they were made.
pub(super) fn checks_line(phase: &PhaseState) -> Option<String> {
    let results = phase.evidence.checks.as_ref()?;
    if results.is_empty() || !phase.evidence.completed_steps.contains(&Step::Check) {
        return None;
    }
    let passed = results.iter().filter(|result| result.status == CheckStatus::Pass).count();
    let failed = results.iter().filter(|result| result.status == CheckStatus::Fail).count();
    let before = results.iter().filter(|result| result.status == CheckStatus::FailedBefore).count();
    let other = results.len() - passed - failed - before;
    let mut line = format!("{} passed", counted(passed as u64, "check"));
    if failed > 0 {
        let _ = write!(line, ", {failed} failed");
    }
    if before > 0 {
        let _ = write!(line, ", {before} {FAILED_BEFORE}");
    }
    if other > 0 {
        let _ = write!(line, ", {other} without a result");
    }
    Some(line)
}

/// The checks that run tests.
const TEST_CHECKS: [&str; 2] = ["red_green", "tests"];

/// Returns why no test was run in a run that comes to `outcome`; nothing where one was, where no code was changed, and before
/// the run is completed. Tests that failed were run.
pub fn reason_without_tests(run: &Run, outcome: RunOutcome) -> Option<String> {
    let completed = || run.phases.iter().filter(|phase| phase.status == Status::Completed);
    if outcome != RunOutcome::Completed || !completed().any(|phase| phase.def.changes_code) {
        return None;
    }
    let runs_tests = |result: &&CheckResult| TEST_CHECKS.contains(&result.check.as_str());
    let ran = |result: &&CheckResult| {
        let is_empty = result.params.get("tests_run").is_some_and(|count| count == 0);
        !matches!(result.status, CheckStatus::Unavailable | CheckStatus::Skipped) && !is_empty
    };
    let results = || completed().flat_map(|phase| phase.evidence.checks.iter().flatten()).filter(runs_tests);
    if results().any(|result| ran(&result)) {
        return None;
    }
    let last = |check: &str| results().rfind(|result| result.check == check);
    let why = TEST_CHECKS.iter().rev().find_map(|check| last(check)).map(|result| result.summary.clone());
    Some(why.unwrap_or_else(|| "no phase of the run has the check tests".into()))
}

/// Returns the warning that no test was run, in Markdown; nothing where there is nothing to warn of.
pub(super) fn untested_warning(run: &Run, outcome: RunOutcome) -> Option<String> {
    Some(format!("**No test was run**: {}.", quoted(&reason_without_tests(run, outcome)?)))
}

#[cfg(test)]
mod tests;
