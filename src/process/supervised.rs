//! Our side of a supervised program: starts the reaper, reads what the program prints, tells the reaper when it is
//! time to end, and reads from it how the program ended. Which limits there are is `deadlines`'.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};
use tokio::time::sleep_until;

use super::abandoned;
use super::control::{self, Report};
use super::deadlines::{Deadlines, Due};
use super::stop::{Stop, Urgency};
use super::{Exit, Launch, Record, Stream};

/// How long a program may take to end when a person ends the run.
const GRACE_OF_STOP: Duration = Duration::from_secs(3);
/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// A program under a reaper.
pub(super) struct Supervised {
    reaper: Child,
    /// Dropping it ends the tree: the reaper takes that for our death.
    control: UnixStream,
    stdout: Pipe<ChildStdout>,
    stderr: Pipe<ChildStderr>,
}

impl Supervised {
    pub(super) fn start(launch: &Launch) -> io::Result<Self> {
        let (control, theirs) = UnixStream::pair()?;
        control.set_nonblocking(true)?;
        let mut reaper = command(launch, theirs.into()).spawn()?;
        let stdout = reaper.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let stderr = reaper.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self { reaper, control, stdout: Pipe::new(stdout), stderr: Pipe::new(stderr) })
    }

    /// Waits for the end, which it brings about when time is over or somebody asks.
    pub(super) async fn follow(mut self, launch: &Launch, record: &mut Record<'_>, stop: &mut Stop) -> Exit {
        let mut deadlines = Deadlines::start(launch);
        let mut urgency = Urgency::Running;
        let mut told = None;
        while told.is_none() || self.stdout.open || self.stderr.open {
            tokio::select! {
                bytes = self.stdout.read(), if self.stdout.open => {
                    record.take(Stream::Stdout, bytes);
                    deadlines.heard();
                }
                bytes = self.stderr.read(), if self.stderr.open => {
                    record.take(Stream::Stderr, bytes);
                    deadlines.heard();
                }
                _ = self.reaper.wait(), if told.is_none() => {
                    told = Some(self.told());
                    deadlines.ended();
                }
                now = stop.beyond(urgency) => {
                    urgency = now;
                    let grace = if now == Urgency::Killing { Duration::ZERO } else { GRACE_OF_STOP };
                    self.order(grace);
                    deadlines.stopping(Exit::Stopped, grace);
                }
                () = sleep_until(deadlines.next()) => match deadlines.due() {
                    Due::Nothing => {}
                    Due::End(exit) => {
                        self.order(launch.grace);
                        deadlines.stopping(exit, launch.grace);
                    }
                    Due::GiveUp => {
                        self.kill_reaper();
                        told = Some(self.told());
                        deadlines.ended();
                    }
                    Due::Drained => break,
                },
            }
        }
        deadlines.reason.or(told).unwrap_or(Exit::Lost)
    }

    /// Tells the reaper to end the tree. One that does not listen any more has ended.
    fn order(&mut self, grace: Duration) {
        let _ = self.control.write_all(control::Stop { grace }.encode().as_bytes());
    }

    fn kill_reaper(&mut self) {
        let group = self.reaper.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Reads what the reaper told. When it died without a word about the end, we end whom it left behind.
    fn told(&mut self) -> Exit {
        let mut text = Vec::new();
        // The line does not block: when the reaper lives on, what it has told so far is all there is.
        let _ = self.control.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text);
        let reports: Vec<_> = text.lines().filter_map(Report::read).collect();
        read_reports(&reports).unwrap_or_else(|| {
            abandoned::end(&reports, [self.stdout.source.as_fd(), self.stderr.source.as_fd()]);
            Exit::Lost
        })
    }
}

/// Returns how the program ended; nothing when the reports break off.
fn read_reports(reports: &[Report]) -> Option<Exit> {
    let outside = reports.iter().find_map(|report| match report {
        Report::Ended(signal) => Some(Exit::Signal(*signal)),
        _ => None,
    });
    let last = match reports.last()? {
        Report::Failed(reason) => Exit::NotStarted(reason.clone()),
        Report::Code(code) => Exit::Code(*code),
        Report::Signal(signal) => Exit::Signal(*signal),
        Report::Started(_) | Report::Ended(_) => return None,
    };
    Some(outside.unwrap_or(last))
}

fn command(launch: &Launch, control: OwnedFd) -> Command {
    let mut command = Command::new(&launch.own_program);
    command.arg0("ai-workflow").arg("__reaper");
    if let Some(stdin) = &launch.stdin {
        // The reaper works in another folder than we do.
        let stdin = std::path::absolute(stdin).unwrap_or_else(|_| stdin.clone());
        command.arg("--stdin").arg(stdin);
    }
    command
        .arg("--grace")
        .arg(launch.grace.as_millis().to_string())
        .args(
            launch.keep_file.iter().flat_map(|(from, to)| [OsStr::new("--keep"), from.as_ref(), to.as_ref()]),
        )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_report_is_the_end_unless_somebody_else_ended_it() {
        let started = Report::Started(7);
        assert_eq!(read_reports(&[started.clone(), Report::Code(3)]), Some(Exit::Code(3)));
        assert_eq!(read_reports(&[started.clone(), Report::Signal(9)]), Some(Exit::Signal(9)));
        assert_eq!(read_reports(&[Report::Failed("x".into())]), Some(Exit::NotStarted("x".into())));
        let outside = [started.clone(), Report::Ended(15), Report::Code(0)];
        assert_eq!(read_reports(&outside), Some(Exit::Signal(15)));
        assert_eq!(read_reports(&[started]), None);
        assert_eq!(read_reports(&[]), None);
    }
}
