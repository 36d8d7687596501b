//! Tests of `error`.

use super::*;

#[test]
fn a_near_word_is_suggested_and_a_far_one_is_not() {
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
fn the_nearest_of_several_wins() {
    assert_eq!(suggestion("text", ["test", "texts", "next"]), Some("next"));
    assert_eq!(suggestion("texts", ["test", "texts", "next"]), Some("texts"));
}
