//! Tests of how the places of a list are shared.

use super::*;

#[test]
fn places_are_shared_in_turns_until_all_are_given_or_nothing_is_left() {
    assert_eq!(share(&[40, 0, 2, 5], 10), [4, 0, 2, 4]);
    assert_eq!(share(&[1, 2], 10), [1, 2]);
    assert_eq!(share(&[3, 3], 0), [0, 0]);
    assert_eq!(share(&[], 10), Vec::<usize>::new());
}
