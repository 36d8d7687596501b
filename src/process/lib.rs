//! Runs one program under supervision: time limits, bounded output, a stop from outside, and nobody left behind.
//! Starts our own program as the `reaper`, which starts the other one. Never uses a shell, and gives the program
//! exactly the environment that its `Launch` names. Knows nothing of agents: checks run their commands with it, too.
#![warn(missing_docs)]
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

mod launch;
mod output;
mod process_tree;
pub mod reaper;
mod stop;
mod supervisor;

pub use launch::{Environment, GRACE, Launch, STDOUT_LIMIT, TOOLCHAINS, own_program};
pub use output::{Exit, Finish, Stream};
pub use process_tree::adopt_orphans;
pub use stop::{Stop, StopHandle, Urgency};
pub use supervisor::run;
