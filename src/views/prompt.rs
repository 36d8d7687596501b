//! What an agent is given to read: templates filled once with data that stays data.
//! Reads no file: templates are built in, and a repository's own ones are handed in by path. Masks nothing: what writes does.

mod advice;
mod context;
mod embedded;
mod fence;
mod input;
mod lists;
mod placeholders;
mod rehearse;
mod render;
mod repair;
mod retry_texts;
mod reviewer_contract;
mod templates;

pub use context::{LONGEST_DOCUMENT, LONGEST_REVIEW, first_cut};
pub use embedded::EMBEDDED;
pub use input::{Document, Inlined, Material, NamedFinding, PromptInput, RepairInput, ReviewInput, Task};
pub use rehearse::rehearse;
pub use render::{difficulty, render, retry_prompt};
pub use retry_texts::retry_folder;
pub use reviewer_contract::reviewer_schema;
pub use templates::{LONGEST_TEMPLATE, is_retry, template_digest, unknown_overrides};

/// Says why no prompt could be made, in words that name the template and the line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// The step asks no agent.
    #[error("the step {0} has no prompt")]
    NoPrompt(model::phase::Step),
    /// A review or triage has no nonce.
    #[error("a {0} needs a review id")]
    NoReviewId(model::phase::Step),
    /// A text could contain the mark around data by chance.
    #[error("the mark around data has to be 8 or more letters and digits")]
    BadFence,
    /// A template uses a name that has no value.
    #[error("prompts/{path}, line {line}: `{name}` is no placeholder of a prompt")]
    Placeholder {
        /// The path of the template below `prompts/`.
        path: String,
        /// The line of the file, from 1.
        line: usize,
        /// The name as the template has it.
        name: String,
    },
    /// A retry text declares a parameter that its failure does not give.
    #[error("prompts/{path}: it declares `{name}`, which the failure `{pattern}` does not give")]
    NotGiven {
        /// The path of the retry text below `prompts/`.
        path: String,
        /// The parameter.
        name: String,
        /// The pattern of the failure.
        pattern: String,
    },
    /// A template cannot be read or filled.
    #[error("prompts/{path}, line {line}: {message}")]
    Template {
        /// The path of the template below `prompts/`.
        path: String,
        /// The line of the file, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A template is too long.
    #[error("prompts/{path} has {size} bytes; {most} is the most")]
    TooLong {
        /// The path of the template below `prompts/`.
        path: String,
        /// Its length, in bytes.
        size: usize,
        /// The longest length, in bytes.
        most: usize,
    },
}
