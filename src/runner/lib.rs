//! Drives a run: decide, perform, record, until halt. No other crate performs the actions of a run.
//! Keeps no state of its own that a crash could lose: the same loop begins and resumes a run.
//!
//! [`PhaseRunner`] is the loop. The module of its subject performs each action of the engine, on the [`ActiveRun`] with its log
//! and files. It calls agents with the [`AgentContext`] and publishes with the [`Publisher`].

#![warn(missing_docs)]
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

mod phase_runner;

mod active_run;

mod agent_call;
mod dismissals;
mod documents;
mod prompt;
mod records;
mod short_answers;

mod evidence;
mod git_files;
mod manual_changes;
mod phase_commit;
mod unapproved_documents;
mod unfinished_work;
mod unreviewed;

mod publisher;
mod pull_request;
mod remote_checks;

mod error;
pub mod report;
pub mod review;
#[cfg(test)]
mod tests;

pub use active_run::{ActiveRun, begin, planned_run};
pub use error::RunError;
pub use phase_commit::{
    phase_message, plan_restore_lost, record_end, record_message, restore_lost, settle_commit,
};
pub use phase_runner::{PauseConditions, PendingRequest, PhaseRunner, SteeringRequest};
pub use prompt::{AgentContext, nonce};
pub use publisher::{JobRole, Publisher};
pub use records::{RestoreStep, RunFilesAt};
pub use unapproved_documents::put_back_before_reopening;
pub use unfinished_work::has_shared_work;
pub use unreviewed::{base_of, unreviewed};
