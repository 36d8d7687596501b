//! Tests of `issue`.

use super::*;

#[test]
fn issue_numbers_are_plain_positive_digits() {
    for bad in ["", "0", "-1", "+1", "0x10", "243\n", "243; echo X", "٣", "99999999999999999999999"] {
        assert!(bad.parse::<IssueNumber>().is_err(), "{bad:?}");
    }
    assert_eq!("243".parse::<IssueNumber>().map(IssueNumber::get), Ok(243));
}
