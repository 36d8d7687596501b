//! Agents as real processes: what they get, how they may end, and that nobody is left behind.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests touch the world and say loudly what they skip"
)]

mod acp;
mod command_lines;
mod real;
mod recorded;
#[path = "../support/mod.rs"]
mod support;
mod usage_limits;
mod version_and_sign_in;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use agents::{AgentAnswer, AgentCall, AgentSpec, call, ensure_usable};
use model::call::{CallBudget, ResumableSession};
use model::event::{CostBasis, ExecOutcome, Usage};
use model::phase::{PhaseName, Step};
use model::policy::TimeLimits;
use model::redact::Masker;
use process::Stop;
use process::{self, Launch, ProgramEnd, ProgramExit, Stream};
use settings::{AgentKeys, AgentKind};

const OWN_PROGRAM: &str = env!("CARGO_BIN_EXE_ai-workflow");

/// A worktree, a prompt and what is asked in one call.
struct Scene {
    folder: tempfile::TempDir,
    phase: PhaseName,
    step: Step,
    round: u32,
    attempt: u32,
    review_id: Option<&'static str>,
    time: TimeLimits,
    masker: Masker,
    profiles: BTreeMap<String, AgentKeys>,
    schema: Option<serde_json::Value>,
    resumes: Option<ResumableSession>,
    allowance: CallBudget,
    commands: BTreeMap<String, String>,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("worktree")).expect("a worktree");
        fs::write(folder.path().join("prompt.md"), "please plan\n").expect("a prompt");
        Self {
            folder,
            phase: "planning".parse().expect("a good name"),
            step: Step::Execute,
            round: 1,
            attempt: 1,
            review_id: None,
            time: TimeLimits {
                step_seconds: 60,
                idle_seconds: 60,
                command_seconds: 60,
                ..TimeLimits::default()
            },
            masker: Masker::default(),
            profiles: BTreeMap::new(),
            schema: None,
            resumes: None,
            allowance: CallBudget::default(),
            commands: BTreeMap::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn worktree(&self) -> PathBuf {
        self.path("worktree")
    }

    /// Writes an executable shell script beside the worktree and returns the agent that it is.
    fn shell(&self, script: &str) -> AgentSpec {
        self.executable(&format!("#!/bin/sh\n{script}\n"))
    }

    fn executable(&self, text: &str) -> AgentSpec {
        let path = self.path("agent");
        // Written by a child process: a descriptor of ours that another test's child inherits would make the file busy.
        let mut tee =
            Command::new("tee").arg(&path).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("tee");
        tee.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it listens");
        assert!(tee.wait().expect("tee ends").success());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the right to execute");
        AgentSpec::Command(path)
    }

    /// Puts a shell script in the place of a program that we know; the profile `mine` is that program.
    fn stands_in(&mut self, kind: AgentKind, script: &str) -> AgentSpec {
        let AgentSpec::Command(path) = self.shell(script) else { unreachable!("a shell script") };
        let home = self.path("home");
        let profile = self.profiles.entry("mine".to_owned()).or_default();
        profile.kind = Some(kind);
        profile.command = vec![path.display().to_string()];
        profile.env.insert("CODEX_HOME".to_owned(), home.display().to_string());
        "mine".parse().expect("a good name")
    }

    fn script(&self, turns: &str) -> AgentSpec {
        let file = self.path("script.toml");
        fs::write(&file, turns).expect("the script");
        AgentSpec::Scripted(file)
    }

    async fn call(&self, spec: &AgentSpec) -> AgentAnswer {
        self.watch(spec, &mut Stop::new().1).await.0
    }

    /// Calls the agent and returns its answer and the lines that a watcher saw.
    async fn watch(&self, spec: &AgentSpec, stop: &mut Stop) -> (AgentAnswer, Vec<String>) {
        let mut lines = Vec::new();
        let (prompt_file, worktree, raw_file) =
            (self.path("prompt.md"), self.worktree(), self.path("raw.jsonl"));
        let job = AgentCall {
            copy_after_end: None,
            issue: 243.try_into().expect("a good number"),
            phase: &self.phase,
            step: self.step,
            round: self.round,
            attempt: self.attempt,
            prompt_file: &prompt_file,
            output: ".ai-workflow/issue-243/00_planning/output/planning.md",
            review_id: self.review_id,
            seat: None,
            worktree: &worktree,
            raw_file: &raw_file,
            time: &self.time,
            masker: &self.masker,
            own_program: Path::new(OWN_PROGRAM),
            resumes: self.resumes.as_ref(),
            allowance: self.allowance,
            schema: self.schema.as_ref(),
            commands: &self.commands,
        };
        let answer = call(spec, &self.profiles, &job, &mut |line| lines.push(line.to_string()), stop).await;
        (answer, lines)
    }

    /// Waits until the agent has written the file `begun`.
    async fn has_begun(&self) {
        let begun = self.worktree().join("begun");
        while !begun.exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    fn raw(&self) -> String {
        fs::read_to_string(self.path("raw.jsonl")).expect("the raw file")
    }
}

/// Runs a shell script as a plain supervised process.
async fn run(script: &str, change: impl FnOnce(&mut Launch)) -> ProgramEnd {
    let mut launch = Launch::new("/bin/sh", std::env::temp_dir(), Duration::from_secs(60));
    launch.arguments = vec!["-c".into(), script.into()];
    launch.environment = BTreeMap::from([("PATH".into(), std::env::var_os("PATH").expect("a PATH"))]);
    launch.own_program = OWN_PROGRAM.into();
    change(&mut launch);
    process::run(&launch, &mut |_, _| {}, &mut Stop::new().1).await
}

/// Tells whether a process lives; the dead that nobody has buried yet do not.
fn lives(pid: &str) -> bool {
    let output = Command::new("ps").args(["-o", "stat=", "-p", pid.trim()]).output().expect("ps");
    let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

/// Waits until something is so.
fn eventually(what: &str, within: Duration, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + within;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}: not within {within:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn read_when_there(file: &Path) -> String {
    eventually("the agent writes its number", Duration::from_secs(10), || {
        fs::read_to_string(file).is_ok_and(|text| text.ends_with('\n'))
    });
    fs::read_to_string(file).expect("it is there")
}

const ONLY_SECONDS: Duration = Duration::from_secs(8);

// What an agent gets.

#[tokio::test]
async fn an_agent_gets_the_prompt_and_its_answer_comes_back() {
    let scene = Scene::new();
    let spec = scene.shell("pwd; cat");
    assert!(ensure_usable(&spec, &scene.profiles).is_ok());
    let (answer, lines) = scene.watch(&spec, &mut Stop::new().1).await;
    let worktree = scene.worktree().canonicalize().expect("a worktree");
    let expected = AgentAnswer {
        outcome: ExecOutcome::Done,
        text: format!("{}\nplease plan\n", worktree.display()),
        usage: Usage::default(),
        millis: answer.millis,
        simulated: true,
        ..AgentAnswer::default()
    };
    assert_eq!(answer, expected);
    assert_eq!(lines.last().map(String::as_str), Some("please plan"));
    assert!(scene.raw().ends_with("{\"stream\":\"stdout\",\"text\":\"please plan\"}\n"), "{}", scene.raw());
}

#[tokio::test]
async fn an_agent_sees_exactly_the_documented_environment() {
    let mut scene = Scene::new();
    (scene.step, scene.round, scene.review_id) = (Step::Review, 2, Some("r-7"));
    // `env` itself, because a shell adds variables of its own.
    let profile = AgentKeys {
        command: vec!["env".into(), "-0".into()],
        env: BTreeMap::from([
            ("MY_OWN".into(), "x".into()),
            ("GITHUB_TOKEN".into(), "not for you".into()),
            ("AI_WORKFLOW_ROUND".into(), "9".into()),
        ]),
        ..AgentKeys::default()
    };
    scene.profiles.insert("env".into(), profile);
    let answer = scene.call(&"env".parse().expect("a good name")).await;
    let mut seen: Vec<_> = answer.text.split_terminator('\0').map(str::to_owned).collect();
    // Seen only in a build that measures its own coverage.
    seen.retain(|variable| !variable.contains("LLVM_PROFILE") || option_env!("CARGO_LLVM_COV").is_none());
    seen.sort();
    let mut expected: Vec<_> = std::env::vars()
        .filter(|(name, _)| {
            ["PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR"].contains(&name.as_str())
                || name.starts_with("LC_")
        })
        .map(|(name, value)| format!("{name}={value}"))
        .chain(
            [
                "AI_WORKFLOW_ISSUE=243",
                "AI_WORKFLOW_PHASE=planning",
                "AI_WORKFLOW_STEP=review",
                "AI_WORKFLOW_ROUND=2",
                "AI_WORKFLOW_OUTPUT=.ai-workflow/issue-243/00_planning/output/planning.md",
                "AI_WORKFLOW_REVIEW_ID=r-7",
                "MY_OWN=x",
            ]
            .map(str::to_owned),
        )
        .collect();
    expected.sort();
    assert_eq!((seen, answer.simulated), (expected, false));
}

#[tokio::test]
async fn author_prompt_has_no_review_id() {
    let mut scene = Scene::new();
    scene.review_id = Some("r-7");
    let answer = scene.call(&scene.shell("echo \"id=$AI_WORKFLOW_REVIEW_ID\"")).await;
    assert_eq!(answer.text, "id=\n");
}

#[tokio::test]
async fn secrets_are_masked_in_the_raw_file_and_in_the_progress_output() {
    let mut scene = Scene::new();
    scene.masker = Masker::new([("MY_TOKEN".to_owned(), "correct horse".to_owned())]);
    let spec = scene.shell("printf 'the correct '; printf 'horse\\n'; echo correct horse >&2; exit 3");
    let (answer, lines) = scene.watch(&spec, &mut Stop::new().1).await;
    assert_eq!(answer.reason.as_deref(), Some("the agent ended with exit code 3: [MASKED:MY_TOKEN]"));
    let raw = scene.raw();
    let mut raw: Vec<&str> = raw.lines().collect();
    raw.sort_unstable();
    insta::assert_snapshot!(raw.join("\n"), @r#"
    {"stream":"stderr","text":"[MASKED:MY_TOKEN]"}
    {"stream":"stdout","text":"the [MASKED:MY_TOKEN]"}
    "#);
    assert!(!lines.iter().any(|line| line.contains("correct horse")), "{lines:?}");
}

// How an agent may end.

#[tokio::test]
async fn an_agent_without_output_has_no_answer() {
    let scene = Scene::new();
    let answer = scene.call(&scene.shell("echo; exit 0")).await;
    assert_eq!(answer.outcome, ExecOutcome::NoOutput);
    assert_eq!(answer.reason.as_deref(), Some("the agent ended without a word"));
}

#[tokio::test]
async fn a_nonzero_exit_code_counts_as_a_crash() {
    let scene = Scene::new();
    let answer = scene.call(&scene.shell("echo half an answer; echo why >&2; exit 127")).await;
    assert_eq!(answer.outcome, ExecOutcome::Crashed);
    assert_eq!(answer.reason.as_deref(), Some("the agent ended with exit code 127: why"));
    assert_eq!(answer.text, "half an answer\n");
}

#[tokio::test]
async fn an_agent_killed_by_a_signal_counts_as_crashed() {
    let scene = Scene::new();
    let answer = scene.call(&scene.shell("kill -9 $$")).await;
    assert_eq!(answer.outcome, ExecOutcome::Crashed);
    assert_eq!(answer.reason.as_deref(), Some("the agent was ended by signal 9 (SIGKILL)"));
}

#[tokio::test]
async fn a_missing_agent_program_is_not_started() {
    let scene = Scene::new();
    let answer = scene.call(&AgentSpec::Command("/no/such/agent".into())).await;
    assert_eq!(answer.outcome, ExecOutcome::NotStarted);
    assert_eq!(answer.reason.as_deref(), Some("the agent program `/no/such/agent` was not found"));
    assert!(answer.simulated);
}

#[tokio::test]
async fn an_agent_file_without_execute_permission_is_not_started() {
    let scene = Scene::new();
    let path = scene.path("prompt.md");
    let answer = scene.call(&AgentSpec::Command(path.clone())).await;
    assert_eq!(answer.outcome, ExecOutcome::NotStarted);
    assert_eq!(answer.reason, Some(format!("the agent program `{}` is not executable", path.display())));
}

#[tokio::test]
async fn missing_interpreter_and_missing_program_have_different_errors() {
    let scene = Scene::new();
    let answer = scene.call(&scene.executable("#!/no/such/interpreter\n")).await;
    assert_eq!(answer.outcome, ExecOutcome::NotStarted);
    let path = scene.path("agent");
    let why = format!("`{}` names an interpreter in its first line that was not found", path.display());
    assert_eq!(answer.reason, Some(format!("the agent could not be started: {why}")));
}

#[tokio::test]
async fn start_error_names_the_missing_program_folder_input_or_supervisor() {
    let missing = run("", |launch| launch.program = "no-such-program".into()).await;
    assert_eq!(missing.exit, ProgramExit::NotStarted("`no-such-program` was not found".into()));
    let folder = run("", |launch| launch.directory = "/no/such/folder".into()).await;
    assert_eq!(folder.exit, ProgramExit::NotStarted("the folder `/no/such/folder` is not there".into()));
    let input = run("", |launch| launch.stdin = Some("/no/such/file".into())).await;
    let ProgramExit::NotStarted(reason) = input.exit else { panic!("{:?}", input.exit) };
    assert!(reason.starts_with("its input `/no/such/file` cannot be read"), "{reason}");
    let reaper = run("", |launch| launch.own_program = "/no/such/reaper".into()).await;
    let ProgramExit::NotStarted(reason) = reaper.exit else { panic!("{:?}", reaper.exit) };
    assert!(reason.starts_with("the supervisor `/no/such/reaper` cannot be started"), "{reason}");
}

#[tokio::test]
async fn an_agent_without_output_is_ended_by_the_idle_timeout() {
    let mut scene = Scene::new();
    scene.time.idle_seconds = 1;
    let answer = scene.call(&scene.shell("echo hello; exec sleep 1000")).await;
    assert_eq!((answer.outcome, answer.text.as_str()), (ExecOutcome::Idle, "hello\n"));
    assert_eq!(answer.reason.as_deref(), Some("the agent was silent for 1 s"));
}

#[tokio::test]
async fn an_agent_that_runs_too_long_is_timed_out() {
    let mut scene = Scene::new();
    scene.time.step_seconds = 1;
    let answer = scene.call(&scene.shell("while :; do echo still here; sleep 0.05; done")).await;
    assert_eq!(answer.outcome, ExecOutcome::TimedOut);
    assert_eq!(answer.reason.as_deref(), Some("the agent ran longer than 1 s"));
}

/// Runs a script whose time is over soon, longer each time until it had begun by then: it writes the file `begun`.
async fn run_once_begun(script: &str, grace: Duration) -> (Duration, ProgramEnd) {
    let folder = tempfile::tempdir().expect("a folder");
    for wall in [300, 1_200, 5_000, 20_000].map(Duration::from_millis) {
        let finish = run(script, |launch| {
            launch.directory = folder.path().into();
            (launch.wall, launch.grace) = (wall, grace);
        })
        .await;
        if folder.path().join("begun").exists() {
            return (wall, finish);
        }
    }
    panic!("the script never began");
}

#[tokio::test]
async fn an_agent_that_ignores_term_is_killed() {
    let grace = Duration::from_millis(300);
    let (wall, finish) =
        run_once_begun("trap '' TERM; touch begun; while :; do sleep 0.05; done", grace).await;
    assert_eq!(finish.exit, ProgramExit::TimedOut);
    // It would go on for ever, so that it ended at all means that it was killed.
    let took = Duration::from_millis(finish.millis);
    assert!(took >= wall + grace, "{took:?}");
}

#[tokio::test]
async fn an_agent_gets_time_to_clean_up_after_sigterm() {
    let script = "trap 'echo cleared up; exit 0' TERM; touch begun; while :; do sleep 0.05; done";
    let (_, finish) = run_once_begun(script, process::GRACE).await;
    assert_eq!((finish.exit, finish.stdout.as_slice()), (ProgramExit::TimedOut, b"cleared up\n".as_slice()));
}

#[tokio::test]
async fn a_stop_request_cancels_a_running_call() {
    for at_once in [false, true] {
        let scene = Scene::new();
        let spec = scene.shell("echo working; touch begun; exec sleep 1000");
        let (handle, mut stop) = Stop::new();
        let stopping = async {
            scene.has_begun().await;
            if at_once { handle.kill() } else { handle.stop() }
        };
        let ((answer, lines), ()) = tokio::join!(scene.watch(&spec, &mut stop), stopping);
        assert_eq!((answer.outcome, lines), (ExecOutcome::Cancelled, vec!["working".to_owned()]));
        let again = scene.watch(&spec, &mut stop).await.0;
        assert_eq!(
            (again.outcome, again.text.as_str()),
            (ExecOutcome::Cancelled, ""),
            "nothing new is started"
        );
    }
}

/// The first request alone has three seconds of patience; a busy machine may take its time once, and not each time.
#[tokio::test]
async fn second_stop_request_kills_at_once() {
    let mut times = Vec::new();
    while times.len() < 5 && !times.iter().any(|took| *took < Duration::from_millis(2500)) {
        times.push(time_to_end_when_asked_twice().await);
    }
    assert!(times.iter().any(|took| *took < Duration::from_millis(2500)), "{times:?}");
}

async fn time_to_end_when_asked_twice() -> Duration {
    let scene = Scene::new();
    let spec = scene.shell("trap '' TERM; touch begun; while :; do sleep 0.05; done");
    let (handle, mut stop) = Stop::new();
    let stopping = async {
        scene.has_begun().await;
        handle.stop();
        tokio::time::sleep(Duration::from_millis(200)).await;
        handle.kill();
        Instant::now()
    };
    let ((answer, _), asked) = tokio::join!(scene.watch(&spec, &mut stop), stopping);
    assert_eq!(answer.outcome, ExecOutcome::Cancelled);
    asked.elapsed()
}

// What an agent may print.

#[tokio::test]
async fn output_beyond_the_limit_is_read_and_not_kept() {
    let mut seen = 0;
    let mut launch = Launch::new("/bin/sh", std::env::temp_dir(), Duration::from_secs(60));
    launch.arguments = vec!["-c".into(), "yes | head -c 200000000".into()];
    launch.environment = BTreeMap::from([("PATH".into(), std::env::var_os("PATH").expect("a PATH"))]);
    (launch.own_program, launch.stdout_limit) = (OWN_PROGRAM.into(), 1000);
    let mut count = |stream: Stream, bytes: &[u8]| {
        if stream == Stream::Stdout {
            seen += bytes.len();
        }
    };
    let finish = process::run(&launch, &mut count, &mut Stop::new().1).await;
    assert_eq!((finish.exit, seen), (ProgramExit::Code(0), 200_000_000));
    assert_eq!((finish.stdout, finish.stdout_truncated), ("y\n".repeat(500).into_bytes(), true));
}

#[tokio::test]
async fn hundreds_of_megabytes_of_agent_output_are_truncated() {
    let scene = Scene::new();
    let before = peak_memory();
    let answer = scene.call(&scene.shell("yes | head -c 200000000")).await;
    assert_eq!((answer.outcome, answer.truncated), (ExecOutcome::Done, true));
    assert_eq!(answer.text.len(), process::STDOUT_LIMIT);
    assert!(fs::metadata(scene.path("raw.jsonl")).expect("the raw file").len() < 5_000_000);
    assert!(peak_memory() - before < 128 * 1024, "{} KiB more", peak_memory() - before);
}

/// Returns the most memory this process ever had, in KiB; 0 where nobody says.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

#[tokio::test]
async fn a_line_of_twenty_megabytes_is_truncated_and_later_lines_are_read() {
    let scene = Scene::new();
    let script = "head -c 20000000 /dev/zero | tr '\\0' x; echo; echo the end";
    let (answer, lines) = scene.watch(&scene.shell(script), &mut Stop::new().1).await;
    assert_eq!(
        (answer.outcome, answer.truncated, answer.text.len()),
        (ExecOutcome::Done, true, process::STDOUT_LIMIT)
    );
    assert_eq!(lines.last().map(String::as_str), Some("the end"));
    assert!(scene.raw().ends_with("{\"stream\":\"stdout\",\"text\":\"the end\"}\n"));
}

#[tokio::test]
async fn invalid_utf_8_is_replaced() {
    let scene = Scene::new();
    let answer = scene.call(&scene.shell("printf 'a\\377b\\n'")).await;
    assert_eq!((answer.outcome, answer.text.as_str()), (ExecOutcome::Done, "a\u{fffd}b\n"));
}

// Nobody is left behind.

#[tokio::test]
async fn a_daemon_that_keeps_stdout_open_is_ended_with_the_call() {
    let scene = Scene::new();
    let spec = scene.shell(
        "setsid sh -c 'trap \"\" TERM; echo $$ >daemon; exec sleep 1000' & \
        while [ ! -s daemon ]; do sleep 0.01; done; echo done",
    );
    let answer = scene.call(&spec).await;
    assert_eq!((answer.outcome, answer.text.as_str()), (ExecOutcome::Done, "done\n"));
    assert!(answer.millis < 8000, "{}", answer.millis);
    let daemon = fs::read_to_string(scene.worktree().join("daemon")).expect("its number");
    assert!(!lives(&daemon), "{daemon}");
}

#[tokio::test]
async fn a_process_in_its_own_session_is_ended_by_the_time_limit() {
    let mut scene = Scene::new();
    scene.time.step_seconds = 1;
    let spec = scene.shell("setsid sh -c 'echo $$ >daemon; exec sleep 1000' & wait");
    assert_eq!(scene.call(&spec).await.outcome, ExecOutcome::TimedOut);
    let daemon = fs::read_to_string(scene.worktree().join("daemon")).expect("its number");
    assert!(!lives(&daemon), "{daemon}");
}

/// Starts the reaper as our program does, with an agent that has a daemon in a session of its own and ignores TERM.
fn reaper_with_a_stubborn_family(folder: &Path) -> (std::process::Child, [String; 2]) {
    let script = "trap '' TERM; echo $$ >agent; setsid sh -c 'echo $$ >daemon; while :; do sleep 0.05; done' & \
        while :; do sleep 0.05; done";
    let reaper = Command::new(OWN_PROGRAM)
        .args(["__reaper", "--grace", "5000", "--", "/bin/sh", "-c", script])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the reaper");
    let pids = ["agent", "daemon"].map(|name| read_when_there(&folder.join(name)));
    assert!(pids.iter().all(|pid| lives(pid)));
    (reaper, pids)
}

#[test]
fn reaper_ends_all_processes_within_five_seconds_of_a_killed_runner() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut reaper, pids) = reaper_with_a_stubborn_family(folder.path());
    // However we die, the line to the reaper ends.
    drop(reaper.stdin.take());
    eventually("the family is gone", Duration::from_secs(5), || !pids.iter().any(|pid| lives(pid)));
    assert_eq!(reaper.wait().expect("it ends").code(), Some(128 + 9));
}

#[test]
fn stopped_reaper_ends_its_process_tree() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut reaper, pids) = reaper_with_a_stubborn_family(folder.path());
    let line = reaper.stdin.as_mut().expect("the line");
    line.write_all(b"rubbish\nstop 60000\nstop 100\n").expect("it listens");
    eventually("the family is gone", ONLY_SECONDS, || !pids.iter().any(|pid| lives(pid)));
    assert_eq!(reaper.wait().expect("it ends").code(), Some(128 + 9));
}

#[test]
fn a_terminated_reaper_terminates_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    for signal in ["-TERM", "-INT", "-HUP"] {
        let mut reaper = Command::new(OWN_PROGRAM)
            .args(["__reaper", "--grace", "5000", "--", "/bin/sh", "-c", "echo $$ >agent; exec sleep 1000"])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .spawn()
            .expect("the reaper");
        let agent = read_when_there(&folder.path().join("agent"));
        let sent = Command::new("kill").args([signal, &reaper.id().to_string()]).status().expect("kill");
        assert!(sent.success());
        assert_eq!(reaper.wait().expect("it ends").code(), Some(128 + 15), "{signal}");
        assert!(!lives(&agent));
        fs::remove_file(folder.path().join("agent")).expect("it was there");
    }
}

#[test]
fn the_reaper_exits_with_the_status_of_its_program() {
    let code = |program: &[&str]| {
        let mut reaper = Command::new(OWN_PROGRAM)
            .args(["__reaper", "--"])
            .args(program)
            .stdin(Stdio::piped())
            .spawn()
            .expect("the reaper");
        let line = reaper.stdin.take();
        let status = reaper.wait().expect("it ends");
        drop(line);
        assert_eq!(status.signal(), None);
        status.code()
    };
    assert_eq!(code(&["/bin/sh", "-c", "exit 42"]), Some(42));
    assert_eq!(code(&["/bin/sh", "-c", "kill -TERM $$"]), Some(128 + 15));
    assert_eq!(code(&["/no/such/program"]), Some(127));
    assert_eq!(code(&["/"]), Some(126));
    assert_eq!(code(&[]), Some(2));
}

#[tokio::test]
async fn an_agent_that_kills_its_supervisor_is_ended_and_counts_as_crashed() {
    let scene = Scene::new();
    let spec = scene.shell(
        "setsid sh -c 'echo $$ >daemon; exec sleep 1000' & while [ ! -s daemon ]; do sleep 0.01; done
        echo $$ >agent; kill -9 $PPID; while :; do sleep 0.05; done",
    );
    let answer = scene.call(&spec).await;
    assert_eq!(answer.outcome, ExecOutcome::Crashed);
    assert_eq!(answer.reason.as_deref(), Some("the agent was lost: its supervisor died"));
    for name in ["agent", "daemon"] {
        let pid = fs::read_to_string(scene.worktree().join(name)).expect("its number");
        eventually("nobody is left", ONLY_SECONDS, || !lives(&pid));
    }
}

#[tokio::test]
async fn time_limit_ends_an_agent_that_stopped_its_supervisor() {
    let folder = tempfile::tempdir().expect("a folder");
    let number = folder.path().join("agent");
    let script = format!("echo $$ >'{}'; touch begun; kill -STOP $PPID; exec sleep 1000", number.display());
    let (_, finish) = run_once_begun(&script, Duration::ZERO).await;
    assert_eq!(finish.exit, ProgramExit::TimedOut);
    let agent = fs::read_to_string(number).expect("its number");
    eventually("the agent is gone", ONLY_SECONDS, || !lives(&agent));
}

#[tokio::test]
async fn a_terminated_supervisor_counts_as_a_crash_of_the_agent() {
    let scene = Scene::new();
    let spec = scene.shell("trap 'exit 0' TERM; echo all is well; kill -TERM $PPID; while :; do :; done");
    let answer = scene.call(&spec).await;
    assert_eq!(answer.outcome, ExecOutcome::Crashed);
    assert_eq!(answer.reason.as_deref(), Some("the agent was ended by signal 15 (SIGTERM)"));
}

#[tokio::test]
async fn an_agent_may_signal_its_own_process_group() {
    let scene = Scene::new();
    let answer = scene.call(&scene.shell("trap '' TERM; sleep 1000 & kill 0; echo done")).await;
    assert_eq!((answer.outcome, answer.text.as_str()), (ExecOutcome::Done, "done\n"));
}

#[test]
fn a_dropped_call_leaves_no_process() {
    let scene = Scene::new();
    let spec = scene.shell("echo $$ >agent; touch begun; exec sleep 1000");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        tokio::select! {
            answer = scene.call(&spec) => panic!("it ended: {answer:?}"),
            () = scene.has_begun() => {}
        }
    });
    let agent = read_when_there(&scene.worktree().join("agent"));
    eventually("the agent is gone", ONLY_SECONDS, || !lives(&agent));
}

// Scripts.

#[tokio::test]
async fn a_scripted_turn_writes_then_deletes_then_runs_then_answers() {
    let mut scene = Scene::new();
    (scene.step, scene.round, scene.review_id) = (Step::Review, 2, Some("r-7"));
    fs::write(scene.worktree().join("old.txt"), "old").expect("an old file");
    let spec = scene.script(
        r#"
        [[turn]]
        phase = "planning"
        say = "{\"review_id\": \"{{review_id}}\"} {{phase}} {{round}} {{output}}"
        write = [{ path = "{{output}}", text = "round {{round}}" }, { path = "new/{{phase}}.txt", text = "x" }]
        delete = ["old.txt", "never-there.txt"]
        run = "cp 'new/planning.txt' 'a copy'"
        usage = { input_tokens = 1000, output_tokens = 200, cost_usd = 0.01 }
        "#,
    );
    assert!(ensure_usable(&spec, &scene.profiles).is_ok());
    let (answer, lines) = scene.watch(&spec, &mut Stop::new().1).await;
    let output = ".ai-workflow/issue-243/00_planning/output/planning.md";
    let text = format!("{{\"review_id\": \"r-7\"}} planning 2 {output}");
    let expected = AgentAnswer {
        outcome: ExecOutcome::Done,
        text: text.clone(),
        usage: Usage {
            input_tokens: Some(1000),
            output_tokens: Some(200),
            cost_usd: Some(0.01),
            ..Usage::default()
        },
        millis: answer.millis,
        simulated: true,
        ..AgentAnswer::default()
    };
    assert_eq!((answer, lines), (expected, vec![text.clone()]));
    let read = |name: &str| fs::read_to_string(scene.worktree().join(name)).ok();
    assert_eq!(read(output).as_deref(), Some("round 2"));
    assert_eq!((read("a copy").as_deref(), read("old.txt")), (Some("x"), None));
    assert_eq!(scene.raw(), serde_json::json!({"stream": "stdout", "text": text}).to_string() + "\n");
}

#[tokio::test]
async fn a_script_without_a_matching_turn_crashes() {
    let mut scene = Scene::new();
    scene.attempt = 2;
    let spec = scene.script("[[turn]]\nphase = 'planning'\nattempt = 1\nsay = 'once'\n");
    let answer = scene.call(&spec).await;
    assert_eq!((answer.outcome, answer.text.as_str()), (ExecOutcome::Crashed, ""));
    let file = scene.path("script.toml");
    let why = format!(
        "no turn of the script `{}` fits phase planning step execute round 1 attempt 2",
        file.display()
    );
    assert_eq!(answer.reason, Some(format!("the agent ended with exit code 1: {why}")));
}

#[tokio::test]
async fn a_script_cannot_write_outside_the_worktree() {
    let scene = Scene::new();
    symlink(scene.folder.path(), scene.worktree().join("out")).expect("a link out");
    for path in ["../stray.txt", "out/stray.txt", "/tmp/ai-workflow-stray.txt"] {
        for turn in [format!("write = [{{ path = '{path}', text = 'x' }}]"), format!("delete = ['{path}']")] {
            let answer = scene.call(&scene.script(&format!("[[turn]]\nsay = 'x'\n{turn}"))).await;
            assert_eq!(answer.outcome, ExecOutcome::Crashed, "{turn}");
            let reason = answer.reason.unwrap_or_default();
            assert!(reason.ends_with(&format!("`{path}` is outside the worktree")), "{reason}");
        }
    }
    assert!(!scene.path("stray.txt").exists());
}

#[tokio::test]
async fn failed_command_of_a_scripted_turn_ends_it_without_an_answer() {
    let scene = Scene::new();
    let mut reasons = Vec::new();
    for run in ["cat no-such-file", "no-such-program"] {
        let answer = scene.call(&scene.script(&format!("[[turn]]\nsay = 'x'\nrun = '{run}'"))).await;
        assert_eq!((answer.outcome, answer.text.as_str()), (ExecOutcome::Crashed, ""));
        // What `cat` says itself is said in the language of the machine.
        let reason = answer.reason.unwrap_or_default();
        reasons.push(reason.split(" / ").last().unwrap_or_default().to_owned());
    }
    insta::assert_snapshot!(reasons.join("\n"), @r"
    `cat no-such-file` failed: exit status: 1
    the agent ended with exit code 1: `no-such-program` cannot be run: No such file or directory (os error 2)
    ");
}

#[tokio::test]
async fn a_scripted_turn_can_crash_after_its_answer() {
    let scene = Scene::new();
    let answer = scene.call(&scene.script("[[turn]]\nsay = 'x'\nexit = 3")).await;
    assert_eq!((answer.outcome, answer.text.as_str()), (ExecOutcome::Crashed, "x"));
    assert_eq!(answer.reason.as_deref(), Some("the agent ended with exit code 3"));
}

#[tokio::test]
async fn a_sleeping_scripted_turn_is_ended_by_the_idle_timeout() {
    let mut scene = Scene::new();
    scene.time.idle_seconds = 1;
    let answer = scene.call(&scene.script("[[turn]]\nsay = 'x'\nsleep_ms = 600000")).await;
    assert_eq!((answer.outcome, answer.text.as_str()), (ExecOutcome::Idle, ""));
}

#[tokio::test]
async fn impossible_usage_of_a_script_is_ignored_with_a_warning() {
    let scene = Scene::new();
    let spec =
        scene.script("[[turn]]\nsay = 'x'\nusage = { input_tokens = -5, output_tokens = 2, cost_usd = nan }");
    let answer = scene.call(&spec).await;
    assert_eq!(answer.outcome, ExecOutcome::Done);
    let cost_basis = Some(CostBasis::Unknown);
    assert_eq!(answer.usage, Usage { output_tokens: Some(2), cost_basis, ..Usage::default() });
    assert_eq!(
        answer.notices,
        [
            "the agent states an impossible input_tokens of -5; it is left out",
            "the agent states an impossible cost_usd of NaN; it is left out",
        ]
    );
}

#[test]
fn the_scripted_agent_can_be_run_from_the_command_line() {
    let scene = Scene::new();
    scene.script("[[turn]]\nsay = '{{phase}} {{round}} {{output}}|{{review_id}}'\nexit = 4\n");
    let output = Command::new(OWN_PROGRAM)
        .arg("__scripted")
        .arg(scene.path("script.toml"))
        .args(["--attempt", "1"])
        .current_dir(scene.worktree())
        .env("AI_WORKFLOW_PHASE", "planning")
        .env("AI_WORKFLOW_ROUND", "2")
        .env("AI_WORKFLOW_OUTPUT", "planning.md")
        .env_remove("AI_WORKFLOW_REVIEW_ID")
        .output()
        .expect("our own program");
    assert_eq!(output.status.code(), Some(4));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(said, serde_json::json!({"text": "planning 2 planning.md|", "usage": {}, "notices": []}));
}

#[test]
fn an_invalid_script_is_refused_before_the_run() {
    let scene = Scene::new();
    let spec = scene.script("[[turn]]\nsay = 'x'\nwirte = []\n");
    let error = ensure_usable(&spec, &scene.profiles).expect_err("a bad script");
    let told = error.to_string().replace(&scene.folder.path().display().to_string(), "[FOLDER]");
    insta::assert_snapshot!(told, @"the script `[FOLDER]/script.toml`, line 3: unknown field `wirte`, expected one of `phase`, `step`, `seat`, `round`, `attempt`, `sleep_ms`, `write`, `delete`, `run`, `say`, `exit`, `usage`");
    assert!(!error.hint().is_empty());
}
