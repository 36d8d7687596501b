//! Our side of a supervised program: starts the reaper, reads what the program prints, orders the reaper to end it when
//! a limit is reached or somebody asks, and reads from the reaper how the program ended.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};
use tokio::time::{Instant, sleep_until};

use super::launch::Launch;
use super::output::{Exit, Finish, OutputRecorder, Stream};
use super::process_tree::kill_abandoned;
use super::reaper::{Report, encode_stop};
use super::stop::{Stop, Urgency};

/// How long a program may take to end when a person ends the run.
const GRACE_OF_STOP: Duration = Duration::from_secs(3);
/// How much longer than its grace the reaper may take before it is killed itself; a little more than it needs at most.
const REAPER_GRACE: Duration = Duration::from_secs(4);
/// How long we read on after the reaper has gone: a process that it could not end may hold the pipes open.
const DRAIN: Duration = Duration::from_millis(500);
/// A limit that no run lives to see; longer ones would overflow the clock.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
/// How many bytes are read at once.
const CHUNK: usize = 64 * 1024;

/// Runs a program to its end, whatever that is. Every failure is an `Exit`.
pub async fn run(launch: &Launch, on_output: &mut dyn FnMut(Stream, &[u8]), stop: &mut Stop) -> Finish {
    let mut recorder = OutputRecorder::new(launch.stdout_limit, on_output);
    if stop.urgency() > Urgency::Running {
        return recorder.finish(Exit::Stopped);
    }
    let exit = match SupervisedProgram::start(launch) {
        Ok(program) => program.follow(launch, &mut recorder, stop).await,
        Err(error) => Exit::NotStarted(cannot_start(launch, &error)),
    };
    recorder.finish(exit)
}

fn cannot_start(launch: &Launch, error: &io::Error) -> String {
    if launch.directory.is_dir() {
        format!("the supervisor `{}` cannot be started: {error}", launch.own_program.display())
    } else {
        format!("the folder `{}` is not there", launch.directory.display())
    }
}

/// A program under a reaper.
struct SupervisedProgram {
    reaper: Child,
    /// Dropping it ends the tree: the reaper takes that for our death.
    control: UnixStream,
    stdout: Pipe<ChildStdout>,
    stderr: Pipe<ChildStderr>,
}

impl SupervisedProgram {
    fn start(launch: &Launch) -> io::Result<Self> {
        let (control, reapers_end) = UnixStream::pair()?;
        control.set_nonblocking(true)?;
        let mut reaper = reaper_command(launch, reapers_end.into()).spawn()?;
        let stdout = reaper.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let stderr = reaper.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self { reaper, control, stdout: Pipe::new(stdout), stderr: Pipe::new(stderr) })
    }

    /// Waits for the end, which it brings about when a limit is reached or somebody asks.
    async fn follow(mut self, launch: &Launch, recorder: &mut OutputRecorder<'_>, stop: &mut Stop) -> Exit {
        let mut deadlines = Deadlines::start(launch);
        let mut urgency = Urgency::Running;
        let mut exit = None;
        while exit.is_none() || self.stdout.open || self.stderr.open {
            let (at, due) = deadlines.next();
            tokio::select! {
                bytes = self.stdout.read(), if self.stdout.open => {
                    recorder.push(Stream::Stdout, bytes);
                    deadlines.output_came();
                }
                bytes = self.stderr.read(), if self.stderr.open => {
                    recorder.push(Stream::Stderr, bytes);
                    deadlines.output_came();
                }
                _ = self.reaper.wait(), if exit.is_none() => {
                    exit = Some(self.reported_exit());
                    deadlines.reaper_ended();
                }
                raised = stop.beyond(urgency) => {
                    urgency = raised;
                    let grace = if raised == Urgency::Killing { Duration::ZERO } else { GRACE_OF_STOP };
                    self.order_stop(grace);
                    deadlines.stopping(Exit::Stopped, grace);
                }
                () = sleep_until(at) => match due {
                    Due::End(reason) => {
                        self.order_stop(launch.grace);
                        deadlines.stopping(reason, launch.grace);
                    }
                    Due::KillReaper => {
                        self.kill_reaper();
                        exit = Some(self.reported_exit());
                        deadlines.reaper_ended();
                    }
                    Due::Drained => break,
                },
            }
        }
        deadlines.reason.or(exit).unwrap_or(Exit::Lost)
    }

    /// Orders the reaper to end the tree. One that does not listen any more has ended.
    fn order_stop(&mut self, grace: Duration) {
        let _ = self.control.write_all(encode_stop(grace).as_bytes());
    }

    fn kill_reaper(&mut self) {
        let group = self.reaper.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Reads what the reaper reported. When it died without a report of the end, whom it left behind is killed.
    fn reported_exit(&mut self) -> Exit {
        let mut text = Vec::new();
        // The line does not block: when the reaper lives on, what it has reported so far is all there is.
        let _ = self.control.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text);
        let reports: Vec<_> = text.lines().filter_map(Report::decode).collect();
        read_reports(&reports).unwrap_or_else(|| {
            let groups = reports.iter().filter_map(|report| match report {
                Report::Started(group) => Pid::from_raw(*group),
                _ => None,
            });
            kill_abandoned(groups, [self.stdout.source.as_fd(), self.stderr.source.as_fd()]);
            Exit::Lost
        })
    }
}

/// Returns how the program ended; nothing when the reports break off.
fn read_reports(reports: &[Report]) -> Option<Exit> {
    let signalled = reports.iter().find_map(|report| match report {
        Report::ReaperSignalled(signal) => Some(Exit::Signal(*signal)),
        _ => None,
    });
    let last = match reports.last()? {
        Report::Failed(reason) => Exit::NotStarted(reason.clone()),
        Report::Code(code) => Exit::Code(*code),
        Report::Signal(signal) => Exit::Signal(*signal),
        Report::Started(_) | Report::ReaperSignalled(_) => return None,
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
struct Pipe<R> {
    source: R,
    buffer: Vec<u8>,
    open: bool,
}

impl<R: AsyncRead + Unpin> Pipe<R> {
    fn new(source: R) -> Self {
        Self { source, buffer: vec![0; CHUNK], open: true }
    }

    async fn read(&mut self) -> &[u8] {
        let length = self.source.read(&mut self.buffer).await.unwrap_or(0);
        self.open = length > 0;
        &self.buffer[..length]
    }
}

/// What the clock asks for.
#[derive(Debug, PartialEq, Eq)]
enum Due {
    /// A limit is reached: the program has to end, for this reason.
    End(Exit),
    /// The reaper has gone and we have read on long enough.
    Drained,
    /// The reaper took longer than it needs to end the tree.
    KillReaper,
}

/// The time limits of one program, by a clock that nobody can set.
struct Deadlines {
    wall: Instant,
    /// How long the program may be silent, and until when it may be so now.
    idle: Option<(Duration, Instant)>,
    /// Why the program has to end, once it has to.
    reason: Option<Exit>,
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

    fn output_came(&mut self) {
        if let Some((limit, at)) = &mut self.idle {
            *at = Instant::now() + *limit;
        }
    }

    /// The program was told to end. The first reason counts.
    fn stopping(&mut self, reason: Exit, grace: Duration) {
        if self.drained.is_none() {
            self.reason.get_or_insert(reason);
        }
        self.kill_reaper = Some(Instant::now() + grace + REAPER_GRACE);
    }

    fn reaper_ended(&mut self) {
        self.drained = Some(Instant::now() + DRAIN);
    }

    /// Returns what is due next, and when.
    fn next(&self) -> (Instant, Due) {
        match (self.drained, self.kill_reaper, self.idle) {
            (Some(at), _, _) => (at, Due::Drained),
            (None, Some(at), _) => (at, Due::KillReaper),
            (None, None, Some((_, at))) if at < self.wall => (at, Due::End(Exit::Idle)),
            (None, None, _) => (self.wall, Due::End(Exit::TimedOut)),
        }
    }
}

#[cfg(test)]
mod tests;
