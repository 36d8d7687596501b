//! What can be wrong with a configuration, in words that name the place and the key, and the nearest known word for an
//! unknown one. Finds nothing wrong by itself.

use std::collections::BTreeMap;
use std::fmt;

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Nobody wrote it: a built-in default.
    Default,
    /// A line of a file.
    File {
        /// The file as the caller named it.
        name: String,
        /// The line, from 1.
        line: usize,
    },
    /// A variable by its name.
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
    /// A file is not TOML.
    #[error("{place}: not TOML: {message}")]
    Syntax {
        /// The line that cannot be read.
        place: Place,
        /// What the parser says.
        message: String,
    },
    /// A file of another system is not JSON.
    #[error("{place}: not JSON: {message}")]
    NotJson {
        /// The line that cannot be read.
        place: Place,
        /// What the parser says.
        message: String,
    },
    /// There is no such key.
    #[error("{place}: `{key}` is not a setting{}", did_you_mean(.hint.as_deref()))]
    UnknownKey {
        /// Where it was written.
        place: Place,
        /// The dotted key, or the variable.
        key: String,
        /// The key that was probably meant.
        hint: Option<String>,
    },
    /// A value has the wrong type.
    #[error("{place}: `{key}` has to be {expected}, not {found}")]
    WrongType {
        /// Where it was written.
        place: Place,
        /// The dotted key.
        key: String,
        /// What is expected, in words.
        expected: String,
        /// What stands there, in words.
        found: String,
    },
    /// A key that has to be there is not.
    #[error("{place}: `{key}` is missing")]
    Missing {
        /// The nearest table around it.
        place: Place,
        /// The dotted key.
        key: String,
    },
    /// A value has the right type and still cannot be used.
    #[error("{place}: `{key}` {what}")]
    Contradiction {
        /// Where it was written.
        place: Place,
        /// The dotted key.
        key: String,
        /// What is wrong with it: the rest of a sentence that begins with the key.
        what: String,
    },
    /// A command has something that only a shell understands.
    #[error("{place}: `{key}` has `{syntax}`, which only a shell understands, and commands run without one")]
    ShellSyntax {
        /// Where it was written.
        place: Place,
        /// The dotted key.
        key: String,
        /// What only a shell understands.
        syntax: String,
    },
    /// There is no preset of this name.
    #[error("there is no preset `{name}`{}", did_you_mean(.hint.as_deref()))]
    UnknownPreset {
        /// The name that was asked for.
        name: String,
        /// The preset that was probably meant.
        hint: Option<String>,
    },
}

/// Returns where a key was written, or else the nearest table around it.
pub(super) fn place_of(key: &str, places: &BTreeMap<String, Place>) -> Place {
    let mut key = key;
    loop {
        if let Some(place) = places.get(key) {
            return place.clone();
        }
        match key.rsplit_once('.') {
            Some((table, _)) => key = table,
            None => return Place::Default,
        }
    }
}

/// A key and what is wrong with it; the place is added where the places of all keys are known.
#[derive(Debug, PartialEq)]
pub(super) struct Contradiction {
    pub(super) key: String,
    pub(super) what: String,
}

/// Refuses a key, with the rest of a sentence that begins with it.
pub(super) fn refuse(key: impl Into<String>, what: impl Into<String>) -> Result<(), Contradiction> {
    Err(Contradiction { key: key.into(), what: what.into() })
}

/// Returns the words that are put behind an unknown name.
pub(super) fn did_you_mean(hint: Option<&str>) -> String {
    hint.map(|word| format!("; did you mean `{word}`?")).unwrap_or_default()
}

/// Returns the candidate that the word was probably meant to be.
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let bound = (word.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(steps, _)| *steps <= bound)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Counts the letters to insert, delete, replace or swap with their neighbour; `-` and `_` are the same letter.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.replace('-', "_").chars().collect();
    let right: Vec<char> = right.replace('-', "_").chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let replaced = last[j] + usize::from(a != b);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests;
