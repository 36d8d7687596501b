//! What the author said about its last work, beside what was seen instead: so that a declaration that did not hold is not
//! simply made again. Judges nothing, and is empty when nothing was declared.

use super::block::{Keep, block};
use super::clean::line;
use super::input::PromptInput;
use super::lists::is_of_a_command;
use super::modification::{is_gate, shown};
use super::params::Marks;
use model::event::{CheckResult, CheckStatus, Claim, ClaimStatus, Place};
use model::phase::Step;

/// The longest declaration, in bytes.
const LONGEST: Keep = Keep::Start(4 * 1024);
/// More places of one check than this are counted.
const MOST_PLACES: usize = 3;

/// Returns the declaration in its fence, and below it what did not hold.
pub(super) fn declaration(input: &PromptInput<'_>, open: &[&CheckResult], marks: Marks<'_>) -> String {
    let Some((_, claim)) = input.declared.filter(|_| tells(input)) else { return String::new() };
    let said = block(marks.call, "what the author said of its work", &marks.without(&said(claim)), LONGEST);
    let seen = seen(input, open, marks);
    format!("{said}\nWhat we saw instead:\n{}", seen.join("\n"))
}

/// Behind a quality gate work that is done over gets the same prompt again.
fn tells(input: &PromptInput<'_>) -> bool {
    match input.step {
        Step::Revise => true,
        Step::Execute => !is_gate(input.phase),
        Step::Check | Step::Review | Step::Triage | Step::Answer => false,
    }
}

fn said(claim: &Claim) -> String {
    let status = match claim.status {
        ClaimStatus::Completed => "completed",
        ClaimStatus::Incomplete => "incomplete",
        ClaimStatus::Blocked => "blocked",
    };
    let mut lines = vec![format!("Reported status: {status}")];
    if let Some(next) = &claim.next_action {
        let reason = line(&next.reason);
        let reason = if reason.is_empty() { reason } else { format!(" ({reason})") };
        lines.push(format!("Declared next action: {}{reason}", line(&next.action)));
    }
    let summary = claim.summary.trim();
    lines.extend((!summary.is_empty()).then(|| format!("What was done: {summary}")));
    lines.extend(claim.notices.iter().map(|notice| format!("Notice: {}", line(notice))));
    lines.join("\n")
}

fn seen(input: &PromptInput<'_>, open: &[&CheckResult], marks: Marks<'_>) -> Vec<String> {
    if !open.is_empty() {
        return open.iter().map(|result| of_check(result, marks)).collect();
    }
    let refused = !input.findings.is_empty() || !input.feedback.is_empty();
    let words = if refused {
        "- Our checks passed; the reviewer refused the work, for the reasons given."
    } else {
        "- Nothing has failed that we check; the work is not accepted yet."
    };
    vec![words.to_owned()]
}

fn told(result: &CheckResult, place: &Place, marks: Marks<'_>) -> String {
    if is_of_a_command(result, place) { marks.line(&place.what) } else { shown(place, marks) }
}

fn of_check(result: &CheckResult, marks: Marks<'_>) -> String {
    let check = marks.line(&result.check);
    let word = if result.status == CheckStatus::Fail { "failed" } else { "could not run" };
    if result.places.is_empty() {
        return format!("- `{check}` {word}: {}", marks.line(&result.summary));
    }
    let places: Vec<String> =
        result.places.iter().take(MOST_PLACES).map(|place| told(result, place, marks)).collect();
    let places = super::params::told(places, result.places.len());
    format!("- `{check}` {word}: {}", places.join(", "))
}
