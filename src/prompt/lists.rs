//! Writes findings, check results and other lists as plain text, to be put into a block.

use crate::event::{CheckResult, CheckStatus};
use crate::finding::Finding;

use super::clean::line;

/// More findings than this help no author; the rest is counted.
const MOST_FINDINGS: usize = 60;

/// Returns the findings, worst first.
pub(super) fn findings(findings: &[Finding]) -> String {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let mut text: Vec<String> =
        sorted.iter().take(MOST_FINDINGS).enumerate().map(|(index, it)| finding(index + 1, it)).collect();
    if sorted.len() > MOST_FINDINGS {
        text.push(format!("… and {} more", sorted.len() - MOST_FINDINGS));
    }
    text.join("\n")
}

fn finding(number: usize, finding: &Finding) -> String {
    let place = finding.file.as_deref().map(|file| match finding.line {
        Some(number) => format!("{}:{number}", line(file)),
        None => line(file),
    });
    let category = Some(line(&finding.category)).filter(|category| !category.is_empty());
    let head: Vec<String> =
        [Some(finding.severity.as_str().to_owned()), place, category].into_iter().flatten().collect();
    let suggestion = finding.suggestion.as_deref().map(|text| format!("\n   Suggestion: {}", indented(text)));
    format!(
        "{number}. {}\n   {}{}",
        head.join(", "),
        indented(&finding.issue),
        suggestion.unwrap_or_default()
    )
}

/// Returns what checks saw: of each its status, its line, what the failure is about and the evidence.
pub(super) fn checks<'a>(results: impl IntoIterator<Item = &'a CheckResult>) -> String {
    results.into_iter().map(check).collect::<Vec<_>>().join("\n")
}

fn check(result: &CheckResult) -> String {
    let head = format!("- {}: {}: {}", line(&result.check), status(result.status), line(&result.summary));
    let params = result.params.iter().map(|(name, value)| format!("{}: {}", line(name), line(value)));
    let evidence = Some(indented(&result.evidence)).filter(|evidence| !evidence.is_empty());
    std::iter::once(head).chain(params).chain(evidence).collect::<Vec<_>>().join("\n   ")
}

fn status(status: CheckStatus) -> &'static str {
    match status {
        CheckStatus::Pass => "passed",
        CheckStatus::Fail => "FAILED",
        CheckStatus::Unavailable => "COULD NOT RUN",
        CheckStatus::Skipped => "does not apply",
    }
}

/// Tells whether a result is something to repair.
pub(super) fn is_open(result: &CheckResult) -> bool {
    matches!(result.status, CheckStatus::Fail | CheckStatus::Unavailable)
}

/// Returns texts as a list, one line each.
pub(super) fn plain(items: &[String]) -> String {
    items.iter().map(|item| format!("- {}", indented(item))).collect::<Vec<_>>().join("\n")
}

fn indented(text: &str) -> String {
    text.trim().replace('\n', "\n   ")
}
