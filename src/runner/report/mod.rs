//! Tells people what happens. A reporter gets the fact and the whole state and renders it anew each time,
//! so that a lost or doubled report heals itself. A reporter that fails warns once; it never fails the run.

mod job_files;
mod latest_state;
mod log_lines;
mod progress_comment;
mod state_label;
mod terminal;

pub use job_files::JobFiles;
pub use journal::Reporter;
pub use log_lines::{LogLines, skip_line, verdict_line};
pub use progress_comment::{
    CommentTask, GithubComment, LocalComment, MovedComment, PACE, github_comment, refresh_comment,
};
pub use state_label::{LabelTask, StateLabel, refresh_label, state_label, state_labels};
pub use terminal::{StderrBeside, Terminal};
