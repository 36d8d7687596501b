//! How a user names an agent: `command:PATH`, `scripted:FILE`, `claude:opus`, the name of a profile …
//! Reads and writes the name only; whether the program is there is `lookup`'s.

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
    Claude,
    Codex,
    /// The Agent Client Protocol on standard input and output.
    Acp,
}

/// An agent by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentSpec {
    /// Any executable: prompt on standard input, answer on standard output.
    Command {
        path: PathBuf,
    },
    /// A script in TOML, played by our own program.
    Scripted {
        file: PathBuf,
    },
    /// A program with arguments from the configuration.
    Profile {
        name: String,
    },
    Claude {
        model: Option<String>,
    },
    Codex {
        model: Option<String>,
    },
    Acp {
        command: String,
    },
    /// The first of claude and codex that is there.
    Auto,
}

/// Says why a text names no agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSpec {
    #[error(
        "`{0}` names no kind of agent: there are command:PATH, scripted:FILE, claude[:MODEL], codex[:MODEL], \
         acp:COMMAND, auto and the names under [agents]"
    )]
    Kind(String),
    #[error("`{kind}:` lacks {what}")]
    Empty { kind: String, what: &'static str },
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

    /// Tells whether what this agent says was not thought: a script or a plain command.
    pub fn is_simulated(&self) -> bool {
        matches!(self, Self::Command { .. } | Self::Scripted { .. })
    }
}

/// Tells whether a path is more than a bare name.
pub(super) fn has_folder(path: &Path) -> bool {
    path.parent().is_some_and(|parent| !parent.as_os_str().is_empty()) || path.is_absolute()
}

impl FromStr for AgentSpec {
    type Err = BadSpec;

    fn from_str(text: &str) -> Result<Self, BadSpec> {
        match text.split_once(':') {
            Some((kind, rest)) => with_argument(text, kind, rest),
            None => by_name(text),
        }
    }
}

fn by_name(name: &str) -> Result<AgentSpec, BadSpec> {
    match name {
        "" => Err(BadSpec::Nothing),
        "auto" => Ok(AgentSpec::Auto),
        "claude" => Ok(AgentSpec::Claude { model: None }),
        "codex" => Ok(AgentSpec::Codex { model: None }),
        "command" => Err(lacks("command", "a path")),
        "scripted" => Err(lacks("scripted", "a file")),
        "acp" => Err(lacks("acp", "a command")),
        _ if name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')) => {
            Ok(AgentSpec::Profile { name: name.to_owned() })
        }
        _ => Err(BadSpec::Kind(name.to_owned())),
    }
}

fn with_argument(text: &str, kind: &str, rest: &str) -> Result<AgentSpec, BadSpec> {
    let model = || given(kind, rest, "a model").map(Some);
    match kind {
        "command" => Ok(AgentSpec::Command { path: given(kind, rest, "a path")?.into() }),
        "scripted" => Ok(AgentSpec::Scripted { file: given(kind, rest, "a file")?.into() }),
        "acp" => Ok(AgentSpec::Acp { command: given(kind, rest, "a command")? }),
        "claude" => Ok(AgentSpec::Claude { model: model()? }),
        "codex" => Ok(AgentSpec::Codex { model: model()? }),
        _ => Err(BadSpec::Kind(text.to_owned())),
    }
}

fn given(kind: &str, rest: &str, what: &'static str) -> Result<String, BadSpec> {
    if rest.trim().is_empty() { Err(lacks(kind, what)) } else { Ok(rest.trim().to_owned()) }
}

fn lacks(kind: &str, what: &'static str) -> BadSpec {
    BadSpec::Empty { kind: kind.to_owned(), what }
}

/// Reads a fallback chain: names with commas between them.
pub fn parse_chain(text: &str) -> Result<Vec<AgentSpec>, BadSpec> {
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
mod tests {
    use super::*;

    #[test]
    fn every_name_is_written_as_it_was_read() {
        let text = "command:/opt/a:b,scripted:x.toml,my-agent,claude,claude:opus,codex,codex:o3,acp:gemini --acp,auto";
        let chain = parse_chain(text).expect("a good chain");
        let written: Vec<_> = chain.iter().map(ToString::to_string).collect();
        assert_eq!(written.join(","), text);
        assert_eq!(chain[0], AgentSpec::Command { path: "/opt/a:b".into() });
        assert_eq!(chain[2], AgentSpec::Profile { name: "my-agent".into() });
        assert_eq!(chain.iter().filter(|spec| spec.is_simulated()).count(), 2);
    }

    #[test]
    fn a_name_that_names_nothing_says_why() {
        let said = |text: &str| parse_chain(text).expect_err(text).to_string();
        assert_eq!(said("command:"), "`command:` lacks a path");
        assert_eq!(said("scripted"), "`scripted:` lacks a file");
        assert_eq!(said("command"), "`command:` lacks a path");
        assert_eq!(said("acp"), "`acp:` lacks a command");
        assert_eq!(said("claude: "), "`claude:` lacks a model");
        assert_eq!(said("codex:"), "`codex:` lacks a model");
        assert_eq!(said("claude,,auto"), "an agent lacks its name");
        assert!(said("gpt:4").starts_with("`gpt:4` names no kind of agent"));
        assert!(said("rm -rf").starts_with("`rm -rf` names no kind of agent"));
    }

    #[test]
    fn a_relative_file_is_seen_from_where_the_user_stands() {
        let seen = |text: &str| {
            let spec: AgentSpec = text.parse().expect("a good name");
            spec.seen_from(Path::new("/home/me")).to_string()
        };
        assert_eq!(seen("command:./fake.sh"), "command:/home/me/./fake.sh");
        assert_eq!(seen("command:/bin/fake"), "command:/bin/fake");
        assert_eq!(seen("command:fake"), "command:fake");
        assert_eq!(seen("scripted:demo.toml"), "scripted:/home/me/demo.toml");
        assert_eq!(seen("claude"), "claude");
    }
}
