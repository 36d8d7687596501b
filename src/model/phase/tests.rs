//! Tests of `phase`.

use super::*;

#[test]
fn a_phase_name_cannot_leave_its_folder() {
    for bad in ["", "../x", "a/b", "Planning", "1st", "a-b", "ａ", &"a".repeat(41)] {
        assert!(bad.parse::<PhaseName>().is_err(), "{bad}");
    }
    assert_eq!("test_scenario".parse::<PhaseName>().expect("a good name").as_str(), "test_scenario");
}
