//! The evidence in whole runs: cheats and their honest counterparts, commands of the repository, tests that come with the code.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests touch the world and say loudly what they skip"
)]

mod cheats;
mod commands;
#[path = "../support/excerpt.rs"]
mod excerpt;
mod mutants;
mod real_runners;
#[path = "../support/mod.rs"]
mod support;
mod tests_of_the_change;
