//! Tests of `codex`.

use super::*;

/// Reports at these seconds.
fn reported(seconds: &[u64]) -> Reconnects {
    let (mut reconnects, begin) = (Reconnects::default(), Instant::now());
    for at in seconds {
        reconnects.add_report(begin + Duration::from_secs(*at));
    }
    reconnects
}

#[test]
fn reconnect_reports_over_more_than_thirty_seconds_are_hopeless() {
    assert!(reported(&[0, 10, 20, 31]).is_hopeless());
    assert!(!reported(&[0, 10, 20, 30]).is_hopeless());
}

#[test]
fn silence_after_a_reconnect_report_is_not_hopeless() {
    for seconds in [&[0][..], &[0, 1], &[0, 300], &[0, 300, 301]] {
        assert!(!reported(seconds).is_hopeless(), "{seconds:?}");
    }
}

#[test]
fn other_output_resets_the_reconnect_counter() {
    let mut reconnects = reported(&[0, 20, 40]);
    reconnects.reset();
    assert!(!reconnects.is_hopeless());
}

#[test]
fn broken_streams_are_lost_connections_and_incomplete_answers_are_not() {
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
fn http_status_is_read_only_in_the_known_error_formats() {
    for (error, status) in [
        ("unexpected status 401 Unauthorized: no, url: x", Some(401)),
        ("exceeded retry limit, last status: 429 Too Many Requests", Some(429)),
        ("Reconnecting... 1/5 (unexpected status 503 Service Unavailable: x)", Some(503)),
        ("the file says: unexpected status 401 Unauthorized", None),
        ("Reconnecting... waiting for network (Connection failed)", None),
        ("", None),
    ] {
        assert_eq!(parse_status(error), status, "{error}");
    }
}
