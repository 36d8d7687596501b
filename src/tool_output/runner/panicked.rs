//! What a Rust test left when it failed: the panic's message and place. Knows no runner.

use super::found::Detail;
use crate::pattern::LazyPattern;
use crate::place::place;

/// The message stands on the lines below the head; before Rust 1.73 it stood in quotes before the place.
static PANIC: LazyPattern = LazyPattern::new(
    r"(?msx)^thread\x20'[^\n]*\x20panicked\x20at\x20(?:'(?<quoted>.*?)',\x20)?(?<place>[^\n']*)$ \n?
    (?<message>.*?)
    (?:^\s*(?:stack\x20backtrace:|note:\x20run\x20with\x20`RUST_BACKTRACE|note:\x20Some\x20details\x20are\x20omitted)|\z)",
);

/// Reads what a failing test printed.
pub(super) fn detail(said: &str) -> Detail {
    let Some(parts) = PANIC.captures(said) else { return Detail::error(said.trim()) };
    let quoted = parts.name("quoted").map_or("", |quoted| quoted.as_str());
    Detail::at(place(&parts["place"]), format!("{quoted}\n{}", &parts["message"]).trim())
}
