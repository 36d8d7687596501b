//! The one function that starts git: safe options, clean environment, counted.
//! Knows nothing about worktrees or issues.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::call::Call;
use super::output::Output;
use super::talk::talk;
use super::{Error, Result};
use model::redact::is_secret_name;

/// The first words of every call; by them a git that a killed run left behind is known as ours.
pub(super) const STANDING: [&str; 2] = ["--no-pager", "--literal-pathspecs"];

/// Given to every call: no hooks, no background work, no helper programs of the repository, plain names.
const SAFE: [&str; 12] = [
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.ext.allow=never",
    "advice.detachedHead=false",
    "submodule.recurse=false",
    "log.showSignature=false",
    "commit.status=false",
    "core.abbrev=no",
    "color.ui=false",
];

/// Variables by which a caller of ours (a hook, an alias) could point git at other files.
const FOREIGN: [&str; 12] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
];

/// The git program, the environment it gets on top of ours, and the number of times it was started.
#[derive(Debug, Clone)]
pub struct Git {
    program: OsString,
    environment: Vec<(OsString, OsString)>,
    calls: Arc<AtomicUsize>,
    patience: Duration,
}

/// Nothing of ours takes so long; but a pipe under the name of `.gitignore` makes git wait for ever.
const PATIENCE: Duration = Duration::from_secs(600);

impl Default for Git {
    fn default() -> Self {
        let environment = Vec::new();
        Self { program: "git".into(), environment, calls: Arc::default(), patience: PATIENCE }
    }
}

impl Git {
    /// Makes a git that gets these variables on top of our own environment.
    pub fn with_environment<K: Into<OsString>, V: Into<OsString>>(
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let environment = variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { environment, ..Self::default() }
    }

    /// Uses another program than `git` of the `PATH`.
    #[must_use]
    pub fn program(mut self, program: impl Into<OsString>) -> Self {
        self.program = program.into();
        self
    }

    /// Ends a call that takes longer than this.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Returns the same git with less patience.
    pub(super) fn hurried(&self, most: Duration) -> Self {
        self.clone().patience(self.patience.min(most))
    }

    /// Returns how many processes were started.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// Starts git in a folder and waits for its end.
    pub(super) fn run(&self, dir: &Path, call: &Call) -> Result<Output> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        tracing::debug!(command = call.shown(), "git");
        let mut command = self.command(dir, call);
        let child = command.spawn().map_err(|source| self.not_started(dir, source))?;
        let output = talk(child, call, self.patience).map_err(|source| Error::Git {
            command: call.shown(),
            ending: "its output could not be read".into(),
            detail: source.to_string(),
        })?;
        if output.late {
            return Err(Error::TooSlow { command: call.shown(), seconds: self.patience.as_secs() });
        }
        Ok(output)
    }

    fn command(&self, dir: &Path, call: &Call) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(dir).args(STANDING);
        if call.read_only {
            command.arg("--no-optional-locks");
        }
        for option in SAFE {
            command.args(["-c", option]);
        }
        // A push to a folder is the user's wish; nothing else has a reason to fetch from one.
        command.args([
            "-c",
            if call.network { "protocol.file.allow=user" } else { "protocol.file.allow=never" },
        ]);
        command.args(&call.options).args(&call.arguments);
        self.set_environment(&mut command, call);
        let input = if call.input.is_some() { Stdio::piped() } else { Stdio::null() };
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        if !call.asks_person {
            // Ctrl-C is meant for us: a git in the middle of its work comes to its end.
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        command
    }

    fn set_environment(&self, command: &mut Command, call: &Call) {
        for name in FOREIGN {
            command.env_remove(name);
        }
        // A filter or a signing program may be started by git; only a push has a use for tokens.
        if !call.network {
            for (name, _) in std::env::vars_os().filter(|(name, _)| is_secret(name)) {
                command.env_remove(name);
            }
        }
        command.envs(self.environment.iter().filter(|(name, _)| call.network || !is_secret(name)).cloned());
        command.envs([("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C"), ("GIT_EDITOR", "true")]);
        // What is published are the objects themselves, not what this repository shows in their place.
        command.env("GIT_NO_REPLACE_OBJECTS", "1");
        if call.without_user_settings {
            command.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")]);
        }
        if let Some(index) = &call.index {
            command.env("GIT_INDEX_FILE", index);
        }
    }

    fn not_started(&self, dir: &Path, source: std::io::Error) -> Error {
        if source.kind() == ErrorKind::NotFound && dir.is_dir() {
            return Error::NoGit { program: self.program.to_string_lossy().into_owned() };
        }
        Error::File { path: dir.to_owned(), source }
    }
}

fn is_secret(name: &OsStr) -> bool {
    name.to_str().is_some_and(is_secret_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_said_so() {
        let git = Git::default().program("git-that-is-not-there");
        let error = git.run(Path::new("/"), &Call::new(["version"])).expect_err("there is no such program");
        assert_eq!(error.to_string(), "the program `git-that-is-not-there` was not found");
        assert_eq!(git.calls(), 1);
    }

    #[test]
    fn an_answer_is_read_up_to_the_limit() {
        let call = Call::new(["version"]).at_most(3);
        let output = Git::default().run(Path::new("/"), &call).expect("git is installed");
        assert_eq!((output.text(), output.truncated, output.succeeded()), ("git".to_owned(), true, true));
    }
}
