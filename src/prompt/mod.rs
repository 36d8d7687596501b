//! Not built yet.

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PromptError(pub String);
