//! The roof: what a person or a script types, one file per command.
//! Data goes to stdout, everything else to stderr; errors become a [`Failure`] with a documented exit code.

#[cfg(not(unix))]
compile_error!("ai-workflow needs Unix: agents are supervised as process groups and stopped by signals");

mod agreed;
mod announce;
mod arguments;
mod ask;
mod begin_run;
mod cancel;
mod chosen;
mod cleanup;
mod compare;
mod completions;
mod config;
mod demo;
mod doctor;
mod door;
mod drive;
mod dry_run;
mod execute;
mod explain;
mod failure;
mod finalize;
mod finalized;
mod find;
mod hold;
mod init;
mod limits;
mod list_presets;
mod noticed;
mod parse_review;
mod phases;
mod profiles;
mod replay;
mod resume;
mod rollback;
mod setup;
mod show;
mod signals;
mod status;
mod usage;
mod vouched;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
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
    let parsed = match Arguments::try_parse_from(arguments) {
        Ok(parsed) => parsed,
        Err(error) => return end(usage::shown_or_failure(&error), false),
    };
    let json = parsed.command.json();
    let ended = catch_unwind(AssertUnwindSafe(|| dispatch(parsed.command)));
    end(ended.unwrap_or_else(|_| Err(our_bug())), json)
}

/// Tells a failure and returns the exit code. With `--json` a failure is a document on stdout, too.
fn end(answer: Answer, json: bool) -> ExitCode {
    let failure = match answer {
        Ok(code) => return ExitCode::from(code),
        Err(failure) => failure.masked(&door::masker()),
    };
    show::words(&format!("{failure}\n"));
    if json {
        show::show(true, &failure.document(), "");
    }
    ExitCode::from(failure.kind as u8)
}

fn our_bug() -> Failure {
    Failure::new(Kind::OurBug, "this is a bug of ai-workflow; nothing finished is lost")
        .hint("please report the lines above together with the output of `ai-workflow doctor`")
}

/// Runs a subcommand that only we ourselves start.
fn hidden(arguments: &[OsString]) -> Option<u8> {
    let rest = || arguments[2..].to_vec();
    let code = match arguments.get(1)?.to_str()? {
        "__reaper" => crate::process::reaper::main(rest()),
        "__acp" => crate::agent::acp::main(rest()),
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
        Command::Completions(arguments) => {
            completions::run(&arguments);
            Ok(0)
        }
    }
}
