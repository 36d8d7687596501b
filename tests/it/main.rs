//! The one integration crate. Each module is a subject a user would recognise.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests touch the world and say loudly what they skip"
)]

mod acp;
mod agents;
mod cli;
mod config;
mod flow;
mod forge;
mod house;
mod own_repository;
mod real;
mod resume;
mod run;
mod store;
mod support;
mod tidy;
mod verdicts;
mod workspace;
