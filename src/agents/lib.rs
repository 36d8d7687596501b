//! Calls agents: one supervised process per call, whatever the agent is. The end of a call is always an [`AgentAnswer`];
//! what its text means, and whether it counts, is decided elsewhere.
#![warn(missing_docs)]
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

pub mod acp;
mod call;
mod claude;
mod codex;
mod json_lines;
mod launch;
mod lookup;
mod run;
mod schema;
pub mod scripted;
mod spec;
mod transcript;
mod usage;
mod version_and_sign_in;
mod worktree_path;

pub use call::{AgentAnswer, AgentCall};
pub use lookup::{LookupError, ensure_usable, find_program};
pub use run::call;
pub use scripted::ScriptError;
pub use spec::{AgentSpec, Profiles, SpecError};
pub use version_and_sign_in::{AgentStatus, query_agent_status};
