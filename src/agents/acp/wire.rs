//! The line to the agent: one message per text line in both directions, none of them longer than we can bear.
//! Keeps what the agent answers with an error, and how the line broke. Understands no message.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::{Sink, Stream, sink, stream};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// How long a message is at most.
const LONGEST: usize = 16 * 1024 * 1024;
/// How many messages an agent sends at most.
const MESSAGES: u64 = 1_000_000;
/// How many requests an agent makes at most: each waits for its answer in our memory until the agent reads it.
const REQUESTS: u64 = 20_000;
/// What is said of an agent that sends more than that.
const ENDLESS: &str = "the agent sends messages without end";
/// How much of a line is quoted.
const QUOTED: usize = 100;

/// What happened on the line.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen(Arc<Mutex<Happened>>);

#[derive(Debug, Default)]
struct Happened {
    error: Option<Fault>,
    broken: Option<String>,
    closed: bool,
}

/// An error as the agent stated it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Fault {
    pub code: i32,
    pub message: String,
    pub kind: Option<String>,
}

impl Seen {
    /// Returns the error that the agent answered with last.
    pub(super) fn error(&self) -> Option<Fault> {
        self.lock().error.take()
    }

    /// Tells whether the agent closed its side of the line.
    pub(super) fn closed(&self) -> bool {
        self.lock().closed
    }

    /// Says how the line broke.
    pub(super) fn broken(&self) -> Option<String> {
        self.lock().broken.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Happened> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the agent's messages as they come. The stream ends with an error when one of them is no message.
pub(super) fn incoming(
    reader: impl AsyncBufRead + Unpin + Send + 'static,
    seen: Seen,
) -> impl Stream<Item = io::Result<String>> + Send + 'static {
    let wire = Wire { reader, seen, messages: 0, requests: 0 };
    stream::unfold(Some(wire), |wire| async {
        let mut wire = wire?;
        // One message at a time: nobody fills our memory by talking faster than we listen.
        tokio::task::yield_now().await;
        match wire.message().await {
            Ok(Some(line)) => Some((Ok(line), Some(wire))),
            Ok(None) => None,
            Err(reason) => {
                wire.seen.lock().broken = Some(reason.clone());
                Some((Err(io::Error::other(reason)), None))
            }
        }
    })
}

/// Returns where messages to the agent go.
pub(super) fn outgoing(
    writer: impl AsyncWrite + Unpin + Send + 'static,
) -> impl Sink<String, Error = io::Error> + Send + 'static {
    sink::unfold(writer, |mut writer, mut line: String| async move {
        line.push('\n');
        writer.write_all(line.as_bytes()).await?;
        writer.flush().await?;
        Ok(writer)
    })
}

struct Wire<R> {
    reader: R,
    seen: Seen,
    messages: u64,
    requests: u64,
}

impl<R: AsyncBufRead + Unpin> Wire<R> {
    async fn message(&mut self) -> Result<Option<String>, String> {
        loop {
            let Some(line) = read_line(&mut self.reader).await? else {
                self.seen.lock().closed = true;
                return Ok(None);
            };
            self.messages += 1;
            if self.messages > MESSAGES {
                return Err(ENDLESS.to_owned());
            }
            if !line.trim().is_empty() {
                self.look_at(&line)?;
                return Ok(Some(line));
            }
        }
    }

    fn look_at(&mut self, line: &str) -> Result<(), String> {
        let envelope = Envelope::read(line).ok_or_else(|| {
            let quoted: String = line.chars().filter(|c| !c.is_control()).take(QUOTED).collect();
            format!("what the agent says is not the protocol: `{quoted}`")
        })?;
        self.requests += u64::from(envelope.method.is_some() && envelope.id.is_some());
        if self.requests > REQUESTS {
            return Err(ENDLESS.to_owned());
        }
        if let (None, Some(error)) = (envelope.method, envelope.error) {
            self.seen.lock().error = Some(Fault::of(&error));
        }
        Ok(())
    }
}

async fn read_line(reader: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<String>, String> {
    let mut line = Vec::new();
    let length = reader.take(LONGEST as u64 + 1).read_until(b'\n', &mut line).await;
    let length = length.map_err(|error| format!("the agent cannot be heard: {error}"))?;
    if length > LONGEST {
        return Err("the agent sent a message longer than any is".to_owned());
    }
    let line = String::from_utf8(line).map_err(|_| "what the agent says is not text".to_owned())?;
    Ok((length > 0).then_some(line))
}

/// The outside of a message.
#[derive(Deserialize)]
struct Envelope {
    id: Option<IgnoredAny>,
    method: Option<IgnoredAny>,
    error: Option<Value>,
}

impl Envelope {
    fn read(line: &str) -> Option<Self> {
        // An array would be read as the fields in their order.
        let is_object = line.trim_start().starts_with('{');
        is_object.then(|| serde_json::from_str(line).ok())?
    }
}

impl Fault {
    fn of(error: &Value) -> Self {
        let code = error.get("code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
        let short = |value: &Value| value.as_str().map(|text| text.chars().take(QUOTED * 5).collect());
        Self {
            code: code.unwrap_or_default(),
            message: error.get("message").and_then(short).unwrap_or_default(),
            kind: error.get("data").and_then(|data| data.get("errorKind")).and_then(short),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{SinkExt, StreamExt};

    /// Hears bytes and returns the messages, the error they end with, and what was seen.
    async fn heard(bytes: Vec<u8>) -> (Vec<String>, Option<String>, Seen) {
        let seen = Seen::default();
        let reader = tokio::io::BufReader::new(io::Cursor::new(bytes));
        let (mut messages, mut error) = (Vec::new(), None);
        let mut stream = std::pin::pin!(incoming(reader, seen.clone()));
        while let Some(message) = stream.next().await {
            match message {
                Ok(message) => messages.push(message),
                Err(found) => error = Some(found.to_string()),
            }
        }
        (messages, error, seen)
    }

    #[tokio::test]
    async fn messages_come_line_by_line_and_blank_lines_are_nothing() {
        let (messages, error, seen) = heard(b"{\"id\":1}\n\n \n{\"method\":\"x\"}".to_vec()).await;
        assert_eq!((messages, error), (vec!["{\"id\":1}\n".into(), "{\"method\":\"x\"}".into()], None));
        assert_eq!((seen.closed(), seen.broken()), (true, None));
    }

    #[tokio::test]
    async fn what_is_no_message_ends_the_line() {
        for bad in [&b"hello\n"[..], b"[{\"id\":1}]\n", b"17\n", b"\"x\"\n", b"{\"id\":1\n"] {
            let (messages, error, seen) = heard([bad, b"{\"id\":2}\n"].concat()).await;
            let error = error.expect("it broke");
            assert!(
                messages.is_empty() && error.starts_with("what the agent says is not the protocol"),
                "{error}"
            );
            assert_eq!(seen.broken(), Some(error));
        }
        assert_eq!(heard(vec![0xff, b'\n']).await.1.as_deref(), Some("what the agent says is not text"));
    }

    #[tokio::test]
    async fn a_message_without_end_ends_the_line() {
        let (messages, error, _) = heard(vec![b' '; LONGEST + 100]).await;
        let expected = "the agent sent a message longer than any is".to_owned();
        assert_eq!((messages, error), (vec![], Some(expected)));
    }

    #[tokio::test]
    async fn requests_without_end_end_the_line() {
        let request = b"{\"id\":1,\"method\":\"x\"}\n".repeat(usize::try_from(REQUESTS).expect("few") + 5);
        let (messages, error, _) = heard(request).await;
        assert_eq!((messages.len() as u64, error.is_some()), (REQUESTS, true));
    }

    #[tokio::test]
    async fn an_error_that_the_agent_answers_with_is_kept_once() {
        let line = br#"{"id":1,"error":{"code":-32603,"message":"m","data":{"errorKind":"rate_limit"}}}"#;
        let (_, _, seen) = heard(line.to_vec()).await;
        let fault = Fault { code: -32603, message: "m".into(), kind: Some("rate_limit".into()) };
        assert_eq!((seen.error(), seen.error()), (Some(fault), None));
        let (_, _, seen) = heard(br#"{"id":1,"error":{"code":1e99,"message":7,"data":[]}}"#.to_vec()).await;
        assert_eq!(seen.error(), Some(Fault::default()));
    }

    #[tokio::test]
    async fn what_is_sent_ends_with_its_line() {
        let (ours, mut theirs) = tokio::io::duplex(64);
        let mut sink = Box::pin(outgoing(ours));
        sink.send("{}".into()).await.expect("somebody listens");
        drop(sink);
        let mut heard = String::new();
        theirs.read_to_string(&mut heard).await.expect("readable");
        assert_eq!(heard, "{}\n");
    }
}
