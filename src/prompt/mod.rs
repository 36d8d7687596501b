//! What an agent is told: templates filled once with data that stays data.
//! Reads no file: templates are built in, and a repository's own ones are handed in by path. Masks nothing: sinks do.

mod block;
mod clean;
mod context;
mod difficulty;
mod digest;
mod embedded;
mod error;
mod input;
mod lists;
mod rehearse;
mod render;
mod reviewer_schema;
mod templates;
mod words;

pub use difficulty::difficulty;
pub use digest::template_digest;
pub use embedded::EMBEDDED;
pub use error::PromptError;
pub use input::{Document, Inlined, PromptInput};
pub use rehearse::rehearse;
pub use render::render;
pub use reviewer_schema::reviewer_schema;
pub use templates::{LONGEST_TEMPLATE, unknown_overrides};
