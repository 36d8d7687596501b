//! Calls agents: one supervised process per call, whatever the agent is. The end of a call is always an [`Answer`];
//! what its text means, and whether to believe it, is for others to judge.

mod abandoned;
mod control;
mod deadlines;
mod environment;
mod family;
mod kept;
mod lookup;
pub mod process;
mod progress;
mod raw;
pub mod reaper;
mod script;
pub mod scripted;
mod spec;
mod stop;
mod supervised;
mod usage;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::string::FromUtf8Error;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::event::{ExecOutcome, Usage};
use crate::issue::IssueNumber;
use crate::phase::{PhaseName, Step};
use crate::policy::TimeLimits;
use crate::redact::{Masked, Masker};

pub use lookup::{Unusable, find, usable};
pub use script::{BadScript, split_words};
pub use spec::{AgentSpec, BadSpec, parse_chain};
pub use stop::{Stop, StopHandle, Urgency};

use process::{Exit, Finish, Launch, Stream};
use progress::Progress;
use raw::RawFile;
use scripted::Said;

/// How often somebody who watches is told the last line.
const BEAT: Duration = Duration::from_millis(200);
/// How many characters of the last lines on standard error become part of a reason.
const REASON: usize = 500;

/// A program with arguments, from `[agents.NAME]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// The program and its arguments.
    pub command: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub step_seconds: Option<u64>,
    pub idle_seconds: Option<u64>,
}

/// One call.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    pub issue: IssueNumber,
    pub phase: &'a PhaseName,
    pub step: Step,
    pub round: u32,
    pub attempt: u32,
    /// Becomes the agent's standard input.
    pub prompt_file: &'a Path,
    /// The phase's deliverable, relative to the worktree.
    pub output: &'a str,
    pub review_id: Option<&'a str>,
    pub worktree: &'a Path,
    /// Gets what the agent prints, masked, as `{"stream", "text"}` lines.
    pub raw_file: &'a Path,
    pub time: &'a TimeLimits,
    pub masker: &'a Masker,
    /// The program that knows `__reaper` and `__scripted`: [`process::own_program`], except in tests.
    pub own_program: &'a Path,
}

/// The end of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub outcome: ExecOutcome,
    /// Why it did not end well, for people.
    pub reason: Option<String>,
    /// What the agent said; void unless `outcome` has ended.
    pub text: String,
    pub usage: Usage,
    pub truncated: bool,
    pub millis: u64,
    pub simulated: bool,
    /// Worth telling, and nothing depends on it.
    pub notices: Vec<String>,
}

/// Calls an agent and waits for its end. Never fails: every failure is an outcome with a reason.
pub async fn call(
    spec: &AgentSpec,
    profiles: &BTreeMap<String, Profile>,
    job: &Job<'_>,
    on_line: &mut dyn FnMut(&Masked),
    stop: &mut Stop,
) -> Answer {
    let mut answer = match launch(spec, profiles, job) {
        Ok(launch) => {
            let shown = Shown::of(spec);
            let mut finish = follow(&launch, job, shown, on_line, stop).await;
            let said = said(shown, std::mem::take(&mut finish.stdout));
            answer(&launch, &finish, said)
        }
        Err(reason) => not_started(reason),
    };
    answer.simulated = spec.is_simulated();
    answer.reason = answer.reason.map(|reason| job.masker.mask(&reason).to_string());
    answer
}

/// Makes the launch of an agent, or says why there is none.
fn launch(spec: &AgentSpec, profiles: &BTreeMap<String, Profile>, job: &Job<'_>) -> Result<Launch, String> {
    let told = |error: Unusable| error.to_string();
    let (program, arguments) = match spec {
        AgentSpec::Command { path } => (lookup::find(path.as_os_str()).map_err(told)?, Vec::new()),
        AgentSpec::Scripted { file } => {
            let file = std::path::absolute(file).map_err(|error| error.to_string())?;
            let attempt = job.attempt.to_string();
            let arguments = ["__scripted".into(), file.into(), "--attempt".into(), attempt.into()];
            (job.own_program.to_owned(), arguments.to_vec())
        }
        AgentSpec::Profile { name } => {
            let (program, arguments) = lookup::program_of(name, profiles).map_err(told)?;
            let program = lookup::find(program.as_ref()).map_err(told)?;
            (program, arguments.iter().map(OsString::from).collect())
        }
        AgentSpec::Claude { .. } | AgentSpec::Codex { .. } | AgentSpec::Acp { .. } | AgentSpec::Auto => {
            return Err(format!("the agent `{spec}` is not built in yet: use command:PATH or a profile"));
        }
    };
    let profile = match spec {
        AgentSpec::Profile { name } => profiles.get(name).cloned().unwrap_or_default(),
        _ => Profile::default(),
    };
    Ok(with_limits(program.into(), arguments, &profile, job))
}

fn with_limits(program: OsString, arguments: Vec<OsString>, profile: &Profile, job: &Job<'_>) -> Launch {
    let wall = Duration::from_secs(profile.step_seconds.unwrap_or(job.time.step_seconds));
    let idle = Duration::from_secs(profile.idle_seconds.unwrap_or(job.time.idle_seconds));
    Launch {
        arguments,
        environment: environment::of(std::env::vars_os(), &profile.env, job),
        stdin: Some(job.prompt_file.to_owned()),
        idle: Some(idle),
        own_program: job.own_program.to_owned(),
        ..Launch::new(program, job.worktree, wall)
    }
}

/// Which outputs are for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Both,
    /// Standard output is a message between two halves of our own.
    Stderr,
}

impl Shown {
    fn of(spec: &AgentSpec) -> Self {
        if matches!(spec, AgentSpec::Scripted { .. }) { Self::Stderr } else { Self::Both }
    }
}

/// Runs the program, keeps what it prints and tells its last line.
async fn follow(
    launch: &Launch,
    job: &Job<'_>,
    shown: Shown,
    on_line: &mut dyn FnMut(&Masked),
    stop: &mut Stop,
) -> Finish {
    let listener = RefCell::new((RawFile::create(job.raw_file, job.masker), Progress::new(job.masker)));
    let mut on_output = |stream: Stream, bytes: &[u8]| {
        if shown == Shown::Both || stream == Stream::Stderr {
            let (raw, progress) = &mut *listener.borrow_mut();
            raw.take(stream, bytes);
            progress.take(bytes);
        }
    };
    let mut tell = || {
        let (raw, progress) = &mut *listener.borrow_mut();
        raw.flush();
        if let Some(line) = progress.line() {
            on_line(&line);
        }
    };
    let mut beat = interval(BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let finish = {
        let mut running = std::pin::pin!(process::run(launch, &mut on_output, stop));
        loop {
            tokio::select! {
                finish = &mut running => break finish,
                _ = beat.tick() => tell(),
            }
        }
    };
    if shown == Shown::Stderr
        && let Some(said) = scripted::decode(&finish.stdout)
    {
        let (raw, progress) = &mut *listener.borrow_mut();
        raw.take(Stream::Stdout, said.text.as_bytes());
        progress.take(format!("{}\n", said.text).as_bytes());
    }
    tell();
    listener.into_inner().0.finish();
    finish
}

/// Reads what was said: the text itself, or the object that `scripted` writes.
fn said(shown: Shown, stdout: Vec<u8>) -> Said {
    match shown {
        Shown::Both => {
            let lossy = |error: FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into_owned();
            Said { text: String::from_utf8(stdout).unwrap_or_else(lossy), ..Said::default() }
        }
        Shown::Stderr => scripted::decode(&stdout).unwrap_or_default(),
    }
}

fn answer(launch: &Launch, finish: &Finish, said: Said) -> Answer {
    Answer {
        outcome: outcome(&finish.exit, &said.text),
        reason: reason(launch, finish, &said.text),
        text: said.text,
        usage: said.usage,
        truncated: finish.stdout_truncated,
        millis: finish.millis,
        simulated: false,
        notices: said.notices,
    }
}

fn not_started(reason: String) -> Answer {
    Answer {
        outcome: ExecOutcome::NotStarted,
        reason: Some(reason),
        text: String::new(),
        usage: Usage::default(),
        truncated: false,
        millis: 0,
        simulated: false,
        notices: Vec::new(),
    }
}

fn outcome(exit: &Exit, text: &str) -> ExecOutcome {
    match exit {
        Exit::Code(0) if text.trim().is_empty() => ExecOutcome::NoOutput,
        Exit::Code(0) => ExecOutcome::Done,
        Exit::Code(_) | Exit::Signal(_) | Exit::Lost => ExecOutcome::Crashed,
        Exit::TimedOut => ExecOutcome::TimedOut,
        Exit::Idle => ExecOutcome::Idle,
        Exit::Stopped => ExecOutcome::Cancelled,
        Exit::NotStarted(_) => ExecOutcome::NotStarted,
    }
}

/// Says for people why a call did not end well.
fn reason(launch: &Launch, finish: &Finish, text: &str) -> Option<String> {
    Some(match &finish.exit {
        Exit::Code(0) if text.trim().is_empty() => "the agent ended without a word".to_owned(),
        Exit::Code(0) => return None,
        Exit::TimedOut => format!("the agent ran longer than {} s", launch.wall.as_secs()),
        Exit::Idle => format!("the agent was silent for {} s", launch.idle.unwrap_or_default().as_secs()),
        exit => format!("the agent {exit}{}", last_words(&finish.stderr_tail)),
    })
}

/// Returns the last lines of standard error, led in by a colon; nothing when there are none.
fn last_words(stderr: &str) -> String {
    let lines: Vec<_> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let words = lines[lines.len().saturating_sub(3)..].join(" / ");
    let skipped = words.chars().count().saturating_sub(REASON);
    let words: String = words.chars().skip(skipped).filter(|c| !c.is_control()).collect();
    if words.is_empty() { words } else { format!(": {words}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands over a job of planning's first execute.
    pub(super) fn with_job<T>(ask: impl FnOnce(Job<'_>) -> T) -> T {
        let phase = "planning".parse().expect("a good name");
        let time = TimeLimits { step_seconds: 60, idle_seconds: 30, command_seconds: 60 };
        let masker = Masker::default();
        ask(Job {
            issue: 243.try_into().expect("a good number"),
            phase: &phase,
            step: Step::Execute,
            round: 1,
            attempt: 1,
            prompt_file: Path::new("prompt.md"),
            output: "planning.md",
            review_id: Some("r-1"),
            worktree: Path::new("/"),
            raw_file: Path::new("raw.jsonl"),
            time: &time,
            masker: &masker,
            own_program: Path::new("/no/such/program"),
        })
    }

    fn launched(spec: &str, profiles: &BTreeMap<String, Profile>) -> Result<Launch, String> {
        with_job(|job| launch(&spec.parse().expect("a good name"), profiles, &job))
    }

    #[test]
    fn a_profile_brings_its_arguments_and_its_limits() {
        let profile = Profile {
            command: vec!["/bin/sh".into(), "-c".into(), "true".into()],
            env: BTreeMap::from([("KEY".into(), "value".into())]),
            step_seconds: Some(7),
            idle_seconds: None,
        };
        let launch = launched("mine", &BTreeMap::from([("mine".into(), profile)])).expect("usable");
        assert_eq!(launch.program, "/bin/sh");
        assert_eq!(launch.arguments, ["-c", "true"]);
        assert_eq!(launch.environment.get(&OsString::from("KEY")), Some(&"value".into()));
        assert_eq!((launch.wall.as_secs(), launch.idle), (7, Some(Duration::from_secs(30))));
    }

    #[test]
    fn an_agent_that_is_not_built_in_yet_says_so() {
        for spec in ["claude:opus", "codex", "acp:gemini", "auto"] {
            let reason = launched(spec, &BTreeMap::new()).expect_err(spec);
            assert_eq!(
                reason,
                format!("the agent `{spec}` is not built in yet: use command:PATH or a profile")
            );
        }
    }

    #[test]
    fn the_last_lines_of_standard_error_become_part_of_the_reason() {
        assert_eq!(last_words("a\n\n b\x1b\nc\nd\n"), ": b / c / d");
        assert_eq!(last_words(" \n"), "");
        assert_eq!(last_words(&"x".repeat(900)).len(), REASON + 2);
    }
}
