//! Our side of a supervised program: what is run and how it is stopped from outside. Starts the reaper, reads what the
//! program prints, orders the reaper to end it when a limit is reached or the caller stops it, and reads from the reaper
//! how the program ended.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::future::pending;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::LazyLock;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::output::{OutputRecorder, ProgramEnd, ProgramExit, Stream};
use super::process_tree::kill_abandoned_processes;
use super::reaper::{ReaperReport, encode_stop};

/// How many bytes of the standard output are kept when a launch names no other limit.
pub const STDOUT_LIMIT: usize = 16 * 1024 * 1024;
/// How long a program may take to end when its time is over.
pub const GRACE: Duration = Duration::from_secs(5);

/// How long a program may take to end when a person ends the run.
const GRACE_OF_STOP: Duration = Duration::from_secs(3);
/// How much longer than its grace the reaper may take before it is killed itself; a little more than it needs at most.
const REAPER_GRACE: Duration = Duration::from_secs(4);
/// How long we read on after the reaper has gone: a process that it could not end may hold the pipes open.
const DRAIN: Duration = Duration::from_millis(500);
/// The longest limit; a longer one would overflow the clock.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
/// How many bytes are read at once.
const CHUNK: usize = 64 * 1024;

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
    /// How long it may print nothing on both outputs.
    pub idle: Option<Duration>,
    /// How long it may take until its first output; `idle` where this is missing.
    pub first_output: Option<Duration>,
    /// How many bytes of its standard output are kept; the rest is read and dropped.
    pub stdout_limit: usize,
    /// How long it may take to end when its time is over.
    pub grace: Duration,
    /// A small file, and where the reaper copies it to once no process of the program is left, even after our own death.
    pub copy_after_end: Option<(PathBuf, PathBuf)>,
    /// The program that has the subcommand `__reaper`: this one, except in tests.
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

/// How urgently a program is to end, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// No end was asked for.
    Running,
    /// End in good order: TERM, some time, then KILL.
    Stopping,
    /// End at once.
    Killing,
}

/// Asks a program to end. Dropping it asks for nothing.
#[derive(Debug, Clone)]
pub struct StopHandle(watch::Sender<Urgency>);

impl StopHandle {
    /// Asks for an end by TERM and then KILL; never makes a request milder.
    pub fn stop(&self) {
        self.raise(Urgency::Stopping);
    }

    /// Asks for an end at once.
    pub fn kill(&self) {
        self.raise(Urgency::Killing);
    }

    /// Asks for an end of this urgency; never makes a request milder.
    pub fn raise(&self, urgency: Urgency) {
        self.0.send_modify(|now| *now = urgency.max(*now));
    }
}

/// The request to end, as the program's supervisor reads it; clones read the same request.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<Urgency>);

impl Stop {
    /// Returns the handle that asks for the end, and the request that it changes.
    pub fn new() -> (StopHandle, Self) {
        let (sender, receiver) = watch::channel(Urgency::Running);
        (StopHandle(sender), Self(receiver))
    }

    /// Returns how urgent the request is now.
    pub fn urgency(&self) -> Urgency {
        *self.0.borrow()
    }

    /// Waits until the request is more urgent than this; for ever when every handle was dropped.
    pub async fn wait_beyond(&mut self, urgency: Urgency) -> Urgency {
        if let Ok(now) = self.0.wait_for(|now| *now > urgency).await {
            return *now;
        }
        pending().await
    }
}

/// Runs a program to its end. Every failure is a `ProgramExit`.
pub async fn run(launch: &Launch, on_output: &mut dyn FnMut(Stream, &[u8]), stop: &mut Stop) -> ProgramEnd {
    let mut recorder = OutputRecorder::new(launch.stdout_limit, on_output);
    if stop.urgency() > Urgency::Running {
        return recorder.finish(ProgramExit::Stopped);
    }
    let exit = match SupervisedProgram::start(launch) {
        Ok(program) => program.wait_for_end(launch, &mut recorder, stop).await,
        Err(error) => ProgramExit::NotStarted(explain_failure(launch, &error)),
    };
    recorder.finish(exit)
}

fn explain_failure(launch: &Launch, error: &io::Error) -> String {
    if launch.directory.is_dir() {
        format!("the supervisor `{}` cannot be started: {error}", launch.own_program.display())
    } else {
        format!("the folder `{}` is not there", launch.directory.display())
    }
}

/// A program under a reaper.
struct SupervisedProgram {
    reaper: Child,
    /// The reaper ends the tree when this is dropped, as it does after our death.
    control: UnixStream,
    stdout: OutputPipe<ChildStdout>,
    stderr: OutputPipe<ChildStderr>,
}

impl SupervisedProgram {
    fn start(launch: &Launch) -> io::Result<Self> {
        let (control, reapers_end) = UnixStream::pair()?;
        control.set_nonblocking(true)?;
        let mut reaper = reaper_command(launch, reapers_end.into()).spawn()?;
        let stdout = reaper.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let stderr = reaper.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self { reaper, control, stdout: OutputPipe::new(stdout), stderr: OutputPipe::new(stderr) })
    }

    /// Waits for the end of the program; orders it when a limit is reached or `stop` asks for it.
    async fn wait_for_end(
        mut self,
        launch: &Launch,
        recorder: &mut OutputRecorder<'_>,
        stop: &mut Stop,
    ) -> ProgramExit {
        let mut deadlines = Deadlines::start(launch);
        let mut urgency = Urgency::Running;
        let mut exit = None;
        while exit.is_none() || self.stdout.open || self.stderr.open {
            let (at, due) = deadlines.next();
            tokio::select! {
                bytes = self.stdout.read(), if self.stdout.open => {
                    recorder.push(Stream::Stdout, bytes);
                    deadlines.note_output();
                }
                bytes = self.stderr.read(), if self.stderr.open => {
                    recorder.push(Stream::Stderr, bytes);
                    deadlines.note_output();
                }
                _ = self.reaper.wait(), if exit.is_none() => {
                    exit = Some(self.read_exit());
                    deadlines.note_reaper_end();
                }
                raised = stop.wait_beyond(urgency) => {
                    urgency = raised;
                    let grace = if raised == Urgency::Killing { Duration::ZERO } else { GRACE_OF_STOP };
                    self.order_stop(grace);
                    deadlines.note_stop_order(ProgramExit::Stopped, grace);
                }
                () = sleep_until(at) => match due {
                    DueAction::End(reason) => {
                        self.order_stop(launch.grace);
                        deadlines.note_stop_order(reason, launch.grace);
                    }
                    DueAction::KillReaper => {
                        self.kill_reaper();
                        exit = Some(self.read_exit());
                        deadlines.note_reaper_end();
                    }
                    DueAction::Drained => break,
                },
            }
        }
        deadlines.reason.or(exit).unwrap_or(ProgramExit::Lost)
    }

    /// Orders the reaper to end the tree. A reaper that does not read any more has ended.
    fn order_stop(&mut self, grace: Duration) {
        let _ = self.control.write_all(encode_stop(grace).as_bytes());
    }

    fn kill_reaper(&mut self) {
        let group = self.reaper.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Reads what the reaper reported. When it died without a report of the end, the processes it left are killed.
    fn read_exit(&mut self) -> ProgramExit {
        let mut text = Vec::new();
        // The socket does not block: when the reaper lives on, what it has reported so far is all there is.
        let _ = self.control.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text);
        let reports: Vec<_> = text.lines().filter_map(ReaperReport::decode).collect();
        read_reports(&reports).unwrap_or_else(|| {
            let groups = reports.iter().filter_map(|report| match report {
                ReaperReport::Started(group) => Pid::from_raw(*group),
                _ => None,
            });
            kill_abandoned_processes(groups, [self.stdout.source.as_fd(), self.stderr.source.as_fd()]);
            ProgramExit::Lost
        })
    }
}

/// Returns how the program ended; nothing when the reports break off.
fn read_reports(reports: &[ReaperReport]) -> Option<ProgramExit> {
    let signalled = reports.iter().find_map(|report| match report {
        ReaperReport::ReaperSignalled(signal) => Some(ProgramExit::Signal(*signal)),
        _ => None,
    });
    let last = match reports.last()? {
        ReaperReport::Failed(reason) => ProgramExit::NotStarted(reason.clone()),
        ReaperReport::Code(code) => ProgramExit::Code(*code),
        ReaperReport::Signal(signal) => ProgramExit::Signal(*signal),
        ReaperReport::Started(_) | ReaperReport::ReaperSignalled(_) => return None,
    };
    Some(signalled.unwrap_or(last))
}

fn reaper_command(launch: &Launch, control: OwnedFd) -> Command {
    let mut command = Command::new(&launch.own_program);
    command.arg0("ai-workflow").arg("__reaper");
    if let Some(stdin) = &launch.stdin {
        // The reaper works in another folder than we do.
        let stdin = std::path::absolute(stdin).unwrap_or_else(|_| stdin.clone());
        command.arg("--stdin").arg(stdin);
    }
    command.arg("--grace").arg(launch.grace.as_millis().to_string());
    if let Some((from, to)) = &launch.copy_after_end {
        command.args([OsStr::new("--keep"), from.as_ref(), to.as_ref()]);
    }
    command
        .arg("--")
        .arg(&launch.program)
        .args(&launch.arguments)
        .current_dir(&launch.directory)
        .env_clear()
        .envs(&launch.environment)
        .stdin(Stdio::from(control))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    // Only in a build that measures its own coverage: without this the reaper leaves its figures in the worktree.
    if option_env!("CARGO_LLVM_COV").is_some()
        && let Some(file) = std::env::var_os("LLVM_PROFILE_FILE")
    {
        command.env("LLVM_PROFILE_FILE", file);
    }
    command
}

/// One output that is read until it ends or breaks.
struct OutputPipe<R> {
    source: R,
    buffer: Vec<u8>,
    open: bool,
}

impl<R: AsyncRead + Unpin> OutputPipe<R> {
    fn new(source: R) -> Self {
        Self { source, buffer: vec![0; CHUNK], open: true }
    }

    async fn read(&mut self) -> &[u8] {
        let length = self.source.read(&mut self.buffer).await.unwrap_or(0);
        self.open = length > 0;
        &self.buffer[..length]
    }
}

/// The action that a deadline requires.
#[derive(Debug, PartialEq, Eq)]
enum DueAction {
    /// A limit is reached: the program has to end, for this reason.
    End(ProgramExit),
    /// The reaper has gone and we have read on long enough.
    Drained,
    /// The reaper took longer than it needs to end the tree.
    KillReaper,
}

/// The time limits of one program, by the monotonic clock.
struct Deadlines {
    wall: Instant,
    /// How long the program may print nothing, and until when it may do so now.
    idle: Option<(Duration, Instant)>,
    /// Why the program has to end, once it has to.
    reason: Option<ProgramExit>,
    kill_reaper: Option<Instant>,
    drained: Option<Instant>,
}

impl Deadlines {
    fn start(launch: &Launch) -> Self {
        let now = Instant::now();
        let first = |idle: Duration| now + launch.first_output.unwrap_or(idle).min(LONGEST);
        let idle = launch.idle.map(|idle| idle.min(LONGEST)).map(|idle| (idle, first(idle)));
        Self { wall: now + launch.wall.min(LONGEST), idle, reason: None, kill_reaper: None, drained: None }
    }

    fn note_output(&mut self) {
        if let Some((limit, at)) = &mut self.idle {
            *at = Instant::now() + *limit;
        }
    }

    /// Notes that the program was ordered to end. The first reason counts.
    fn note_stop_order(&mut self, reason: ProgramExit, grace: Duration) {
        if self.drained.is_none() {
            self.reason.get_or_insert(reason);
        }
        self.kill_reaper = Some(Instant::now() + grace + REAPER_GRACE);
    }

    fn note_reaper_end(&mut self) {
        self.drained = Some(Instant::now() + DRAIN);
    }

    /// Returns what is due next, and when.
    fn next(&self) -> (Instant, DueAction) {
        match (self.drained, self.kill_reaper, self.idle) {
            (Some(at), _, _) => (at, DueAction::Drained),
            (None, Some(at), _) => (at, DueAction::KillReaper),
            (None, None, Some((_, at))) if at < self.wall => (at, DueAction::End(ProgramExit::Idle)),
            (None, None, _) => (self.wall, DueAction::End(ProgramExit::TimedOut)),
        }
    }
}

#[cfg(test)]
mod tests;
