//! The command line: what a person or a script types, one file per command.
//! Data goes to stdout, everything else to stderr; errors become a [`Failure`] with a documented exit code.

#![warn(missing_docs)]
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

#[cfg(not(unix))]
compile_error!("ai-workflow needs Unix: agents are supervised as process groups and stopped by signals");

mod arguments;
mod cancel;
mod check;
mod cleanup;
mod config;
mod demo;
mod doc_review;
mod doctor;
mod event;
mod execute;
mod explain;
mod finalize;
mod findings;
mod init;
mod live_line;
mod man;
mod observer;
mod output;
mod parse_review;
mod pr_feedback;
mod project;
mod replay;
mod resume;
mod rollback;
mod status;
mod usage;
mod validate;

use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use app::environment::masker;
use app::failure::{Failure, FailureKind};
use arguments::{Command, ProgramArgs, wants_json};

/// What a command returns: the exit code of a run that came to its halt, or a failure.
type CommandResult = Result<u8, Failure>;

/// Runs the program with the arguments of the process.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    if let Some(code) = hidden(&arguments) {
        return ExitCode::from(code);
    }
    panic::set_hook(Box::new(|bug| output::words(&format!("{}\n", masker().mask(&bug.to_string())))));
    let parsed = ProgramArgs::command().try_get_matches_from(arguments).and_then(|matches| {
        let json = wants_json(&matches);
        Ok((ProgramArgs::from_arg_matches(&matches)?, json))
    });
    let (parsed, json) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return end(usage::help_or_failure(&error), false),
    };
    let drives = parsed.command.drives();
    let ended = catch_unwind(AssertUnwindSafe(|| dispatch(parsed.command)));
    let ended = ended.unwrap_or_else(|_| Err(our_bug()));
    if let (true, Err(failure)) = (drives, &ended) {
        app::github_job::report_failure(failure);
    }
    end(ended, json)
}

/// Tells a failure and returns the exit code. With `--json` a failure is a document on stdout, too.
fn end(result: CommandResult, json: bool) -> ExitCode {
    let failure = match result {
        Ok(code) => return ExitCode::from(code),
        Err(failure) => failure.masked(&masker()),
    };
    let ending = failure.ending.as_ref().map_or_else(String::new, |ending| format!("\n{}", ending.lines()));
    output::words(&format!("{failure}\n{ending}"));
    if json {
        output::failure_document(&failure);
    }
    ExitCode::from(failure.kind.exit_code())
}

fn our_bug() -> Failure {
    Failure::new(FailureKind::OurBug, "this is a bug of ai-workflow; nothing finished is lost")
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
    Some(u8::try_from(code).unwrap_or(FailureKind::OurBug.exit_code()))
}

fn dispatch(command: Command) -> CommandResult {
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
        Command::ListPresets(arguments) => config::list_presets(&arguments),
        Command::Phases(arguments) => config::phases(&arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::ParseReview(arguments) => parse_review::run(&arguments),
        Command::Findings(arguments) => findings::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Config(arguments) => config::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Validate(arguments) => validate::run(&arguments),
        Command::Completions(arguments) => {
            usage::complete(&arguments);
            Ok(0)
        }
        Command::Man(arguments) => man::run(&arguments),
    }
}
