//! Tables of whole answers, one JSON string a line: reviews that hold an approval and a denial beside it, and honest approvals.
//! Written for these tests, in six languages; no line comes from a project of others.

use content_parser::{Terms, counted_findings, default_words, doubt, read_review, stated_findings};
use model::finding::Severity;

const DENIALS: &str = include_str!("reviews/denials.jsonl");
const HONEST: &str = include_str!("reviews/honest.jsonl");

/// Tells whether an answer approves and its reviewer is asked nothing. An answer with an id carries the one that was asked for.
fn approves_at_once(text: &str) -> bool {
    let words = default_words();
    let review_id = text.contains("\"r-1\"").then_some("r-1");
    let reading =
        read_review(text, &Terms { review_id, require_review_id: false, words: &words, beyond: &[] });
    reading.judgment.approves() && reading.doubt.is_none() && doubt(text).is_none()
}

/// Returns the answers of a table that approve at once, or those that do not.
fn sorted(table: &str, at_once: bool) -> Vec<String> {
    let answers = table.lines().map(|line| serde_json::from_str::<String>(line).expect("a JSON string"));
    answers.filter(|text| approves_at_once(text) == at_once).collect()
}

#[test]
fn no_review_that_denies_beside_its_approval_is_read_as_a_pass() {
    assert!(DENIALS.lines().count() >= 120);
    assert_eq!(sorted(DENIALS, true), [""; 0]);
}

#[test]
fn honest_approvals_pass_at_once() {
    assert!(HONEST.lines().count() >= 120);
    assert_eq!(sorted(HONEST, false), [""; 0]);
}

#[test]
fn honest_approvals_state_nothing_critical() {
    let is_critical = |text: &&str| {
        let text = serde_json::from_str::<String>(text).expect("a JSON string");
        stated_findings(&text)
            .iter()
            .chain(&counted_findings(&text))
            .any(|finding| finding.severity == Severity::Critical)
    };
    assert_eq!(HONEST.lines().filter(is_critical).collect::<Vec<_>>(), [""; 0]);
}
