//! Finds the program of an agent before a run relies on it. Starts nothing.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use settings::split_words;

use super::script::{self, ScriptError};
use super::spec::{AgentSpec, Kind, Profile, has_folder};

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
            Self::Script(_) => format!("the keys of a turn are {}", script::KEYS.join(", ")),
        }
    }
}

/// An agent whose program was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ResolvedAgent {
    /// What the program speaks.
    pub kind: Kind,
    /// The program, or the script that our own program plays.
    pub program: PathBuf,
    /// The arguments after the program.
    pub arguments: Vec<OsString>,
    /// The model that the name or the profile asks for.
    pub model: Option<String>,
    /// What is configured for it.
    pub profile: Profile,
}

/// Checks that an agent's program is there and may be executed, or that a script can be played.
///
/// # Errors
/// Says what is missing; [`LookupError::hint`] says what the user can do about it.
pub fn ensure_usable(spec: &AgentSpec, profiles: &BTreeMap<String, Profile>) -> Result<(), LookupError> {
    resolve(spec, profiles).map(drop)
}

/// Finds the program of an agent and what is configured for it.
pub(super) fn resolve(
    spec: &AgentSpec,
    profiles: &BTreeMap<String, Profile>,
) -> Result<ResolvedAgent, LookupError> {
    resolve_in(spec, profiles, &folders())
}

fn resolve_in(
    spec: &AgentSpec,
    profiles: &BTreeMap<String, Profile>,
    folders: &OsStr,
) -> Result<ResolvedAgent, LookupError> {
    let native =
        |kind, name: &str, model: Option<&String>| resolve_native(kind, name, model, profiles, folders);
    let plain = |kind, program| ResolvedAgent {
        kind,
        program,
        arguments: Vec::new(),
        model: None,
        profile: Profile::default(),
    };
    match spec {
        AgentSpec::Command { path } => Ok(plain(Kind::Command, find_in(path.as_os_str(), folders)?)),
        AgentSpec::Scripted { file } => {
            script::read(file)?;
            let file =
                std::path::absolute(file).map_err(|_| LookupError::NotFound(file.display().to_string()))?;
            Ok(plain(Kind::Scripted, file))
        }
        AgentSpec::Profile { name } => resolve_profile(name, profiles, folders),
        AgentSpec::Claude { model } => native(Kind::Claude, "claude", model.as_ref()),
        AgentSpec::Codex { model } => native(Kind::Codex, "codex", model.as_ref()),
        AgentSpec::Acp { command } => resolve_acp(command, folders),
        AgentSpec::Auto => native(Kind::Claude, "claude", None)
            .or_else(|_| native(Kind::Codex, "codex", None))
            .map_err(|_| LookupError::NothingFound),
    }
}

/// A program we know by name; a profile of that name may say more about it, also where it is.
fn resolve_native(
    kind: Kind,
    name: &str,
    model: Option<&String>,
    profiles: &BTreeMap<String, Profile>,
    folders: &OsStr,
) -> Result<ResolvedAgent, LookupError> {
    let mut profile = profiles.get(name).cloned().unwrap_or_default();
    if profile.command.is_empty() {
        profile.command = vec![name.to_owned()];
    }
    let found = find_command(profile, folders)?;
    Ok(ResolvedAgent { kind, model: model.or(found.model.as_ref()).cloned(), ..found })
}

fn resolve_profile(
    name: &str,
    profiles: &BTreeMap<String, Profile>,
    folders: &OsStr,
) -> Result<ResolvedAgent, LookupError> {
    let known = || profiles.keys().cloned().collect();
    let profile = profiles.get(name).ok_or_else(|| LookupError::NoProfile(name.to_owned(), known()))?;
    let built_in = match profile.kind {
        Kind::Claude => Some("claude"),
        Kind::Codex => Some("codex"),
        Kind::Command | Kind::Scripted | Kind::Acp => None,
    };
    let mut profile = profile.clone();
    if profile.command.is_empty() {
        let program = built_in.ok_or_else(|| LookupError::EmptyProfile(name.to_owned()))?;
        profile.command = vec![program.to_owned()];
    }
    find_command(profile, folders)
}

fn find_command(profile: Profile, folders: &OsStr) -> Result<ResolvedAgent, LookupError> {
    let (program, arguments) = profile.command.split_first().ok_or(LookupError::NothingFound)?;
    Ok(ResolvedAgent {
        kind: profile.kind,
        program: find_in(program.as_ref(), folders)?,
        arguments: arguments.iter().map(OsString::from).collect(),
        model: profile.model.clone(),
        profile,
    })
}

fn resolve_acp(command: &str, folders: &OsStr) -> Result<ResolvedAgent, LookupError> {
    let words = split_words(command).map_err(|_| LookupError::NotFound(command.to_owned()))?;
    find_command(Profile { kind: Kind::Acp, command: words, ..Profile::default() }, folders)
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
