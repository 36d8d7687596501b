//! Tests of `phase`.

use super::*;

#[test]
fn phase_names_with_path_or_invalid_characters_are_refused() {
    for bad in ["", "../x", "a/b", "Planning", "1st", "a-b", "ａ", &"a".repeat(41)] {
        assert!(bad.parse::<PhaseName>().is_err(), "{bad}");
    }
    assert_eq!("test_scenario".parse::<PhaseName>().expect("a good name").as_str(), "test_scenario");
}
