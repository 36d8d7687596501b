//! The use cases of the program: typed input, typed outcome. Parses no command line and prints nothing; its hints name commands
//! and flags of the program. An observer that the caller gives shows what happens meanwhile.

#![warn(missing_docs)]
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

mod admission;
mod agent_choice;
pub mod agreement;
mod base_branch;
pub mod begin;
pub mod bundle;
pub mod cancel;
pub mod check;
pub mod cleanup;
mod continued_elsewhere;
pub mod doc_review;
pub mod doctor;
pub mod dry_run;
pub mod environment;
pub mod event;
pub mod execute;
pub mod explain;
mod external_changes;
pub mod failure;
pub mod finalize;
pub mod findings;
pub mod forge_connection;
pub mod github_job;
mod kept_settings;
pub mod locked_run;
mod log_repair;
mod lost_commits;
mod lost_repository;
pub mod pr_feedback;
pub mod project;
pub mod replay;
pub mod resume;
pub mod rollback;
pub mod run_location;
pub mod run_request;
pub mod run_to_halt;
pub mod slash_command;
pub mod status;
mod steering;
pub mod validate;
