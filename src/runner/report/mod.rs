//! Tells people what happens, and prints nothing. A reporter gets the fact and the whole state and renders it anew each time,
//! so that a lost or doubled report heals itself. A reporter that fails warns once; it never fails the run.

mod issue;
mod job_files;
mod log_lines;

pub use issue::{
    CommentTask, GithubComment, LabelTask, LocalComment, PACE, ReplacedComment, StateLabel, github_comment,
    refresh_comment, refresh_label, state_label, state_labels,
};
pub use job_files::JobFiles;
pub use journal::Reporter;
pub use log_lines::{LogLines, skip_line, verdict_line};
