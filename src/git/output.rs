//! How a call of git ended and what it said; makes an error of it that names the command and git's last words.

use std::process::ExitStatus;

use super::Error;
use super::call::Call;

/// How a call of git ended and what it said.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) truncated: bool,
    pub(super) late: bool,
    pub(super) stderr: Vec<u8>,
}

impl Output {
    /// Tells whether git was content, or was stopped by us because we had read enough.
    pub(super) fn succeeded(&self) -> bool {
        self.status.success() || self.truncated
    }

    /// Returns the answer as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Returns what git complained about.
    pub(super) fn errors(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Returns the last lines of the complaint, in one line.
    pub(super) fn last_words(&self) -> String {
        let errors = self.errors();
        let lines: Vec<&str> = errors.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(4)..];
        if last.is_empty() { "it said nothing".into() } else { last.join("; ") }
    }

    /// Makes an error of a call that failed.
    pub(super) fn failure(&self, call: &Call) -> Error {
        if let Some(path) = held_lock(&self.errors()) {
            return Error::Locked { path };
        }
        if self.errors().contains("No space left on device") {
            return Error::DiskFull { command: call.shown() };
        }
        let ending = match self.status.code() {
            Some(code) => format!("exit {code}"),
            None => "killed by a signal".into(),
        };
        Error::Git { command: call.shown(), ending, detail: self.last_words() }
    }

    /// Makes an error of an answer that has another form than expected.
    pub(super) fn unexpected(&self, call: &Call) -> Error {
        let detail = self.text().escape_debug().take(200).collect();
        Error::Unexpected { command: call.shown(), detail }
    }
}

fn held_lock(errors: &str) -> Option<String> {
    let line = errors.lines().find(|line| line.contains(".lock': File exists"))?;
    let end = line.find("': File exists")?;
    let start = line[..end].rfind('\'')? + 1;
    Some(line[start..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_is_named() {
        let errors = "fatal: Unable to create '/r/.git/index.lock': File exists.\n\nAnother git process";
        assert_eq!(held_lock(errors), Some("/r/.git/index.lock".to_owned()));
        assert_eq!(held_lock("fatal: something else"), None);
    }
}
