//! `ai-workflow`: GitHub issue in, reviewed pull request out, without ever taking the agent's word for it.
//!
//! The floor plan. A room knows rooms on lower floors only; `tests/it/house.rs` keeps it so.
//! Floors 0 to 3 are pure: no files, processes, environment, clock, printing or async.

// 0 words
pub mod finding;
pub mod issue;
pub mod phase;
pub mod redact;
pub mod verdict;

pub mod policy;

// 1 facts
pub mod event;

// 2 rules
pub mod config;
pub mod content_parser;
pub mod flow;

// 3 views
pub mod metadata;
pub mod prompt;
pub mod summary;

// 4 tools
pub mod agent;
pub mod clock;
pub mod forge;
pub mod store;
pub mod workspace;

// 5 crafts
pub mod check;
pub mod report;
pub mod review;

// 6 pen
pub mod journal;

// 7 hand
pub mod phase_runner;

// roof
pub mod cli;
