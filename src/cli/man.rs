//! `man`: the manual pages, made of the same arguments and help texts as `--help`, so that they cannot differ from it.
//! It writes where it is told to and installs nothing.

use std::fs;
use std::io;
use std::path::Path;

use clap::CommandFactory;

use super::CommandResult;
use super::arguments::{ManArgs, ProgramArgs};
use super::output::data;
use app::failure::{Failure, FailureKind};

pub(super) fn run(arguments: &ManArgs) -> CommandResult {
    match &arguments.dir {
        Some(folder) => write_pages(folder).map_err(|error| unwritten(folder, &error))?,
        None => data(&page().map_err(|error| Failure::new(FailureKind::OurBug, error))?),
    }
    Ok(0)
}

/// Returns the page of the program itself.
fn page() -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let program = ProgramArgs::command().disable_help_subcommand(true);
    clap_mangen::Man::new(program).render(&mut page)?;
    Ok(page)
}

/// Writes the page of the program, `ai-workflow.1`, and one of each command, such as `ai-workflow-execute.1`.
fn write_pages(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(ProgramArgs::command(), folder)
}

fn unwritten(folder: &Path, error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::State,
        format!("failed to write the manual pages to {}: {error}", folder.display()),
    )
    .hint("`--dir` takes a folder, and makes it where it is missing")
}
