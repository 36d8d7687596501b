//! A crash costs at most the step that was under way: runs that are killed, cut, crowded or damaged, and what the
//! same command makes of them afterwards. The sweep over every durable call is the named full suite (`.ci/full`).

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests touch the world and say loudly what they skip"
)]

mod concurrent_process;
mod continued_elsewhere;
mod damaged_log;
mod disk_full;
#[cfg(target_os = "linux")]
mod edits_between_processes;
#[cfg(target_os = "linux")]
mod git_by_user;
mod git_gc;
mod killed;
#[cfg(target_os = "linux")]
mod killed_in_exchange;
mod lost_facts;
mod odd_files;
mod outages;
mod over_budget;
#[cfg(target_os = "linux")]
mod panel;
mod pauses;
#[cfg(target_os = "linux")]
mod planted_git_files;
mod resume_answers;
mod reverted_log;
mod review_result;
#[path = "../support/mod.rs"]
mod support;
mod sweep;
mod user_commits;
mod ways_back;
pub mod world;

/// Returns the one line with some words, without what differs from run to run.
#[track_caller]
fn line_with(text: &str, words: &str) -> String {
    let found: Vec<&str> = text.lines().filter(|line| line.contains(words)).collect();
    assert_eq!(found.len(), 1, "lines with {words:?} in\n{text}");
    support::filtered(found[0])
}
