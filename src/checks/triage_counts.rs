//! Whether the table of a triage answers its review: it judges what the review names, and counts no finding in a row that is milder
//! than the finding. Reads no text: that is `content_parser`'s.

use content_parser::TriageRows;
use model::event::TriageTable;
use model::finding::{Finding, Severity};

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
pub(crate) fn names_no_severity(rows: &TriageRows) -> bool {
    rows.by_severity().all(|(severity, _)| severity.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use content_parser::read_triage_rows;

    fn findings(severities: &[Severity]) -> Vec<Finding> {
        severities.iter().map(|severity| Finding::new(*severity, "design", "x".to_owned())).collect()
    }

    fn answers(rows: &str, severities: &[Severity], failed: bool) -> Result<TriageTable, String> {
        let head = "| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|:--:|---|---|---|\n";
        let rows = read_triage_rows(&format!("{head}{rows}\n"), None)?;
        answering(&rows, &findings(severities), failed)
    }

    fn table(fix_required: u32, no_fix_needed: u32, needs_discussion: u32) -> TriageTable {
        TriageTable { fix_required, no_fix_needed, needs_discussion }
    }

    #[test]
    fn a_table_without_findings_answers_no_review_that_has_some() {
        use Severity::Major;
        assert_eq!(answers("| Major | 0 | 0 | 0 | 0 |", &[], true), Ok(table(0, 0, 0)));
        assert_eq!(answers("| Major | 1 | 0 | 1 | 0 |", &[Major; 3], false), Ok(table(0, 1, 0)));
        let why = "it judges none of the 2 findings of the review";
        assert_eq!(answers("| Major | 0 | 0 | 0 | 0 |", &[Major; 2], false), Err(why.to_owned()));
    }

    #[test]
    fn a_review_that_failed_passes_only_when_each_of_its_findings_is_judged() {
        let why = "it judges 1 of the 2 findings of a review that failed";
        let two = [Severity::Major; 2];
        assert_eq!(answers("| Major | 1 | 0 | 1 | 0 |", &two, true), Err(why.to_owned()));
        assert_eq!(answers("| Major | 2 | 0 | 2 | 0 |", &two, true), Ok(table(0, 2, 0)));
        assert_eq!(
            answers("| Major | 1 | 1 | 0 | 0 |", &two, true),
            Ok(table(1, 0, 0)),
            "two are fixed as one"
        );
    }

    #[test]
    fn a_finding_counted_in_a_milder_row_contradicts_its_review() {
        use Severity::{Critical, Info, Major, Minor};
        for (rows, review) in [
            ("| Minor | 1 | 0 | 1 | 0 |", &[Critical][..]),
            ("| Minor | 1 | 1 | 0 | 0 |", &[Critical]),
            ("| Critical | 0 | 0 | 0 | 0 |\n| Warning | 2 | 1 | 1 | 0 |", &[Critical, Minor]),
            ("| Critical | 1 | 1 | 0 | 0 |\n| Minor | 2 | 0 | 2 | 0 |", &[Critical, Critical, Minor]),
            ("| Minor | 1 | 0 | 1 | 0 |", &[Critical, Minor]),
            ("| Info | 1 | 0 | 1 | 0 |", &[Major]),
            ("| 軽微 | 1 | 0 | 1 | 0 |", &[Major]),
        ] {
            let why = answers(rows, review, false).expect_err(rows);
            assert!(why.contains("in a milder row than its review"), "{rows}: {why}");
        }
        for (rows, review) in [
            ("| Critical | 1 | 1 | 0 | 0 |", &[Critical][..]),
            ("| Blocker | 1 | 1 | 0 | 0 |\n| Info | 3 | 0 | 3 | 0 |", &[Critical]),
            ("| Critical | 1 | 1 | 0 | 0 |", &[Critical, Critical, Minor]),
            ("| Critical | 2 | 2 | 0 | 0 |", &[Critical, Info]),
            ("| 重大 | 1 | 1 | 0 | 0 |", &[Critical]),
            ("| The limit | 1 | 1 | 0 | 0 |", &[Critical]),
            ("| Minor | 1 | 0 | 1 | 0 |", &[]),
        ] {
            assert!(answers(rows, review, false).is_ok(), "{rows}");
        }
    }
}
