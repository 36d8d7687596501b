//! The use cases of the program: typed input, typed outcome. Prints nothing and knows no command line.

#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

pub mod environment;
pub mod failure;
pub mod forge_connection;
pub mod locked_run;
pub mod project;
pub mod report;
pub mod review;
pub mod run_location;
pub mod run_worktree;
pub mod runner;
pub mod setting_overrides;
