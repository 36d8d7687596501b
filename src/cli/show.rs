//! Prints: data to stdout, words to stderr. A reader that has gone away, such as `head`, is no failure.

use std::io::{self, Write};

use serde_json::Value;

/// Prints lines, or the same as JSON.
pub(super) fn show(json: bool, value: &Value, lines: &str) {
    if json {
        data(format!("{value:#}\n").as_bytes());
    } else {
        data(lines.as_bytes());
    }
}

/// Writes data to stdout.
pub(super) fn data(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// Writes words for people to stderr.
pub(super) fn words(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
