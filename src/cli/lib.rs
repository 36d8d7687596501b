//! The command line: what a person or a script types, one file per command.
//! Data goes to stdout, everything else to stderr; errors become a [`Failure`] with a documented exit code.

#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

#[cfg(not(unix))]
compile_error!("ai-workflow needs Unix: agents are supervised as process groups and stopped by signals");

mod admission;
mod agreed;
mod announce;
mod apply;
mod arguments;
mod ask;
mod base_branch;
mod begin_run;
mod bundle;
mod cancel;
mod check;
mod chosen;
mod cleanup;
mod commands;
mod compare;
mod completions;
mod config;
mod credit;
mod demo;
mod doc_review;
mod doctor;
mod door;
mod drive;
mod dry_run;
mod event;
mod execute;
mod explain;
mod failure;
mod fetched;
mod finalize;
mod finalized;
mod find;
mod findings;
mod forge_connection;
mod hold;
mod init;
mod issue;
mod job;
mod left_behind;
mod limits;
mod list_presets;
mod no_ci;
mod noticed;
mod on_top;
mod output_schemas;
mod own_worktree;
mod parse_review;
mod phases;
mod pr_feedback;
mod profiles;
mod put_right;
mod refusal;
mod replay;
mod resume;
mod rewrite;
mod rollback;
mod seconds;
mod setup;
mod show;
mod signals;
mod status;
mod steering;
mod taken_back;
mod taken_off;
mod token_hour;
mod usage;
mod validate;
mod vouched;

use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
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
    panic::set_hook(Box::new(|bug| show::words(&format!("{}\n", door::masker().mask(&bug.to_string())))));
    let parsed = match Arguments::try_parse_from(arguments) {
        Ok(parsed) => parsed,
        Err(error) => return end(usage::shown_or_failure(&error), false),
    };
    let (json, drives) = (parsed.command.json(), parsed.command.drives());
    let ended = catch_unwind(AssertUnwindSafe(|| dispatch(parsed.command)));
    let ended = ended.unwrap_or_else(|_| Err(our_bug()));
    if let (true, Err(failure)) = (drives, &ended) {
        job::failed(failure);
    }
    end(ended, json)
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
        "__reaper" => ::process::reaper::main(rest()),
        "__acp" => ::agents::acp::main(rest()),
        "__scripted" => ::agents::scripted::main(rest()),
        _ => return None,
    };
    Some(u8::try_from(code).unwrap_or(Kind::OurBug as u8))
}

fn dispatch(command: Command) -> Answer {
    match command {
        Command::Init(arguments) => init::run(&arguments),
        Command::Execute(arguments) => execute::run(&arguments),
        Command::DocReview(arguments) => doc_review::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Resume(arguments) => resume::run(&arguments),
        Command::Cancel(arguments) => cancel::run(&arguments),
        Command::Rollback(arguments) => rollback::run(&arguments),
        Command::PrFeedback(arguments) => pr_feedback::run(&arguments),
        Command::Finalize(arguments) => finalize::run(&arguments),
        Command::Event(arguments) => event::run(&arguments),
        Command::Apply(arguments) => event::apply(&arguments),
        Command::Cleanup(arguments) => cleanup::run(&arguments),
        Command::ListPresets(arguments) => list_presets::run(&arguments),
        Command::Phases(arguments) => phases::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::ParseReview(arguments) => parse_review::run(&arguments),
        Command::Findings(arguments) => findings::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Config(arguments) => config::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Validate(arguments) => validate::run(&arguments),
        Command::Completions(arguments) => {
            completions::run(&arguments);
            Ok(0)
        }
    }
}
