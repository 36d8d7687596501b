//! `completions`: a completion script for a shell, on stdout.

use clap::CommandFactory;

use super::arguments::{Arguments, Completions};
use super::show::data;

pub(super) fn run(arguments: &Completions) {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "ai-workflow", &mut script);
    data(&script);
}
