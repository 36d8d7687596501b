//! A command of the repository, run by us without a shell: tests, build, lint, types, format.
//! A tool that is missing is unavailable, never "tests failed", and never a pass.

use std::time::Duration;

use super::{Site, failure, result};
use crate::agent::split_words;
use crate::event::{CheckResult, CheckStatus};
use crate::process::Stop;
use crate::process::{self, Exit, Finish, Launch};

/// How much of a command's output is kept as evidence, in bytes.
const KEPT: usize = 4000;

pub(super) async fn examine(id: &str, key: &str, site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let Some(line) = site.commands.get(key).filter(|line| !line.trim().is_empty()) else {
        return result(id, CheckStatus::Skipped, &format!("no `[commands] {key}` is configured"));
    };
    let Some((program, arguments)) =
        split_words(line).ok().and_then(|words| Some((words.first()?.clone(), words[1..].to_vec())))
    else {
        return unavailable(id, line, "its quotes do not match");
    };
    let wall = Duration::from_secs(site.time.command_seconds);
    let arguments = arguments.into_iter().map(Into::into).collect();
    let launch =
        Launch { arguments, environment: environment(), ..Launch::new(program, site.worktree, wall) };
    let finish = process::run(&launch, &mut |_, _| {}, stop).await;
    judge(id, line, &finish, site)
}

/// Variables by which toolchains are found; none of them is a secret.
const TOOLCHAINS: [&str; 16] = [
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "JAVA_HOME",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "NVM_DIR",
    "NODE_PATH",
    "PNPM_HOME",
    "VIRTUAL_ENV",
    "PYENV_ROOT",
    "GEM_HOME",
    "DENO_DIR",
    "XDG_CACHE_HOME",
    "LD_LIBRARY_PATH",
];
const BASICS: [&str; 7] = ["PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR", "SHELL"];

/// A command of the repository gets what a toolchain needs, and nothing of ours.
pub fn environment() -> process::Environment {
    let wanted = |name: &str| BASICS.contains(&name) || TOOLCHAINS.contains(&name) || name.starts_with("LC_");
    std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(wanted)).collect()
}

fn judge(id: &str, line: &str, finish: &Finish, site: &Site<'_>) -> CheckResult {
    let judged = match &finish.exit {
        Exit::Code(0) => result(id, CheckStatus::Pass, &format!("`{line}` passed in {} ms", finish.millis)),
        Exit::Code(code @ (126 | 127)) => {
            unavailable(id, line, &format!("exit code {code}: not found or not executable"))
        }
        Exit::NotStarted(reason) => unavailable(id, line, reason),
        Exit::Stopped => unavailable(id, line, "stopped"),
        Exit::Code(code) => failed(id, line, &format!("exit code {code}")),
        Exit::Signal(signal) => failed(id, line, &format!("ended by signal {signal}")),
        Exit::TimedOut | Exit::Idle => failed(id, line, "did not end in time"),
        Exit::Lost => unavailable(id, line, "its end was not seen"),
    };
    let evidence = if judged.status == CheckStatus::Pass { String::new() } else { evidence(finish, site) };
    CheckResult { evidence, ..judged }
}

fn failed(id: &str, line: &str, why: &str) -> CheckResult {
    let pattern = if id == "tests" { "tests-failed" } else { "command-failed" };
    failure(
        id,
        pattern,
        &format!("`{line}` failed: {why}"),
        &[("command", line), ("code", &format!("{id}_failed"))],
    )
}

fn unavailable(id: &str, line: &str, why: &str) -> CheckResult {
    let failure =
        failure(id, "command-unavailable", &format!("`{line}` could not run: {why}"), &[("command", line)]);
    CheckResult { status: CheckStatus::Unavailable, ..failure }
}

fn evidence(finish: &Finish, site: &Site<'_>) -> String {
    let stdout = String::from_utf8_lossy(&finish.stdout);
    let both = format!("{}\n{}", tail(&stdout), tail(&finish.stderr_tail));
    site.masker.mask(both.trim()).as_str().to_owned()
}

fn tail(text: &str) -> &str {
    let from = text.len().saturating_sub(KEPT);
    let from = (from..text.len()).find(|index| text.is_char_boundary(*index)).unwrap_or(text.len());
    &text[from..]
}
