//! What is run: the program, its environment and its limits. Starts nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

/// How many bytes of the standard output are kept when a launch names no other limit.
pub const STDOUT_LIMIT: usize = 16 * 1024 * 1024;
/// How long a program may take to end when its time is over.
pub const GRACE: Duration = Duration::from_secs(5);

/// Variables by which the toolchains of a repository are found; none of them is a secret.
pub static TOOLCHAINS: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("toolchains.txt").lines().collect());

/// The environment of a program, complete.
pub type Environment = BTreeMap<OsString, OsString>;

/// One program to run.
#[derive(Debug, Clone)]
pub struct Launch {
    /// An absolute path, or a name that is looked up in the `PATH` of `environment`.
    pub program: OsString,
    /// The arguments after the program's name.
    pub arguments: Vec<OsString>,
    /// The folder it works in.
    pub directory: PathBuf,
    /// All variables that it gets: nothing of our own environment is passed on.
    pub environment: Environment,
    /// The file it reads as standard input; nothing when missing.
    pub stdin: Option<PathBuf>,
    /// How long it may run.
    pub wall: Duration,
    /// How long it may be silent on both outputs.
    pub idle: Option<Duration>,
    /// How long it may be silent at its beginning; without it as long as later.
    pub first_output: Option<Duration>,
    /// How many bytes of its standard output are kept; the rest is read and dropped.
    pub stdout_limit: usize,
    /// How long it may take to end when its time is over.
    pub grace: Duration,
    /// A small file, and where it is copied to once no process of the program is left, even after our own death.
    pub copy_after_end: Option<(PathBuf, PathBuf)>,
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
            stdout_limit: STDOUT_LIMIT,
            grace: GRACE,
            copy_after_end: None,
            own_program: own_program(),
        }
    }
}

/// Returns this very program, even when its file was replaced while it runs.
pub fn own_program() -> PathBuf {
    let itself = PathBuf::from("/proc/self/exe");
    if itself.exists() { itself } else { std::env::current_exe().unwrap_or(itself) }
}
