//! The one place that starts git: safe options, a clean environment, a time limit, and a count of the processes.
//!
//! Writes to git and reads from it at the same time, because git may answer before it has read everything; ends it when
//! enough was read or it took too long. Knows nothing about repositories, and not what an answer means.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use model::redact::is_secret_name;

use crate::{Error, Result};

/// The first words of every call; by them a git that a killed run left behind is known as ours.
pub(crate) const STANDING_OPTIONS: [&str; 2] = ["--no-pager", "--literal-pathspecs"];

/// Given to every call: no hooks, no background work, no helper programs of the repository, plain names.
const SAFE_SETTINGS: &str = include_str!("data/safe_settings.txt");

/// Variables by which a caller of ours (a hook, an alias) could point git at other files.
const REDIRECTING_VARIABLES: &str = include_str!("data/redirecting_variables.txt");

/// The git program: its name, its environment on top of ours, its time limit, and how often it was started.
#[derive(Debug, Clone)]
pub struct Git {
    program: OsString,
    environment: Vec<(OsString, OsString)>,
    calls: Arc<AtomicUsize>,
    timeout: Duration,
}

/// The time limit of a call. No call of ours takes so long, but a pipe with the name `.gitignore` makes git wait for ever.
const TIMEOUT: Duration = Duration::from_secs(600);

impl Default for Git {
    fn default() -> Self {
        let environment = Vec::new();
        Self { program: "git".into(), environment, calls: Arc::default(), timeout: TIMEOUT }
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

    /// Returns the folder that a variable names. A relative path is none.
    pub(crate) fn folder_variable(&self, name: &str) -> Option<PathBuf> {
        let own = self.environment.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        own.or_else(|| std::env::var_os(name)).map(PathBuf::from).filter(|folder| folder.is_absolute())
    }

    /// Uses another program than `git` of the `PATH`.
    #[must_use]
    pub fn program(mut self, program: impl Into<OsString>) -> Self {
        self.program = program.into();
        self
    }

    /// Ends a call that takes longer than this.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Returns how many processes were started.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// Starts git in a folder and waits for its end.
    pub(crate) fn run(&self, dir: &Path, call: &Call) -> Result<GitOutput> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        tracing::debug!(command = call.command_line(), "git");
        let mut command = self.command(dir, call);
        let child = command.spawn().map_err(|source| self.start_error(dir, source))?;
        let timeout = call.timeout.unwrap_or(self.timeout).min(self.timeout);
        let output = feed_and_read(child, call, timeout).map_err(|source| Error::Git {
            command: call.command_line(),
            ending: "its output could not be read".into(),
            detail: source.to_string(),
        })?;
        if output.timed_out {
            return Err(Error::TooSlow { command: output.command, seconds: timeout.as_secs() });
        }
        Ok(output)
    }

    fn command(&self, dir: &Path, call: &Call) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(dir).args(STANDING_OPTIONS);
        if call.read_only {
            command.arg("--no-optional-locks");
        }
        for option in SAFE_SETTINGS.lines() {
            command.args(["-c", option]);
        }
        // A push to a folder is what the user asked for; nothing else has a reason to fetch from one.
        command.args([
            "-c",
            if call.network { "protocol.file.allow=user" } else { "protocol.file.allow=never" },
        ]);
        command.args(&call.options).args(&call.arguments);
        self.set_environment(&mut command, call);
        let input = if call.input.is_some() { Stdio::piped() } else { Stdio::null() };
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        if !call.asks_person {
            // Ctrl-C at the terminal goes to our process alone, so that git ends its work.
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        command
    }

    fn set_environment(&self, command: &mut Command, call: &Call) {
        for name in REDIRECTING_VARIABLES.lines() {
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

    fn start_error(&self, dir: &Path, source: std::io::Error) -> Error {
        if source.kind() == ErrorKind::NotFound && dir.is_dir() {
            return Error::NoGit { program: self.program.to_string_lossy().into_owned() };
        }
        Error::File { path: dir.to_owned(), source }
    }
}

fn is_secret(name: &OsStr) -> bool {
    name.to_str().is_some_and(is_secret_name)
}

/// Writes the input of a git, reads its output, and waits for its end.
fn feed_and_read(mut child: Child, call: &Call, timeout: Duration) -> io::Result<GitOutput> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (id, alone) = (child.id(), !call.asks_person);
    let (stdout, stderr, timed_out) = thread::scope(|scope| {
        if let (Some(mut stdin), Some(input)) = (stdin, call.input.as_deref()) {
            // A git that ends early says why on stderr; the broken pipe adds nothing.
            scope.spawn(move || drop(stdin.write_all(input)));
        }
        let (ended, end) = mpsc::channel::<()>();
        let watch = scope.spawn(move || {
            let timed_out = end.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout);
            if timed_out {
                kill(id, alone);
            }
            timed_out
        });
        let errors = scope.spawn(move || read(stderr, None));
        let answer = read(stdout, call.limit.map(|limit| limit + 1));
        if is_longer_than(&answer, call.limit) {
            kill(id, alone);
        }
        let errors = errors.join().expect("reading does not panic");
        drop(ended);
        (answer, errors, watch.join().expect("waiting does not panic"))
    });
    // Only now: until it is waited for, no other process gets its id.
    let status = child.wait()?;
    let truncated = is_longer_than(&stdout, call.limit);
    let (mut stdout, stderr) = (stdout?, stderr?);
    stdout.truncate(call.limit.unwrap_or(usize::MAX));
    Ok(GitOutput { command: call.command_line(), status, stdout, truncated, timed_out, stderr })
}

fn is_longer_than(answer: &io::Result<Vec<u8>>, limit: Option<usize>) -> bool {
    limit.is_some_and(|limit| answer.as_ref().is_ok_and(|answer| answer.len() > limit))
}

fn read(stream: Option<impl Read>, limit: Option<usize>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.take(limit.map_or(u64::MAX, |limit| limit as u64)).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Kills a git, with everything it started when it is alone in its process group. It may have ended by itself meanwhile.
fn kill(id: u32, alone: bool) {
    use rustix::process::{Pid, Signal, kill_process, kill_process_group};
    let Some(id) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return };
    let _ = if alone { kill_process_group(id, Signal::KILL) } else { kill_process(id, Signal::KILL) };
}

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
    /// Git may ask the person at the terminal.
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
    pub(crate) fn arg(self, argument: impl Into<OsString>) -> Self {
        self.args([argument])
    }

    /// Adds arguments.
    pub(crate) fn args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets a configuration value for this call.
    pub(crate) fn setting(self, setting: &str) -> Self {
        self.options(["-c", setting])
    }

    /// Adds options of git itself.
    pub(crate) fn options<A: Into<OsString>>(mut self, options: impl IntoIterator<Item = A>) -> Self {
        self.options.extend(options.into_iter().map(Into::into));
        self
    }

    /// Works on another index than the worktree's. Such an index is a plain one, whatever the user prefers for the own.
    pub(crate) fn on_index(mut self, index: &Path) -> Self {
        self.index = Some(index.to_owned());
        self.setting("core.splitIndex=false")
            .setting("core.untrackedCache=false")
            .setting("index.sparse=false")
    }

    /// Sets the standard input.
    pub(crate) fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = Some(input.into());
        self
    }

    /// Sets the standard input to paths, each ended by NUL.
    pub(crate) fn stdin_paths<'a>(self, paths: impl IntoIterator<Item = &'a str>) -> Self {
        let input: String = paths.into_iter().map(|path| format!("{path}\0")).collect();
        self.stdin(input)
    }

    /// Takes no lock that is not needed for the answer.
    pub(crate) fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Lets git connect to a remote, with the user's credentials.
    pub(crate) fn over_network(mut self) -> Self {
        self.network = true;
        self.allow_prompt()
    }

    /// Sets a shorter time limit. Such a call may not ask a person, so that it can be killed with every process it started.
    pub(crate) fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self.asks_person = false;
        self
    }

    /// Lets git ask the person at the terminal, for example for a passphrase; therefore Ctrl-C reaches it.
    pub(crate) fn allow_prompt(mut self) -> Self {
        self.asks_person = true;
        self
    }

    /// Reads no settings of the user or the system, which an agent could write too.
    pub(crate) fn without_user_settings(mut self) -> Self {
        self.without_user_settings = true;
        self
    }

    /// Takes its paths as patterns; in all other calls a path is a path.
    pub(crate) fn with_patterns(self) -> Self {
        self.options(["--no-literal-pathspecs"])
    }

    /// Reads so many bytes of the answer and no more.
    pub(crate) fn with_limit(mut self, bytes: usize) -> Self {
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
pub(crate) struct GitOutput {
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

impl GitOutput {
    /// Tells whether git succeeded, or was killed by us because we had read enough.
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
        T::try_from(self.text().trim()).map_err(|_| self.unexpected_answer())
    }

    /// Returns the paths of an answer in which each is ended by NUL.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.text().split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect()
    }

    /// Returns the standard error as text.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Returns the last lines of the standard error, in one line.
    pub(crate) fn error_lines(&self) -> String {
        let errors = self.stderr();
        let lines: Vec<&str> = errors.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(4)..];
        if last.is_empty() { "it said nothing".into() } else { last.join("; ") }
    }

    /// Makes an error of a call that failed.
    pub(crate) fn failure(&self) -> Error {
        let command = self.command.clone();
        if let Some(path) = parse_held_lock(&self.stderr()) {
            return Error::Locked { path };
        }
        if self.stderr().contains("No space left on device") {
            return Error::DiskFull { command };
        }
        let detail = self.error_lines();
        if is_about_index(&detail) {
            return Error::DamagedIndex { detail };
        }
        if is_about_signature(&detail) {
            return Error::NotSigned { detail };
        }
        if detail.contains("bad config line") {
            return Error::DamagedConfig { detail, kept: None };
        }
        if detail.contains("/packed-refs") {
            return Error::DamagedReferences { detail };
        }
        if detail.contains(") is corrupt") || detail.contains("object corrupt or missing") {
            return Error::DamagedObjects { detail };
        }
        let ending = match self.status.code() {
            Some(code) => format!("exit {code}"),
            None => "killed by a signal".into(),
        };
        Error::Git { command, ending, detail }
    }

    /// Makes an error of an answer that has another form than expected.
    pub(crate) fn unexpected_answer(&self) -> Error {
        let detail = self.text().escape_debug().take(200).collect();
        Error::Unexpected { command: self.command.clone(), detail }
    }
}

/// Tells whether git says that an index is damaged.
fn is_about_index(errors: &str) -> bool {
    [
        "index file smaller than expected",
        "index file corrupt",
        "index file open failed",
        "bad signature 0x",
        "bad index version",
        "bad index file sha",
    ]
    .iter()
    .any(|words| errors.contains(words))
}

/// Tells whether git says that it could not sign a commit; ssh has similar words about a connection.
fn is_about_signature(errors: &str) -> bool {
    let is_about_key = ["signing failed", "load public key"].iter().any(|words| errors.contains(words));
    errors.contains("failed to sign the data")
        || errors.contains("user.signingkey")
        || (is_about_key && errors.contains("failed to write commit object"))
}

/// Returns the lock that another git holds.
fn parse_held_lock(errors: &str) -> Option<String> {
    let line = errors.lines().find(|line| line.contains(".lock': File exists"))?;
    let end = line.find("': File exists")?;
    let start = line[..end].rfind('\'')? + 1;
    Some(line[start..end].to_owned())
}

#[cfg(test)]
mod tests;
