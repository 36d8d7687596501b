//! Finds the program of an agent before a run relies on it. Starts nothing.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use settings::{AgentKeys, AgentKind, split_words};

use super::scripted::{self, ScriptError};
use super::spec::{AgentSpec, Profiles, has_folder};

/// Says why an agent cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// There is no file of that name.
    #[error("the agent program `{0}` was not found")]
    NotFound(String),
    /// The file is there and may not be executed.
    #[error("the agent program `{0}` is not executable")]
    NotExecutable(String),
    /// No profile has that name; the names that there are stand beside it.
    #[error("the agent `{0}` is not configured")]
    NoProfile(String, Vec<String>),
    /// The profile lacks a command.
    #[error("the agent `{0}` names no program: [agents.{0}] command is empty")]
    EmptyProfile(String),
    /// `auto` found nothing.
    #[error("neither `claude` nor `codex` was found")]
    NothingFound,
    /// The script cannot be played.
    #[error(transparent)]
    Script(#[from] ScriptError),
}

impl LookupError {
    /// Returns what the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NotFound(program) if has_folder(Path::new(program)) => {
                "name a file that exists, from the folder you stand in or from the root".to_owned()
            }
            Self::NotFound(program) => {
                format!("install `{program}`, add its folder to PATH, or name its file, such as ./{program}")
            }
            Self::NotExecutable(program) => format!("make it executable: chmod +x {program}"),
            Self::NoProfile(name, known) if known.is_empty() => {
                format!("add a section [agents.{name}] with `command` to .ai-workflow/config.toml")
            }
            Self::NoProfile(_, known) => format!("configured are: {}", known.join(", ")),
            Self::EmptyProfile(name) => format!("set `command = [\"PROGRAM\", …]` under [agents.{name}]"),
            Self::NothingFound => "install one of them, or name an agent: --agent command:PATH".to_owned(),
            Self::Script(_) => format!("the keys of a turn are {}", scripted::KEYS.join(", ")),
        }
    }
}

/// An agent whose program was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ResolvedAgent {
    /// What the program speaks.
    pub kind: AgentKind,
    /// The program, or the script that our own program plays.
    pub program: PathBuf,
    /// The arguments after the program.
    pub arguments: Vec<OsString>,
    /// The model that the name or the profile asks for.
    pub model: Option<String>,
    /// What is configured for it.
    pub profile: AgentKeys,
}

/// Checks that an agent's program is there and may be executed, or that a script can be played.
///
/// # Errors
/// Says what is missing; [`LookupError::hint`] says what the user can do about it.
pub fn ensure_usable(spec: &AgentSpec, profiles: &Profiles) -> Result<(), LookupError> {
    resolve(spec, profiles).map(drop)
}

/// Finds the program of an agent and what is configured for it.
pub(super) fn resolve(spec: &AgentSpec, profiles: &Profiles) -> Result<ResolvedAgent, LookupError> {
    Lookup { profiles, folders: &folders() }.agent(spec)
}

/// What is configured, and where programs are looked for.
struct Lookup<'a> {
    profiles: &'a Profiles,
    folders: &'a OsStr,
}

impl Lookup<'_> {
    fn agent(&self, spec: &AgentSpec) -> Result<ResolvedAgent, LookupError> {
        match spec {
            AgentSpec::Command(path) => Ok(unconfigured(find_in(path.as_os_str(), self.folders)?)),
            AgentSpec::Scripted(file) => {
                scripted::read(file)?;
                let found = std::path::absolute(file);
                let missing = |_| LookupError::NotFound(file.display().to_string());
                Ok(unconfigured(found.map_err(missing)?))
            }
            AgentSpec::Profile(name) => match self.profiles.get(name) {
                Some(profile) => self.configured(name, profile.clone()),
                None => Err(LookupError::NoProfile(name.clone(), self.profiles.keys().cloned().collect())),
            },
            AgentSpec::Claude(model) => self.native("claude", model.as_ref()),
            AgentSpec::Codex(model) => self.native("codex", model.as_ref()),
            AgentSpec::Acp(line) => {
                let command = split_words(line).map_err(|_| LookupError::NotFound(line.clone()))?;
                let kind = Some(AgentKind::Acp);
                self.configured("acp", AgentKeys { kind, command, ..AgentKeys::default() })
            }
            AgentSpec::Auto => self
                .native("claude", None)
                .or_else(|_| self.native("codex", None))
                .map_err(|_| LookupError::NothingFound),
        }
    }

    /// A program we know by name; a profile of that name may say more about it, also where it is.
    fn native(&self, name: &str, model: Option<&String>) -> Result<ResolvedAgent, LookupError> {
        let found = self.configured(name, self.profiles.get(name).cloned().unwrap_or_default())?;
        Ok(ResolvedAgent { model: model.or(found.model.as_ref()).cloned(), ..found })
    }

    /// Finds the program of a profile; where it names none, a program that we know is found by its own name.
    fn configured(&self, name: &str, mut profile: AgentKeys) -> Result<ResolvedAgent, LookupError> {
        let kind = profile.kind_of(name);
        match kind {
            AgentKind::Claude if profile.command.is_empty() => profile.command.push("claude".to_owned()),
            AgentKind::Codex if profile.command.is_empty() => profile.command.push("codex".to_owned()),
            _ => {}
        }
        let empty = || LookupError::EmptyProfile(name.to_owned());
        let (program, arguments) = profile.command.split_first().ok_or_else(empty)?;
        Ok(ResolvedAgent {
            kind,
            program: find_in(program.as_ref(), self.folders)?,
            arguments: arguments.iter().map(OsString::from).collect(),
            model: profile.model.clone(),
            profile,
        })
    }
}

/// Returns a file that is started, or played, as it is.
fn unconfigured(program: PathBuf) -> ResolvedAgent {
    let (arguments, profile) = (Vec::new(), AgentKeys::default());
    ResolvedAgent { kind: AgentKind::Command, program, arguments, model: None, profile }
}

/// Returns the file of a program: a path as it is, a name by `PATH`, else a file of that name where the user stands.
///
/// # Errors
/// There is no such file, or it may not be executed.
pub fn find_program(program: &OsStr) -> Result<PathBuf, LookupError> {
    find_in(program, &folders())
}

fn folders() -> OsString {
    env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/bin:/bin"))
}

fn find_in(program: &OsStr, folders: &OsStr) -> Result<PathBuf, LookupError> {
    let path = Path::new(program);
    if !has_folder(path) && !program.is_empty() {
        let candidates = env::split_paths(folders).filter(|folder| folder.is_absolute());
        if let Some(found) = candidates.map(|folder| folder.join(path)).find(|file| is_executable(file)) {
            return Ok(found);
        }
    }
    let name = || program.display().to_string();
    let file = std::path::absolute(path).map_err(|_| LookupError::NotFound(name()))?;
    if !file.is_file() {
        return Err(LookupError::NotFound(name()));
    }
    if is_executable(&file) { Ok(file) } else { Err(LookupError::NotExecutable(name())) }
}

fn is_executable(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests;
