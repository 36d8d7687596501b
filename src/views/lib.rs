//! What people, scripts and agents read of a run: `metadata.json`, prompts, comments, the pull request, reports. Computed from the
//! state and the facts alone; reads nothing and writes nothing.
#![warn(missing_docs)]

pub mod metadata;
pub mod prompt;
pub mod summary;
mod text;
