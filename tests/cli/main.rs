//! What a person or a script sees of the commands: words, exit codes, JSON, and what is left behind.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests touch the world and say loudly what they skip"
)]

mod answers;
mod approved;
mod bases;
mod by_hand;
mod checking;
mod choosing;
mod demo;
mod ending;
mod findings;
mod looking;
mod losses;
mod refusals;
mod secrets;
#[path = "../support/mod.rs"]
mod support;
mod unreviewed;
mod words;
