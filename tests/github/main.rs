//! A fake GitHub in this process: it keeps state, refuses what GitHub refuses, breaks as it is told, and is held to
//! GitHub's published description (`tests/github`). Beside it the tests of the fake itself and of the forge against it.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests touch the world and say loudly what they skip"
)]

mod action;
mod actions;
mod behaviour;
mod checks;
mod client;
mod closed;
mod closed_request;
mod commands;
mod comments;
mod contract;
mod control;
mod deleted;
mod disturbed;
mod enterprise;
mod event;
mod exchange;
mod fault;
mod feedback;
mod finalized;
mod follow_up;
mod forge;
mod graphql;
mod issues;
mod job;
mod job_table;
mod labels;
mod no_ci;
mod pace;
mod paging;
mod people;
mod picture;
mod presented;
mod prism;
mod pulls;
mod pushed;
mod query;
mod rate_limit;
mod reactions;
mod redispatch;
mod references;
mod refused;
mod remote_checks;
mod repository;
mod request;
mod routes;
mod run;
mod server;
mod smart_http;
mod spoken;
mod stopped;
#[path = "../support/mod.rs"]
mod support;
mod sweep;
mod talk;
mod tampered;
mod threads;
mod too_much;
mod two_jobs;
mod wire;
mod workflows;
mod world;

pub use fault::{Fault, Hit, Kind, Lost};
pub use server::Github;
