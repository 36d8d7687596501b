//! Runs one program under supervision: time limits, bounded output, a stop from outside, and nobody left behind.
//! Starts our own program as the `reaper`, which starts the other one. Never uses a shell, and gives the program
//! exactly the environment it is told. Knows nothing of agents: checks run their commands with it, too.
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

mod abandoned;
mod control;
mod deadlines;
mod family;
mod kept;
pub mod reaper;
mod stop;
mod supervised;
mod toolchain;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::Signal;
use tokio::time::Instant;

pub use stop::{Stop, StopHandle, Urgency};
pub use toolchain::TOOLCHAINS;

use kept::Kept;
use supervised::Supervised;

/// How much of the output is kept when nothing else is said.
pub const KEEP: usize = 16 * 1024 * 1024;
/// How long a program may take to end when its time is over.
pub const GRACE: Duration = Duration::from_secs(5);

/// Makes this process the one to which orphans are handed when a reaper dies; then nobody it left behind lives on.
/// Only for a process that runs one supervised program at a time and nothing else beside it.
pub fn adopt_orphans() {
    family::Family::adopt_orphans();
}

/// The environment of a program, complete.
pub type Environment = BTreeMap<OsString, OsString>;

/// One program to run.
#[derive(Debug, Clone)]
pub struct Launch {
    /// An absolute path, or a name that is looked up in the `PATH` of `environment`.
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub directory: PathBuf,
    pub environment: Environment,
    /// The file it reads; nothing when missing.
    pub stdin: Option<PathBuf>,
    /// How long it may run.
    pub wall: Duration,
    /// How long it may be silent on both outputs.
    pub idle: Option<Duration>,
    /// How long it may be silent at its beginning; without it as long as later.
    pub first_output: Option<Duration>,
    /// How many bytes of its standard output are kept; the rest is read and let go.
    pub keep: usize,
    /// How long it may take to end when its time is over.
    pub grace: Duration,
    /// A small file, and where it is copied to once nobody is left of all that were started, even after our own death.
    pub keep_file: Option<(PathBuf, PathBuf)>,
    /// The program that knows `__reaper`: this one, except in tests.
    pub own_program: PathBuf,
}

impl Launch {
    /// Makes a launch with an empty environment, no input and the usual limits.
    pub fn new(program: impl Into<OsString>, directory: impl Into<PathBuf>, wall: Duration) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            directory: directory.into(),
            environment: Environment::new(),
            stdin: None,
            wall,
            idle: None,
            first_output: None,
            keep: KEEP,
            grace: GRACE,
            keep_file: None,
            own_program: own_program(),
        }
    }
}

/// Returns this very program, even when its file was replaced while it runs.
pub fn own_program() -> PathBuf {
    let itself = PathBuf::from("/proc/self/exe");
    if itself.exists() { itself } else { std::env::current_exe().unwrap_or(itself) }
}

/// Which of the two outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
    /// Returns the word used in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
    /// It ran longer than it may; ended by us.
    TimedOut,
    /// It was silent longer than it may; ended by us.
    Idle,
    /// Ended by us because somebody asked.
    Stopped,
    /// It could not be started, and why.
    NotStarted(String),
    /// The reaper died without telling how the program ended.
    Lost,
}

impl Exit {
    /// Tells whether the program ended by itself and says that all is well.
    pub fn is_success(&self) -> bool {
        *self == Self::Code(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "ended with exit code {code}"),
            Self::Signal(signal) => write!(f, "was ended by {}", signal_name(*signal)),
            Self::TimedOut => f.write_str("ran longer than it may"),
            Self::Idle => f.write_str("was silent longer than it may"),
            Self::Stopped => f.write_str("was stopped"),
            Self::NotStarted(reason) => write!(f, "could not be started: {reason}"),
            Self::Lost => f.write_str("was lost: its supervisor died"),
        }
    }
}

fn signal_name(signal: i32) -> String {
    let name = match Signal::from_named_raw(signal) {
        Some(Signal::HUP) => "SIGHUP",
        Some(Signal::INT) => "SIGINT",
        Some(Signal::QUIT) => "SIGQUIT",
        Some(Signal::ILL) => "SIGILL",
        Some(Signal::ABORT) => "SIGABRT",
        Some(Signal::FPE) => "SIGFPE",
        Some(Signal::KILL) => "SIGKILL",
        Some(Signal::SEGV) => "SIGSEGV",
        Some(Signal::PIPE) => "SIGPIPE",
        Some(Signal::TERM) => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}

/// The end of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finish {
    pub exit: Exit,
    /// The beginning of its standard output, as bytes.
    pub stdout: Vec<u8>,
    /// There was more than is kept.
    pub stdout_truncated: bool,
    /// The last 8 KiB of its standard output.
    pub stdout_tail: String,
    /// The last 8 KiB of its standard error.
    pub stderr_tail: String,
    pub millis: u64,
}

/// Runs a program to its end, whatever that is. Every failure is an `Exit`.
pub async fn run(launch: &Launch, on_output: &mut dyn FnMut(Stream, &[u8]), stop: &mut Stop) -> Finish {
    let began = Instant::now();
    let mut record = Record { stdout: Kept::new(launch.keep), stderr: Kept::new(0), on_output };
    let exit = if stop.urgency() > Urgency::Running {
        Exit::Stopped
    } else {
        match Supervised::start(launch) {
            Ok(supervised) => supervised.follow(launch, &mut record, stop).await,
            Err(error) => Exit::NotStarted(cannot_start(launch, &error)),
        }
    };
    record.finish(exit, began)
}

fn cannot_start(launch: &Launch, error: &io::Error) -> String {
    if launch.directory.is_dir() {
        format!("the supervisor `{}` cannot be started: {error}", launch.own_program.display())
    } else {
        format!("the folder `{}` is not there", launch.directory.display())
    }
}

/// What was seen of the outputs so far.
pub(crate) struct Record<'a> {
    stdout: Kept,
    stderr: Kept,
    on_output: &'a mut dyn FnMut(Stream, &[u8]),
}

impl Record<'_> {
    pub(crate) fn take(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Stdout => self.stdout.take(bytes),
            Stream::Stderr => self.stderr.take(bytes),
        }
        (self.on_output)(stream, bytes);
    }

    fn finish(self, exit: Exit, began: Instant) -> Finish {
        let (stdout_tail, stderr_tail) = (self.stdout.tail(), self.stderr.tail());
        let (stdout, stdout_truncated) = self.stdout.into_head();
        let millis = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Finish { exit, stdout, stdout_truncated, stdout_tail, stderr_tail, millis }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_has_words_for_people() {
        let said: Vec<_> = [
            Exit::Code(3),
            Exit::Signal(9),
            Exit::Signal(64),
            Exit::TimedOut,
            Exit::Idle,
            Exit::Stopped,
            Exit::NotStarted("why".into()),
            Exit::Lost,
        ]
        .iter()
        .map(ToString::to_string)
        .collect();
        assert_eq!(
            said,
            [
                "ended with exit code 3",
                "was ended by signal 9 (SIGKILL)",
                "was ended by signal 64",
                "ran longer than it may",
                "was silent longer than it may",
                "was stopped",
                "could not be started: why",
                "was lost: its supervisor died",
            ]
        );
        assert!(Exit::Code(0).is_success());
        assert!(!Exit::Lost.is_success());
    }
}
