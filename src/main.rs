//! The door. Everything behind it is the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ai_workflow::cli::main(std::env::args_os().collect())
}
