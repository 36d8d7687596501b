//! Runs `[commands] setup` in a fresh worktree.

use std::path::Path;
use std::time::Duration;

use super::door::{Door, runtime};
use super::failure::Failure;
use checks::command_environment;
use process::Stop;
use process::{self, Exit, Launch};
use settings::split_words;

pub(super) fn run(door: &Door, worktree: &Path, line: &str) -> Result<(), Failure> {
    let bad = || Failure::usage(format!("`[commands] setup` cannot be read: {line}"));
    let words = split_words(line).map_err(|_| bad())?;
    let (program, arguments) = words.split_first().ok_or_else(bad)?;
    let wall = Duration::from_secs(door.settings.limits.time.command_seconds);
    let launch = Launch {
        arguments: arguments.iter().map(Into::into).collect(),
        environment: command_environment(),
        ..Launch::new(program, worktree, wall)
    };
    tracing::info!("Setting up the worktree: {line}");
    let (_handle, mut stop) = Stop::new();
    let finish = runtime()?.block_on(process::run(&launch, &mut |_, _| {}, &mut stop));
    if finish.exit == Exit::Code(0) {
        return Ok(());
    }
    let tail = door.masker.mask(finish.stderr_tail.trim());
    Err(Failure::usage(format!("`[commands] setup` failed: {}\n{tail}", finish.exit))
        .hint("repair it and execute again"))
}
