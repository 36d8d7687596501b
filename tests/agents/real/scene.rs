//! One call of a real program through our own driver, against a player.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use agents::{AgentAnswer, AgentCall, AgentSpec, call};
use model::call::{CallBudget, ResumableSession};
use model::phase::{PhaseName, Step};
use model::policy::TimeLimits;
use model::redact::Masker;
use process::Stop;
use serde_json::Value;
use settings::{AgentKeys, AgentKind};

use super::anthropic::Anthropic;
use super::openai::OpenAi;
use super::play::Player;
use super::programs;
use super::server::Server;

/// The key that the programs sign in with; it must not be seen again.
pub const KEY: &str = "played-key-4711";

/// A worktree, a home, a program and a server that plays its model.
pub struct Scene {
    // Dropped first: a program that still waits is answered by the end of its connection.
    pub server: Server,
    folder: tempfile::TempDir,
    pub profile: AgentKeys,
    pub step: Step,
    pub review_id: Option<&'static str>,
    pub time: TimeLimits,
    pub allowance: CallBudget,
    pub schema: Option<Value>,
    pub resumes: Option<ResumableSession>,
    pub commands: BTreeMap<String, String>,
}

impl Scene {
    /// Makes a scene; nothing when the program is not installed.
    pub fn of(kind: AgentKind, player: Player) -> Option<Self> {
        let program = program_of(kind)?;
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["home", "tmp", "codex", "worktree"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        fs::write(folder.path().join("prompt.md"), "Do what the player says.\n").expect("a prompt");
        let git = ["init", "--quiet", "--initial-branch=main"];
        let made = Command::new("git").args(git).current_dir(folder.path().join("worktree")).status();
        assert!(made.expect("git starts").success());
        // A name of its own makes the program's processes known among those of other tests.
        let own = folder.path().join("program");
        symlink(program, &own).expect("a link");
        let server = server_of(kind, player);
        let profile = profile(kind, &server.url(), folder.path(), &own);
        Some(Self {
            server,
            folder,
            profile,
            step: Step::Execute,
            review_id: None,
            time: TimeLimits {
                step_seconds: 90,
                idle_seconds: 60,
                first_output_seconds: Some(60),
                ..TimeLimits::default()
            },
            allowance: CallBudget::default(),
            schema: None,
            resumes: None,
            commands: BTreeMap::new(),
        })
    }

    pub fn worktree(&self) -> PathBuf {
        self.folder.path().join("worktree")
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.worktree().join(name), text).expect("a file");
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.worktree().join(name)).unwrap_or_default()
    }

    /// What the program printed, as it is kept.
    pub fn raw(&self) -> String {
        fs::read_to_string(self.folder.path().join("raw.jsonl")).unwrap_or_default()
    }

    /// Calls the program to its end.
    pub fn call(&self) -> AgentAnswer {
        self.call_until(&mut Stop::new().1)
    }

    pub fn call_until(&self, stop: &mut Stop) -> AgentAnswer {
        let spec = AgentSpec::Profile("real".to_owned());
        let profiles = BTreeMap::from([("real".to_owned(), self.profile.clone())]);
        let phase: PhaseName = "planning".parse().expect("a good name");
        let file = |name: &str| self.folder.path().join(name);
        let (prompt_file, raw_file, worktree) = (file("prompt.md"), file("raw.jsonl"), self.worktree());
        let masker = Masker::default();
        let job = AgentCall {
            copy_after_end: None,
            issue: 243.try_into().expect("a good number"),
            phase: &phase,
            step: self.step,
            round: 1,
            attempt: 1,
            prompt_file: &prompt_file,
            output: ".ai-workflow/issue-243/00_planning/output/planning.md",
            review_id: self.review_id,
            seat: None,
            worktree: &worktree,
            raw_file: &raw_file,
            time: &self.time,
            masker: &masker,
            own_program: Path::new(env!("CARGO_BIN_EXE_ai-workflow")),
            resumes: self.resumes.as_ref(),
            allowance: self.allowance,
            schema: self.schema.as_ref(),
            commands: &self.commands,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(call(&spec, &profiles, &job, &mut |_| {}, stop))
    }

    /// Sends a signal to the program itself, as it was started.
    pub fn signal(&self, signal: &str) {
        let program = self.folder.path().join("program").display().to_string();
        let own = processes().into_iter().find(|(_, line)| line.starts_with(&program));
        let (pid, _) = own.expect("the program is at work");
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill starts").success());
    }

    /// Asserts that no process of this scene lives any more.
    #[track_caller]
    pub fn is_empty(&self) {
        left_nobody(self.folder.path());
    }
}

/// Asserts that soon no process lives that was started with a path in a folder or that works in it.
#[track_caller]
pub fn left_nobody(folder: &Path) {
    let mut left = Vec::new();
    let deadline = Instant::now() + Duration::from_secs(5);
    while Instant::now() < deadline {
        let path = folder.display().to_string();
        left = processes();
        left.retain(|(pid, line)| line.contains(&path) || works_in(pid, folder));
        if left.is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("left behind: {left:#?}");
}

/// Waits until something is so.
#[track_caller]
pub fn eventually(what: &str, within: Duration, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + within;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}: not within {within:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns every living process: its id and its command line.
fn processes() -> Vec<(String, String)> {
    let output = Command::new("ps").args(["-axww", "-o", "pid=,stat=,args="]).output().expect("ps");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().filter_map(|line| {
        let (pid, rest) = line.trim().split_once(' ')?;
        let (state, arguments) = rest.trim().split_once(' ')?;
        (!state.starts_with('Z')).then(|| (pid.to_owned(), arguments.trim().to_owned()))
    });
    lines.collect()
}

/// Tells whether a process works in a folder; only Linux says so.
fn works_in(pid: &str, folder: &Path) -> bool {
    fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|place| place.starts_with(folder))
}

pub fn program_of(kind: AgentKind) -> Option<PathBuf> {
    match kind {
        AgentKind::Codex => programs::codex(),
        AgentKind::Acp => programs::claude_adapter(),
        _ => programs::claude(),
    }
}

pub fn server_of(kind: AgentKind, player: Player) -> Server {
    match kind {
        AgentKind::Codex => Server::start(OpenAi, player),
        _ => Server::start(Anthropic, player),
    }
}

/// Returns what is configured for a program that lives in a folder and talks to an address.
fn profile(kind: AgentKind, url: &str, folder: &Path, program: &Path) -> AgentKeys {
    let path = |name: &str| folder.join(name).display().to_string();
    let own = match kind {
        AgentKind::Codex => [("CODEX_HOME", path("codex")), ("OPENAI_API_KEY", KEY.to_owned())],
        _ => [("CLAUDE_CONFIG_DIR", path("home/.claude")), ("ANTHROPIC_API_KEY", KEY.to_owned())],
    };
    if kind == AgentKind::Acp {
        return adapter(url, folder, program, own);
    }
    let shared = [("HOME", path("home")), ("TMPDIR", path("tmp"))];
    let env = own.into_iter().chain(shared).map(|(name, value)| (name.to_owned(), value)).collect();
    AgentKeys {
        kind: Some(kind),
        command: vec![program.display().to_string()],
        model: Some(model(kind).to_owned()),
        base_url: Some(address(kind, url)),
        env,
        ..AgentKeys::default()
    }
}

/// The adapter is a script that starts the real program and hands its environment on.
fn adapter(url: &str, folder: &Path, script: &Path, own: [(&str, String); 2]) -> AgentKeys {
    let claude = programs::claude().map(|claude| claude.display().to_string()).unwrap_or_default();
    let path = |name: &str| folder.join(name).display().to_string();
    let more = [
        ("ANTHROPIC_BASE_URL", url.to_owned()),
        ("CLAUDE_CODE_EXECUTABLE", claude),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("CLAUDE_CODE_MAX_RETRIES", "1".to_owned()),
        ("HOME", path("home")),
        ("TMPDIR", path("tmp")),
    ];
    let env = own.into_iter().chain(more).map(|(name, value)| (name.to_owned(), value)).collect();
    let command = vec!["node".to_owned(), script.display().to_string()];
    AgentKeys { kind: Some(AgentKind::Acp), command, env, ..AgentKeys::default() }
}

/// The models whose tools are known.
pub fn model(kind: AgentKind) -> &'static str {
    if kind == AgentKind::Codex { "gpt-5.5" } else { "sonnet" }
}

/// Returns a server's address as a program wants it.
pub fn address(kind: AgentKind, url: &str) -> String {
    if kind == AgentKind::Codex { format!("{url}/v1") } else { url.to_owned() }
}
