//! What a machine can check about this repository itself: its layers, its form, its documents.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests touch the world and say loudly what they skip"
)]

mod layers;
mod tidy;
