//! Tests of `transport`.

use futures::{SinkExt, StreamExt};

use super::*;

/// Reads bytes and returns the messages, the error they end with, and what was state.
async fn read_all(bytes: Vec<u8>) -> (Vec<String>, Option<String>, ConnectionState) {
    let state = ConnectionState::default();
    let reader = tokio::io::BufReader::new(io::Cursor::new(bytes));
    let (mut messages, mut error) = (Vec::new(), None);
    let mut stream = std::pin::pin!(read_messages(reader, state.clone()));
    while let Some(message) = stream.next().await {
        match message {
            Ok(message) => messages.push(message),
            Err(found) => error = Some(found.to_string()),
        }
    }
    (messages, error, state)
}

#[tokio::test]
async fn messages_are_read_line_by_line_and_blank_lines_are_skipped() {
    let (messages, error, state) = read_all(b"{\"id\":1}\n\n \n{\"method\":\"x\"}".to_vec()).await;
    assert_eq!((messages, error), (vec!["{\"id\":1}\n".into(), "{\"method\":\"x\"}".into()], None));
    let events = state.lock();
    assert_eq!((events.is_closed, events.breakage.as_ref()), (true, None));
}

#[tokio::test]
async fn invalid_messages_close_the_connection() {
    for bad in [&b"hello\n"[..], b"[{\"id\":1}]\n", b"17\n", b"\"x\"\n", b"{\"id\":1\n"] {
        let (messages, error, state) = read_all([bad, b"{\"id\":2}\n"].concat()).await;
        let error = error.expect("it broke");
        assert!(
            messages.is_empty() && error.starts_with("what the agent says is not the protocol"),
            "{error}"
        );
        assert_eq!(state.lock().breakage, Some(error));
    }
    assert_eq!(read_all(vec![0xff, b'\n']).await.1.as_deref(), Some("what the agent says is not text"));
}

#[tokio::test]
async fn overlong_messages_close_the_connection() {
    let (messages, error, _) = read_all(vec![b' '; LONGEST + 100]).await;
    let expected = "the agent sent a message longer than any is".to_owned();
    assert_eq!((messages, error), (vec![], Some(expected)));
}

#[tokio::test]
async fn too_many_requests_close_the_connection() {
    let request = b"{\"id\":1,\"method\":\"x\"}\n".repeat(usize::try_from(REQUESTS).expect("few") + 5);
    let (messages, error, _) = read_all(request).await;
    assert_eq!((messages.len() as u64, error.is_some()), (REQUESTS, true));
}

#[tokio::test]
async fn error_responses_of_the_agent_are_recorded_once() {
    let line = br#"{"id":1,"error":{"code":-32603,"message":"m","data":{"errorKind":"rate_limit"}}}"#;
    let (_, _, state) = read_all(line.to_vec()).await;
    let response = ErrorResponse { code: -32603, message: "m".into(), kind: Some("rate_limit".into()) };
    assert_eq!(state.lock().error, Some(response));
    let (_, _, state) = read_all(br#"{"id":1,"error":{"code":1e99,"message":7,"data":[]}}"#.to_vec()).await;
    assert_eq!(state.lock().error, Some(ErrorResponse::default()));
}

#[tokio::test]
async fn sent_messages_end_with_a_newline() {
    let (ours, mut theirs) = tokio::io::duplex(64);
    let mut sink = Box::pin(write_messages(ours));
    sink.send("{}".into()).await.expect("somebody listens");
    drop(sink);
    let mut heard = String::new();
    theirs.read_to_string(&mut heard).await.expect("readable");
    assert_eq!(heard, "{}\n");
}
