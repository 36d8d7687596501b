//! How the Anthropic Messages API looks: messages with blocks in, events of blocks out.

use serde_json::{Value, json};

use super::play::{Block, Line, Message};
use super::server::{Event, Provider};

pub struct Anthropic;

impl Provider for Anthropic {
    fn asks(&self, path: &str) -> bool {
        path.split('?').next().is_some_and(|path| path.ends_with("/v1/messages"))
    }

    fn lines(&self, body: &Value) -> Vec<Line> {
        let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        messages.iter().flat_map(lines_of).collect()
    }

    fn events(&self, message: &Message, model: &Value, number: u64) -> Vec<Event> {
        let mut events = vec![json!({"type": "message_start", "message": start(message, model, number)})];
        for (index, block) in message.blocks.iter().enumerate() {
            let (empty, delta) = opened(block, number, index);
            events.extend([
                json!({"type": "content_block_start", "index": index, "content_block": empty}),
                json!({"type": "content_block_delta", "index": index, "delta": delta}),
                json!({"type": "content_block_stop", "index": index}),
            ]);
        }
        let delta = json!({"stop_reason": stop(message), "stop_sequence": null});
        let usage = json!({"output_tokens": message.tokens.1});
        events.push(json!({"type": "message_delta", "delta": delta, "usage": usage}));
        events.push(json!({"type": "message_stop"}));
        events.into_iter().map(|data| (data["type"].as_str().unwrap_or_default().to_owned(), data)).collect()
    }

    fn whole(&self, message: &Message, model: &Value, number: u64) -> Value {
        let mut body = start(message, model, number);
        let blocks = message.blocks.iter().enumerate().map(|(index, block)| match block {
            Block::Text(text) => json!({"type": "text", "text": text}),
            Block::Tool(name, input) => tool_use(name, input, number, index),
            Block::Free(name, text) => tool_use(name, &json!({"text": text}), number, index),
        });
        body["content"] = blocks.collect();
        body["stop_reason"] = json!(stop(message));
        body["usage"]["output_tokens"] = json!(message.tokens.1);
        body
    }

    fn error(&self, kind: &str, message: &str) -> Value {
        json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_played"})
    }
}

/// A message becomes one line per block; blocks of one answer are one line.
fn lines_of(message: &Value) -> Vec<Line> {
    if message["role"] == "assistant" {
        return vec![Line::Model(text(&message["content"]))];
    }
    let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let results = blocks.iter().filter(|block| block["type"] == "tool_result");
    let mut lines: Vec<Line> = results.map(|block| Line::Tool(text(&block["content"]))).collect();
    let said = text(&message["content"]);
    if !said.is_empty() {
        lines.push(Line::User(said));
    }
    lines
}

/// Returns the text of a content: a text itself, or its blocks that are text.
fn text(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
}

fn start(message: &Message, model: &Value, number: u64) -> Value {
    json!({
        "id": format!("msg_played_{number}"), "type": "message", "role": "assistant", "model": model,
        "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {
            "input_tokens": message.tokens.0, "output_tokens": 1,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        },
    })
}

fn opened(block: &Block, number: u64, index: usize) -> (Value, Value) {
    let input = |text: String| json!({"type": "input_json_delta", "partial_json": text});
    match block {
        Block::Text(text) => {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text}))
        }
        Block::Tool(name, value) => (tool_use(name, &json!({}), number, index), input(value.to_string())),
        Block::Free(name, text) => (tool_use(name, &json!({}), number, index), input(text.clone())),
    }
}

fn tool_use(name: &str, input: &Value, number: u64, index: usize) -> Value {
    json!({"type": "tool_use", "id": format!("toolu_played_{number}_{index}"), "name": name, "input": input})
}

fn stop(message: &Message) -> &'static str {
    let calls = message.blocks.iter().any(|block| !matches!(block, Block::Text(_)));
    message.stop.unwrap_or(if calls { "tool_use" } else { "end_turn" })
}
