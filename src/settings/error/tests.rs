//! Tests of `error`.

use super::*;

#[test]
fn only_similar_words_are_suggested() {
    let phases = ["planning", "requirements", "design", "testing", "test_scenario"];
    for (word, meant) in [
        ("planing", Some("planning")),
        ("Plannign", Some("planning")),
        ("test-scenario", Some("test_scenario")),
        ("requirement", Some("requirements")),
        ("desing", Some("design")),
        ("frobnicate", None),
        ("", None),
    ] {
        assert_eq!(suggestion(word, phases), meant, "{word}");
    }
}

#[test]
fn most_similar_word_is_suggested() {
    assert_eq!(suggestion("text", ["test", "texts", "next"]), Some("next"));
    assert_eq!(suggestion("texts", ["test", "texts", "next"]), Some("texts"));
}
