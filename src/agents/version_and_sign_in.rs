//! Asks the programs of agents about themselves: version, signed in or not. Costs nothing and calls no model. Each
//! question runs under the reaper, for a few seconds at most, and in the environment that a call would have.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use process::{Environment, Launch, ProgramEnd, ProgramExit, Stop};
use settings::AgentKind;

use super::json_lines::sanitize_name;
use super::launch::{make_environment, program_variables};
use super::lookup::{self, ResolvedAgent};
use super::spec::{AgentSpec, Profiles};
use super::{claude, codex};

/// How long one question may take.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// How many bytes of an answer are read.
const STDOUT_LIMIT: usize = 64 * 1024;

/// What is known of an agent without calling it.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct AgentStatus {
    /// Its program, when it was found.
    pub found: Option<PathBuf>,
    /// The version that it states.
    pub version: Option<String>,
    /// Whether it says that it is signed in; nothing when it cannot say.
    pub signed_in: Option<bool>,
    /// Whether a reviewer can be kept from writing.
    pub read_only: bool,
    /// Whether its answer can be held to a schema.
    pub schema: bool,
    /// What may keep it from working, for people.
    pub remark: Option<String>,
}

impl AgentStatus {
    /// Tells whether it is there and does not say that it is signed out.
    pub fn is_usable(&self) -> bool {
        self.found.is_some() && self.signed_in != Some(false)
    }
}

/// Examines one agent. Of programs that we do not know only whether they are there: they are not started.
pub async fn query_agent_status(spec: &AgentSpec, profiles: &Profiles, own_program: &Path) -> AgentStatus {
    let mut agent = match lookup::resolve(spec, profiles) {
        Ok(agent) => agent,
        Err(error) => return AgentStatus { remark: Some(error.to_string()), ..AgentStatus::default() },
    };
    let found = AgentStatus { found: Some(agent.program.clone()), ..AgentStatus::default() };
    let (oldest, configured) = match agent.kind {
        AgentKind::Claude => (claude::OLDEST_VERSION, claude::configure_environment(&mut agent)),
        AgentKind::Codex => (codex::OLDEST_VERSION, codex::configure_environment(&mut agent)),
        AgentKind::Command | AgentKind::Acp => return found,
    };
    let remark = configured.err();
    let (version, too_old) = query_version(&agent, oldest, own_program).await;
    let signed_in = if remark.is_some() { Some(false) } else { query_sign_in(&agent, own_program).await };
    let remark = remark.or(too_old).or_else(|| describe_unused_key(&agent, signed_in));
    AgentStatus { version, signed_in, read_only: true, schema: true, remark, ..found }
}

/// Returns a remark when a key is set that Codex does not use by itself, though other programs of its provider do.
fn describe_unused_key(agent: &ResolvedAgent, signed_in: Option<bool>) -> Option<String> {
    if agent.kind == AgentKind::Codex && signed_in == Some(false) && is_set("OPENAI_API_KEY") {
        return Some(
            "OPENAI_API_KEY is set, but not used: set `api_key_env = \"OPENAI_API_KEY\"`".to_owned(),
        );
    }
    None
}

/// Returns the version, and a remark when it is older than what is known to work.
async fn query_version(
    agent: &ResolvedAgent,
    oldest: &str,
    own_program: &Path,
) -> (Option<String>, Option<String>) {
    let finish = run_query(agent, &["--version"], own_program).await;
    let stdout = String::from_utf8_lossy(&finish.stdout);
    let version =
        stdout.split_whitespace().find(|word| version_numbers(word).is_some()).and_then(sanitize_name);
    let remark = match &version {
        _ if !finish.exit.is_success() => {
            Some(format!("`{} --version` {}", agent.program.display(), finish.exit))
        }
        None => Some("it does not tell its version".to_owned()),
        Some(version) if version_numbers(version) < version_numbers(oldest) => {
            Some(format!("{version} is older than {oldest}, the oldest that is known to work"))
        }
        Some(_) => None,
    };
    (version, remark)
}

/// Reads `1.2.3`, and `1.2.3-beta` as the same.
fn version_numbers(version: &str) -> Option<[u64; 3]> {
    let plain = version.split(['-', '+']).next()?;
    let parts: Vec<u64> = plain.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
    parts.try_into().ok()
}

async fn query_sign_in(agent: &ResolvedAgent, own_program: &Path) -> Option<bool> {
    match agent.kind {
        AgentKind::Claude => {
            let finish = run_query(agent, &["auth", "status"], own_program).await;
            serde_json::from_slice::<Value>(&finish.stdout).ok()?.get("loggedIn")?.as_bool()
        }
        // A key in the environment is not a sign-in to this program, and another provider may want none.
        AgentKind::Codex if agent.profile.env.contains_key("CODEX_API_KEY") => Some(true),
        AgentKind::Codex if agent.profile.base_url.is_some() => None,
        AgentKind::Codex => match run_query(agent, &["login", "status"], own_program).await.exit {
            ProgramExit::Code(0) => Some(true),
            ProgramExit::Code(1) => Some(is_set("CODEX_API_KEY")),
            _ => None,
        },
        AgentKind::Command | AgentKind::Acp => None,
    }
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

async fn run_query(agent: &ResolvedAgent, question: &[&str], own_program: &Path) -> ProgramEnd {
    let launch = Launch {
        arguments: agent.arguments.iter().cloned().chain(question.iter().map(OsString::from)).collect(),
        environment: environment_of(agent, std::env::vars_os()),
        stdout_limit: STDOUT_LIMIT,
        own_program: own_program.to_owned(),
        ..Launch::new(agent.program.clone(), std::env::temp_dir(), TIME_LIMIT)
    };
    process::run(&launch, &mut |_, _| {}, &mut Stop::new().1).await
}

fn environment_of(agent: &ResolvedAgent, own: impl IntoIterator<Item = (OsString, OsString)>) -> Environment {
    let sign_in = match agent.kind {
        AgentKind::Claude => claude::SIGN_IN.variables(&agent.profile),
        AgentKind::Codex => codex::SIGN_IN.variables(&agent.profile),
        AgentKind::Command | AgentKind::Acp => Vec::new(),
    };
    make_environment(own, &program_variables(&sign_in), &agent.profile.env)
}

#[cfg(test)]
mod tests;
