//! Turns a text from a variable or a flag into the value that its key wants.
//! A text that does not fit is left a text, so that the walk over the layer refuses it with place and key.

use toml::Value;

use super::shape::{Shape, split};

/// Returns the value that a text stands for.
pub(super) fn value(text: &str, shape: Option<&Shape>) -> Value {
    let text = text.trim();
    let read = match shape {
        Some(Shape::Truth) => truth(text),
        Some(Shape::Whole(_)) => text.parse().ok().map(Value::Integer),
        Some(Shape::Number) => text.parse().ok().map(Value::Float),
        Some(Shape::List(inner)) if **inner == Shape::Text => Some(split(text)),
        _ => None,
    };
    read.unwrap_or_else(|| Value::String(text.to_owned()))
}

fn truth(text: &str) -> Option<Value> {
    match text.to_lowercase().as_str() {
        "true" | "1" | "yes" => Some(Value::Boolean(true)),
        "false" | "0" | "no" => Some(Value::Boolean(false)),
        _ => None,
    }
}
