//! The worktree and its history, through the `git` program: what is there, what changed, what is committed and published.
//!
//! Every call is short, synchronous, without a shell, and goes through one function of `program`, which counts it.
//! Deliberately not here: which paths a phase may change, what a commit message says, whether a push is wanted.
#![warn(missing_docs)]
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

mod run_workspace;

// How git is run.
mod branch_name;
mod config_file;
mod damage;
mod error;
mod file_entry;
mod last_use;
mod pinned_config;
mod pipes;
mod program;
pub mod regular_file;
mod tree_entry;
mod workspace;

// What every repository has.
mod branch;
mod clean_worktree;
mod git_files;
mod history;
mod index_folders;
mod objects;
mod references;
mod remote;
mod status;
mod worktree;

// What one issue's run has in it.
mod commit;
mod diff;
mod run_branch;
mod run_files;
mod snapshot;
mod stale_locks;
mod uncommitted_work;

pub use branch::{Branch, Branches, DiffBase, RunBase};
pub use branch_name::check_branch_name;
pub use diff::{Changes, Diff};
pub use error::Error;
pub use git_files::{GitFiles, InnerFolders, KilledCall};
pub use history::{CommitText, CommitWithParents, History, LineRangeChange, NO_PHASE, Signature, Trailers};
pub use model::object_id::{CommitId, Tree};
pub use program::Git;
pub use references::{MovedReferences, References};
pub use remote::{Credentials, Remote, RetryCounter, retry};
pub use run_branch::{RunBranch, RunBranchState};
pub use run_files::{RunFiles, is_engines_own};
pub use snapshot::{PathContent, Snapshot, Snapshots};
pub use stale_locks::remove_stale_locks;
pub use uncommitted_work::UncommittedWork;
pub use workspace::{Head, RunWorkspace, Workspace};
pub use worktree::WorktreeState;

use error::Result;
