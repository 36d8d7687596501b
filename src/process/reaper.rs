//! The hidden subcommand `__reaper --stdin FILE --grace MILLISECONDS --keep FROM TO -- PROGRAM ARGUMENT…`: one program and everybody
//! it starts, ended together. Killing a process group is not enough, because agents put their shells into sessions
//! of their own; and when we die, even by SIGKILL, somebody has to be left who clears up.
//! It knows neither time limits nor output: the program writes straight into the pipes of whoever started the reaper.

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

use super::control::{Report, Stop};
use super::family::Family;

/// The exit code of a command line that cannot be read.
const USAGE: i32 = 2;
/// The exit code when the program is not executable; shells use the same.
const NOT_EXECUTABLE: i32 = 126;
/// The exit code when the program was not found; shells use the same.
const NOT_FOUND: i32 = 127;
/// How long the tree may take after our own death: no orphan is left after five seconds.
const GRACE_OF_ORPHANS: Duration = Duration::from_secs(2);
/// How long processes may take that the program left behind.
const GRACE_OF_LEFTOVERS: Duration = Duration::from_millis(500);
/// How long we go on killing somebody who does not die: one of another user, or one stuck in the kernel.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often we look whether everybody has gone.
const LOOK: Duration = Duration::from_millis(20);

/// Runs the subcommand with the arguments after its name; returns the exit code.
pub fn main(arguments: Vec<OsString>) -> i32 {
    let Some(task) = Task::read(arguments) else { return USAGE };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return NOT_EXECUTABLE;
    };
    runtime.block_on(task.run())
}

/// What the command line asks for.
struct Task {
    stdin: PathBuf,
    grace: Duration,
    /// A small file, and where it is copied to when nobody is left who could change it.
    keep: Option<(PathBuf, PathBuf)>,
    program: OsString,
    arguments: Vec<OsString>,
}

impl Task {
    fn read(arguments: Vec<OsString>) -> Option<Self> {
        let mut rest = arguments.into_iter();
        let mut task = Self {
            stdin: "/dev/null".into(),
            grace: Duration::ZERO,
            keep: None,
            program: OsString::new(),
            arguments: Vec::new(),
        };
        loop {
            match rest.next()?.to_str()? {
                "--stdin" => task.stdin = rest.next()?.into(),
                "--grace" => task.grace = Duration::from_millis(rest.next()?.to_str()?.parse().ok()?),
                "--keep" => task.keep = Some((rest.next()?.into(), rest.next()?.into())),
                "--" => break,
                _ => return None,
            }
        }
        task.program = rest.next()?;
        task.arguments = rest.collect();
        Some(task)
    }

    async fn run(self) -> i32 {
        Family::adopt_orphans();
        let mut reports = ReportLine::open();
        let mut events = match Events::listen(self.grace) {
            Ok(events) => events,
            Err(error) => return reports.failed(NOT_EXECUTABLE, format!("no signal can be heard: {error}")),
        };
        let first = match self.start() {
            Ok(first) => first,
            Err((code, reason)) => return reports.failed(code, reason),
        };
        reports.send(&Report::Started(first.as_raw_nonzero().get()));
        let mut family = Family::new(first);
        supervise(&mut family, &mut events, &mut reports).await;
        if !family.bury() {
            self.keep();
        }
        reports.end(family.ended)
    }

    /// What cannot be kept is missing afterwards, and then nothing is known.
    fn keep(&self) {
        if let Some((from, to)) = &self.keep {
            let _ = std::fs::read(from).and_then(|bytes| std::fs::write(to, bytes));
        }
    }

    fn start(&self) -> Result<Pid, (i32, String)> {
        let stdin = File::open(&self.stdin).map_err(|error| {
            (NOT_EXECUTABLE, format!("its input `{}` cannot be read: {error}", self.stdin.display()))
        })?;
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::from(stdin))
            .process_group(0)
            .spawn()
            .map_err(|error| explain(&self.program, &error))?;
        // The handle is given up: `Family` buries all children, this one too.
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        Ok(pid.expect("a child has a process number above zero"))
    }
}

/// Says for people why a program did not start.
fn explain(program: &OsStr, error: &io::Error) -> (i32, String) {
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

/// Lets the program run until it ends or is to end, then ends whoever is left.
async fn supervise(family: &mut Family, events: &mut Events, reports: &mut ReportLine) {
    let mut grace = GRACE_OF_LEFTOVERS;
    while family.bury() && family.ended.is_none() {
        match events.next().await {
            Event::ChildChanged => {}
            Event::Stop(stop) => {
                grace = stop.grace;
                break;
            }
            Event::Signal(signal) => {
                reports.send(&Report::Ended(signal.as_raw()));
                grace = events.grace;
                break;
            }
        }
    }
    end(family, events, grace).await;
}

/// Asks everybody to go, waits, and then makes them.
async fn end(family: &mut Family, events: &mut Events, grace: Duration) {
    let mut deadline = Instant::now() + grace;
    if family.bury() && !grace.is_zero() {
        family.signal(Signal::TERM);
    }
    while family.bury() && Instant::now() < deadline {
        tokio::select! {
            event = events.next() => if let Event::Stop(stop) = event {
                deadline = deadline.min(Instant::now() + stop.grace);
            },
            () = sleep(LOOK) => {}
            () = sleep_until(deadline) => {}
        }
    }
    let patience = Instant::now() + PATIENCE;
    while family.bury() && Instant::now() < patience {
        family.signal(Signal::KILL);
        sleep(LOOK / 4).await;
    }
}

/// What a reaper waits for.
enum Event {
    ChildChanged,
    Stop(Stop),
    Signal(Signal),
}

/// The sources of events.
struct Events {
    child: Signals,
    terminate: Signals,
    interrupt: Signals,
    hang_up: Signals,
    orders: UnboundedReceiver<Stop>,
    grace: Duration,
}

impl Events {
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

    async fn next(&mut self) -> Event {
        tokio::select! {
            _ = self.child.recv() => Event::ChildChanged,
            _ = self.terminate.recv() => Event::Signal(Signal::TERM),
            _ = self.interrupt.recv() => Event::Signal(Signal::INT),
            _ = self.hang_up.recv() => Event::Signal(Signal::HUP),
            Some(stop) = self.orders.recv() => Event::Stop(stop),
        }
    }
}

/// Reads orders in a thread of its own, because reading standard input cannot be interrupted. The thread ends with us.
fn listen_to_orders(grace: Duration) -> UnboundedReceiver<Stop> {
    let (sender, receiver) = unbounded_channel();
    std::thread::spawn(move || {
        for line in BufReader::new(io::stdin()).lines().map_while(Result::ok) {
            if let Some(stop) = Stop::read(&line) {
                let _ = sender.send(stop);
            }
        }
        let _ = sender.send(Stop { grace: grace.min(GRACE_OF_ORPHANS) });
    });
    receiver
}

/// The way back to whoever started us: the same line, other direction. A plain pipe cannot be written; then nobody reads.
struct ReportLine(Option<File>);

impl ReportLine {
    fn open() -> Self {
        Self(io::stdin().as_fd().try_clone_to_owned().ok().map(File::from))
    }

    fn send(&mut self, report: &Report) {
        if let Some(line) = &mut self.0 {
            let _ = line.write_all(report.encode().as_bytes());
        }
    }

    fn failed(&mut self, code: i32, reason: String) -> i32 {
        self.send(&Report::Failed(reason));
        code
    }

    fn end(&mut self, status: Option<WaitStatus>) -> i32 {
        if let Some(code) = status.and_then(WaitStatus::exit_status) {
            self.send(&Report::Code(code));
            return code;
        }
        let signal = status.and_then(WaitStatus::terminating_signal).unwrap_or(Signal::KILL.as_raw());
        self.send(&Report::Signal(signal));
        128 + signal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Option<Task> {
        Task::read(words.iter().map(OsString::from).collect())
    }

    #[test]
    fn the_command_line_is_read_up_to_the_program() {
        let task =
            read(&["--stdin", "p.md", "--grace", "1500", "--", "prog", "--", "x"]).expect("a good line");
        assert_eq!(
            (task.stdin, task.grace, task.program, task.arguments),
            ("p.md".into(), Duration::from_millis(1500), "prog".into(), vec!["--".into(), "x".into()])
        );
    }

    #[test]
    fn a_command_line_without_a_program_is_a_usage_error() {
        for bad in [&[][..], &["--"], &["--grace", "soon", "--", "x"], &["--what", "--", "x"], &["x"]] {
            assert!(read(bad).is_none(), "{bad:?}");
        }
        assert_eq!(main(vec![]), USAGE);
    }

    #[test]
    fn a_start_that_failed_is_explained() {
        let said = |program: &str, kind: io::ErrorKind| explain(OsStr::new(program), &kind.into());
        assert_eq!(said("/no/x", io::ErrorKind::NotFound), (127, "`/no/x` was not found".into()));
        assert_eq!(said("x", io::ErrorKind::PermissionDenied), (126, "`x` is not executable".into()));
        assert_eq!(said("/", io::ErrorKind::NotFound).0, 126);
        assert_eq!(said("x", io::ErrorKind::OutOfMemory).0, 126);
    }
}
