//! One call of git as it is going to be made, and what came of it. Starting it is `program`'s.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use crate::{Error, Result};

/// One call of git that is going to be made.
#[derive(Debug, Default)]
pub(crate) struct Call {
    /// Options of git itself, before the name of the command.
    pub(crate) options: Vec<OsString>,
    /// The name of the command and its arguments.
    pub(crate) arguments: Vec<OsString>,
    /// What is written to the standard input.
    pub(crate) input: Option<Vec<u8>>,
    /// The index to work on, instead of the worktree's.
    pub(crate) index: Option<PathBuf>,
    /// Optional locks are not taken.
    pub(crate) read_only: bool,
    /// A remote may be asked, and tokens are in the environment.
    pub(crate) network: bool,
    /// A person may have to answer.
    pub(crate) asks_person: bool,
    /// Only the settings of the repository count.
    pub(crate) without_user_settings: bool,
    /// The most bytes of the answer that are read.
    pub(crate) limit: Option<usize>,
    /// A shorter time limit than that of every call.
    pub(crate) timeout: Option<Duration>,
}

impl Call {
    /// Makes a call with these arguments.
    pub(crate) fn new<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Self {
        Self { arguments: arguments.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Adds an argument.
    pub(crate) fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments.
    pub(crate) fn args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets a configuration value for this call.
    pub(crate) fn setting(mut self, setting: &str) -> Self {
        self.options.extend(["-c".into(), setting.into()]);
        self
    }

    /// Adds an option of git itself.
    pub(crate) fn option(mut self, option: impl Into<OsString>) -> Self {
        self.options.push(option.into());
        self
    }

    /// Works on another index than the worktree's. Such an index is a plain one, whatever the user prefers for the own.
    pub(crate) fn on_index(mut self, index: &Path) -> Self {
        self.index = Some(index.to_owned());
        self.setting("core.splitIndex=false")
            .setting("core.untrackedCache=false")
            .setting("index.sparse=false")
    }

    /// Feeds the standard input.
    pub(crate) fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = Some(input.into());
        self
    }

    /// Feeds paths, each ended by NUL.
    pub(crate) fn stdin_paths<'a>(self, paths: impl IntoIterator<Item = &'a str>) -> Self {
        let input: String = paths.into_iter().map(|path| format!("{path}\0")).collect();
        self.stdin(input)
    }

    /// Takes no lock that is not needed for the answer.
    pub(crate) fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Talks to a remote, with the user's credentials.
    pub(crate) fn over_network(mut self) -> Self {
        self.network = true;
        self.asking_person()
    }

    /// Takes no longer than this. Asks nobody, so that it can be ended with everything that it started.
    pub(crate) fn within(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self.asks_person = false;
        self
    }

    /// May ask the person at the terminal, for a passphrase say; therefore Ctrl-C reaches it.
    pub(crate) fn asking_person(mut self) -> Self {
        self.asks_person = true;
        self
    }

    /// Reads no settings of the user or the system, which an agent could write too.
    pub(crate) fn without_user_settings(mut self) -> Self {
        self.without_user_settings = true;
        self
    }

    /// Takes its paths as patterns; in all other calls a path is a path.
    pub(crate) fn with_patterns(mut self) -> Self {
        self.options.push("--no-literal-pathspecs".into());
        self
    }

    /// Reads so many bytes of the answer and no more.
    pub(crate) fn at_most(mut self, bytes: usize) -> Self {
        self.limit = Some(bytes);
        self
    }

    /// Returns the command as a person would write it, without our standing options.
    pub(crate) fn command_line(&self) -> String {
        let mut line = "git".to_owned();
        for argument in &self.arguments {
            line.push(' ');
            line.extend(argument.to_string_lossy().escape_debug().take(80));
            if line.len() > 200 {
                line.push_str(" …");
                break;
            }
        }
        line
    }
}

/// How a call of git ended, and its output.
#[derive(Debug)]
pub(crate) struct Output {
    /// The command as a person would write it.
    pub(crate) command: String,
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    /// There was more than the limit; git was killed.
    pub(crate) truncated: bool,
    /// It took too long and was killed.
    pub(crate) timed_out: bool,
    pub(crate) stderr: Vec<u8>,
}

impl Output {
    /// Tells whether git was content, or was stopped by us because we had read enough.
    pub(crate) fn succeeded(&self) -> bool {
        self.status.success() || self.truncated
    }

    /// Returns the answer as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Returns the answer of one line, which may be an id.
    pub(crate) fn line(&self) -> String {
        self.text().trim().to_owned()
    }

    /// Returns the id that is the whole answer.
    pub(crate) fn id<T: for<'a> TryFrom<&'a str>>(&self) -> Result<T> {
        T::try_from(self.text().trim()).map_err(|_| self.unexpected())
    }

    /// Returns the paths of an answer in which each is ended by NUL.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.text().split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect()
    }

    /// Returns what git complained about.
    pub(crate) fn errors(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Returns the last lines of the complaint, in one line.
    pub(crate) fn last_words(&self) -> String {
        let errors = self.errors();
        let lines: Vec<&str> = errors.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(4)..];
        if last.is_empty() { "it said nothing".into() } else { last.join("; ") }
    }

    /// Makes an error of a call that failed.
    pub(crate) fn failure(&self) -> Error {
        let command = self.command.clone();
        if let Some(path) = held_lock(&self.errors()) {
            return Error::Locked { path };
        }
        if self.errors().contains("No space left on device") {
            return Error::DiskFull { command };
        }
        let ending = match self.status.code() {
            Some(code) => format!("exit {code}"),
            None => "killed by a signal".into(),
        };
        Error::Git { command, ending, detail: self.last_words() }
    }

    /// Makes an error of an answer that has another form than expected.
    pub(crate) fn unexpected(&self) -> Error {
        let detail = self.text().escape_debug().take(200).collect();
        Error::Unexpected { command: self.command.clone(), detail }
    }
}

/// Returns the lock that another git holds.
fn held_lock(errors: &str) -> Option<String> {
    let line = errors.lines().find(|line| line.contains(".lock': File exists"))?;
    let end = line.find("': File exists")?;
    let start = line[..end].rfind('\'')? + 1;
    Some(line[start..end].to_owned())
}

#[cfg(test)]
mod tests;
