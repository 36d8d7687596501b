//! Whether a triage answers its review: its table judges what the review names and counts no finding in a row that is milder than
//! the finding, and no critical finding is dismissed without a reason that cites evidence. Reads no text; what counts as evidence,
//! the caller knows.

use super::TriageRows;
use model::event::{FindingJudgment, TriageTable};
use model::finding::{Disposition, Finding, Severity, worst_first};

/// Returns the sums of a table that answers the review. Refuses one that judges nothing, where the review has findings, and one
/// that counts a finding in a row that is too mild. How many an honest triage makes of them is its own: it may take two as one.
/// Only a table that lets a review that failed pass has to judge each of its findings.
pub fn answering(rows: &TriageRows, review: &[Finding], failed: bool) -> Result<TriageTable, String> {
    let (table, findings) = (rows.sums, review.len());
    let judged = table.findings();
    let passes = table.fix_required + table.needs_discussion == 0;
    if failed && passes && judged > 0 && u64::from(judged) < findings as u64 {
        return Err(format!("it judges {judged} of the {findings} findings of a review that failed"));
    }
    if judged == 0 && findings > 0 {
        return Err(format!("it judges none of the {findings} findings of the review"));
    }
    check_severities(rows, review)?;
    Ok(table)
}

/// Refuses a table that counts a finding in a row that is milder than the finding: the rows for its severity and worse count less
/// than the review names, and the milder ones more, or those for its severity and worse count nothing.
fn check_severities(rows: &TriageRows, findings: &[Finding]) -> Result<(), String> {
    if names_no_severity(rows) {
        return Ok(());
    }
    for severity in [Severity::Critical, Severity::Major, Severity::Minor] {
        let is_milder = |row: Option<Severity>| row.is_some_and(|row| row < severity);
        let milder = count(rows, is_milder);
        let counted = count(rows, |row| !is_milder(row));
        let named = findings.iter().filter(|finding| finding.severity >= severity).count() as u64;
        let rest = findings.len() as u64 - named;
        if counted < named && (milder > rest || counted == 0) {
            let word = severity.as_str();
            let or_worse = if severity == Severity::Critical { "" } else { " or worse" };
            return Err(format!(
                "the table counts a finding in a milder row than its review: {counted} as {word}{or_worse}, where the review names {named}"
            ));
        }
    }
    Ok(())
}

fn count(rows: &TriageRows, counts: impl Fn(Option<Severity>) -> bool) -> u64 {
    let counted = rows.by_severity().filter(|(severity, _)| counts(*severity));
    counted.map(|(_, table)| u64::from(table.findings())).sum()
}

/// Tells whether no row says of which severity its findings are.
fn names_no_severity(rows: &TriageRows) -> bool {
    rows.by_severity().all(|(severity, _)| severity.is_none())
}

/// Returns why a triage may not dismiss the critical findings as it does; nothing where it may. Each that the table may dismiss
/// needs a judgment of its own whose reason cites evidence: a reason that several share is nobody's own. So does each of the
/// critical row where the review names no critical finding, and so do as many as its text says to be critical without naming them
/// (`stated`), whatever row counts them.
pub fn undefended(
    rows: &TriageRows,
    judgments: &[FindingJudgment],
    (findings, stated): (&[Finding], u32),
    cites_evidence: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let dismissed = dismissed_as_critical(rows);
    let defends =
        |one: &&FindingJudgment| one.disposition == Disposition::NoFix && cites_evidence(&one.reason);
    let defences: Vec<&FindingJudgment> = judgments.iter().filter(defends).collect();
    let told = worst_first(findings).into_iter().zip(1..);
    let mut critical = told.filter(|(finding, _)| finding.severity == Severity::Critical).peekable();
    if critical.peek().is_none() {
        let lacks = defences.len() < needed_defences(rows, stated, dismissed) as usize;
        return lacks.then(|| format!("a critical finding is dismissed {WITHOUT_REASON}"));
    }
    if dismissed == 0 {
        return None;
    }
    let (_, number) =
        critical.find(|(finding, _)| !is_settled(&finding.fingerprint(), judgments, &defences, findings))?;
    Some(format!("the critical finding [{number}] is dismissed {WITHOUT_REASON}"))
}

/// Returns how many dismissals need a reason with evidence, where no finding says which of them are critical: each of the critical
/// row, and so many of any rows as the `stated` critical ones that the table neither has fixed nor discussed.
fn needed_defences(rows: &TriageRows, stated: u32, dismissed: u32) -> u32 {
    let open = stated.saturating_sub(rows.sums.fix_required.saturating_add(rows.sums.needs_discussion));
    let has_critical_row = rows.by_severity().any(|(severity, _)| severity == Some(Severity::Critical));
    open.min(rows.sums.no_fix_needed).max(if has_critical_row { dismissed } else { 0 })
}

/// Returns how many findings that may be critical need no fix by this table: any of them, where no row names a severity.
fn dismissed_as_critical(rows: &TriageRows) -> u32 {
    if names_no_severity(rows) {
        return rows.sums.no_fix_needed;
    }
    let may_be_critical = |severity: Option<Severity>| severity.is_none_or(|row| row == Severity::Critical);
    let rows = rows.by_severity().filter(|(severity, _)| may_be_critical(*severity));
    rows.fold(0, |sum, (_, table)| sum.saturating_add(table.no_fix_needed))
}

/// What a dismissal lacks.
const WITHOUT_REASON: &str = "without a reason of its own that cites evidence: a file with a line (`path:12`), a test by its name, \
     or a decision (a document with its section)";

/// Tells whether each critical finding with this fingerprint is to be fixed, to be discussed, or defended.
fn is_settled(
    fingerprint: &String,
    judgments: &[FindingJudgment],
    defences: &[&FindingJudgment],
    findings: &[Finding],
) -> bool {
    let is_same =
        |finding: &&Finding| finding.severity == Severity::Critical && finding.fingerprint() == *fingerprint;
    let is_strict = |one: &&FindingJudgment| {
        matches!(one.disposition, Disposition::FixRequired | Disposition::NeedsDiscussion)
            && one.findings.contains(fingerprint)
    };
    let is_own = |one: &&&FindingJudgment| one.findings == [fingerprint.as_str()];
    let settled = judgments.iter().filter(is_strict).count() + defences.iter().filter(is_own).count();
    settled >= findings.iter().filter(is_same).count()
}

#[cfg(test)]
mod tests;
