//! Another repository that this one knows by a name: what is fetched from it, what is pushed to it, and its address.
//! A fetch overwrites no local branch; commits on the remote are replaced only where the caller names them.
//!
//! A failed call is made again where the server or the connection failed; what was refused is not. A push whose answer was
//! lost may have arrived: git asks the remote for the tips of its branches first, and then sends nothing.

use std::thread;
use std::time::Duration;

use crate::branch::Branches;
use crate::branch_name::check_branch_name;
use crate::program::{Call, GitOutput};
use crate::workspace::Workspace;
use crate::{CommitId, Error, Result};

/// A token for one server, by the name of its variable: its value is on no command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Scheme and host, such as `https://github.com`.
    pub server: String,
    /// The name of the environment variable that holds the token.
    pub variable: &'static str,
}

impl Credentials {
    /// Returns the setting of git that offers the token to that server, after the helpers a person has set up.
    fn setting(&self) -> String {
        let Self { server, variable } = self;
        let say = format!("printf 'username=x-access-token\\npassword=%s\\n' \"${variable}\"");
        format!("credential.{server}.helper=!f() {{ test \"$1\" = get && {say}; }}; f")
    }
}

/// How long a remote may take to say which branch is its default.
const DEFAULT_BRANCH_TIMEOUT: Duration = Duration::from_secs(5);

/// The pauses between the tries of one call, in seconds, as between calls of GitHub's interface.
const PAUSES: [u64; 4] = [1, 2, 4, 8];

/// What git, curl and ssh print about a connection that failed. It is English, because every call has `LC_ALL=C`.
const LOST_CONNECTION: &str = include_str!("data/lost_connection.txt");

/// A remote of a repository, such as `origin`.
#[derive(Debug, Clone, Copy)]
pub struct Remote<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) name: &'a str,
    pub(crate) credentials: Option<&'a Credentials>,
}

impl Remote<'_> {
    /// Returns the remote's address without user and password, when there is one.
    pub fn address(&self) -> Result<Option<String>> {
        let output = self.workspace.try_ask(["remote", "get-url", self.name])?;
        Ok(if output.succeeded() { Some(strip_userinfo(&output.line())) } else { None })
    }

    /// Returns the host of its address, when it has one.
    pub fn host(&self) -> Result<Option<String>> {
        Ok(self.address()?.as_deref().and_then(parse_host))
    }

    /// Returns `owner/name` when its address says so, else the name of the worktree's folder.
    pub fn repository_name(&self) -> Result<String> {
        if let Some(name) = self.address()?.as_deref().and_then(parse_repository) {
            return Ok(name);
        }
        Ok(self.workspace.root().file_name().unwrap_or_default().to_string_lossy().into_owned())
    }

    /// Asks for the name of the default branch, for five seconds at most; nothing when the remote names none.
    pub fn default_branch(&self) -> Result<Option<String>> {
        let call = self.call(&["ls-remote", "--symref"])?.args(["--", self.name, "HEAD"]);
        let text = self.workspace.run(&call.with_timeout(DEFAULT_BRANCH_TIMEOUT))?.text();
        let name =
            text.lines().find_map(|line| line.strip_prefix("ref: refs/heads/")?.strip_suffix("\tHEAD"));
        Ok(name.map(str::to_owned))
    }

    /// Fetches one branch, and nothing else; returns its tip, or nothing when the remote has no such branch.
    pub fn fetch(&self, branch: &str) -> Result<Option<CommitId>> {
        check_branch_name(self.name)?;
        check_branch_name(branch)?;
        let tracking = format!("refs/remotes/{}/{branch}", self.name);
        if !self.fetch_reference(&format!("+refs/heads/{branch}:{tracking}"))? {
            return Ok(None);
        }
        let found = Branches { workspace: self.workspace }.list(&[&tracking])?;
        Ok(found.into_iter().find(|found| found.reference == tracking).map(|found| found.tip))
    }

    /// Fetches one reference; tells whether the remote has it. A transient failure is tried again.
    pub(crate) fn fetch_reference(&self, refspec: &str) -> Result<bool> {
        retry(|| self.fetch_once(refspec))
    }

    fn fetch_once(&self, refspec: &str) -> Result<bool> {
        let call = self.call(&["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--refmap="])?;
        let call = call.args(["--", self.name, refspec]);
        let output = self.workspace.try_run(&call)?;
        let is_missing = output.stderr().contains("couldn't find remote ref");
        if output.succeeded() || is_missing { Ok(output.succeeded()) } else { Err(remote_failure(&output)) }
    }

    /// Pushes a branch under its own name, which only adds. With a pair of commits it puts the second in the place of
    /// exactly the first instead, wherever the branch is here; a remote that has the second already is content.
    /// The call lasts as long as the network takes, and is made once: a caller may make it again, see `RetryCounter`.
    pub fn push(&self, branch: &str, replaced: Option<(&CommitId, &CommitId)>) -> Result<()> {
        let mut call = self.call(&["push", "--porcelain", "--no-verify", "--no-follow-tags"])?;
        check_branch_name(branch)?;
        let reference = format!("refs/heads/{branch}");
        let mut source = reference.clone();
        if let Some((before, after)) = replaced {
            call = call.arg(format!("--force-with-lease={reference}:{before}"));
            source = after.to_string();
        }
        let call = call.args(["--", self.name, &format!("{source}:{reference}")]);
        let output = self.workspace.try_run(&call)?;
        if output.succeeded() {
            return Ok(());
        }
        let pushed = match replaced {
            Some((_, after)) => Some(after.clone()),
            None => Branches { workspace: self.workspace }.find(branch)?.map(|found| found.tip),
        };
        if pushed.is_some() && self.has_arrived(&output, &reference, pushed.as_ref()) {
            return Ok(());
        }
        Err(push_failure(self.name, branch, &output))
    }

    /// Sets a full reference of the remote to a commit, whatever it was before, or deletes it.
    pub(crate) fn push_reference(&self, reference: &str, commit: Option<&CommitId>) -> Result<()> {
        let refspec = match commit {
            Some(commit) => format!("+{commit}:{reference}"),
            None => format!(":{reference}"),
        };
        let call = self.call(&["push", "--quiet", "--no-verify", "--no-follow-tags"])?;
        let call = call.args(["--", self.name, &refspec]);
        let output = self.workspace.try_run(&call)?;
        if output.succeeded() || self.has_arrived(&output, reference, commit) {
            return Ok(());
        }
        Err(remote_failure(&output))
    }

    /// Tells whether the remote has what a failed push was to put there: curl sends a push again by itself when the
    /// connection broke after the first one had arrived, and what the server answers then is a refusal.
    fn has_arrived(&self, failed: &GitOutput, reference: &str, pushed: Option<&CommitId>) -> bool {
        if was_unreachable(failed) {
            return false;
        }
        let asked = self.call(&["ls-remote", "--quiet", "--", self.name, reference]);
        let Ok(output) = asked.and_then(|call| self.workspace.try_run(&call)) else { return false };
        let text = output.text();
        let tip = text.lines().find_map(|line| line.strip_suffix(reference)).map(str::trim);
        output.succeeded() && tip == pushed.map(CommitId::as_str)
    }

    /// Returns a call to the remote, with the credentials that there are.
    fn call(&self, arguments: &[&str]) -> Result<Call> {
        check_branch_name(self.name)?;
        let call = Call::new(arguments).over_network();
        Ok(match self.credentials {
            Some(credentials) => call.setting(&credentials.setting()),
            None => call,
        })
    }
}

fn push_failure(remote: &str, branch: &str, output: &GitOutput) -> Error {
    let (remote, branch, detail) = (remote.to_owned(), branch.to_owned(), output.error_lines());
    let moved = ["non-fast-forward", "fetch first", "stale info"];
    if was_unreachable(output) {
        return Error::Unreachable { action: format!("the push of `{branch}` to `{remote}`"), detail };
    }
    let answer = output.text() + &output.stderr();
    if moved.iter().any(|words| answer.contains(words)) {
        return Error::RemoteMoved { branch, remote, detail };
    }
    Error::PushFailed { branch, remote, detail }
}

/// Counts the tries of one call.
#[derive(Debug, Default)]
pub struct RetryCounter {
    failed: usize,
}

impl RetryCounter {
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
    let (mut retry, mut result) = (RetryCounter::default(), call());
    while let Err(error) = &result
        && let Some(pause) = retry.pause(error)
    {
        thread::sleep(pause);
        result = call();
    }
    result
}

/// Makes an error of a call to a remote that failed.
fn remote_failure(output: &GitOutput) -> Error {
    if was_unreachable(output) {
        return Error::Unreachable { action: format!("`{}`", output.command), detail: output.error_lines() };
    }
    output.failure()
}

/// Tells whether the server or the connection to it failed, and nothing was refused.
fn was_unreachable(output: &GitOutput) -> bool {
    // A git that a signal ended was stopped by a person.
    output.status.code().is_some() && is_transient(&output.text(), &output.stderr())
}

/// Tells from git's output whether the failure is transient. The status of HTTP decides where there is one; what the
/// remote's own programs print does not count.
fn is_transient(stdout: &str, stderr: &str) -> bool {
    let all = || stdout.lines().chain(stderr.lines()).filter(|line| !line.starts_with("remote:"));
    if let Some(status) = all().find_map(parse_http_status) {
        return matches!(status, 408 | 429 | 500..=599);
    }
    // `!` and the reason: why a branch was not pushed, by the documentation of `git push`.
    let mut branches = all().filter(|line| line.trim_start().starts_with('!')).peekable();
    if branches.peek().is_some() {
        return branches
            .all(|line| line.contains("[remote failure]") || line.ends_with("(Internal Server Error)"));
    }
    all().any(|line| LOST_CONNECTION.lines().any(|words| line.contains(words)))
}

/// Reads the status in `The requested URL returned error: 500`.
fn parse_http_status(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("The requested URL returned error: ")?;
    rest.get(..3)?.parse().ok()
}

/// `https://user:password@host/path` becomes `https://host/path`; other forms carry no password.
fn strip_userinfo(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// Returns the parts before and after the first slash, or colon, of `https://host/path` and `git@host:path`; a local
/// path has neither.
fn split_host_and_path(address: &str) -> Option<(&str, &str)> {
    match address.split_once("://") {
        Some(("file", _)) => None,
        Some((_, rest)) => Some(rest.split_once('/').unwrap_or((rest, ""))),
        None => address.split_once(':').filter(|(host, _)| !host.contains('/')),
    }
}

/// Reads the host, with its port, from `https://host/…`, `ssh://git@host:22/…` and `git@host:…`; a local path has none.
fn parse_host(address: &str) -> Option<String> {
    let (authority, _) = split_host_and_path(address)?;
    let host = authority.rsplit('@').next()?;
    let host = if address.starts_with("http") { host } else { host.split(':').next()? };
    if host.is_empty() { None } else { Some(host.to_owned()) }
}

/// Reads `owner/name` from `https://host/owner/name.git` and `git@host:owner/name.git`; a local path has no owner.
fn parse_repository(address: &str) -> Option<String> {
    let (_, path) = split_host_and_path(address)?;
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let is_plain =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let (owner, name) = path.split_once('/')?;
    if is_plain(owner) && is_plain(name) { Some(path.to_owned()) } else { None }
}

#[cfg(test)]
mod tests;
