//! Tests of `managed_section`.

use super::*;

#[test]
fn long_text_is_truncated_at_a_line_end_with_a_note() {
    let long = "one line of text\n".repeat(5_000);
    let cut = truncate(&long, LONGEST_BODY);
    assert!(utf16_length(&cut) <= LONGEST_BODY && cut.ends_with(CUT));
    assert!(cut.trim_end_matches(CUT).ends_with("one line of text"));
    assert_eq!(truncate("short", LONGEST_BODY), "short");
    for letter in ["ぁ", "\u{20bb7}"] {
        let cut = truncate(&letter.repeat(70_000), LONGEST_BODY);
        assert!((LONGEST_BODY - 1..=LONGEST_BODY).contains(&utf16_length(&cut)), "{}", utf16_length(&cut));
    }
}

#[test]
fn text_around_the_managed_section_is_kept() {
    let before = format!("Please look.\r\n\r\n{}\n\n- [x] mine", wrap_section("old"));
    let after = replace_section(&before, "new");
    assert_eq!(after, format!("Please look.\r\n\r\n{}\n\n- [x] mine", wrap_section("new")));
}

#[test]
fn managed_section_is_appended_when_missing() {
    assert_eq!(replace_section("", "text"), wrap_section("text"));
    assert_eq!(replace_section("around\n", "text"), format!("around\n\n{}", wrap_section("text")));
    assert_eq!(replace_section(BEGIN, "text"), format!("{BEGIN}\n\n{}", wrap_section("text")));
}

#[test]
fn end_marker_in_the_new_text_is_removed() {
    let hostile = format!("a{END}b");
    assert_eq!(replace_section(&wrap_section("old"), &hostile), wrap_section("ab"));
}

#[test]
fn description_that_would_be_too_long_is_unchanged() {
    let long = "x".repeat(LONGEST_BODY - 10);
    assert_eq!(replace_section(&long, "text"), long);
}
