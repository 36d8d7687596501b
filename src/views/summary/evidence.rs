//! The evidence of a run as a table for the pull request: each check with its command, exit code and result. No text of a
//! command can leave its cell.

use std::fmt::Write as _;

use super::{cell, counted, plain, quoted};
use engine::{PhaseState, Run};
use model::event::{CheckResult, CheckStatus, RunDecision};

/// The longest table, in characters: what comes after it in a request has to have room, too.
const LONGEST_TABLE: usize = 40_000;
/// The longest command that is shown whole, in characters.
const LONGEST_COMMAND: usize = 160;

const HEAD: &str = "| Phase | Round | Check | Result | Exit code | Command | What was seen |\n\
                    |---|---|---|---|---|---|---|\n";

/// Returns what the latest round of each phase was checked with; nothing where nothing was.
pub(super) fn table(run: &Run) -> String {
    let rows: Vec<String> = run.phases.iter().flat_map(rows).collect();
    let mut room = LONGEST_TABLE;
    let fits = |row: &&String| {
        let needed = row.chars().count();
        room.checked_sub(needed).inspect(|left| room = *left).is_some()
    };
    let kept: Vec<&String> = rows.iter().take_while(fits).collect();
    let (shown, all) = (kept.len(), rows.len());
    if all == 0 {
        return String::new();
    }
    let mut text = kept.into_iter().fold(HEAD.to_owned(), |text, row| text + row);
    if shown < all {
        let _ = write!(text, "\n… and {} more rows; the log of the run has all checks.\n", all - shown);
    }
    text
}

/// Returns a row for each check that ran a command or did not pass, and one for all others: nobody reads what is as it should be.
fn rows(phase: &PhaseState) -> Vec<String> {
    let checks = phase.checks.iter().flatten();
    let is_told = |it: &&CheckResult| it.status != CheckStatus::Pass || it.param("command").is_some();
    let (told, others): (Vec<&CheckResult>, Vec<&CheckResult>) = checks.partition(is_told);
    let names: Vec<String> = others.iter().map(|it| cell(&quoted(&it.check))).collect();
    let start = format!("| {} | {}", phase.name(), phase.round);
    let others = format!(
        "{start} | {} | pass |  |  | {} |\n",
        counted(names.len() as u64, "other check"),
        names.join(", ")
    );
    told.into_iter().map(|it| row(phase, it)).chain((!names.is_empty()).then_some(others)).collect()
}

fn row(phase: &PhaseState, result: &CheckResult) -> String {
    let word = match result.status {
        CheckStatus::Pass => "pass",
        CheckStatus::Fail => "**FAIL**",
        CheckStatus::Unavailable => "unavailable",
        CheckStatus::Skipped => "skipped",
    };
    let command = result.param("command").unwrap_or_default();
    let seen = result.summary.strip_prefix(&format!("`{command}` ")).unwrap_or(&result.summary);
    let exit = result.params.get("exitCode").and_then(serde_json::Value::as_i64);
    let cells = [
        phase.name().to_string(),
        phase.round.to_string(),
        cell(&quoted(&result.check)),
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

/// Returns what a person took upon themselves instead of evidence.
pub(super) fn accepted(run: &Run) -> String {
    let mut lines = String::new();
    for phase in &run.phases {
        let Some(person) = &phase.accepted_by else { continue };
        let why = phase.accepted_because.as_ref().map_or(String::new(), |why| format!(": {}", quoted(why)));
        let (name, person) = (phase.name(), quoted(person));
        let _ = writeln!(lines, "- {name} · **accepted by {person}, not by a reviewer**{why}");
        if let Some(decision) = overruled(phase) {
            let _ = writeln!(lines, "- {name} · {decision}, which {person} accepted{why}");
        }
    }
    if lines.is_empty() { lines } else { lines + "\n" }
}

/// Returns the decision of an evaluation with which the run would not have gone on; nothing where it would.
fn overruled(phase: &PhaseState) -> Option<String> {
    let decision = phase.evaluation.as_ref().map(|evaluation| &evaluation.decision);
    let word = match decision {
        _ if !phase.def.decides => return None,
        Some(RunDecision::Pass | RunDecision::PassWithIssues) => return None,
        Some(RunDecision::Abort) => "ABORT".to_owned(),
        Some(RunDecision::FailPhase(word)) => format!("FAIL_PHASE_{}", quoted(word)),
        None => return Some("the evaluation made **no decision**".to_owned()),
    };
    Some(format!("the evaluation decided **{word}**"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sign_of_a_command_leaves_its_cell() {
        let hostile = "a | b `c` ``d` <img src=x> </code> @all #2 [x](y) \\| https://x.y/issues/2\n| z |";
        let shown = code(hostile);
        let inner = shown.strip_prefix("<code>").and_then(|rest| rest.strip_suffix("</code>")).expect("code");
        assert!(!inner.contains(['|', '`', '<', '>', '\n', '@', '[', '\\', ':', '.']), "{shown}");
        assert_eq!(code("cargo test --locked"), "<code>cargo test --locked</code>");
        assert_eq!(code("make a_b"), "<code>make a&#95;b</code>");
        assert_eq!(code(""), "");
        let long = code(&"|".repeat(500));
        assert!(long.ends_with("…</code>") && long.len() < 1_200, "{long}");
    }
}
