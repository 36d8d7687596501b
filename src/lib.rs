//! `ai-workflow`: GitHub issue in, reviewed pull request out, without ever taking the agent's word for it.
//!
//! The rooms that are left in this package. A room knows rooms on lower floors only; `tests/it/house.rs` keeps it so.
//! Pure crates and rooms touch no files, processes, environment, clock, and have no printing or async.

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
pub use model::{change, event, finding, issue, phase, policy, redact, verdict};
pub use process;
pub use settings as config;
pub use views::{metadata, prompt, summary};

// Rooms that may touch the world.
#[allow(clippy::disallowed_methods)]
pub mod cli;
#[allow(clippy::disallowed_methods)]
pub mod phase_runner;
#[allow(clippy::disallowed_methods)]
pub mod report;
#[allow(clippy::disallowed_methods)]
pub mod review;
