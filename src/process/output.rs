//! What a supervised program printed and how it ended. Of standard output of any length the beginning is kept, of standard
//! error the end, so that no program fills our memory.

use std::collections::VecDeque;
use std::fmt;

use rustix::process::Signal;
use tokio::time::Instant;

/// How many bytes of the end of standard error are kept.
const TAIL: usize = 8 * 1024;

/// One of the two outputs of a program.
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
pub enum ProgramExit {
    /// It ended by itself, with this exit code.
    Code(i32),
    /// It was ended by a signal of this number, which did not come from us.
    Signal(i32),
    /// It ran longer than it may; ended by us.
    TimedOut,
    /// It printed nothing for longer than it may; ended by us.
    Idle,
    /// Ended by us because the caller stopped it.
    Stopped,
    /// It could not be started, and why.
    NotStarted(String),
    /// The reaper died without reporting how the program ended.
    Lost,
}

impl ProgramExit {
    /// Tells whether the program ended by itself with exit code 0.
    pub fn is_success(&self) -> bool {
        *self == Self::Code(0)
    }
}

impl fmt::Display for ProgramExit {
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
pub struct ProgramEnd {
    /// How it ended.
    pub exit: ProgramExit,
    /// The beginning of its standard output, as bytes.
    pub stdout: Vec<u8>,
    /// The standard output was longer than what is kept.
    pub stdout_truncated: bool,
    /// The last 8 KiB of its standard error.
    pub stderr_tail: String,
    /// How long it ran, in milliseconds.
    pub millis: u64,
}

/// Keeps what a program prints, and passes it on as it comes.
pub(super) struct OutputRecorder<'a> {
    began: Instant,
    /// The beginning of standard output, and how many bytes of it are kept.
    stdout: Vec<u8>,
    stdout_limit: usize,
    stdout_truncated: bool,
    stderr_tail: VecDeque<u8>,
    on_output: &'a mut dyn FnMut(Stream, &[u8]),
}

impl<'a> OutputRecorder<'a> {
    /// Begins to record; of standard output at most `stdout_limit` bytes from its beginning.
    pub(super) fn new(stdout_limit: usize, on_output: &'a mut dyn FnMut(Stream, &[u8])) -> Self {
        Self {
            began: Instant::now(),
            stdout: Vec::new(),
            stdout_limit,
            stdout_truncated: false,
            stderr_tail: VecDeque::new(),
            on_output,
        }
    }

    /// Takes bytes that were printed.
    pub(super) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Stdout => {
                let free = self.stdout_limit - self.stdout.len();
                self.stdout.extend_from_slice(&bytes[..free.min(bytes.len())]);
                self.stdout_truncated |= bytes.len() > free;
            }
            Stream::Stderr => {
                self.stderr_tail.extend(&bytes[bytes.len().saturating_sub(TAIL)..]);
                self.stderr_tail.drain(..self.stderr_tail.len().saturating_sub(TAIL));
            }
        }
        (self.on_output)(stream, bytes);
    }

    /// Returns all that is known of a program that ended. What is not UTF-8 in the end of standard error is replaced.
    pub(super) fn finish(mut self, exit: ProgramExit) -> ProgramEnd {
        ProgramEnd {
            exit,
            stdout: self.stdout,
            stdout_truncated: self.stdout_truncated,
            stderr_tail: String::from_utf8_lossy(self.stderr_tail.make_contiguous()).into_owned(),
            millis: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }
}

#[cfg(test)]
mod tests;
