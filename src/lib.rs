//! `ai-workflow`: GitHub issue in, reviewed pull request out, without ever taking the agent's word for it.
//!
//! The modules that are not crates yet. A module knows modules of lower layers only; `tests/it/house.rs` keeps it so.
//! They may touch the world; the pure layers are crates of their own.

// Crates of the workspace, under the names that this package knows them by.
pub use agents as agent;
pub use checks as check;
pub use content_parser;
pub use content_parser::extract;
pub use engine as flow;
pub use forge;
pub use git as workspace;
pub use journal;
pub use journal::{clock, store};
pub use model::{
    call, change, event, finding, issue, object_id, phase, policy, redact, remote_check, verdict,
};
pub use process;
pub use settings as config;
pub use views::{metadata, prompt, summary};

// These may touch the world.
#[allow(clippy::disallowed_methods)]
pub mod cli;
#[allow(clippy::disallowed_methods)]
pub mod phase_runner;
#[allow(clippy::disallowed_methods)]
pub mod report;
#[allow(clippy::disallowed_methods)]
pub mod review;
