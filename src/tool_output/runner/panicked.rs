//! What a Rust test left when it failed: the panic's message and place. Knows no runner.

use super::found::Detail;
use crate::place::place;

/// Reads what a failing test printed.
pub(super) fn detail<'a>(body: impl Iterator<Item = &'a str>) -> Detail {
    let (mut before, mut message, mut panicked) = (Vec::new(), Vec::new(), None);
    for line in body {
        if ends_a_message(line) {
            if panicked.is_some() {
                break;
            }
        } else if panicked.is_some() {
            message.push(line);
        } else if let Some((told, at)) = panic(line) {
            message.extend(told);
            panicked = Some(at);
        } else {
            before.push(line);
        }
    }
    let told = if panicked.is_some() { message } else { before };
    Detail::at(panicked.and_then(place), told.join("\n").trim())
}

/// Reads the head of a panic. The message stands on the next lines; before Rust 1.73 it stood in quotes before the place.
fn panic(line: &str) -> Option<(Option<&str>, &str)> {
    let (thread, at) = line.split_once(" panicked at ")?;
    let quoted = at.strip_prefix('\'').and_then(|rest| rest.rsplit_once("', "));
    thread.starts_with("thread '").then(|| quoted.map_or((None, at), |(told, at)| (Some(told), at)))
}

fn ends_a_message(line: &str) -> bool {
    ["stack backtrace:", "note: run with `RUST_BACKTRACE", "note: Some details are omitted"]
        .iter()
        .any(|end| line.trim_start().starts_with(end))
}
