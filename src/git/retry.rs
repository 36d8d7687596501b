//! Which failed call to a remote is made again, and after what pause. What was refused is not. A push whose answer was lost
//! may have arrived: git asks the remote where its branches stand before it sends anything, and sends nothing then.

use std::thread;
use std::time::Duration;

use crate::call::Output;
use crate::{Error, Result};

/// The pauses between the tries of one call, in seconds, as between calls of GitHub's interface.
const PAUSES: [u64; 4] = [1, 2, 4, 8];

/// What git, curl and ssh say of a connection that failed. They speak English: every call has `LC_ALL=C`.
const LOST_CONNECTION: &str = include_str!("data/lost_connection.txt");

/// Counts the tries of one call.
#[derive(Debug, Default)]
pub struct Retry {
    failed: usize,
}

impl Retry {
    /// Returns how long to wait before the next try; nothing where a failure is final or there were enough of them.
    pub fn pause(&mut self, error: &Error) -> Option<Duration> {
        if !matches!(error, Error::Unreachable { .. }) {
            return None;
        }
        let seconds = *PAUSES.get(self.failed)?;
        self.failed += 1;
        tracing::warn!("{error}; it is tried again in {seconds} s");
        Some(Duration::from_secs(seconds))
    }
}

/// Makes a call to a remote until it is done, refused, or has failed too often; waits in between.
pub fn retry<T>(mut call: impl FnMut() -> Result<T>) -> Result<T> {
    let mut retry = Retry::default();
    loop {
        let error = match call() {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        let Some(pause) = retry.pause(&error) else { return Err(error) };
        thread::sleep(pause);
    }
}

/// Makes an error of a call to a remote that failed.
pub(crate) fn remote_failure(output: &Output) -> Error {
    if was_unreachable(output) {
        return Error::Unreachable { action: format!("`{}`", output.command), detail: output.last_words() };
    }
    output.failure()
}

/// Tells whether the server or the connection to it was in trouble, and nobody refused anything.
pub(crate) fn was_unreachable(output: &Output) -> bool {
    // A git that a signal ended was stopped by a person.
    output.status.code().is_some() && is_transient(&output.text(), &output.errors())
}

/// Tells from git's output whether the trouble passes by itself. The status of HTTP decides where there is one; what the
/// remote's own programs print does not count.
fn is_transient(stdout: &str, stderr: &str) -> bool {
    let all = || stdout.lines().chain(stderr.lines()).filter(|line| !line.starts_with("remote:"));
    if let Some(status) = all().find_map(status) {
        return matches!(status, 408 | 429 | 500..=599);
    }
    // `!` and the reason: what became of a branch, by the documentation of `git push`.
    let mut branches = all().filter(|line| line.trim_start().starts_with('!')).peekable();
    if branches.peek().is_some() {
        return branches
            .all(|line| line.contains("[remote failure]") || line.ends_with("(Internal Server Error)"));
    }
    all().any(|line| LOST_CONNECTION.lines().any(|words| line.contains(words)))
}

/// Reads the status in `The requested URL returned error: 500`.
fn status(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("The requested URL returned error: ")?;
    rest.get(..3)?.parse().ok()
}

#[cfg(test)]
mod tests;
