//! The one function that starts git: safe options, clean environment, counted, fed and read at the same time.
//! Knows nothing about worktrees or issues.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::call::Call;
use super::output::Output;
use super::{Error, Result};
use crate::redact::is_secret_name;

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
}

impl Default for Git {
    fn default() -> Self {
        Self { program: "git".into(), environment: Vec::new(), calls: Arc::default() }
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
        talk(child, call).map_err(|source| Error::Git {
            command: call.shown(),
            ending: "its output could not be read".into(),
            detail: source.to_string(),
        })
    }

    fn command(&self, dir: &Path, call: &Call) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(dir).args(["--no-pager", "--literal-pathspecs"]);
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

/// Feeds and reads at the same time: git may answer before it has read everything.
fn talk(mut child: Child, call: &Call) -> std::io::Result<Output> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (stdout, stderr) = thread::scope(|scope| {
        if let (Some(mut stdin), Some(input)) = (stdin, call.input.as_deref()) {
            // A git that ends early says why on stderr; the broken pipe adds nothing.
            scope.spawn(move || drop(stdin.write_all(input)));
        }
        let complaints = scope.spawn(move || read(stderr, None));
        let answer = read(stdout, call.limit.map(|limit| limit + 1));
        if call.limit.is_some_and(|limit| answer.as_ref().is_ok_and(|answer| answer.len() > limit)) {
            // It may have ended by itself meanwhile.
            let _ = child.kill();
        }
        (answer, complaints.join().expect("reading does not panic"))
    });
    let (mut stdout, stderr) = (stdout?, stderr?);
    let status = child.wait()?;
    let truncated = call.limit.is_some_and(|limit| stdout.len() > limit);
    stdout.truncate(call.limit.unwrap_or(usize::MAX));
    Ok(Output { status, stdout, truncated, stderr })
}

fn read(stream: Option<impl Read>, limit: Option<usize>) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.take(limit.map_or(u64::MAX, |limit| limit as u64)).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
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
