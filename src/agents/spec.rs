//! How a user names an agent: `command:PATH`, `scripted:FILE`, `claude:opus`, the name of a profile … Reads and writes
//! names only; whether the program is there is `lookup`'s.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use settings::AgentKeys;

/// What is configured for agents, by name.
pub type Profiles = BTreeMap<String, AgentKeys>;

/// An agent by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentSpec {
    /// Any executable, by its file or by a name that is looked up in `PATH`: prompt on standard input, answer on standard
    /// output.
    Command(PathBuf),
    /// A script in TOML, played by our own program.
    Scripted(PathBuf),
    /// A program with arguments from the configuration, by its name under `[agents]`.
    Profile(String),
    /// Claude Code, headless, with a model in the program's own words.
    Claude(Option<String>),
    /// Codex, headless, with a model in the program's own words.
    Codex(Option<String>),
    /// A program that implements the Agent Client Protocol, with its arguments; split like a command line.
    Acp(String),
    /// The first of claude and codex that is there.
    Auto,
}

/// Says why a text names no agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// It begins with no kind of agent that we know, and can be no name of a profile.
    #[error(
        "`{0}` names no kind of agent: there are command:PATH, scripted:FILE, claude[:MODEL], codex[:MODEL], \
         acp:COMMAND, auto and the names under [agents]"
    )]
    Kind(String),
    /// The text after the colon of the kind is missing.
    #[error("`{0}:` lacks {1}")]
    Empty(String, &'static str),
    /// The text is empty.
    #[error("an agent lacks its name")]
    Nothing,
}

impl AgentSpec {
    /// Returns the same agent with its file named from the root, seen from a folder.
    /// A name without `/` stays: it is looked up in `PATH` first.
    #[must_use]
    pub fn resolve_from(self, folder: &Path) -> Self {
        match self {
            Self::Command(path) if has_folder(&path) => Self::Command(folder.join(path)),
            Self::Scripted(file) => Self::Scripted(folder.join(file)),
            other => other,
        }
    }

    /// Tells whether no model is asked: a script or a plain command answers.
    pub(crate) fn is_simulated(&self) -> bool {
        matches!(self, Self::Command(_) | Self::Scripted(_))
    }
}

/// Tells whether a path is more than a bare name.
pub(super) fn has_folder(path: &Path) -> bool {
    path.parent().is_some_and(|parent| !parent.as_os_str().is_empty()) || path.is_absolute()
}

impl FromStr for AgentSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (name, argument) = match text.split_once(':') {
            Some((kind, argument)) => (kind, Some(argument.trim())),
            None => (text, None),
        };
        let required = |what| match argument {
            None | Some("") => Err(SpecError::Empty(name.to_owned(), what)),
            Some(argument) => Ok(argument.to_owned()),
        };
        let model = || argument.map(|_| required("a model")).transpose();
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        match name {
            "command" => Ok(Self::Command(required("a path")?.into())),
            "scripted" => Ok(Self::Scripted(required("a file")?.into())),
            "acp" => Ok(Self::Acp(required("a command")?)),
            "claude" => Ok(Self::Claude(model()?)),
            "codex" => Ok(Self::Codex(model()?)),
            _ if argument.is_some() => Err(SpecError::Kind(text.to_owned())),
            "" => Err(SpecError::Nothing),
            "auto" => Ok(Self::Auto),
            _ if name.chars().all(is_word) => Ok(Self::Profile(name.to_owned())),
            _ => Err(SpecError::Kind(text.to_owned())),
        }
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(path) => write!(f, "command:{}", path.display()),
            Self::Scripted(file) => write!(f, "scripted:{}", file.display()),
            Self::Profile(name) => f.write_str(name),
            Self::Claude(None) => f.write_str("claude"),
            Self::Claude(Some(model)) => write!(f, "claude:{model}"),
            Self::Codex(None) => f.write_str("codex"),
            Self::Codex(Some(model)) => write!(f, "codex:{model}"),
            Self::Acp(command) => write!(f, "acp:{command}"),
            Self::Auto => f.write_str("auto"),
        }
    }
}

#[cfg(test)]
mod tests;
