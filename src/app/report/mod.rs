//! Tells people what happens. A reporter gets the fact and the whole state and renders it anew each time,
//! so that a lost or doubled report heals itself. A reporter that fails warns once; it never fails the run.

mod github_comment;
mod job_files;
mod local_comment;
mod log_lines;
mod state_label;
mod terminal;

pub use github_comment::{CommentTask, MovedComment, PACE, github_comment, put_comment_right};
pub use job_files::JobFiles;
pub use journal::Reporter;
pub use local_comment::LocalComment;
pub use log_lines::{LogLines, skip_line, verdict_line};
pub use state_label::{LabelTask, StateLabel, put_label_right, state_label, state_labels};
pub use terminal::{StderrBeside, Terminal};
