//! Excerpts of prompts and messages, short enough to be pinned in a test.

use crate::support::filtered;

/// Returns what a text says from some words on, up to others or its end, without what differs from run to run.
#[track_caller]
pub fn excerpt(text: &str, from: &str, before: &str) -> String {
    let start = text.find(from).unwrap_or_else(|| panic!("`{from}` is not in\n{text}"));
    let found = &text[start..];
    filtered(&found[..found.find(before).unwrap_or(found.len())])
}
