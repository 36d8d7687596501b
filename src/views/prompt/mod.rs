//! What an agent is told: templates filled once with data that stays data.
//! Reads no file: templates are built in, and a repository's own ones are handed in by path. Masks nothing: sinks do.

mod advice;
mod block;
mod c3l;
mod clean;
mod context;
mod declaration;
mod difficulty;
mod digest;
mod embedded;
mod error;
mod front_matter;
mod input;
mod issue_block;
mod keywords;
mod lists;
mod modification;
mod params;
mod placeholders;
mod rehearse;
mod render;
mod retry;
mod retry_texts;
mod reviewer_schema;
mod tasks;
mod templates;
mod words;

pub use c3l::{is_retry, retry_folder};
pub use context::{LONGEST_DOCUMENT, LONGEST_REVIEW, first_cut};
pub use difficulty::difficulty;
pub use digest::template_digest;
pub use embedded::EMBEDDED;
pub use error::PromptError;
pub use input::{Document, Inlined, NamedFinding, PromptInput, Task};
pub use rehearse::rehearse;
pub use render::render;
pub use retry::retry_prompt;
pub use reviewer_schema::reviewer_schema;
pub use templates::{LONGEST_TEMPLATE, unknown_overrides};
