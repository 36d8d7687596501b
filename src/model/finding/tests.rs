//! Tests of `finding`.

use super::*;

fn finding(issue: &str) -> Finding {
    Finding {
        severity: Severity::Major,
        category: "quality".into(),
        file: Some("src/lib.rs".into()),
        line: Some(3),
        issue: issue.into(),
        suggestion: None,
        auto_fixable: false,
        disposition: Disposition::Open,
        in_scope: true,
    }
}

#[test]
fn same_problem_on_another_line_has_the_same_fingerprint() {
    let first = finding("Line 12: unwrap at 0xdeadbeef in /tmp/x1/a.rs");
    let second = finding("line 240:  unwrap at 0xfeed in /tmp/zz/a.rs");
    assert_eq!(first.fingerprint(), second.fingerprint());
}

#[test]
fn words_of_hex_letters_are_kept_in_the_fingerprint() {
    assert_ne!(finding("the page is defaced").fingerprint(), finding("the page is").fingerprint());
}

#[test]
fn out_of_scope_finding_counts_as_info_unless_critical() {
    let beyond = |severity| Finding { severity, in_scope: false, ..finding("a problem") }.weight();
    assert_eq!(finding("a problem").weight(), Severity::Major);
    assert_eq!([beyond(Severity::Major), beyond(Severity::Minor)], [Severity::Info; 2]);
    assert_eq!(beyond(Severity::Critical), Severity::Critical);
}

#[test]
fn logged_finding_is_in_scope_by_default() {
    let told = |finding: &Finding| serde_json::to_string(finding).expect("JSON");
    assert!(!told(&finding("a problem")).contains("in_scope"));
    let beyond = Finding { in_scope: false, ..finding("a problem") };
    for finding in [finding("a problem"), beyond] {
        assert_eq!(serde_json::from_str::<Finding>(&told(&finding)).expect("a finding"), finding);
    }
}

#[test]
fn unknown_severity_counts_as_major() {
    assert_eq!(Severity::read("Blocker"), Severity::Critical);
    assert_eq!(Severity::read("warning"), Severity::Minor);
    assert_eq!(Severity::read("weird"), Severity::Major);
    assert_eq!(Severity::read("HIGH"), Severity::Major);
}
