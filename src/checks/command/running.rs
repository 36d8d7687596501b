//! Runs one line of `[commands]`: its program with its arguments, without a shell unless the line itself begins with one.
//! Keeps the outputs up to a limit and judges nothing.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use super::Ground;
use super::charged::End;
use process::{self, Environment, Launch, ProgramExit, Stop, Stream};
use settings::split_words;
use tool_output::Printed;

/// How much of the standard error is kept, in bytes; of the standard output what `process` keeps.
const KEPT: usize = 4 * 1024 * 1024;

/// A command that ended.
pub(crate) struct Ran {
    pub exit: ProgramExit,
    pub stdout: String,
    pub stderr: String,
    pub millis: u64,
}

impl Ran {
    /// Returns what it printed, with its exit code where it has one.
    pub(crate) fn printed(&self) -> Printed<'_> {
        Printed { stdout: &self.stdout, stderr: &self.stderr, exit: self.code().ok() }
    }

    /// Returns its exit code, or how it ended without one.
    pub(crate) fn code(&self) -> Result<i32, End> {
        Err(match &self.exit {
            ProgramExit::Code(code) => return Ok(*code),
            ProgramExit::NotStarted(reason) => End::Unavailable(reason.clone()),
            ProgramExit::Stopped => End::Unavailable("stopped".into()),
            ProgramExit::Lost => End::Unavailable("its end was not seen".into()),
            ProgramExit::Signal(_) => End::Broken(self.exit.to_string()),
            ProgramExit::TimedOut | ProgramExit::Idle => End::Broken("did not end in time".into()),
        })
    }
}

/// Runs a line; an error when it cannot be read.
pub(super) async fn run(line: &str, ground: &Ground, seconds: u64, stop: &mut Stop) -> Result<Ran, String> {
    Ok(start(&words(line)?, ground, Environment::default(), seconds, stop).await)
}

/// Splits a line into its program and its arguments.
pub(super) fn words(line: &str) -> Result<Vec<String>, String> {
    split_words(line).map_err(|why| format!("it {why}"))
}

/// Runs a program with its arguments, for so many seconds at most, and with more variables than the place gives it.
pub(crate) async fn start(
    words: &[String],
    ground: &Ground,
    more: Environment,
    seconds: u64,
    stop: &mut Stop,
) -> Ran {
    let mut environment = environment();
    if ground.is_clean {
        environment.extend(of_clean_worktree(&ground.folder));
    }
    environment.extend(more);
    let launch = Launch {
        arguments: words.iter().skip(1).map(Into::into).collect(),
        environment,
        ..Launch::new(&words[0], &ground.folder, Duration::from_secs(seconds))
    };
    let mut errors = Vec::new();
    let mut on_output = |stream: Stream, bytes: &[u8]| {
        if stream == Stream::Stderr {
            let room = KEPT.saturating_sub(errors.len()).min(bytes.len());
            errors.extend_from_slice(&bytes[..room]);
        }
    };
    let finish = process::run(&launch, &mut on_output, stop).await;
    Ran {
        exit: finish.exit,
        stdout: String::from_utf8_lossy(&finish.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&errors).into_owned(),
        millis: finish.millis,
    }
}

const BASICS: [&str; 7] = ["PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR", "SHELL"];

/// A command of the repository gets what a toolchain needs, and nothing of ours.
pub fn environment() -> Environment {
    let wanted =
        |name: &str| BASICS.contains(&name) || process::TOOLCHAINS.contains(&name) || name.starts_with("LC_");
    std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(wanted)).collect()
}

/// Python trusts a compiled file by the second and the size of its source, and trees follow each other faster here. And
/// a package that is installed from the author's worktree is to be found in this one.
fn of_clean_worktree(folder: &Path) -> Vec<(OsString, OsString)> {
    let mut variables = vec![("PYTHONDONTWRITEBYTECODE".into(), "1".into())];
    let is_package =
        ["pyproject.toml", "setup.py", "setup.cfg"].iter().any(|name| folder.join(name).is_file());
    if is_package && folder.join("src").is_dir() {
        variables.push(("PYTHONPATH".into(), folder.join("src").into()));
    }
    variables
}
