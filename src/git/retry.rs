//! Which failed call to a remote is made again, and after what pause. What was refused is not. A push whose answer was lost
//! may have arrived: git asks the remote where its branches stand before it sends anything, and sends nothing then.

use std::thread;
use std::time::Duration;

use super::call::Call;
use super::output::Output;
use super::{Error, Result};

/// The pauses between the tries of one call, in seconds, as between calls of GitHub's interface.
const PAUSES: [u64; 4] = [1, 2, 4, 8];

/// What git, curl and ssh say of a connection that failed. They speak English: every call has `LC_ALL=C`.
const LOST: [&str; 17] = [
    "RPC failed; curl",
    "Could not resolve host",
    "Failed to connect to",
    "Connection refused",
    "Connection reset",
    "Connection timed out",
    "Connection closed by",
    "Operation timed out",
    "Network is unreachable",
    "No route to host",
    "Empty reply from server",
    "Recv failure",
    "Send failure",
    "SSL_ERROR_SYSCALL",
    "TLS connection was non-properly terminated",
    "early EOF",
    "the remote end hung up unexpectedly",
];

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
pub fn retried<T>(mut call: impl FnMut() -> Result<T>) -> Result<T> {
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

impl Output {
    /// Makes an error of a call to a remote that failed.
    pub(super) fn remote_failure(&self, call: &Call) -> Error {
        if self.was_unreachable() {
            return Error::Unreachable { action: format!("`{}`", call.shown()), detail: self.last_words() };
        }
        self.failure(call)
    }

    /// Tells whether the server or the connection to it was in trouble, and nobody refused anything.
    pub(super) fn was_unreachable(&self) -> bool {
        // A git that a signal ended was stopped by a person.
        self.status.code().is_some() && is_trouble(&self.text(), &self.errors())
    }
}

/// Reads what git said. The status of HTTP decides where there is one; what the remote's own programs print does not count.
fn is_trouble(stdout: &str, stderr: &str) -> bool {
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
    all().any(|line| LOST.iter().any(|words| line.contains(words)))
}

/// Reads the status in `The requested URL returned error: 500`.
fn status(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("The requested URL returned error: ")?;
    rest.get(..3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HUNG_UP: &str = "send-pack: unexpected disconnect while reading sideband packet\n\
                           fatal: the remote end hung up unexpectedly\n";

    fn rpc(why: &str) -> String {
        format!("error: RPC failed; {why}\n{HUNG_UP}")
    }

    fn unable(why: &str) -> String {
        format!("fatal: unable to access 'https://github.com/o/n/': {why}\n")
    }

    #[test]
    fn trouble_of_the_server_or_the_connection_passes() {
        for stderr in [
            rpc("HTTP 500 curl 22 The requested URL returned error: 500"),
            rpc("HTTP 429 curl 22 The requested URL returned error: 429"),
            rpc("curl 56 Recv failure: Connection reset by peer"),
            rpc("curl 52 Empty reply from server"),
            rpc("curl 18 transfer closed with 25 bytes remaining to read"),
            rpc("curl 92 HTTP/2 stream 5 was not closed cleanly: CANCEL (err 8)"),
            unable("The requested URL returned error: 502"),
            unable("The requested URL returned error: 503 Service Unavailable"),
            unable("Could not resolve host: github.com"),
            unable("Failed to connect to github.com port 443 after 5 ms: Couldn't connect to server"),
            unable("Operation timed out after 300000 milliseconds with 0 out of 0 bytes received"),
            "fatal: early EOF\nfatal: fetch-pack: invalid index-pack output\n".to_owned(),
            "ssh: connect to host github.com port 22: Connection timed out\n".to_owned(),
            "kex_exchange_identification: Connection closed by remote host\n".to_owned(),
        ] {
            assert!(is_trouble("Done\n", &stderr), "{stderr}");
        }
        for line in [
            "!\trefs/heads/b:refs/heads/b\t[remote failure] (remote failed to report status)",
            "!\trefs/heads/b:refs/heads/b\t[remote rejected] (Internal Server Error)",
            " ! [remote rejected] b -> b (Internal Server Error)",
        ] {
            assert!(is_trouble(line, "error: failed to push some refs to 'x'\n"), "{line}");
        }
    }

    #[test]
    fn a_refusal_is_no_trouble_whatever_the_remote_prints() {
        for stderr in [
            rpc("HTTP 403 curl 22 The requested URL returned error: 403"),
            rpc("HTTP 413 curl 22 The requested URL returned error: 413"),
            unable("The requested URL returned error: 403"),
            unable("SSL certificate problem: unable to get local issuer certificate"),
            "fatal: could not read Username for 'https://github.com': terminal prompts disabled\n".to_owned(),
            "fatal: Authentication failed for 'https://github.com/o/n/'\n".to_owned(),
            "fatal: repository 'https://github.com/o/n/' not found\n".to_owned(),
            "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.\n"
                .to_owned(),
            "remote: The requested URL returned error: 500\nremote: fatal: early EOF\n".to_owned(),
        ] {
            assert!(!is_trouble("", &stderr), "{stderr}");
        }
        for line in [
            "!\trefs/heads/b:refs/heads/b\t[remote rejected] (pre-receive hook declined)",
            "!\trefs/heads/b:refs/heads/b\t[remote rejected] (protected branch hook declined)",
            "!\trefs/heads/b:refs/heads/b\t[rejected] (non-fast-forward)",
            " ! [remote rejected] b -> b (pre-receive hook declined)",
        ] {
            assert!(!is_trouble(line, &format!("remote: Connection reset by peer\n{HUNG_UP}")), "{line}");
        }
    }

    #[test]
    fn the_pauses_grow_and_end_and_a_refusal_has_none() {
        let (action, detail) = ("the push".to_owned(), "HTTP 500".to_owned());
        let trouble = Error::Unreachable { action, detail };
        let mut retry = Retry::default();
        let pauses: Vec<_> = (0..5).map(|_| retry.pause(&trouble).map(|pause| pause.as_secs())).collect();
        assert_eq!(pauses, [Some(1), Some(2), Some(4), Some(8), None]);
        let (branch, remote, detail) = ("b".to_owned(), "origin".to_owned(), String::new());
        assert_eq!(Retry::default().pause(&Error::PushFailed { branch, remote, detail }), None);
    }
}
