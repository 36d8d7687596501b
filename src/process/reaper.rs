//! The hidden subcommand `__reaper --stdin FILE --grace MILLISECONDS --keep FROM TO -- PROGRAM ARGUMENT…`: runs a program
//! and ends it together with every process that it starts. Killing a process group is not enough, because agents put
//! their shells into sessions of their own; and when our own process dies, even by SIGKILL, the reaper is left to end them.
//! It knows neither time limits nor output: the program writes straight into the pipes of the process that started the
//! reaper.
//!
//! Its standard input is the control socket: one order per line of text comes in, one report per line goes back. The end of
//! the socket is the end of the process that started the reaper. A line that cannot be read is ignored.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitStatus};
use tokio::signal::unix::{Signal as Signals, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, sleep, sleep_until};

use super::process_tree::{ProcessTree, adopt_orphans};

/// The exit code of a command line that cannot be read.
const USAGE: i32 = 2;
/// The exit code when the program is not executable; shells use the same.
const NOT_EXECUTABLE: i32 = 126;
/// The exit code when the program was not found; shells use the same.
const NOT_FOUND: i32 = 127;
/// How long the tree may take to end after the death of the process that started us: no orphan is left after five seconds.
const GRACE_OF_ORPHANS: Duration = Duration::from_secs(2);
/// How long processes may take to end that the program left behind.
const GRACE_OF_LEFTOVERS: Duration = Duration::from_millis(500);
/// How long we go on killing a process that does not die: one of another user, or one stuck in the kernel.
const KILLING_TIME: Duration = Duration::from_secs(3);
/// How often we look whether every process has gone.
const POLL: Duration = Duration::from_millis(20);

/// Runs the subcommand with the arguments after its name; returns the exit code.
pub fn main(arguments: Vec<OsString>) -> i32 {
    let Some(invocation) = ReaperArguments::parse(arguments) else { return USAGE };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return NOT_EXECUTABLE;
    };
    runtime.block_on(invocation.run())
}

/// What the command line asks for.
#[derive(Default)]
struct ReaperArguments {
    stdin: PathBuf,
    grace: Duration,
    /// A small file, and where it is copied to when no process is left that could change it.
    copy_after_end: Option<(PathBuf, PathBuf)>,
    program: OsString,
    arguments: Vec<OsString>,
}

impl ReaperArguments {
    fn parse(arguments: Vec<OsString>) -> Option<Self> {
        let mut rest = arguments.into_iter();
        let mut parsed = Self { stdin: "/dev/null".into(), ..Self::default() };
        loop {
            match rest.next()?.to_str()? {
                "--stdin" => parsed.stdin = rest.next()?.into(),
                "--grace" => parsed.grace = Duration::from_millis(rest.next()?.to_str()?.parse().ok()?),
                "--keep" => parsed.copy_after_end = Some((rest.next()?.into(), rest.next()?.into())),
                "--" => break,
                _ => return None,
            }
        }
        parsed.program = rest.next()?;
        parsed.arguments = rest.collect();
        Some(parsed)
    }

    async fn run(self) -> i32 {
        adopt_orphans();
        let mut reports = ReportChannel::open();
        let (mut events, leader) = match self.start() {
            Ok(started) => started,
            Err((code, reason)) => {
                reports.send(&ReaperReport::Failed(reason));
                return code;
            }
        };
        reports.send(&ReaperReport::Started(leader.as_raw_nonzero().get()));
        let mut tree = ProcessTree::new(leader);
        supervise_tree(&mut tree, &mut events, &mut reports).await;
        if !tree.reap()
            && let Some((from, to)) = &self.copy_after_end
        {
            // A file that cannot be copied is missing afterwards, and then nothing is known.
            // What the program itself put there is not to stay.
            let _ = std::fs::remove_file(to);
            let _ = std::fs::read(from).and_then(|bytes| std::fs::write(to, bytes));
        }
        reports.end(tree.leader_status)
    }

    /// Starts the program, once its end can be noticed; an error is an exit code and a reason for people.
    fn start(&self) -> Result<(ReaperEvents, Pid), (i32, String)> {
        let events = ReaperEvents::listen(self.grace)
            .map_err(|error| (NOT_EXECUTABLE, format!("no signal handler can be installed: {error}")))?;
        let stdin = File::open(&self.stdin).map_err(|error| {
            (NOT_EXECUTABLE, format!("its input `{}` cannot be read: {error}", self.stdin.display()))
        })?;
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::from(stdin))
            .process_group(0)
            .spawn()
            .map_err(|error| explain_failure(&self.program, &error))?;
        // The handle is given up: `ProcessTree` reaps all children, this one too.
        Ok((events, Pid::from_child(&child)))
    }
}

/// Returns the exit code and, for people, the reason why a program did not start.
fn explain_failure(program: &OsStr, error: &io::Error) -> (i32, String) {
    let name = program.display();
    match error.kind() {
        io::ErrorKind::NotFound if Path::new(program).exists() => {
            (NOT_EXECUTABLE, format!("`{name}` names an interpreter in its first line that was not found"))
        }
        io::ErrorKind::NotFound => (NOT_FOUND, format!("`{name}` was not found")),
        io::ErrorKind::PermissionDenied => (NOT_EXECUTABLE, format!("`{name}` is not executable")),
        _ => (NOT_EXECUTABLE, format!("`{name}` cannot be executed: {error}")),
    }
}

/// Waits until the program ends or an order comes, then ends the processes that are left.
async fn supervise_tree(tree: &mut ProcessTree, events: &mut ReaperEvents, reports: &mut ReportChannel) {
    let mut grace = GRACE_OF_LEFTOVERS;
    while tree.reap() && tree.leader_status.is_none() {
        match events.next().await {
            ReaperEvent::ChildChanged => {}
            ReaperEvent::Stop(ordered) => {
                grace = ordered;
                break;
            }
            ReaperEvent::Signal(signal) => {
                reports.send(&ReaperReport::ReaperSignalled(signal.as_raw()));
                grace = events.grace;
                break;
            }
        }
    }
    end_tree(tree, events, grace).await;
}

/// Sends TERM to the tree, waits for its end, and then kills it.
async fn end_tree(tree: &mut ProcessTree, events: &mut ReaperEvents, grace: Duration) {
    let mut deadline = Instant::now() + grace;
    if tree.reap() && !grace.is_zero() {
        tree.signal(Signal::TERM);
    }
    while tree.reap() && Instant::now() < deadline {
        tokio::select! {
            event = events.next() => if let ReaperEvent::Stop(ordered) = event {
                deadline = deadline.min(Instant::now() + ordered);
            },
            () = sleep(POLL) => {}
            () = sleep_until(deadline) => {}
        }
    }
    let deadline = Instant::now() + KILLING_TIME;
    while tree.reap() && Instant::now() < deadline {
        tree.signal(Signal::KILL);
        sleep(POLL / 4).await;
    }
}

/// What a reaper waits for.
enum ReaperEvent {
    ChildChanged,
    /// The tree has to end, within this time.
    Stop(Duration),
    Signal(Signal),
}

/// The sources of events.
struct ReaperEvents {
    child: Signals,
    terminate: Signals,
    interrupt: Signals,
    hang_up: Signals,
    orders: UnboundedReceiver<Duration>,
    grace: Duration,
}

impl ReaperEvents {
    fn listen(grace: Duration) -> io::Result<Self> {
        Ok(Self {
            child: signal(SignalKind::child())?,
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
            orders: listen_to_orders(grace),
            grace,
        })
    }

    async fn next(&mut self) -> ReaperEvent {
        tokio::select! {
            _ = self.child.recv() => ReaperEvent::ChildChanged,
            _ = self.terminate.recv() => ReaperEvent::Signal(Signal::TERM),
            _ = self.interrupt.recv() => ReaperEvent::Signal(Signal::INT),
            _ = self.hang_up.recv() => ReaperEvent::Signal(Signal::HUP),
            Some(grace) = self.orders.recv() => ReaperEvent::Stop(grace),
        }
    }
}

/// Reads orders in a thread of its own, because reading standard input cannot be interrupted. The thread ends with us.
fn listen_to_orders(grace: Duration) -> UnboundedReceiver<Duration> {
    let (sender, receiver) = unbounded_channel();
    std::thread::spawn(move || {
        for line in BufReader::new(io::stdin()).lines().map_while(Result::ok) {
            if let Some(ordered) = decode_stop(&line) {
                let _ = sender.send(ordered);
            }
        }
        let _ = sender.send(grace.min(GRACE_OF_ORPHANS));
    });
    receiver
}

/// Sends reports to the process that started us, over the control socket. Where standard input is a pipe, which cannot be
/// written, there are no reports.
struct ReportChannel(Option<File>);

impl ReportChannel {
    fn open() -> Self {
        Self(io::stdin().as_fd().try_clone_to_owned().ok().map(File::from))
    }

    fn send(&mut self, report: &ReaperReport) {
        if let Some(line) = &mut self.0 {
            let _ = line.write_all(report.encode().as_bytes());
        }
    }

    fn end(&mut self, status: Option<WaitStatus>) -> i32 {
        if let Some(code) = status.and_then(WaitStatus::exit_status) {
            self.send(&ReaperReport::Code(code));
            return code;
        }
        let signal = status.and_then(WaitStatus::terminating_signal).unwrap_or(Signal::KILL.as_raw());
        self.send(&ReaperReport::Signal(signal));
        128 + signal
    }
}

/// Writes the order to end the tree within a time; zero kills at once. The end of the socket means the same, with a short
/// grace.
pub(super) fn encode_stop(grace: Duration) -> String {
    format!("stop {}\n", grace.as_millis())
}

/// Reads an order to end the tree.
pub(super) fn decode_stop(line: &str) -> Option<Duration> {
    line.strip_prefix("stop ")?.trim().parse().ok().map(Duration::from_millis)
}

/// What the reaper reports to us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReaperReport {
    /// The program runs, in a process group of this number.
    Started(i32),
    /// The program could not be started, and why.
    Failed(String),
    /// The reaper got this signal from another process than ours; how the program ended says nothing then.
    ReaperSignalled(i32),
    /// The program ended by itself, with this exit code.
    Code(i32),
    /// The program was ended by a signal of this number.
    Signal(i32),
}

impl ReaperReport {
    pub(super) fn encode(&self) -> String {
        match self {
            Self::Started(group) => format!("started {group}\n"),
            Self::Failed(reason) => format!("failed {}\n", reason.replace('\n', " ")),
            Self::ReaperSignalled(signal) => format!("ended {signal}\n"),
            Self::Code(code) => format!("code {code}\n"),
            Self::Signal(signal) => format!("signal {signal}\n"),
        }
    }

    pub(super) fn decode(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ')?;
        let number = || rest.trim().parse().ok();
        match word {
            "started" => number().map(Self::Started),
            "failed" => Some(Self::Failed(rest.trim().to_owned())),
            "ended" => number().map(Self::ReaperSignalled),
            "code" => number().map(Self::Code),
            "signal" => number().map(Self::Signal),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
