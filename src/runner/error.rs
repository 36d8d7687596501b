//! Why a run stops before its halt.

use forge::ForgeError;
use journal::JournalError;
use journal::store::StoreError;
use model::object_id::BadObjectId;
use views::prompt::PromptError;

/// What a step of a run comes to.
pub(crate) type Result<T, E = RunError> = std::result::Result<T, E>;

/// Why a run stops before its halt. Whatever was finished is in the log.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The log refuses a fact, or cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Git fails, or an id of git is none.
    #[error(transparent)]
    Workspace(#[from] git::Error),
    /// GitHub, or the files that stand for it, refuse something.
    #[error(transparent)]
    Forge(#[from] ForgeError),
    /// A prompt cannot be written from its template.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// A file of the run cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A signal ended the work; the run can be resumed.
    #[error("interrupted")]
    Interrupted,
    /// A process that publishes found commits on the branch that nobody judged.
    #[error("E_BUNDLE_HEADS: {branch} holds more than what was judged, and is not pushed")]
    Unjudged {
        /// The name of the branch.
        branch: String,
    },
    /// A commit after the last phase removed an approved document.
    #[error("the branch has lost {path}, which was approved")]
    DocumentLost {
        /// Its path in the repository.
        path: String,
        /// The commit of the phase that still holds it.
        commit: String,
    },
    /// The program contradicts itself.
    #[error("{0}")]
    Bug(String),
}

impl From<BadObjectId> for RunError {
    fn from(error: BadObjectId) -> Self {
        Self::Workspace(error.into())
    }
}
