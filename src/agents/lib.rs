//! Calls agents: one supervised process per call, whatever the agent is. The end of a call is always an [`Answer`];
//! what its text means, and whether to believe it, is for others to judge.
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

pub mod acp;
mod claude;
mod codex;
mod dialect;
mod ending;
mod environment;
mod examine;
mod lines;
mod lookup;
mod meter;
mod names;
mod plain;
mod prices;
mod progress;
mod raw;
mod schema;
mod script;
pub mod scripted;
mod sign_in;
mod spec;
mod usage;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval};

use model::call::{Allowance, Resume};
use model::event::{ExecOutcome, Program, Usage};
use model::issue::IssueNumber;
use model::phase::{PhaseName, Step};
use model::policy::TimeLimits;
use model::redact::{Masked, Masker};
use process::{self, Launch, Stop, Stream};

pub use examine::{Examined, choose, examine};
pub use lookup::{Unusable, find, usable};
pub use script::BadScript;
pub use spec::{AgentSpec, BadSpec, Kind, parse_chain};

use dialect::{Dialect, Ear, Heard};
use lookup::Resolved;
use meter::Meter;
use progress::Progress;
use raw::RawFile;

/// How often somebody who watches is told the last line.
const BEAT: Duration = Duration::from_millis(200);

/// What `[agents.NAME]` says about an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// What the program speaks.
    pub kind: Kind,
    /// The program and its arguments; claude and codex are found by their names without it.
    pub command: Vec<String>,
    pub model: Option<String>,
    /// Another address of the provider's interface.
    pub base_url: Option<String>,
    /// The variable that holds the key; its value is handed to the program and to nobody else.
    pub api_key_env: Option<String>,
    /// How hard the model should think, in the program's own words.
    pub effort: Option<String>,
    /// How often a call may ask the model.
    pub max_turns: Option<u64>,
    /// Further commands that the author may run without being asked, in the program's own form.
    pub allow: Vec<String>,
    /// It cannot open files: earlier documents stand in its prompt.
    pub inlines: bool,
    pub env: BTreeMap<String, String>,
    pub step_seconds: Option<u64>,
    pub idle_seconds: Option<u64>,
    pub first_output_seconds: Option<u64>,
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
    /// The seat of the panel whose review it is.
    pub seat: Option<&'a str>,
    pub worktree: &'a Path,
    /// Gets what the agent prints, masked, as `{"stream", "text"}` lines.
    pub raw_file: &'a Path,
    pub time: &'a TimeLimits,
    pub masker: &'a Masker,
    /// The program that knows `__reaper`, `__scripted` and `__acp`: [`process::own_program`], except in tests.
    pub own_program: &'a Path,
    /// The session that is continued.
    pub resumes: Option<&'a Resume>,
    /// What the call may use at most.
    pub allowance: Allowance,
    /// The JSON Schema of the answer, for programs that can be held to one.
    pub schema: Option<&'a Value>,
    /// The commands of the repository, by id: an author may run them.
    pub commands: &'a BTreeMap<String, String>,
    /// A small file, and where it is copied to once nobody of the call is left.
    pub copy_after_end: Option<(&'a Path, &'a Path)>,
}

/// The end of a call.
#[derive(Debug, Clone, Default, PartialEq)]
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
    /// The text is an object that was held to the schema, by the program and again by us.
    pub structured: bool,
    /// A schema was asked for, the program can be held to one, and the text is not held to it.
    pub schema_missed: bool,
    pub session: Option<String>,
    pub program: Option<Program>,
    /// When a rate limit or a quota is said to end.
    pub resets_at: Option<Timestamp>,
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
    let mut answer = match prepare(spec, profiles, job) {
        Ok((launch, dialect)) => follow(&launch, dialect, job, on_line, stop).await,
        Err(reason) => not_started(reason),
    };
    answer.simulated = spec.is_simulated();
    let mask = |text: String| job.masker.mask(&text).to_string();
    answer.reason = answer.reason.map(mask);
    answer.notices = answer.notices.into_iter().map(mask).collect();
    answer
}

/// What is started, and how its output is understood.
type Prepared = (Launch, Box<dyn Dialect>);

/// Makes the launch of an agent, or says why there is none.
fn prepare(
    spec: &AgentSpec,
    profiles: &BTreeMap<String, Profile>,
    job: &Job<'_>,
) -> Result<Prepared, String> {
    let resolved = lookup::resolve(spec, profiles).map_err(|error| error.to_string())?;
    match resolved.kind {
        Kind::Command => Ok((launch(&resolved, &[], job), Box::new(plain::Plain))),
        Kind::Scripted => Ok((scripted_launch(resolved, job), Box::new(scripted::Scripted))),
        Kind::Claude => claude::prepare(resolved, job),
        Kind::Codex => codex::prepare(resolved, job),
        Kind::Acp => Ok(acp::prepare(resolved, job)),
    }
}

/// Our own program plays every script.
fn scripted_launch(script: Resolved, job: &Job<'_>) -> Launch {
    let file = script.program.clone().into_os_string();
    let arguments: [OsString; 4] =
        ["__scripted".into(), file, "--attempt".into(), job.attempt.to_string().into()];
    let player = Resolved { program: job.own_program.to_owned(), arguments: arguments.to_vec(), ..script };
    launch(&player, &[], job)
}

/// Makes the launch of a program as configured; `own` names the variables it signs in with.
fn launch(agent: &Resolved, own: &[&str], job: &Job<'_>) -> Launch {
    let (wall, idle, first_output) = job.time.of(job.step);
    let profile = &agent.profile;
    let mut wall = profile.step_seconds.unwrap_or(wall);
    if let Some(most) = job.allowance.seconds {
        wall = wall.min(most);
    }
    let seconds = |own: Option<u64>, common: u64| Some(Duration::from_secs(own.unwrap_or(common)));
    Launch {
        arguments: agent.arguments.clone(),
        environment: environment::of(std::env::vars_os(), own, &profile.env, job),
        stdin: Some(job.prompt_file.to_owned()),
        idle: seconds(profile.idle_seconds, idle),
        first_output: seconds(profile.first_output_seconds.or(profile.idle_seconds), first_output),
        copy_after_end: job.copy_after_end.map(|(from, to)| (from.to_owned(), to.to_owned())),
        own_program: job.own_program.to_owned(),
        ..Launch::new(agent.program.clone(), job.worktree, Duration::from_secs(wall))
    }
}

/// Runs the program, keeps what it prints, tells its last line, and hears what it says.
async fn follow(
    launch: &Launch,
    dialect: Box<dyn Dialect>,
    job: &Job<'_>,
    on_line: &mut dyn FnMut(&Masked),
    stop: &mut Stop,
) -> Answer {
    let ear = Ear { raw: RawFile::create(job.raw_file, job.masker), progress: Progress::new(job.masker) };
    let listener = RefCell::new((dialect, ear, Meter::new(job.allowance)));
    let (ours, mut ended) = Stop::new();
    let mut on_output = |stream: Stream, bytes: &[u8]| {
        let (dialect, ear, meter) = &mut *listener.borrow_mut();
        dialect.take(stream, bytes, ear);
        if meter.has_to_end(dialect.as_mut()) {
            ours.stop();
        }
    };
    let mut tell = || tell(&mut listener.borrow_mut().1, on_line);
    let mut beat = interval(BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut urgency = stop.urgency();
    ours.raise(urgency);
    let finish = {
        let mut running = std::pin::pin!(process::run(launch, &mut on_output, &mut ended));
        loop {
            tokio::select! {
                finish = &mut running => break finish,
                now = stop.beyond(urgency) => {
                    urgency = now;
                    ours.raise(now);
                }
                _ = beat.tick() => {
                    tell();
                    let (dialect, _, meter) = &mut *listener.borrow_mut();
                    if meter.has_to_end(dialect.as_mut()) || dialect.gives_up() {
                        ours.stop();
                    }
                }
            }
        }
    };
    let (dialect, mut ear, meter) = listener.into_inner();
    let millis = finish.millis;
    let mut heard = dialect.heard(launch, finish, &mut ear);
    if let (ExecOutcome::Cancelled, Some(reason)) = (heard.outcome, meter.into_reason()) {
        (heard.outcome, heard.reason) = (ExecOutcome::OverBudget, Some(reason));
    }
    crate::tell(&mut ear, on_line);
    ear.raw.finish();
    answer(heard, millis)
}

fn tell(ear: &mut Ear<'_>, on_line: &mut dyn FnMut(&Masked)) {
    ear.raw.flush();
    if let Some(line) = ear.progress.line() {
        on_line(&line);
    }
}

fn answer(heard: Heard, millis: u64) -> Answer {
    Answer {
        outcome: heard.outcome,
        reason: heard.reason,
        text: heard.text,
        usage: heard.usage,
        truncated: heard.truncated,
        millis,
        simulated: false,
        structured: heard.structured,
        schema_missed: heard.schema_missed,
        session: heard.session,
        program: heard.program,
        resets_at: heard.resets_at,
        notices: heard.notices,
    }
}

fn not_started(reason: String) -> Answer {
    Answer { outcome: ExecOutcome::NotStarted, reason: Some(reason), ..Answer::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands over a job of planning's first execute.
    pub(super) fn with_job<T>(ask: impl FnOnce(Job<'_>) -> T) -> T {
        let phase = "planning".parse().expect("a good name");
        let time =
            TimeLimits { step_seconds: 60, idle_seconds: 30, command_seconds: 60, ..TimeLimits::default() };
        let masker = Masker::default();
        ask(Job {
            copy_after_end: None,
            issue: 243.try_into().expect("a good number"),
            phase: &phase,
            step: Step::Execute,
            round: 1,
            attempt: 1,
            prompt_file: Path::new("prompt.md"),
            output: "planning.md",
            review_id: Some("r-1"),
            seat: None,
            worktree: Path::new("/"),
            raw_file: Path::new("raw.jsonl"),
            time: &time,
            masker: &masker,
            own_program: Path::new("/no/such/program"),
            resumes: None,
            allowance: Allowance::default(),
            schema: None,
            commands: &BTreeMap::new(),
        })
    }

    fn launched(spec: &str, profiles: &BTreeMap<String, Profile>) -> Result<Launch, String> {
        with_job(|job| prepare(&spec.parse().expect("a good name"), profiles, &job)).map(|(launch, _)| launch)
    }

    #[test]
    fn an_agent_of_the_protocol_gets_proxies_and_toolchains_but_no_key() {
        let key = "ANTHROPIC_API_KEY";
        let ours: Vec<_> = environment::of_program(&[])
            .into_iter()
            .filter(|name| std::env::var_os(name).is_some())
            .collect();
        // Cargo sets one of them for every test on Linux.
        assert!(!ours.is_empty() || !cfg!(target_os = "linux"));
        let launch = launched("acp:/bin/sh --acp", &BTreeMap::new()).expect("usable");
        for name in ours {
            assert_eq!(launch.environment.get(&OsString::from(name)), std::env::var_os(name).as_ref());
        }
        assert!(!launch.environment.contains_key(&OsString::from(key)));
    }

    #[test]
    fn a_profile_brings_its_arguments_and_its_limits() {
        let profile = Profile {
            command: vec!["/bin/sh".into(), "-c".into(), "true".into()],
            env: BTreeMap::from([("KEY".into(), "value".into())]),
            step_seconds: Some(7),
            ..Profile::default()
        };
        let launch = launched("mine", &BTreeMap::from([("mine".into(), profile)])).expect("usable");
        assert_eq!(launch.program, "/bin/sh");
        assert_eq!(launch.arguments, ["-c", "true"]);
        assert_eq!(launch.environment.get(&OsString::from("KEY")), Some(&"value".into()));
        assert_eq!((launch.wall.as_secs(), launch.idle), (7, Some(Duration::from_secs(30))));
    }
}
