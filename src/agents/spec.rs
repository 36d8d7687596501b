//! How a user names an agent (`command:PATH`, `scripted:FILE`, `claude:opus`, the name of a profile …) and what a
//! profile configures. Reads and writes names only; whether the program is there is `lookup`'s.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// What a program speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Prompt on standard input, answer on standard output.
    #[default]
    Command,
    /// Our own player of scripts.
    Scripted,
    /// Claude Code, headless.
    Claude,
    /// Codex, headless.
    Codex,
    /// The Agent Client Protocol on standard input and output.
    Acp,
}

/// An agent by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentSpec {
    /// Any executable: prompt on standard input, answer on standard output.
    Command {
        /// Its file, or a name that is looked up in `PATH`.
        path: PathBuf,
    },
    /// A script in TOML, played by our own program.
    Scripted {
        /// The script's file.
        file: PathBuf,
    },
    /// A program with arguments from the configuration.
    Profile {
        /// Its name under `[agents]`.
        name: String,
    },
    /// Claude Code, headless.
    Claude {
        /// The model, in the program's own words.
        model: Option<String>,
    },
    /// Codex, headless.
    Codex {
        /// The model, in the program's own words.
        model: Option<String>,
    },
    /// A program that speaks the Agent Client Protocol.
    Acp {
        /// The program and its arguments, split like a command line.
        command: String,
    },
    /// The first of claude and codex that is there.
    Auto,
}

/// What `[agents.NAME]` configures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// What the program speaks.
    pub kind: Kind,
    /// The program and its arguments; claude and codex are found by their names without it.
    pub command: Vec<String>,
    /// The model, in the program's own words.
    pub model: Option<String>,
    /// Another address of the provider's interface.
    pub base_url: Option<String>,
    /// The variable that holds the key; its value is handed to the program and to nobody else.
    pub api_key_env: Option<String>,
    /// How hard the model should think, in the program's own words.
    pub effort: Option<String>,
    /// How often a call may ask the model.
    pub max_turns: Option<u64>,
    /// Further commands that the author may run without being asked, in the program's own form.
    pub allow: Vec<String>,
    /// It cannot open files: earlier documents stand in its prompt.
    pub inlines: bool,
    /// Variables that the program gets besides.
    pub env: BTreeMap<String, String>,
    /// How long a call may run, in seconds; without it as long as the run says.
    pub step_seconds: Option<u64>,
    /// How long the program may be silent, in seconds.
    pub idle_seconds: Option<u64>,
    /// How long the program may be silent at its beginning, in seconds; without it as long as later.
    pub first_output_seconds: Option<u64>,
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
    /// The kind stands there without what belongs behind its colon.
    #[error("`{kind}:` lacks {what}")]
    Empty {
        /// The kind.
        kind: String,
        /// What is missing.
        what: &'static str,
    },
    /// The text is empty.
    #[error("an agent lacks its name")]
    Nothing,
}

impl AgentSpec {
    /// Returns the same agent with its file named from the root, seen from a folder.
    /// A name without `/` stays: it is looked up in `PATH` first.
    #[must_use]
    pub fn seen_from(self, folder: &Path) -> Self {
        match self {
            Self::Command { path } if has_folder(&path) => Self::Command { path: folder.join(path) },
            Self::Scripted { file } => Self::Scripted { file: folder.join(file) },
            other => other,
        }
    }

    /// Tells whether no model is asked: a script or a plain command answers.
    pub fn is_simulated(&self) -> bool {
        matches!(self, Self::Command { .. } | Self::Scripted { .. })
    }
}

/// Tells whether a path is more than a bare name.
pub(super) fn has_folder(path: &Path) -> bool {
    path.parent().is_some_and(|parent| !parent.as_os_str().is_empty()) || path.is_absolute()
}

impl FromStr for AgentSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        match text.split_once(':') {
            Some((kind, rest)) => parse_kind(text, kind, rest),
            None => parse_name(text),
        }
    }
}

fn parse_name(name: &str) -> Result<AgentSpec, SpecError> {
    match name {
        "" => Err(SpecError::Nothing),
        "auto" => Ok(AgentSpec::Auto),
        "claude" => Ok(AgentSpec::Claude { model: None }),
        "codex" => Ok(AgentSpec::Codex { model: None }),
        "command" => Err(lacks("command", "a path")),
        "scripted" => Err(lacks("scripted", "a file")),
        "acp" => Err(lacks("acp", "a command")),
        _ if name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')) => {
            Ok(AgentSpec::Profile { name: name.to_owned() })
        }
        _ => Err(SpecError::Kind(name.to_owned())),
    }
}

fn parse_kind(text: &str, kind: &str, rest: &str) -> Result<AgentSpec, SpecError> {
    let model = || argument(kind, rest, "a model").map(Some);
    match kind {
        "command" => Ok(AgentSpec::Command { path: argument(kind, rest, "a path")?.into() }),
        "scripted" => Ok(AgentSpec::Scripted { file: argument(kind, rest, "a file")?.into() }),
        "acp" => Ok(AgentSpec::Acp { command: argument(kind, rest, "a command")? }),
        "claude" => Ok(AgentSpec::Claude { model: model()? }),
        "codex" => Ok(AgentSpec::Codex { model: model()? }),
        _ => Err(SpecError::Kind(text.to_owned())),
    }
}

fn argument(kind: &str, rest: &str, what: &'static str) -> Result<String, SpecError> {
    if rest.trim().is_empty() { Err(lacks(kind, what)) } else { Ok(rest.trim().to_owned()) }
}

fn lacks(kind: &str, what: &'static str) -> SpecError {
    SpecError::Empty { kind: kind.to_owned(), what }
}

/// Reads a fallback chain: names with commas between them.
pub fn parse_chain(text: &str) -> Result<Vec<AgentSpec>, SpecError> {
    text.split(',').map(|part| part.trim().parse()).collect()
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { path } => write!(f, "command:{}", path.display()),
            Self::Scripted { file } => write!(f, "scripted:{}", file.display()),
            Self::Profile { name } => f.write_str(name),
            Self::Claude { model: None } => f.write_str("claude"),
            Self::Claude { model: Some(model) } => write!(f, "claude:{model}"),
            Self::Codex { model: None } => f.write_str("codex"),
            Self::Codex { model: Some(model) } => write!(f, "codex:{model}"),
            Self::Acp { command } => write!(f, "acp:{command}"),
            Self::Auto => f.write_str("auto"),
        }
    }
}

#[cfg(test)]
mod tests;
