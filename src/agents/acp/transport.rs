//! The transport to the agent: one message per line of text in both directions, none of them longer than we can hold.
//! Keeps what the agent answers with an error, and how the connection broke. Understands no message.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::{Sink, Stream, sink, stream};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The longest message, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;
/// How many messages an agent sends at most.
const MESSAGES: u64 = 1_000_000;
/// How many requests an agent makes at most: each waits for its answer in our memory until the agent reads it.
const REQUESTS: u64 = 20_000;
/// The reason for ending an agent that sends more than that.
const ENDLESS: &str = "the agent sends messages without end";
/// How many characters of a line are quoted.
const QUOTED: usize = 100;

/// The state of the connection, shared with its reader.
#[derive(Debug, Clone, Default)]
pub(super) struct ConnectionState(Arc<Mutex<ConnectionEvents>>);

#[derive(Debug, Default)]
pub(super) struct ConnectionEvents {
    /// The error that the agent answered with last.
    pub error: Option<ErrorResponse>,
    /// How the connection broke.
    pub breakage: Option<String>,
    /// The agent closed its side.
    pub is_closed: bool,
}

/// An error as the agent answered it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ErrorResponse {
    /// The code of the protocol, or a status of HTTP.
    pub code: i32,
    /// The text for people.
    pub message: String,
    /// The kind of failure, where the adapter names one.
    pub kind: Option<String>,
}

impl ConnectionState {
    /// Returns what happened so far.
    pub(super) fn lock(&self) -> MutexGuard<'_, ConnectionEvents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the agent's messages as they come. The stream ends with an error when one of them is no message.
pub(super) fn read_messages(
    reader: impl AsyncBufRead + Unpin + Send + 'static,
    state: ConnectionState,
) -> impl Stream<Item = io::Result<String>> + Send + 'static {
    let messages = MessageReader { reader, state, messages: 0, requests: 0 };
    stream::try_unfold(messages, |mut messages| async {
        // One message at a time: an agent that sends faster than we read does not fill our memory.
        tokio::task::yield_now().await;
        match messages.next().await {
            Ok(line) => Ok(line.map(|line| (line, messages))),
            Err(reason) => {
                messages.state.lock().breakage = Some(reason.clone());
                Err(io::Error::other(reason))
            }
        }
    })
}

/// Returns the sink of the messages to the agent.
pub(super) fn write_messages(
    writer: impl AsyncWrite + Unpin + Send + 'static,
) -> impl Sink<String, Error = io::Error> + Send + 'static {
    sink::unfold(writer, |mut writer, mut line: String| async move {
        line.push('\n');
        writer.write_all(line.as_bytes()).await?;
        writer.flush().await?;
        Ok(writer)
    })
}

/// Reads messages and counts them.
struct MessageReader<R> {
    reader: R,
    state: ConnectionState,
    messages: u64,
    requests: u64,
}

impl<R: AsyncBufRead + Unpin> MessageReader<R> {
    async fn next(&mut self) -> Result<Option<String>, String> {
        loop {
            let Some(line) = read_line(&mut self.reader).await? else {
                self.state.lock().is_closed = true;
                return Ok(None);
            };
            self.messages += 1;
            if self.messages > MESSAGES {
                return Err(ENDLESS.to_owned());
            }
            if !line.trim().is_empty() {
                self.check_message(&line)?;
                return Ok(Some(line));
            }
        }
    }

    fn check_message(&mut self, line: &str) -> Result<(), String> {
        // An array would be read as the fields in their order.
        let is_object = line.trim_start().starts_with('{');
        let parsed = if is_object { serde_json::from_str(line).ok() } else { None };
        let envelope: Envelope = parsed.ok_or_else(|| {
            let quoted: String = line.chars().filter(|c| !c.is_control()).take(QUOTED).collect();
            format!("what the agent says is not the protocol: `{quoted}`")
        })?;
        self.requests += u64::from(envelope.method.is_some() && envelope.id.is_some());
        if self.requests > REQUESTS {
            return Err(ENDLESS.to_owned());
        }
        if let (None, Some(error)) = (envelope.method, envelope.error) {
            self.state.lock().error = Some(ErrorResponse::parse(&error));
        }
        Ok(())
    }
}

async fn read_line(reader: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<String>, String> {
    let mut line = Vec::new();
    let length = reader.take(LONGEST as u64 + 1).read_until(b'\n', &mut line).await;
    let length = length.map_err(|error| format!("the agent's output cannot be read: {error}"))?;
    if length > LONGEST {
        return Err("the agent sent a message longer than any is".to_owned());
    }
    let line = String::from_utf8(line).map_err(|_| "what the agent says is not text".to_owned())?;
    if length > 0 { Ok(Some(line)) } else { Ok(None) }
}

/// The kind of a message, without its content.
#[derive(Deserialize)]
struct Envelope {
    id: Option<IgnoredAny>,
    method: Option<IgnoredAny>,
    error: Option<Value>,
}

impl ErrorResponse {
    fn parse(error: &Value) -> Self {
        let code = error.get("code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
        let short = |value: &Value| value.as_str().map(|text| text.chars().take(QUOTED * 5).collect());
        Self {
            code: code.unwrap_or_default(),
            message: error.get("message").and_then(short).unwrap_or_default(),
            kind: error.pointer("/data/errorKind").and_then(short),
        }
    }
}

#[cfg(test)]
mod tests;
