//! Tests of `codex`.

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

#[test]
fn a_stream_that_broke_off_is_an_outage_and_an_answer_that_was_cut_off_is_none() {
    let broke_off = DISCONNECTED;
    for (class, error, lost) in [
        ("other", format!("{broke_off}stream closed before response.completed"), true),
        ("other", format!("{broke_off}Incomplete response returned, reason: content_filter"), false),
        ("other", format!("the file says: {broke_off}x"), false),
        ("http_connection_failed", "x".to_owned(), true),
    ] {
        assert_eq!(is_lost_connection(class, &error), lost, "{error}");
    }
}

#[test]
fn a_status_is_read_only_where_the_program_itself_puts_it() {
    for (error, status) in [
        ("unexpected status 401 Unauthorized: no, url: x", Some(401)),
        ("exceeded retry limit, last status: 429 Too Many Requests", Some(429)),
        ("Reconnecting... 1/5 (unexpected status 503 Service Unavailable: x)", Some(503)),
        ("the file says: unexpected status 401 Unauthorized", None),
        ("Reconnecting... waiting for network (Connection failed)", None),
        ("", None),
    ] {
        assert_eq!(stated_status(error), status, "{error}");
    }
}
