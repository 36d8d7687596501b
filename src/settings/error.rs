//! What can be wrong with a configuration, in words that name the place and the key.

use std::fmt;

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Nobody wrote it: a built-in default.
    Default,
    File {
        name: String,
        line: usize,
    },
    Variable(String),
    /// A flag by its name, such as `--agent`.
    Flag(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("the built-in defaults"),
            Self::File { name, line } => write!(f, "{name}, line {line}"),
            Self::Variable(name) => write!(f, "variable {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// Says why a configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("{place}: not TOML: {message}")]
    Syntax { place: Place, message: String },
    #[error("{place}: not JSON: {message}")]
    NotJson { place: Place, message: String },
    #[error("{place}: `{key}` is not a setting{}", did_you_mean(.hint.as_deref()))]
    UnknownKey { place: Place, key: String, hint: Option<String> },
    #[error("{place}: `{key}` has to be {expected}, not {found}")]
    WrongType { place: Place, key: String, expected: String, found: String },
    #[error("{place}: `{key}` is missing")]
    Missing { place: Place, key: String },
    #[error("{place}: `{key}` {what}")]
    Contradiction { place: Place, key: String, what: String },
    #[error("{place}: `{key}` has `{syntax}`, which only a shell understands, and commands run without one")]
    ShellSyntax { place: Place, key: String, syntax: String },
    #[error("there is no preset `{name}`{}", did_you_mean(.hint.as_deref()))]
    UnknownPreset { name: String, hint: Option<String> },
}

/// Returns the words that are put behind an unknown name.
pub(super) fn did_you_mean(hint: Option<&str>) -> String {
    hint.map(|word| format!("; did you mean `{word}`?")).unwrap_or_default()
}
