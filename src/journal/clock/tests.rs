//! Tests of `clock`.

use super::*;

#[test]
fn the_time_has_whole_milliseconds() {
    assert_eq!(Clock::Real.now().subsec_nanosecond() % 1_000_000, 0);
    assert!(Clock::default().now() > "2024-01-01T00:00:00Z".parse().expect("a time"));
}

#[test]
fn a_fixed_clock_stands_until_it_is_moved() {
    let start: Timestamp = "2025-06-01T12:00:00.123456Z".parse().expect("a time");
    let clock = Clock::fixed(start);
    let copy = clock.clone();
    assert_eq!(clock.now().to_string(), "2025-06-01T12:00:00.123Z");
    clock.advance(877);
    assert_eq!(copy.now().to_string(), "2025-06-01T12:00:01Z");
    Clock::Real.advance(1);
}
