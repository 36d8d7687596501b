//! The roof: what a person or a script types, one file per command.
//! Data goes to stdout, everything else to stderr; errors become a [`Failure`] with a documented exit code.

mod announce;
mod arguments;
mod begin_run;
mod cancel;
mod cleanup;
mod completions;
mod config;
mod demo;
mod doctor;
mod door;
mod dry_run;
mod execute;
mod explain;
mod failure;
mod finalize;
mod find;
mod hold;
mod init;
mod list_presets;
mod parse_review;
mod phases;
mod replay;
mod resume;
mod rollback;
mod setup;
mod show;
mod signals;
mod status;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
pub use failure::{Failure, Kind};

/// What a command returns: the exit code of a run that came to its halt, or a failure.
type Answer = Result<u8, Failure>;

/// Runs the program with the arguments of the process.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    if let Some(code) = hidden(&arguments) {
        return ExitCode::from(code);
    }
    match dispatch(Arguments::parse_from(arguments).command) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            tell(&failure);
            ExitCode::from(failure.kind as u8)
        }
    }
}

/// Runs a subcommand that only we ourselves start.
fn hidden(arguments: &[OsString]) -> Option<u8> {
    let rest = || arguments[2..].to_vec();
    let code = match arguments.get(1)?.to_str()? {
        "__reaper" => crate::agent::reaper::main(rest()),
        "__scripted" => crate::agent::scripted::main(rest()),
        _ => return None,
    };
    Some(u8::try_from(code).unwrap_or(Kind::OurBug as u8))
}

fn dispatch(command: Command) -> Answer {
    match command {
        Command::Init(arguments) => init::run(&arguments),
        Command::Execute(arguments) => execute::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Resume(arguments) => resume::run(&arguments),
        Command::Cancel(arguments) => cancel::run(&arguments),
        Command::Rollback(arguments) => rollback::run(&arguments),
        Command::Finalize(arguments) => finalize::run(&arguments),
        Command::Cleanup(arguments) => cleanup::run(&arguments),
        Command::ListPresets(arguments) => list_presets::run(&arguments),
        Command::Phases(arguments) => phases::run(&arguments),
        Command::ParseReview(arguments) => parse_review::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Config(arguments) => config::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
    }
}

#[expect(clippy::print_stderr, reason = "the one place where a failure is told")]
fn tell(failure: &Failure) {
    eprintln!("{failure}");
}
