//! Tests of how reviews are read.

use super::*;
use content_parser::default_words;

fn said(text: &str) -> AgentAnswer {
    AgentAnswer { text: text.to_owned(), outcome: ExecOutcome::Done, ..AgentAnswer::default() }
}

fn judged(text: &str, schema_missed: bool) -> Judgment {
    let words = default_words();
    let terms = Terms { review_id: Some("r-1"), require_review_id: false, words: &words, beyond: &[] };
    reading(&AgentAnswer { schema_missed, ..said(text) }, &terms).expect("something was said").judgment
}

#[test]
fn an_answer_that_missed_its_schema_counts_only_with_the_id_of_the_review() {
    for text in ["REVIEW_RESULT: PASS", r#"{"result": "PASS"}"#] {
        assert_eq!(judged(text, false), Judgment::Approve, "{text}");
        assert_eq!(judged(text, true), Judgment::Unverifiable, "{text}");
    }
    let named = r#"My answer: {"review_id": "r-1", "result": "PASS"}"#;
    assert_eq!([judged(named, false), judged(named, true)], [Judgment::Approve; 2]);
    let wrong = named.replace("r-1", "r-2");
    assert_eq!(judged(&wrong, true), Judgment::Unverifiable);
}

#[test]
fn an_approval_is_doubted_for_its_own_summary_and_suggestions_too() {
    let doubt = |fields: &str| {
        let text = format!(r#"{{"review_id": "r-1", "result": "PASS", {fields}}}"#);
        let words = default_words();
        let terms = Terms { review_id: Some("r-1"), require_review_id: false, words: &words, beyond: &[] };
        let read = reading(&said(&text), &terms).expect("something was said");
        doubted(read, &text).doubt
    };
    let blocker = "Must fix before merge: the lock leaks";
    assert_eq!(doubt(&format!(r#""summary": "{blocker}""#)).as_deref(), Some(blocker));
    assert_eq!(doubt(&format!(r#""suggestions": ["{blocker}"]"#)).as_deref(), Some(blocker));
    assert_eq!(doubt(r#""summary": "No blockers.", "suggestions": ["name the lock"]"#), None);
}

#[test]
fn a_finding_out_of_scope_tightens_nothing_unless_it_is_critical_and_loosens_nothing() {
    let words = default_words();
    let read = |text: &str, beyond: &[model::finding::Finding]| {
        let terms = Terms { review_id: None, require_review_id: false, words: &words, beyond };
        reading(&said(text), &terms).expect("something was said")
    };
    for (word, severity, judgment) in [
        ("PASS", "major", Judgment::Approve),
        ("PASS", "critical", Judgment::Revise),
        ("FAIL", "minor", Judgment::Revise),
    ] {
        let text =
            format!(r#"{{"result": "{word}", "findings": [{{"severity": "{severity}", "issue": "x"}}]}}"#);
        let whole = read(&text, &[]);
        assert_eq!(whole.judgment, Judgment::Revise, "{text}");
        let narrowed = read(&text, &whole.findings);
        assert_eq!((narrowed.judgment, narrowed.findings[0].in_scope), (judgment, false), "{text}");
    }
}

#[test]
fn an_approval_is_doubted_for_the_prose_beside_its_object_and_for_that_of_its_summary() {
    let words = default_words();
    let read = |text: &str, structured| {
        let terms = Terms { review_id: Some("r-1"), require_review_id: false, words: &words, beyond: &[] };
        let answer = AgentAnswer { structured, ..said(text) };
        let reading = doubted(reading(&answer, &terms).expect("something was said"), text);
        (reading.judgment, reading.doubt)
    };
    let object = |result: &str, summary: &str| {
        format!(r#"{{"review_id": "r-1", "result": "{result}", "summary": "{summary}"}}"#)
    };
    let doubt = (Judgment::Unverifiable, Some("Must fix: the lock".to_owned()));
    assert_eq!(read(&format!("Must fix: the lock\n\n{}", object("PASS", "good")), false), doubt);
    assert_eq!(read(&object("PASS", "Must fix: the lock"), true), doubt);
    assert_eq!(read(&object("PASS", "Must fix: nothing"), true), (Judgment::Approve, None));
    assert_eq!(read(&object("FAIL", "Must fix: the lock"), true), (Judgment::Revise, None));
}

#[test]
fn an_object_that_tells_its_verdict_twice_is_no_answer() {
    let twice = r#"{"review_id": "r-1", "result": "FAIL", "result": "PASS"}"#;
    assert_eq!([judged(twice, false), judged(twice, true)], [Judgment::Unverifiable; 2]);
}
