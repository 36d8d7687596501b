//! Tests of `stop`.

use super::*;

#[tokio::test]
async fn a_request_only_gets_more_urgent() {
    let (handle, mut stop) = Stop::new();
    assert_eq!(stop.urgency(), Urgency::Running);
    handle.kill();
    handle.stop();
    assert_eq!(stop.beyond(Urgency::Running).await, Urgency::Killing);
    assert_eq!(stop.clone().urgency(), Urgency::Killing);
}

#[tokio::test]
async fn a_dropped_handle_stops_nothing() {
    let (handle, mut stop) = Stop::new();
    drop(handle);
    tokio::select! {
        biased;
        _ = stop.beyond(Urgency::Running) => panic!("nobody asked"),
        () = tokio::task::yield_now() => {}
    }
}
