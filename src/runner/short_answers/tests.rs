//! Difficulties and replies, as agents write them.

use super::*;

fn read(text: &str) -> Option<(String, Option<f64>)> {
    read_difficulty(text).map(|estimate| (estimate.word, estimate.confidence))
}

#[test]
fn an_estimate_is_read_whole() {
    let text = r#"Well: {"difficulty": "Moderate", "confidence": 0.8, "reason": "three files"}"#;
    let expected = Estimate { word: "moderate".into(), confidence: Some(0.8), reason: "three files".into() };
    assert_eq!(read_difficulty(text), Some(expected));
}

#[test]
fn the_hardest_of_several_counts() {
    let text = r#"{"difficulty": "complex", "confidence": 1} {"difficulty": "simple", "confidence": 1}"#;
    assert_eq!(read(text), Some(("complex".into(), Some(1.0))));
}

#[test]
fn what_is_no_estimate_is_none() {
    for text in
        ["", "simple", r#"{"difficulty": "easy"}"#, r#"{"difficulty": 1}"#, r#"{"difficulty": "simple""#]
    {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn a_confidence_that_cannot_be_true_is_none() {
    for confidence in ["2", "-0.1", "\"high\"", "null"] {
        let text = format!(r#"{{"difficulty": "simple", "confidence": {confidence}}}"#);
        assert_eq!(read(&text), Some(("simple".into(), None)), "{confidence}");
    }
}

#[test]
fn an_answer_is_its_text_and_silence_is_none() {
    assert_eq!(read_reply("\n Because 0 is meant.\n").as_deref(), Some("Because 0 is meant."));
    assert_eq!(read_reply(" \n"), None);
    assert_eq!(read_reply(&"あ".repeat(5_000)).map(|text| text.chars().count()), Some(LONGEST));
}
