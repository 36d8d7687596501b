//! A crash costs at most the step that was under way: runs that are killed, cut, crowded or damaged, and what the
//! same command makes of them afterwards. The sweep over every durable call is the named full suite (`.ci/full`).

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests touch the world and say loudly what they skip"
)]

#[cfg(target_os = "linux")]
mod beside;
#[cfg(target_os = "linux")]
mod between;
mod by_hand;
mod cleared;
mod damaged;
#[cfg(target_os = "linux")]
mod exchange;
mod killed;
mod lost;
mod no_room;
mod on_top;
mod outages;
mod over_budget;
#[cfg(target_os = "linux")]
mod panel;
mod pauses;
mod review_result;
mod second;
#[path = "../support/mod.rs"]
mod support;
mod sweep;
mod taken_back;
pub mod world;
