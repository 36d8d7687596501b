//! Whole runs through the real binary: phases, reviewers, policies, and what a user sees of them.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests touch the world and say loudly what they skip"
)]

mod answer_schemas;
mod doc_review;
mod evaluation;
#[path = "../support/excerpt.rs"]
mod excerpt;
mod own_repository;
mod panel;
mod patterns;
mod phases;
mod quality_gate;
mod registry;
mod renaming;
mod review_questions;
mod reviewers;
mod second_review;
#[path = "../support/mod.rs"]
mod support;
