//! Tests of `review_scope`.

use super::*;
use model::finding::{Disposition, Severity};

fn numbered(lines: impl IntoIterator<Item = u64>) -> String {
    lines.into_iter().map(|line| format!("line {line}\n")).collect()
}

fn at(file: Option<&str>, line: Option<u64>, issue: &str) -> Finding {
    Finding {
        severity: Severity::Major,
        category: String::new(),
        file: file.map(str::to_owned),
        line,
        issue: issue.into(),
        suggestion: None,
        auto_fixable: false,
        disposition: Disposition::Open,
        in_scope: true,
    }
}

fn delta(places: &[(&str, Option<u64>)], known: &[&str]) -> PreviousReview {
    let places = places.iter().map(|(file, line)| ((*file).to_owned(), *line)).collect();
    let known = known.iter().map(|issue| at(Some("a"), None, issue).fingerprint()).collect();
    PreviousReview { tree: "tree".into(), known, places }
}

/// Returns which of these lines of `a` are in scope.
fn in_scope(delta: &PreviousReview, change: Option<Change>, lines: &[u64]) -> Vec<u64> {
    let findings: Vec<Finding> = lines.iter().map(|line| at(Some("a"), Some(*line), "new")).collect();
    let changes: Vec<Change> = change.into_iter().collect();
    let beyond = delta.out_of_scope(&findings, &changes);
    let lines = findings.iter().filter(|finding| !beyond.contains(finding));
    lines.filter_map(|finding| finding.line).collect()
}

fn change(old: &str, new: &str) -> Option<Change> {
    Some(Change::of_texts("a", Some(old), Some(new)))
}

#[test]
fn new_findings_are_in_scope_near_added_and_removed_lines() {
    let old = numbered(1..=40);
    let came = numbered((1..=20).chain([100]).chain(21..=40));
    let went = numbered((1..=9).chain(11..=40));
    let lines = [1, 6, 7, 10, 13, 14, 17, 18, 21, 24, 25, 40];
    assert_eq!(in_scope(&delta(&[], &[]), change(&old, &came), &lines), [18, 21, 24]);
    assert_eq!(in_scope(&delta(&[], &[]), change(&old, &went), &lines), [7, 10, 13]);
    assert_eq!(in_scope(&delta(&[], &[]), None, &lines), [0; 0]);
}

#[test]
fn reworded_open_findings_are_in_scope_at_their_moved_line() {
    let old = numbered(1..=40);
    let new = numbered((50..=59).chain(1..=40));
    let open = delta(&[("a", Some(20))], &[]);
    assert_eq!(in_scope(&open, change(&old, &new), &[20, 26, 27, 30, 33, 34]), [27, 30, 33]);
    assert_eq!(in_scope(&open, None, &[16, 17, 20, 23, 24]), [17, 20, 23]);
}

#[test]
fn findings_of_uncertain_place_are_in_scope() {
    let whole = |old, new| Some(Change::of_texts("a", old, new));
    assert_eq!(in_scope(&delta(&[], &[]), whole(None, Some("x\n")), &[99]), [99]);
    assert_eq!(in_scope(&delta(&[], &[]), whole(Some("x\n"), None), &[99]), [99]);
    assert_eq!(in_scope(&delta(&[("a", None)], &[]), None, &[99]), [99]);
    let placeless = [at(None, Some(9), "x"), at(Some("a"), None, "x"), at(None, None, "x")];
    assert_eq!(delta(&[], &[]).out_of_scope(&placeless, &[]), []);
    let known = [at(Some("a"), Some(99), "seen before")];
    assert_eq!(delta(&[], &["seen before"]).out_of_scope(&known, &[]), []);
}

#[test]
fn scope_of_a_large_change_is_computed_quickly() {
    let old = numbered(1..=20_000);
    let new: String = (1..=20_000).map(|line| format!("other {line}\n")).collect();
    let findings: Vec<Finding> = (1..=500).map(|line| at(Some("a"), Some(line), "new")).collect();
    let changes = [Change::of_texts("a", Some(&old), Some(&new))];
    assert_eq!(delta(&[], &[]).out_of_scope(&findings, &changes), []);
}
