//! What an agent is given to read: templates filled once with data that stays data.
//! Reads no file: templates are built in, and a repository's own ones are handed in by path. Masks nothing: what writes does.

mod fence;
mod input;
mod render;
mod repair;
mod retry_texts;
mod review_questions;
mod reviewer_contract;
mod template_check;
mod templates;

pub use input::{
    InlinedFile, NamedFinding, PromptDocument, PromptInput, PromptTask, RepairInput, ReviewInput, WorkInput,
};
pub use render::{LONGEST_DOCUMENT, LONGEST_REVIEW, difficulty, first_cut_document, render, retry_prompt};
pub use retry_texts::retry_folder;
pub use reviewer_contract::reviewer_schema;
pub use template_check::check_templates;
pub use templates::{EMBEDDED, LONGEST_TEMPLATE, is_retry, template_digest, unknown_overrides};

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
    /// A template is wrong: its path below `prompts/`, the line where it is about one, and what is wrong.
    #[error("prompts/{0}")]
    Template(String),
}
