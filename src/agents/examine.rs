//! Asks the programs of agents about themselves: version, signed in or not. Costs nothing and calls no model. Each
//! question runs under the reaper, for a few seconds at most, and in the environment that a call would have.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::lookup::{self, Resolved};
use super::names::name;
use super::spec::{AgentSpec, Kind};
use super::{Profile, Stop, claude, codex, environment};
use process::{self, Environment, Exit, Finish, Launch};

/// How long one question may take.
const WALL: Duration = Duration::from_secs(10);
/// How much of an answer is read.
const KEEP: usize = 64 * 1024;

/// What is known of an agent without calling it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Examined {
    /// Its program.
    pub found: Option<PathBuf>,
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

impl Examined {
    /// Tells whether it is there and does not say that it is signed out.
    pub fn is_usable(&self) -> bool {
        self.found.is_some() && self.signed_in != Some(false)
    }
}

/// Examines one agent. Of programs that we do not know only whether they are there: they are not started.
pub async fn examine(spec: &AgentSpec, profiles: &BTreeMap<String, Profile>, own_program: &Path) -> Examined {
    let mut agent = match lookup::resolve(spec, profiles) {
        Ok(agent) => agent,
        Err(error) => return Examined { remark: Some(error.to_string()), ..Examined::default() },
    };
    let found = Examined { found: Some(agent.program.clone()), ..Examined::default() };
    let dressed = match agent.kind {
        Kind::Claude => claude::dress(&mut agent),
        Kind::Codex => codex::dress(&mut agent),
        Kind::Command | Kind::Scripted | Kind::Acp => return found,
    };
    let remark = dressed.err();
    let (version, too_old) = version(&agent, own_program).await;
    let signed_in = if remark.is_some() { Some(false) } else { signed_in(&agent, own_program).await };
    let remark = remark.or(too_old).or_else(|| idle_key(&agent, signed_in));
    Examined { version, signed_in, read_only: true, schema: true, remark, ..found }
}

/// Codex does not take the key that its provider's other programs take, unless somebody says so.
fn idle_key(agent: &Resolved, signed_in: Option<bool>) -> Option<String> {
    let idle = agent.kind == Kind::Codex && signed_in == Some(false) && ours("OPENAI_API_KEY");
    idle.then(|| "OPENAI_API_KEY is set, but not used: set `api_key_env = \"OPENAI_API_KEY\"`".to_owned())
}

/// Chooses what `auto` stands for: the first of claude and codex that is there and not known to be signed out.
pub async fn choose(profiles: &BTreeMap<String, Profile>, own_program: &Path) -> Option<(AgentSpec, String)> {
    let mut said = Vec::new();
    for spec in [AgentSpec::Claude { model: None }, AgentSpec::Codex { model: None }] {
        let examined = examine(&spec, profiles, own_program).await;
        if examined.is_usable() {
            let why = if examined.signed_in.is_some() { "is signed in" } else { "is there" };
            said.push(format!("{spec} {why}"));
            return Some((spec, said.join(", ")));
        }
        let why = if examined.found.is_some() { "is not signed in" } else { "was not found" };
        said.push(format!("{spec} {why}"));
    }
    None
}

/// Returns the version, and a remark when it is older than what is known to work.
async fn version(agent: &Resolved, own_program: &Path) -> (Option<String>, Option<String>) {
    let finish = ask(agent, &["--version"], own_program).await;
    let said = String::from_utf8_lossy(&finish.stdout).into_owned();
    let version = said.split_whitespace().find(|word| numbers(word).is_some()).and_then(name);
    let checked_with = if agent.kind == Kind::Claude { claude::CHECKED_WITH } else { codex::CHECKED_WITH };
    let remark = match &version {
        _ if !finish.exit.is_success() => {
            Some(format!("`{} --version` {}", agent.program.display(), finish.exit))
        }
        None => Some("it does not tell its version".to_owned()),
        Some(version) if numbers(version) < numbers(checked_with) => {
            Some(format!("{version} is older than {checked_with}, the oldest that is known to work"))
        }
        Some(_) => None,
    };
    (version, remark)
}

/// Reads `1.2.3`, and `1.2.3-beta` as the same.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let plain = version.split(['-', '+']).next()?;
    let parts: Vec<u64> = plain.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
    parts.try_into().ok()
}

async fn signed_in(agent: &Resolved, own_program: &Path) -> Option<bool> {
    match agent.kind {
        Kind::Claude => {
            let finish = ask(agent, &["auth", "status"], own_program).await;
            serde_json::from_slice::<Value>(&finish.stdout).ok()?.get("loggedIn")?.as_bool()
        }
        // A key in the environment is not a sign-in to this program, and another provider may want none.
        Kind::Codex if agent.profile.env.contains_key("CODEX_API_KEY") => Some(true),
        Kind::Codex if agent.profile.base_url.is_some() => None,
        Kind::Codex => match ask(agent, &["login", "status"], own_program).await.exit {
            Exit::Code(0) => Some(true),
            Exit::Code(1) => Some(ours("CODEX_API_KEY")),
            _ => None,
        },
        Kind::Command | Kind::Scripted | Kind::Acp => None,
    }
}

fn ours(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

async fn ask(agent: &Resolved, question: &[&str], own_program: &Path) -> Finish {
    let launch = Launch {
        arguments: agent.arguments.iter().cloned().chain(question.iter().map(OsString::from)).collect(),
        environment: environment_of(agent, std::env::vars_os()),
        stdout_limit: KEEP,
        own_program: own_program.to_owned(),
        ..Launch::new(agent.program.clone(), std::env::temp_dir(), WALL)
    };
    process::run(&launch, &mut |_, _| {}, &mut Stop::new().1).await
}

fn environment_of(agent: &Resolved, ours: impl IntoIterator<Item = (OsString, OsString)>) -> Environment {
    let program = if agent.kind == Kind::Claude { claude::SIGNS_IN_WITH } else { codex::SIGNS_IN_WITH };
    let own = program.of(&agent.profile);
    environment::allowed(ours, &environment::of_program(&own), &agent.profile.env)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_carries_no_key_to_another_address() {
        let profile = Profile {
            base_url: Some("http://elsewhere".into()),
            env: BTreeMap::from([("CODEX_API_KEY".into(), "written by a person".into())]),
            ..Profile::default()
        };
        let agent = Resolved {
            kind: Kind::Codex,
            program: "codex".into(),
            arguments: Vec::new(),
            model: None,
            profile,
        };
        let ours = ["CODEX_API_KEY", "CODEX_HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL"];
        let environment = environment_of(&agent, ours.map(|name| (name.into(), "ours".into())));
        let expected = [("CODEX_API_KEY", "written by a person"), ("CODEX_HOME", "ours")];
        assert_eq!(environment, expected.map(|(name, value)| (name.into(), value.into())).into());
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(numbers("2.1.329") > numbers("2.1.33"));
        assert_eq!(numbers("0.169.0-alpha.1"), Some([0, 169, 0]));
        for bad in ["(Claude", "codex-cli", "1.2", "1.2.x", ""] {
            assert_eq!(numbers(bad), None, "{bad}");
        }
    }
}
