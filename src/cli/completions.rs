//! `completions`: a completion script for a shell, on stdout.

use clap::CommandFactory;

use super::Answer;
use super::arguments::{Arguments, Completions};

pub(super) fn run(arguments: &Completions) -> Answer {
    clap_complete::generate(
        arguments.shell,
        &mut Arguments::command(),
        "ai-workflow",
        &mut std::io::stdout(),
    );
    Ok(0)
}
