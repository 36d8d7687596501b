//! The demo project as the target of whole runs, and a configuration that sends each real program to a server of ours.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use settings::AgentKind;

use super::play::{Asked, Player};
use super::programs;
use super::scene::{KEY, address, model, program_of, server_of};
use super::screenplay;
use super::server::Server;
use crate::support::{Ran, Sandbox};

/// What must not reach any program: set in the environment of the run.
pub const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
/// The variable that holds the key of the played provider.
const KEY_VARIABLE: &str = "PLAYED_KEY";

/// Returns what a program is called in the configuration of the project.
pub fn name(kind: AgentKind) -> &'static str {
    match kind {
        AgentKind::Codex => "codex",
        AgentKind::Acp => "adapter",
        _ => "claude",
    }
}

/// The demo project on a machine with a tool chain, and a server for each program that takes part.
pub struct Project {
    // Dropped first: a program that still waits is answered by the end of its connection.
    pub servers: Vec<(AgentKind, Server)>,
    pub sandbox: Sandbox,
}

impl Project {
    /// Makes the demo project; nothing when a program is not installed.
    pub fn new(kinds: &[AgentKind], test: &str, player: impl Fn(AgentKind, &Path) -> Player) -> Option<Self> {
        let programs: Vec<(AgentKind, PathBuf)> =
            kinds.iter().map(|kind| Some((*kind, program_of(*kind)?))).collect::<Option<_>>()?;
        let sandbox = machine(kinds);
        let servers: Vec<(AgentKind, Server)> =
            kinds.iter().map(|kind| (*kind, server_of(*kind, player(*kind, &sandbox.root())))).collect();
        write_project(&sandbox, test);
        let configured = programs.iter().zip(&servers).map(|((kind, program), (_, server))| {
            agent(*kind, program, server, sandbox.root().parent().expect("a folder"))
        });
        let configured: String = configured.collect();
        sandbox.write(".ai-workflow/config.toml", &format!("[commands]\ntest = \"{test}\"\n{configured}"));
        sandbox.git(&["init", "-q", "-b", "main"]);
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", "A pager that forgets the last page"]);
        Some(Self { servers, sandbox })
    }

    pub fn execute(&self, author: &str, reviewer: &str, more: &[&str]) -> Ran {
        self.sandbox.run(&[&arguments(author, reviewer), more].concat())
    }

    /// Returns every request to a program's server.
    pub fn asked(&self, kind: AgentKind) -> Vec<Asked> {
        self.servers
            .iter()
            .filter(|(other, _)| *other == kind)
            .flat_map(|(_, server)| server.asked())
            .collect()
    }

    pub fn folder(&self) -> PathBuf {
        self.sandbox.root().parent().expect("a folder").to_owned()
    }

    /// Returns the facts of a kind about a phase.
    pub fn facts(&self, kind: &str, phase: &str) -> Vec<Value> {
        let all = self.sandbox.facts().into_iter();
        all.filter(|fact| fact["type"] == kind && fact["phase"] == phase).collect()
    }
}

pub fn arguments<'a>(author: &'a str, reviewer: &'a str) -> Vec<&'a str> {
    let what = ["execute", "--phase", "all", "--issue", "243", "--forge", "local"];
    [&what[..], &["--agent", author, "--reviewer", reviewer]].concat()
}

fn machine(kinds: &[AgentKind]) -> Sandbox {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let folder = |name: &str, fallback: &str| {
        std::env::var(name).unwrap_or_else(|_| home.join(fallback).display().to_string())
    };
    let sandbox = Sandbox::empty()
        .with("RUSTUP_HOME", &folder("RUSTUP_HOME", ".rustup"))
        .with("CARGO_HOME", &folder("CARGO_HOME", ".cargo"))
        .with("GITHUB_TOKEN", TOKEN)
        .with(KEY_VARIABLE, KEY);
    // Codex refuses a home under the folder for temporary files.
    let temporary = sandbox.root().with_file_name("tmp");
    fs::create_dir(&temporary).expect("a folder");
    fs::create_dir(temporary.with_file_name("codex")).expect("a folder");
    let sandbox = sandbox.with("TMPDIR", &temporary.display().to_string());
    // What is behind a protocol gets its key by the name it knows.
    if kinds.contains(&AgentKind::Acp) { sandbox.with("ANTHROPIC_API_KEY", KEY) } else { sandbox }
}

fn write_project(sandbox: &Sandbox, test: &str) {
    let demo = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo").join(name);
        fs::read_to_string(path).expect("a file of the demo")
    };
    for (path, name) in [
        ("Cargo.toml", "manifest.toml"),
        ("Cargo.lock", "lock.toml"),
        ("src/lib.rs", "lib.rs"),
        ("tests/pages.rs", "test.rs"),
        ("README.md", "readme.md"),
        (".ai-workflow/local/issues/243.md", "issue.md"),
    ] {
        sandbox.write(path, &demo(name));
    }
    sandbox.write(".gitignore", "/target\n/started\n");
    if let Some(script) = test.strip_prefix("sh ") {
        sandbox.write(script, "echo on > started\nwhile :; do sleep 0.2; done\n");
    }
}

/// Returns the section of the configuration that sends a program to its server.
fn agent(kind: AgentKind, program: &Path, server: &Server, folder: &Path) -> String {
    let place = |name: &str| folder.join(name).display().to_string();
    let (name, program, url) = (name(kind), program.display(), server.url());
    let native = |home: String| {
        let (model, address) = (model(kind), address(kind, &url));
        format!(
            "[agents.{name}]\ncommand = [\"{program}\"]\nmodel = \"{model}\"\nbase_url = \"{address}\"\n\
             api_key_env = \"{KEY_VARIABLE}\"\nenv = {{ {home} }}\n"
        )
    };
    match kind {
        AgentKind::Codex => native(format!("CODEX_HOME = \"{}\"", place("codex"))),
        AgentKind::Acp => {
            let claude = programs::claude().map(|claude| claude.display().to_string()).unwrap_or_default();
            format!(
                "[agents.{name}]\nkind = \"acp\"\ncommand = [\"node\", \"{program}\"]\n\
                 api_key_env = \"ANTHROPIC_API_KEY\"\nenv = {{ \
                 ANTHROPIC_BASE_URL = \"{url}\", CLAUDE_CODE_EXECUTABLE = \"{claude}\", \
                 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC = \"1\", CLAUDE_CONFIG_DIR = \"{}\" }}\n",
                place("home/.claude")
            )
        }
        _ => native(format!("CLAUDE_CONFIG_DIR = \"{}\"", place("home/.claude"))),
    }
}

/// Plays the demo's own script.
pub fn demo(kind: AgentKind, root: &Path) -> Player {
    screenplay::demo(kind, root)
}
