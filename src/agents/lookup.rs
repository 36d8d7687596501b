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
            Self::Script(_) => format!("the keys of a turn are {}", scripted::list_turn_keys()),
        }
    }
}

/// An agent whose program was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ResolvedAgent {
    /// The kind of the agent, which decides how its program is called.
    pub kind: AgentKind,
    /// The program, or the script that our own program plays.
    pub program: PathBuf,
    /// The arguments after the program.
    pub arguments: Vec<OsString>,
    /// What is configured for it; the model is that of its name, where the name has one.
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
    resolve_in(spec, profiles, &path_folders())
}

fn resolve_in(spec: &AgentSpec, profiles: &Profiles, folders: &OsStr) -> Result<ResolvedAgent, LookupError> {
    // A program we know by name; a profile of that name may say more about it, also where it is.
    let native = |name: &str, model: &Option<String>| {
        let profile = profiles.get(name).cloned().unwrap_or_default();
        from_profile(name, AgentKeys { model: model.clone().or(profile.model), ..profile }, folders)
    };
    match spec {
        AgentSpec::Command(path) => Ok(from_file(find_program_in(path.as_os_str(), folders)?)),
        AgentSpec::Scripted(file) => {
            scripted::read(file)?;
            let missing = |_| LookupError::NotFound(file.display().to_string());
            Ok(from_file(std::path::absolute(file).map_err(missing)?))
        }
        AgentSpec::Profile(name) => match profiles.get(name) {
            Some(profile) => from_profile(name, profile.clone(), folders),
            None => Err(LookupError::NoProfile(name.clone(), profiles.keys().cloned().collect())),
        },
        AgentSpec::Claude(model) => native("claude", model),
        AgentSpec::Codex(model) => native("codex", model),
        AgentSpec::Acp(line) => {
            let command = split_words(line).map_err(|_| LookupError::NotFound(line.clone()))?;
            let kind = Some(AgentKind::Acp);
            from_profile("acp", AgentKeys { kind, command, ..AgentKeys::default() }, folders)
        }
        AgentSpec::Auto => {
            native("claude", &None).or_else(|_| native("codex", &None)).map_err(|_| LookupError::NothingFound)
        }
    }
}

/// Finds the program of a profile; where it names none, a program that we know is found by its own name.
fn from_profile(name: &str, mut profile: AgentKeys, folders: &OsStr) -> Result<ResolvedAgent, LookupError> {
    let kind = profile.kind_of(name);
    match kind {
        AgentKind::Claude if profile.command.is_empty() => profile.command.push("claude".to_owned()),
        AgentKind::Codex if profile.command.is_empty() => profile.command.push("codex".to_owned()),
        _ => {}
    }
    let empty = || LookupError::EmptyProfile(name.to_owned());
    let (program, arguments) = profile.command.split_first().ok_or_else(empty)?;
    let program = find_program_in(program.as_ref(), folders)?;
    let arguments = arguments.iter().map(OsString::from).collect();
    Ok(ResolvedAgent { kind, program, arguments, profile })
}

/// Returns a file that is started, or played, as it is.
fn from_file(program: PathBuf) -> ResolvedAgent {
    let (arguments, profile) = (Vec::new(), AgentKeys::default());
    ResolvedAgent { kind: AgentKind::Command, program, arguments, profile }
}

/// Returns the file of a program: a path as it is, a name by `PATH`, else a file of that name in the working directory.
///
/// # Errors
/// There is no such file, or it may not be executed.
pub fn find_program(program: &OsStr) -> Result<PathBuf, LookupError> {
    find_program_in(program, &path_folders())
}

fn path_folders() -> OsString {
    env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/bin:/bin"))
}

fn find_program_in(program: &OsStr, folders: &OsStr) -> Result<PathBuf, LookupError> {
    let path = Path::new(program);
    if !has_folder(path) && !program.is_empty() {
        let candidates = env::split_paths(folders).filter(|folder| folder.is_absolute());
        if let Some(found) = candidates.map(|folder| folder.join(path)).find(|file| is_executable(file)) {
            return Ok(found);
        }
    }
    match std::path::absolute(path) {
        Ok(file) if is_executable(&file) => Ok(file),
        Ok(file) if file.is_file() => Err(LookupError::NotExecutable(program.display().to_string())),
        _ => Err(LookupError::NotFound(program.display().to_string())),
    }
}

fn is_executable(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests;
