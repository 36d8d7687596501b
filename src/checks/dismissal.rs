//! Whether a triage may dismiss the critical findings of its review as it does. What counts as evidence, the caller knows.

use crate::triage_counts::names_no_severity;
use content_parser::TriageRows;
use model::event::FindingJudgment;
use model::finding::{Disposition, Finding, Severity, worst_first};

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
mod tests {
    use super::*;
    use content_parser::read_dispositions;

    #[test]
    fn a_dismissed_critical_finding_needs_a_reason_of_its_own_with_evidence() {
        let finding = |severity, issue: &str| Finding::new(severity, "design", issue.to_owned());
        let critical = [
            finding(Severity::Critical, "the data is lost"),
            finding(Severity::Critical, "the key is shown"),
        ];
        let judge = |text: &str, rows: &str, findings: &[Finding]| {
            let head = "| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n";
            let rows = content_parser::read_triage_rows(&format!("{text}\n\n{head}{rows}\n"), None)
                .expect("a table");
            undefended(&rows, &read_dispositions(text, findings), (findings, 0), &|reason| {
                reason.contains("a.rs:1")
            })
        };
        let (one, two) = ("| Critical | 1 | 0 | 1 | 0 |", "| Critical | 2 | 0 | 2 | 0 |");
        let no =
            |number: u32, reason: &str| format!("### [{number}] x\n**Judgment**: No Fix Needed\n{reason}\n");
        let proven = no(1, "a.rs:1 has it") + &no(2, "see a.rs:1");
        let fixed = no(1, "a.rs:1 has it") + "### [2] x\n**Judgment**: Fix Required\n";
        for (text, rows, findings) in [
            (no(1, "a.rs:1 has it"), one, &critical[..1]),
            (proven.clone(), two, &critical),
            (fixed, "| Critical | 2 | 1 | 1 | 0 |", &critical),
            (String::new(), "| Critical | 2 | 2 | 0 | 0 |", &critical),
            (no(1, "as it is"), "| Major | 1 | 0 | 1 | 0 |", &[finding(Severity::Major, "the name is bad")]),
            (no(1, "a.rs:1 has it"), one, &[]),
        ] {
            assert_eq!(judge(&text, rows, findings), None, "{text}{rows}");
        }
        for (text, rows, findings, who) in [
            (String::new(), one, &critical[..1], "finding [1]"),
            (no(1, "it is fine"), one, &critical[..1], "finding [1]"),
            (no(1, "a.rs:1 has it") + &no(2, "likewise"), two, &critical, "finding [2]"),
            ("### [1, 2] x\n**Judgment**: No Fix Needed\na.rs:1\n".to_owned(), two, &critical, "finding [1]"),
            (String::new(), one, &[], "a critical finding"),
            (String::new(), "| The loss | 1 | 0 | 1 | 0 |", &critical[..1], "finding [1]"),
        ] {
            let why = judge(&text, rows, findings).expect("it is undefended");
            assert!(why.contains(who), "{text}{rows}: {why}");
        }
    }

    #[test]
    fn a_critical_finding_that_a_review_states_in_its_text_needs_a_reason_with_evidence_too() {
        let judge = |text: &str, rows: &str, stated: u32| {
            let head = "| Finding | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n";
            let rows = content_parser::read_triage_rows(&format!("{text}\n\n{head}{rows}\n"), None)
                .expect("a table");
            undefended(&rows, &read_dispositions(text, &[]), (&[], stated), &|reason| {
                reason.contains("a.rs:1")
            })
        };
        let defended = "### [2] x\n**Judgment**: No Fix Needed\na.rs:1 has it\n\n### [1] y\n**Judgment**: No Fix Needed\nfine\n";
        assert_eq!(judge(defended, "| All | 2 | 0 | 2 | 0 |", 1), None);
        assert_eq!(judge("", "| All | 2 | 1 | 1 | 0 |", 1), None);
        assert_eq!(judge("", "| All | 2 | 0 | 2 | 0 |", 0), None);
        assert_eq!(judge(defended, "| Info | 2 | 0 | 2 | 0 |", 1), None);
        assert!(judge("", "| Info | 2 | 0 | 2 | 0 |", 1).is_some());
        assert!(judge("", "| All | 2 | 0 | 2 | 0 |", 1).is_some());
        assert!(judge("", "| All | 3 | 1 | 2 | 0 |", 2).is_some());
    }
}
