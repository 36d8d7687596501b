//! Tests of how answers to questions are read.

use serde_json::json;

use super::*;
use crate::{Terms, default_words, read_review, read_structured};
use model::verdict::{Judgment, ReadAs};

fn read(text: &str) -> Reading {
    let words = default_words();
    read_review(text, &Terms { review_id: Some("r1"), require_review_id: false, words: &words, beyond: &[] })
}

/// Returns the answers as `S1 fine: reason`.
fn told(reading: &Reading) -> Vec<String> {
    let each = reading.answers.iter();
    each.map(|(id, answer)| format!("{id} {}: {}", answer.judgment, answer.reason)).collect()
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn object(answers: &str) -> String {
    format!(r#"{{"review_id": "r1", "result": "PASS", "summary": "good", "answers": {answers}}}"#)
}

#[test]
fn answers_of_an_object_are_read() {
    let cases: [(&str, &[&str]); 13] = [
        (r#"{"S1": {"judgment": "fine", "reason": "asked for"}}"#, &["S1 fine: asked for"]),
        (r#"{"s1": {"judgment": " Fine ", "reason": " asked for "}}"#, &["S1 fine: asked for"]),
        (
            r#"{"S1": {"judgment": "fine", "reason": "a"}, "S2": {"judgment": "WRONG", "reason": "b"}}"#,
            &["S1 fine: a", "S2 wrong: b"],
        ),
        (
            r#"{"S1": {"judgment": "fine", "reason": "a"}, "s1": {"judgment": "wrong", "reason": "b"}}"#,
            &["S1 wrong: b"],
        ),
        (r#"{"S1": {"judgment": "fine", "reason": ""}}"#, &[]),
        (r#"{"S1": {"judgment": "fine", "reason": "…"}}"#, &[]),
        (r#"{"S1": {"judgment": "fine"}}"#, &[]),
        (r#"{"S1": {"judgment": "fine|wrong", "reason": "…"}}"#, &[]),
        (r#"{"S1": {"judgment": "ok", "reason": "asked for"}}"#, &[]),
        (r#"{"S1": {"judgment": true, "reason": "asked for"}}"#, &[]),
        (r#"{"S1": "fine"}"#, &[]),
        (r#"[{"id": "S1", "judgment": "fine", "reason": "asked for"}]"#, &[]),
        ("null", &[]),
    ];
    for (answers, expected) in cases {
        let reading = read(&object(answers));
        assert_eq!((told(&reading), reading.judgment), (owned(expected), Judgment::Approve), "{answers}");
    }
}

#[test]
fn of_too_many_lines_none_is_an_answer() {
    let lines = "S1: fine – asked for\n".repeat(MOST);
    assert_eq!(told(&read(&lines)), owned(&["S1 fine: asked for"]));
    assert_eq!(told(&read(&format!("{lines}S1: wrong – not asked for"))), owned(&[]));
}

#[test]
fn answers_in_lines_are_read() {
    let cases: [(&str, &[&str]); 24] = [
        ("S1: fine – asked for", &["S1 fine: asked for"]),
        ("__S1__: fine – asked for", &["S1 fine: asked for"]),
        ("The tests pass.\r\n\r\ns1: fine – asked for", &["S1 fine: asked for"]),
        ("S1: wrong – it hides a bug", &["S1 wrong: it hides a bug"]),
        ("s1: Fine - asked for", &["S1 fine: asked for"]),
        ("S1: fine, the issue asks for it.", &["S1 fine: the issue asks for it."]),
        ("- S12: fine — asked for", &["S12 fine: asked for"]),
        ("* **S1**: **fine** – asked for", &["S1 fine: asked for"]),
        ("**S1: wrong** – it hides a bug", &["S1 wrong: it hides a bug"]),
        ("1. `S1`: fine: asked for", &["S1 fine: asked for"]),
        ("| S1 | fine | asked for |", &["S1 fine: asked for"]),
        ("| **S1** | `wrong` | it hides a bug |", &["S1 wrong: it hides a bug"]),
        ("S1: fine (asked for)", &["S1 fine: asked for)"]),
        ("S1: fine – a\nS1: wrong – b\nS1: fine – c", &["S1 wrong: b"]),
        ("S1：fine、a", &[]),
        ("S1: fine", &[]),
        ("S1: fine – …", &[]),
        ("S1: fine|wrong – reason", &[]),
        ("S1: fine or wrong – reason", &["S1 fine: or wrong – reason"]),
        ("S1: not fine – it hides a bug", &[]),
        ("S1: finely done", &[]),
        ("I looked at S1: fine – asked for", &[]),
        ("> S1: fine – asked for", &[]),
        ("```\nS1: fine – asked for\n```", &[]),
    ];
    for (lines, expected) in cases {
        let reading = read(&format!("{lines}\n\nDECISION: PASS\n"));
        let read_as = ReadAs::Marker("DECISION".to_owned());
        assert_eq!((told(&reading), reading.read_as), (owned(expected), read_as), "{lines}");
    }
}

#[test]
fn stricter_answer_beside_an_object_counts() {
    let fine = object(r#"{"S1": {"judgment": "fine", "reason": "asked for"}}"#);
    assert_eq!(told(&read(&format!("S1: wrong – it hides a bug\n\n{fine}"))), ["S1 wrong: it hides a bug"]);
    let wrong = object(r#"{"S1": {"judgment": "wrong", "reason": "it hides a bug"}}"#);
    assert_eq!(told(&read(&format!("S1: fine – asked for\n\n{wrong}"))), ["S1 wrong: it hides a bug"]);
}

#[test]
fn answers_of_an_object_by_our_schema_are_read() {
    let words = default_words();
    let terms = Terms { review_id: Some("r1"), require_review_id: true, words: &words, beyond: &[] };
    let answers = json!({"S1": {"judgment": "fine", "reason": "asked for"}});
    let object = json!({"review_id": "r1", "result": "PASS", "answers": answers});
    assert_eq!(told(&read_structured(&object, &terms)), ["S1 fine: asked for"]);
}

#[test]
fn reviews_without_answers_answer_nothing() {
    assert_eq!(read("DECISION: PASS").answers, Answers::new());
    assert_eq!(read(&object("{}")).answers, Answers::new());
}

#[test]
fn long_reason_is_cut() {
    let reading = read(&format!("S1: fine – {}\n\nDECISION: PASS", "a ".repeat(3_000)));
    assert_eq!(reading.answers["S1"].reason.chars().count(), LONGEST_REASON);
}
