//! Tests of `events`.

use super::*;

/// Reports at these seconds.
fn reported(seconds: &[u64]) -> Reconnects {
    let (mut reconnects, begin) = (Reconnects::default(), Instant::now());
    for at in seconds {
        reconnects.report(begin + Duration::from_secs(*at));
    }
    reconnects
}

#[test]
fn reports_that_go_on_and_on_are_hopeless() {
    assert!(reported(&[0, 10, 20, 31]).is_hopeless());
    assert!(!reported(&[0, 10, 20, 30]).is_hopeless());
}

#[test]
fn silence_after_a_report_is_no_sign() {
    for seconds in [&[0][..], &[0, 1], &[0, 300], &[0, 300, 301]] {
        assert!(!reported(seconds).is_hopeless(), "{seconds:?}");
    }
}

#[test]
fn what_came_between_ends_it() {
    let mut reconnects = reported(&[0, 20, 40]);
    reconnects.reset();
    assert!(!reconnects.is_hopeless());
}
