//! Tables of triages beside their reviews, and dismissals with and without evidence.

use super::*;
use crate::{read_dispositions, read_triage_rows};

fn findings(severities: &[Severity]) -> Vec<Finding> {
    severities.iter().map(|severity| Finding::new(*severity, "design", "x".to_owned())).collect()
}

fn answers(rows: &str, severities: &[Severity], failed: bool) -> Result<TriageTable, String> {
    let head =
        "| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|:--:|---|---|---|\n";
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
    assert_eq!(answers("| Major | 1 | 1 | 0 | 0 |", &two, true), Ok(table(1, 0, 0)), "two are fixed as one");
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

#[test]
fn a_dismissed_critical_finding_needs_a_reason_of_its_own_with_evidence() {
    let finding = |severity, issue: &str| Finding::new(severity, "design", issue.to_owned());
    let critical =
        [finding(Severity::Critical, "the data is lost"), finding(Severity::Critical, "the key is shown")];
    let judge = |text: &str, rows: &str, findings: &[Finding]| {
        let head = "| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n";
        let rows = read_triage_rows(&format!("{text}\n\n{head}{rows}\n"), None).expect("a table");
        undefended(&rows, &read_dispositions(text, findings), (findings, 0), &|reason| {
            reason.contains("a.rs:1")
        })
    };
    let (one, two) = ("| Critical | 1 | 0 | 1 | 0 |", "| Critical | 2 | 0 | 2 | 0 |");
    let no = |number: u32, reason: &str| format!("### [{number}] x\n**Judgment**: No Fix Needed\n{reason}\n");
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
        let head =
            "| Finding | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n";
        let rows = read_triage_rows(&format!("{text}\n\n{head}{rows}\n"), None).expect("a table");
        undefended(&rows, &read_dispositions(text, &[]), (&[], stated), &|reason| reason.contains("a.rs:1"))
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
