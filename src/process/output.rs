//! What a supervised program printed and how it ended. Of an output of any length the beginning and the last lines are
//! kept, so that no program fills our memory.

use std::collections::VecDeque;
use std::fmt;

use rustix::process::Signal;
use tokio::time::Instant;

/// How many bytes of the end of an output are kept.
const TAIL: usize = 8 * 1024;

/// Which of the two outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    /// It ended by itself, with this exit code.
    Code(i32),
    /// It was ended by a signal of this number, which did not come from us.
    Signal(i32),
    /// It ran longer than it may; ended by us.
    TimedOut,
    /// It was silent longer than it may; ended by us.
    Idle,
    /// Ended by us because somebody asked.
    Stopped,
    /// It could not be started, and why.
    NotStarted(String),
    /// The reaper died without reporting how the program ended.
    Lost,
}

impl Exit {
    /// Tells whether the program ended by itself with exit code 0.
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
    /// How it ended.
    pub exit: Exit,
    /// The beginning of its standard output, as bytes.
    pub stdout: Vec<u8>,
    /// There was more than is kept.
    pub stdout_truncated: bool,
    /// The last 8 KiB of its standard output.
    pub stdout_tail: String,
    /// The last 8 KiB of its standard error.
    pub stderr_tail: String,
    /// How long it ran, in milliseconds.
    pub millis: u64,
}

/// Keeps what a program prints, and hands it on as it comes.
pub(super) struct OutputRecorder<'a> {
    began: Instant,
    stdout: BoundedOutput,
    stderr: BoundedOutput,
    on_output: &'a mut dyn FnMut(Stream, &[u8]),
}

impl<'a> OutputRecorder<'a> {
    /// Begins to record; of standard output at most `stdout_limit` bytes from its beginning.
    pub(super) fn new(stdout_limit: usize, on_output: &'a mut dyn FnMut(Stream, &[u8])) -> Self {
        Self {
            began: Instant::now(),
            stdout: BoundedOutput::new(stdout_limit),
            stderr: BoundedOutput::new(0),
            on_output,
        }
    }

    /// Takes what was printed.
    pub(super) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Stdout => self.stdout.push(bytes),
            Stream::Stderr => self.stderr.push(bytes),
        }
        (self.on_output)(stream, bytes);
    }

    /// Returns all that is known of a program that ended.
    pub(super) fn finish(self, exit: Exit) -> Finish {
        Finish {
            exit,
            stdout_tail: self.stdout.tail_text(),
            stderr_tail: self.stderr.tail_text(),
            stdout: self.stdout.head,
            stdout_truncated: self.stdout.truncated,
            millis: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// The beginning and the end of an output.
#[derive(Debug)]
struct BoundedOutput {
    head: Vec<u8>,
    limit: usize,
    tail: VecDeque<u8>,
    /// There was more than the beginning.
    truncated: bool,
}

impl BoundedOutput {
    /// Keeps at most `limit` bytes of the beginning.
    fn new(limit: usize) -> Self {
        Self { head: Vec::new(), limit, tail: VecDeque::new(), truncated: false }
    }

    fn push(&mut self, bytes: &[u8]) {
        let free = self.limit - self.head.len();
        self.head.extend_from_slice(&bytes[..free.min(bytes.len())]);
        self.truncated |= bytes.len() > free;
        self.tail.extend(&bytes[bytes.len().saturating_sub(TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
    }

    /// Returns the end as text; what is not UTF-8 is replaced.
    fn tail_text(&self) -> String {
        let (front, back) = self.tail.as_slices();
        String::from_utf8_lossy(&[front, back].concat()).into_owned()
    }
}

#[cfg(test)]
mod tests;
