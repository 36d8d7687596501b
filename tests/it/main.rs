//! The one integration crate. Each module is a subject a user would recognise.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests touch the world and say loudly what they skip"
)]

mod acp;
mod agents;
mod answer_schemas;
mod cheats;
mod cli;
mod commands;
mod delta;
mod doc_review;
mod evaluation;
mod flow;
mod forge;
mod github;
mod job;
mod layers;
mod own_repository;
mod panel;
mod patterns;
mod quality_gate;
mod real;
mod registry;
mod resume;
mod reviewers;
mod run;
mod support;
mod tidy;
mod vectors;
mod verdicts;
mod workflows;
mod written;
