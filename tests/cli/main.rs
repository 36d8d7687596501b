//! What a person or a script sees of the commands: words, exit codes, JSON, and what is left behind.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests touch the world and say loudly what they skip"
)]

mod agent_choice;
mod answers;
mod approved_documents;
mod base_branch;
mod check_branch;
mod check_command;
mod data_loss;
mod demo;
#[path = "../support/excerpt.rs"]
mod excerpt;
mod finalize_and_cleanup;
mod findings;
mod git_files;
mod help_and_schemas;
mod line_ends;
mod manual_changes;
mod refusals;
mod review_records;
mod secrets;
mod status_and_explain;
#[path = "../support/mod.rs"]
mod support;
mod unapproved_repairs;
mod unreviewed;

/// Returns the one line with some words, without what differs from run to run.
#[track_caller]
fn line_with(text: &str, words: &str) -> String {
    let found: Vec<&str> = text.lines().filter(|line| line.contains(words)).collect();
    assert_eq!(found.len(), 1, "lines with {words:?} in\n{text}");
    support::filtered(found[0])
}
