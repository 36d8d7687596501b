//! Why no prompt could be made, in words that name the template and the line.

/// Says why no prompt could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    #[error("the step {0} has no prompt")]
    NoPrompt(model::phase::Step),
    #[error("a {0} needs a review id")]
    NoReviewId(model::phase::Step),
    #[error("the mark around data has to be 8 or more letters and digits")]
    BadFence,
    #[error("prompts/{path}, line {line}: `{name}` is no placeholder of a prompt")]
    Placeholder { path: String, line: usize, name: String },
    #[error("prompts/{path}: it declares `{name}`, which the failure `{pattern}` does not give")]
    NotGiven { path: String, name: String, pattern: String },
    #[error("prompts/{path}, line {line}: {message}")]
    Template { path: String, line: usize, message: String },
    #[error("prompts/{path} has {size} bytes; {most} is the most")]
    TooLong { path: String, size: usize, most: usize },
}
