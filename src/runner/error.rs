//! Why a run stops before its halt.

use forge::ForgeError;
use journal::JournalError;
use journal::store::StoreError;
use model::object_id::BadObjectId;
use views::prompt::PromptError;

/// The result of a step of a run.
pub(crate) type Result<T, E = RunError> = std::result::Result<T, E>;

/// Why a run stops before its halt. All finished steps are in the log.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The log refuses a fact, or cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Git fails, or a text is no object id of git.
    #[error(transparent)]
    Workspace(#[from] git::Error),
    /// GitHub, or the local forge, refuses something.
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
    /// A process that publishes found commits on the branch that were not validated.
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
    /// The program has a bug.
    #[error("{0}")]
    Bug(String),
}

impl From<BadObjectId> for RunError {
    fn from(error: BadObjectId) -> Self {
        Self::Workspace(error.into())
    }
}
