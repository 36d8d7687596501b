//! Tests of `retry`.

use serde_json::json;

use super::*;

fn reply(status: u16) -> HttpReply {
    HttpReply { status, body: Some(json!({ "message": "said" })), ..HttpReply::default() }
}

fn limited(reply: HttpReply) -> Option<u64> {
    match reply.into_result() {
        Err(RequestFailure::Wait { seconds }) => Some(seconds),
        _ => None,
    }
}

#[test]
fn each_kind_of_rate_limit_gives_its_wait_time() {
    assert_eq!(limited(HttpReply { retry_after: Some(7), ..reply(403) }), Some(7));
    assert_eq!(limited(HttpReply { retry_after: Some(7), ..reply(429) }), Some(7));
    let primary = HttpReply { remaining: Some(0), resets_in: Some(90), ..reply(403) };
    assert_eq!(limited(primary), Some(90));
    assert_eq!(limited(reply(429)), Some(SECONDARY_SECONDS));
    let body = Some(json!({ "message": "You have exceeded a secondary rate limit." }));
    assert_eq!(limited(HttpReply { body, ..reply(403) }), Some(SECONDARY_SECONDS));
    assert_eq!(limited(reply(403)), None);
    let body = Some(json!({ "data": null, "errors": [{ "type": "RATE_LIMITED", "message": "later" }] }));
    assert_eq!(limited(HttpReply { body: body.clone(), ..reply(200) }), Some(SECONDARY_SECONDS));
    let texts = HttpReply { body, remaining: Some(0), resets_in: Some(9), ..reply(200) };
    assert_eq!(limited(texts), Some(9));
}

#[test]
fn lost_responses_are_retryable_and_refusals_are_not() {
    for doubtful in [reply(502), HttpReply { status: 201, body: None, ..HttpReply::default() }] {
        assert!(matches!(doubtful.into_result(), Err(RequestFailure::Lost { .. })));
    }
    let body = Some(json!({ "message": "Validation Failed", "errors": [{ "message": "it\nexists" }] }));
    let refused = HttpReply { body, ..reply(422) }.into_result().expect_err("a refusal");
    let message = "Validation Failed: it exists".to_owned();
    assert_eq!(refused, RequestFailure::Refused { status: 422, message, needs: None });
    assert_eq!(RetryPolicy::default().delay_before_retry(&refused, 1), None);
}

#[test]
fn retry_delays_double_up_to_the_limit() {
    let retry = RetryPolicy::default();
    let lost = RequestFailure::lost("");
    let waits: Vec<_> = (1..=5).map(|tried| retry.delay_before_retry(&lost, tried)).collect();
    let seconds = [1, 2, 4, 8].map(|seconds| Some(Duration::from_secs(seconds)));
    assert_eq!((&waits[..4], waits[4]), (&seconds[..], None));
    assert_eq!(retry.delay_before_retry(&RequestFailure::Wait { seconds: 3600 }, 1), None);
    let down = HttpReply { retry_after: Some(20), ..reply(503) }.into_result().expect_err("a doubt");
    assert_eq!(retry.delay_before_retry(&down, 1), Some(Duration::from_secs(20)));
}
