//! What people, scripts and agents read of a run: metadata, prompts, comments, requests, reports.

pub mod metadata;
pub mod prompt;
pub mod summary;
