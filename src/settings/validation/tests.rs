//! Tests of `validation`.

use super::check_usable_pattern;

#[test]
fn invalid_or_always_matching_patterns_are_refused() {
    assert_eq!(check_usable_pattern("^COMPLETE: "), Ok(()));
    assert_eq!(
        check_usable_pattern("[a").err().as_deref(),
        Some(
            "is no regular expression: unclosed character class; a sign that is meant as written needs `\\` before it"
        )
    );
    for every in ["", "x*", "(?:a|)"] {
        assert!(check_usable_pattern(every).is_err_and(|what| what.contains("everything")), "{every}");
    }
}
