//! The worktree and its history, through the `git` program: what is there, what changed, what is committed and published.
//!
//! Every call is short, synchronous, without a shell, and goes through one function of `program`, which counts it.
//! Deliberately not here: which paths a phase may change, what a commit message says, whether a push is wanted.
#![warn(missing_docs)]
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

mod run_workspace;

// How git is run.
mod call;
mod error;
mod pinned_config;
mod program;
mod retry;
mod workspace;

// What every repository has.
mod base;
mod branch;
mod changes;
mod history;
mod objects;
mod references;
mod remote;
mod status;
mod worktree;

// What one issue's run has in it.
mod bundle;
mod clean_worktree;
mod commit;
mod diff;
mod index;
mod locks;
mod run_branch;
mod run_files;
mod snapshot;
mod work;

pub use base::{Base, Bases, DiffBase};
pub use branch::{Branch, Branches, check_branch_name};
pub use bundle::Bundles;
pub use changes::Changes;
pub use clean_worktree::CleanWorktree;
pub use commit::CommitWriter;
pub use diff::{Diff, Diffs};
pub use error::Error;
pub use history::{CommitText, CommitWithParents, History, NO_PHASE, PlaceChange, Signature, Trailers};
pub use locks::Locks;
pub use model::object_id::{CommitId, Tree};
pub use objects::Objects;
pub use program::Git;
pub use references::{MovedReferences, References, RunReferences};
pub use remote::{Credentials, Remote};
pub use retry::{Retry, retry};
pub use run_branch::{RunBranch, RunBranchState};
pub use run_files::{RunFiles, is_engines_own};
pub use run_workspace::RunWorkspace;
pub use snapshot::{Content, Snapshot, Snapshots};
pub use work::UncommittedWork;
pub use workspace::{Head, Workspace};
pub use worktree::{Survey, Worktree};

use error::Result;
