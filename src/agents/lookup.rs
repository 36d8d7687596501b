//! Finds the program of an agent before a run relies on it. Starts nothing.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::spec::{AgentSpec, Kind, has_folder};
use super::{Profile, script};
use settings::split_words;

/// Says why an agent cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    #[error("the agent program `{0}` was not found")]
    NotFound(String),
    #[error("the agent program `{0}` is not executable")]
    NotExecutable(String),
    #[error("the agent `{0}` is not configured")]
    NoProfile(String, Vec<String>),
    #[error("the agent `{0}` names no program: [agents.{0}] command is empty")]
    EmptyProfile(String),
    #[error("neither `claude` nor `codex` was found")]
    NothingFound,
    #[error(transparent)]
    Script(#[from] script::BadScript),
}

impl Unusable {
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
pub(super) struct Resolved {
    pub kind: Kind,
    /// The program, or the script that our own program plays.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub model: Option<String>,
    pub profile: Profile,
}

/// Tells whether an agent's program is there and may be executed, and whether a script can be played.
pub fn usable(spec: &AgentSpec, profiles: &BTreeMap<String, Profile>) -> Result<(), Unusable> {
    resolve(spec, profiles).map(drop)
}

/// Finds the program of an agent and what is configured for it.
pub(super) fn resolve(spec: &AgentSpec, profiles: &BTreeMap<String, Profile>) -> Result<Resolved, Unusable> {
    resolve_in(spec, profiles, &folders())
}

fn resolve_in(
    spec: &AgentSpec,
    profiles: &BTreeMap<String, Profile>,
    folders: &OsStr,
) -> Result<Resolved, Unusable> {
    let native = |kind, name: &str, model: Option<&String>| native(kind, name, model, profiles, folders);
    let plain = |kind, program| Resolved {
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
                std::path::absolute(file).map_err(|_| Unusable::NotFound(file.display().to_string()))?;
            Ok(plain(Kind::Scripted, file))
        }
        AgentSpec::Profile { name } => configured(name, profiles, folders),
        AgentSpec::Claude { model } => native(Kind::Claude, "claude", model.as_ref()),
        AgentSpec::Codex { model } => native(Kind::Codex, "codex", model.as_ref()),
        AgentSpec::Acp { command } => acp(command, folders),
        AgentSpec::Auto => native(Kind::Claude, "claude", None)
            .or_else(|_| native(Kind::Codex, "codex", None))
            .map_err(|_| Unusable::NothingFound),
    }
}

/// A program we know by name; a profile of that name may say more about it, also where it is.
fn native(
    kind: Kind,
    name: &str,
    model: Option<&String>,
    profiles: &BTreeMap<String, Profile>,
    folders: &OsStr,
) -> Result<Resolved, Unusable> {
    let mut profile = profiles.get(name).cloned().unwrap_or_default();
    if profile.command.is_empty() {
        profile.command = vec![name.to_owned()];
    }
    let found = with_command(profile, folders)?;
    Ok(Resolved { kind, model: model.or(found.model.as_ref()).cloned(), ..found })
}

fn configured(
    name: &str,
    profiles: &BTreeMap<String, Profile>,
    folders: &OsStr,
) -> Result<Resolved, Unusable> {
    let known = || profiles.keys().cloned().collect();
    let profile = profiles.get(name).ok_or_else(|| Unusable::NoProfile(name.to_owned(), known()))?;
    let built_in = match profile.kind {
        Kind::Claude => Some("claude"),
        Kind::Codex => Some("codex"),
        Kind::Command | Kind::Scripted | Kind::Acp => None,
    };
    let mut profile = profile.clone();
    if profile.command.is_empty() {
        let program = built_in.ok_or_else(|| Unusable::EmptyProfile(name.to_owned()))?;
        profile.command = vec![program.to_owned()];
    }
    with_command(profile, folders)
}

fn with_command(profile: Profile, folders: &OsStr) -> Result<Resolved, Unusable> {
    let (program, arguments) = profile.command.split_first().ok_or(Unusable::NothingFound)?;
    Ok(Resolved {
        kind: profile.kind,
        program: find_in(program.as_ref(), folders)?,
        arguments: arguments.iter().map(OsString::from).collect(),
        model: profile.model.clone(),
        profile,
    })
}

fn acp(command: &str, folders: &OsStr) -> Result<Resolved, Unusable> {
    let words = split_words(command).map_err(|_| Unusable::NotFound(command.to_owned()))?;
    with_command(Profile { kind: Kind::Acp, command: words, ..Profile::default() }, folders)
}

/// Returns the file of a program: a path as it is, a name by `PATH`, else a file of that name where the user stands.
pub fn find(program: &OsStr) -> Result<PathBuf, Unusable> {
    find_in(program, &folders())
}

fn folders() -> OsString {
    env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/bin:/bin"))
}

fn find_in(program: &OsStr, folders: &OsStr) -> Result<PathBuf, Unusable> {
    let path = Path::new(program);
    if !has_folder(path) && !program.is_empty() {
        let candidates = env::split_paths(folders).filter(|folder| folder.is_absolute());
        if let Some(found) = candidates.map(|folder| folder.join(path)).find(|file| is_executable(file)) {
            return Ok(found);
        }
    }
    let name = || program.display().to_string();
    let file = std::path::absolute(path).map_err(|_| Unusable::NotFound(name()))?;
    if !file.is_file() {
        return Err(Unusable::NotFound(name()));
    }
    if is_executable(&file) { Ok(file) } else { Err(Unusable::NotExecutable(name())) }
}

fn is_executable(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_up_and_a_path_is_taken_as_it_is() {
        let folders = OsStr::new("relative:/no/such/folder:/bin:/usr/bin");
        let found = find_in(OsStr::new("sh"), folders).expect("every Unix has it");
        assert!(found.ends_with("sh") && found.is_absolute(), "{}", found.display());
        assert_eq!(find_in(found.as_os_str(), OsStr::new("")).expect("it is there"), found);
    }

    #[test]
    fn a_program_that_is_not_there_comes_with_a_hint() {
        let said = |program: &str| {
            let error = find(OsStr::new(program)).expect_err(program);
            (error.to_string(), error.hint())
        };
        let (error, hint) = said("no-such-agent");
        assert_eq!(error, "the agent program `no-such-agent` was not found");
        assert!(hint.contains("PATH"), "{hint}");
        assert!(said("/no/such/agent").1.contains("exists"));
        assert_eq!(said("").0, "the agent program `` was not found");
    }

    #[test]
    fn a_file_without_the_right_is_not_executable() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let spec = AgentSpec::Command { path: file.path().to_owned() };
        let error = usable(&spec, &BTreeMap::new()).expect_err("no right");
        assert!(matches!(error, Unusable::NotExecutable(_)), "{error}");
        assert!(error.hint().starts_with("make it executable"));
    }

    #[test]
    fn a_profile_has_to_be_configured() {
        let empty = Profile::default();
        let shell = Profile { command: vec!["/bin/sh".into(), "-c".into()], ..Profile::default() };
        let profiles = BTreeMap::from([("empty".to_owned(), empty), ("shell".to_owned(), shell)]);
        let ask = |name: &str| usable(&AgentSpec::Profile { name: name.to_owned() }, &profiles);
        assert!(ask("shell").is_ok());
        assert_eq!(ask("shel").map_err(|error| error.hint()), Err("configured are: empty, shell".to_owned()));
        assert!(ask("empty").is_err_and(|error| error.hint().contains("[agents.empty]")));
        let none = usable(&AgentSpec::Profile { name: "x".into() }, &BTreeMap::new()).expect_err("not there");
        assert!(none.hint().contains("[agents.x]"));
    }

    #[test]
    fn an_acp_agent_is_looked_up_by_its_first_word() {
        assert!(usable(&AgentSpec::Acp { command: "/bin/sh --acp".into() }, &BTreeMap::new()).is_ok());
        assert!(usable(&AgentSpec::Acp { command: "/no/such --acp".into() }, &BTreeMap::new()).is_err());
    }

    #[test]
    fn auto_is_the_first_of_claude_and_codex_that_is_there() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let ask = |text: &str| {
            let spec = text.parse().expect("a good name");
            resolve_in(&spec, &BTreeMap::new(), folder.path().as_os_str())
                .map(drop)
                .map_err(|error| error.to_string())
        };
        let nothing = Unusable::NothingFound;
        assert_eq!((ask("auto"), ask("claude").is_ok()), (Err(nothing.to_string()), false));
        assert!(nothing.hint().contains("--agent command:PATH"));
        symlink("/bin/sh", folder.path().join("codex")).expect("a program");
        assert_eq!((ask("auto"), ask("codex:o3"), ask("claude").is_ok()), (Ok(()), Ok(()), false));
        symlink("/bin/sh", folder.path().join("claude")).expect("a program");
        assert_eq!((ask("auto"), ask("claude:opus")), (Ok(()), Ok(())));
    }
}
