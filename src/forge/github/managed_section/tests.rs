//! Tests of `managed_section`.

use super::*;

#[test]
fn long_text_is_truncated_at_a_line_end_with_a_note() {
    let long = "one line of text\n".repeat(5_000);
    let cut = truncated(&long, LONGEST_BODY);
    assert!(length(&cut) <= LONGEST_BODY && cut.ends_with(CUT));
    assert!(cut.trim_end_matches(CUT).ends_with("one line of text"));
    assert_eq!(truncated("short", LONGEST_BODY), "short");
    for letter in ["ぁ", "\u{20bb7}"] {
        let cut = truncated(&letter.repeat(70_000), LONGEST_BODY);
        assert!((LONGEST_BODY - 1..=LONGEST_BODY).contains(&length(&cut)), "{}", length(&cut));
    }
}

#[test]
fn text_around_the_managed_section_is_kept() {
    let before = format!("Please look.\r\n\r\n{}\n\n- [x] mine", wrapped("old"));
    let after = replaced_in(&before, "new");
    assert_eq!(after, format!("Please look.\r\n\r\n{}\n\n- [x] mine", wrapped("new")));
}

#[test]
fn managed_section_is_appended_when_missing() {
    assert_eq!(replaced_in("", "text"), wrapped("text"));
    assert_eq!(replaced_in("around\n", "text"), format!("around\n\n{}", wrapped("text")));
    assert_eq!(replaced_in(BEGIN, "text"), format!("{BEGIN}\n\n{}", wrapped("text")));
}

#[test]
fn end_marker_in_the_new_text_is_removed() {
    let hostile = format!("a{END}b");
    assert_eq!(replaced_in(&wrapped("old"), &hostile), wrapped("ab"));
}

#[test]
fn description_that_would_be_too_long_is_unchanged() {
    let long = "x".repeat(LONGEST_BODY - 10);
    assert_eq!(replaced_in(&long, "text"), long);
}
