//! `ai-workflow`: GitHub issue in, reviewed pull request out, without ever taking the agent's word for it.
//!
//! The rooms that are left in this package. A room knows rooms on lower floors only; `tests/it/house.rs` keeps it so.
//! Pure crates and rooms touch no files, processes, environment, clock, and have no printing or async.

// 0 words
pub mod change;
pub mod finding;
pub mod issue;
pub mod phase;
pub mod redact;
pub mod verdict;

pub mod policy;

// 1 facts
pub mod event;

// 2 rules
pub mod extract;

pub mod config;
pub mod content_parser;
pub mod flow;

// 3 views
pub mod metadata;
pub mod prompt;
pub mod summary;

// 4 tools; from here up the world may be touched
#[allow(clippy::disallowed_methods)]
pub mod process;

#[allow(clippy::disallowed_methods)]
pub mod agent;
#[allow(clippy::disallowed_methods)]
pub mod clock;
#[allow(clippy::disallowed_methods)]
pub mod forge;
#[allow(clippy::disallowed_methods)]
pub mod store;
#[allow(clippy::disallowed_methods)]
pub mod workspace;

// 5 crafts
#[allow(clippy::disallowed_methods)]
pub mod check;
#[allow(clippy::disallowed_methods)]
pub mod report;
#[allow(clippy::disallowed_methods)]
pub mod review;

// 6 pen
#[allow(clippy::disallowed_methods)]
pub mod journal;

// 7 hand
#[allow(clippy::disallowed_methods)]
pub mod phase_runner;

// roof
#[allow(clippy::disallowed_methods)]
pub mod cli;
