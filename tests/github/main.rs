//! A fake GitHub in this process: it keeps state, refuses what GitHub refuses, breaks as it is told, and is held to
//! GitHub's published description (`tests/github`). Beside it the tests of the fake itself and of the forge against it.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests touch the world and say loudly what they skip"
)]

mod action;
mod behaviour;
mod bundle_limits;
mod checks;
mod client;
mod closed_pull_request;
mod commands;
mod comment_rate;
mod comments;
mod connection_reset;
mod contract;
mod contract_control;
mod deleted_comment;
mod enterprise;
mod event;
#[path = "../support/excerpt.rs"]
mod excerpt;
mod exchange;
mod fake_state;
mod fault;
mod faults_in_runs;
mod feedback;
mod follow_up;
mod forge;
mod graphql;
mod install;
mod interrupted_finalize;
mod issue_closed_condition;
mod issue_discussion;
mod issues;
mod job;
mod job_table;
mod labels;
mod mark_ready;
mod missing_ci_warning;
mod paging;
mod people;
mod prism;
mod pull_request_text;
mod pulls;
mod push_retry;
mod query;
mod rate_limit;
mod reactions;
mod redispatch;
mod references;
mod refused_writes;
mod release;
mod remote_checks;
mod repository;
mod routes;
mod run;
mod server;
mod smart_http;
mod stopped_runs;
#[path = "../support/mod.rs"]
mod support;
mod sweep;
mod tampered;
mod threads;
mod told;
mod two_job_requests;
mod two_jobs;
mod workflow_dispatch;
mod workflows;
mod world;

pub use fault::{Fault, Hit, Kind, Lost};
pub use server::Github;
