//! What a person or a script sees of the commands: words, exit codes, JSON, and what is left behind.

#![allow(clippy::disallowed_methods, reason = "the ban is about the pure crates")]

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
mod unreviewed;
mod words;
