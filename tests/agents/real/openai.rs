//! How the `OpenAI` Responses API looks: input items in, events of output items out.

use serde_json::{Value, json};

use super::play::{Block, Line, Message};
use super::server::{Event, Provider};

pub struct OpenAi;

impl Provider for OpenAi {
    fn asks(&self, path: &str) -> bool {
        path.split('?').next().is_some_and(|path| path.ends_with("/responses"))
    }

    fn lines(&self, body: &Value) -> Vec<Line> {
        let items = body["input"].as_array().map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(line).collect()
    }

    fn events(&self, message: &Message, model: &Value, number: u64) -> Vec<Event> {
        let open = response(message, model, number, "in_progress", &[]);
        let mut events = vec![
            json!({"type": "response.created", "response": open}),
            json!({"type": "response.in_progress", "response": open}),
        ];
        let items = items(message, number);
        for (index, item) in items.iter().enumerate() {
            events.extend([
                json!({"type": "response.output_item.added", "output_index": index, "item": emptied(item)}),
                json!({"type": "response.output_item.done", "output_index": index, "item": item}),
            ]);
        }
        events.push(last(message, model, number, &items));
        let numbered = events.into_iter().enumerate().map(|(at, mut event)| {
            event["sequence_number"] = json!(at);
            (event["type"].as_str().unwrap_or_default().to_owned(), event)
        });
        numbered.collect()
    }

    fn whole(&self, message: &Message, model: &Value, number: u64) -> Value {
        response(message, model, number, "completed", &items(message, number))
    }

    fn error(&self, kind: &str, message: &str) -> Value {
        json!({"error": {"type": kind, "code": kind, "message": message, "param": null}})
    }
}

fn line(item: &Value) -> Option<Line> {
    let kind = item["type"].as_str().unwrap_or("message");
    if kind.ends_with("_output") {
        return Some(Line::Tool(text(&item["output"])));
    }
    match (kind, item["role"].as_str()) {
        ("message", Some("user")) => Some(Line::User(text(&item["content"]))),
        ("message", Some("assistant")) => Some(Line::Model(text(&item["content"]))),
        ("function_call" | "custom_tool_call", _) => Some(Line::Model(String::new())),
        _ => None,
    }
}

fn text(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let parts = content.as_array().map(Vec::as_slice).unwrap_or_default();
    parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}

fn items(message: &Message, number: u64) -> Vec<Value> {
    message
        .blocks
        .iter()
        .enumerate()
        .map(|(index, block)| item(block, &format!("{number}_{index}")))
        .collect()
}

fn item(block: &Block, id: &str) -> Value {
    match block {
        Block::Text(text) => json!({
            "id": format!("msg_{id}"), "type": "message", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Block::Tool(name, input) => json!({
            "id": format!("fc_{id}"), "type": "function_call", "status": "completed",
            "name": name, "arguments": input.to_string(), "call_id": format!("call_{id}"),
        }),
        Block::Free(name, text) => json!({
            "id": format!("ctc_{id}"), "type": "custom_tool_call", "status": "completed",
            "name": name, "input": text, "call_id": format!("call_{id}"),
        }),
    }
}

/// An item as it is announced: without what it will say.
fn emptied(item: &Value) -> Value {
    let mut item = item.clone();
    item["status"] = json!("in_progress");
    for (key, empty) in [("content", json!([])), ("arguments", json!("")), ("input", json!(""))] {
        if item.get(key).is_some() {
            item[key] = empty;
        }
    }
    item
}

/// The event that ends the stream: completed, or what the message says instead.
fn last(message: &Message, model: &Value, number: u64, items: &[Value]) -> Value {
    match message.stop {
        None => {
            let response = response(message, model, number, "completed", items);
            json!({"type": "response.completed", "response": response})
        }
        Some(reason @ ("max_output_tokens" | "content_filter")) => {
            let mut response = response(message, model, number, "incomplete", items);
            response["incomplete_details"] = json!({"reason": reason});
            json!({"type": "response.incomplete", "response": response})
        }
        Some(code) => {
            let mut response = response(message, model, number, "failed", &[]);
            response["error"] = json!({"code": code, "message": format!("the player failed it: {code}")});
            json!({"type": "response.failed", "response": response})
        }
    }
}

fn response(message: &Message, model: &Value, number: u64, status: &str, output: &[Value]) -> Value {
    let (input, out) = message.tokens;
    json!({
        "id": format!("resp_played_{number}"), "object": "response", "created_at": 1, "model": model,
        "status": status, "output": output,
        "usage": {
            "input_tokens": input, "input_tokens_details": {"cached_tokens": input / 5},
            "output_tokens": out, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input + out,
        },
    })
}
