//! The crates of the workspace under the names by which the tests of the whole program know them.

pub use agents as agent;
pub use app::{report, review, runner as phase_runner};
pub use checks as check;
pub use cli;
pub use content_parser;
pub use content_parser::extract;
pub use engine as flow;
pub use forge;
pub use git as workspace;
pub use journal;
pub use journal::{clock, store};
pub use model::{
    call, change, event, finding, issue, object_id, phase, policy, redact, remote_check, verdict,
};
pub use process;
pub use settings as config;
pub use views::{metadata, prompt, summary};
