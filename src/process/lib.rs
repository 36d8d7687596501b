//! Runs one program under supervision: time limits, bounded output, a stop from outside, and no process left behind.
//! Starts our own program as the `reaper`, which starts the other one. Never uses a shell, and gives the program
//! exactly the environment that its `Launch` names. Knows nothing of agents: checks run their commands with it, too.
#![warn(missing_docs)]
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

mod output;
mod process_tree;
pub mod reaper;
mod supervisor;

pub use output::{ProgramEnd, ProgramExit, Stream};
pub use process_tree::adopt_orphans;
pub use supervisor::{
    Environment, GRACE, Launch, STDOUT_LIMIT, Stop, StopHandle, TOOLCHAINS, Urgency, own_program, run,
};
