//! The program. Everything that it does is in the crate `cli` and the crates below.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main(std::env::args_os().collect())
}
