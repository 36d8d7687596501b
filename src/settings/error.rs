//! What can be wrong with a configuration, in words that name the place and the key, and the nearest known word for an
//! unknown one. Finds nothing wrong by itself.

use std::collections::BTreeMap;
use std::iter;

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, derive_more::Display)]
pub enum Origin {
    /// A built-in default.
    #[display("the built-in defaults")]
    Default,
    /// A line of a file.
    #[display("{name}, line {line}")]
    File {
        /// The file as the caller named it.
        name: String,
        /// The line, from 1.
        line: usize,
    },
    /// A variable by its name.
    #[display("variable {_0}")]
    Variable(String),
    /// A flag by its name, such as `--agent`.
    #[display("flag {_0}")]
    Flag(String),
}

/// Says why a configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A file is not in its language.
    #[error("{place}: not {language}: {message}")]
    Syntax {
        /// The line that cannot be read.
        place: Origin,
        /// TOML, or JSON for a file of another system.
        language: &'static str,
        /// What the parser says.
        message: String,
    },
    /// A key does not fit: there is none of its name, its value has the wrong type, or it is missing.
    #[error("{place}: `{key}` {what}")]
    Unfit {
        /// Where it was written, or the nearest table around it.
        place: Origin,
        /// The dotted key, or the variable.
        key: String,
        /// What is wrong with it: the rest of a sentence that begins with the key.
        what: String,
    },
    /// A value has the right type and still cannot be used.
    #[error("{place}: `{key}` {what}")]
    Contradiction {
        /// Where it was written.
        place: Origin,
        /// The dotted key.
        key: String,
        /// What is wrong with it: the rest of a sentence that begins with the key.
        what: String,
    },
    /// A command has something that only a shell understands.
    #[error("{place}: `{key}` has `{syntax}`, which only a shell understands, and commands run without one")]
    ShellSyntax {
        /// Where it was written.
        place: Origin,
        /// The dotted key.
        key: String,
        /// What only a shell understands.
        syntax: String,
    },
    /// There is no preset of this name; the name, and the preset that was probably meant.
    #[error("there is no preset {0}")]
    UnknownPreset(String),
}

/// Returns where a key was written, or else the nearest table around it.
pub(super) fn place_of(key: &str, places: &BTreeMap<String, Origin>) -> Origin {
    nearest(places, key, '.').cloned().unwrap_or(Origin::Default)
}

/// Returns what is known of a path, or else of the nearest one around it.
pub(super) fn nearest<'m, T>(known: &'m BTreeMap<String, T>, path: &str, between: char) -> Option<&'m T> {
    let mut paths = iter::successors(Some(path), |path| path.rsplit_once(between).map(|(around, _)| around));
    paths.find_map(|path| known.get(path))
}

/// A key and what is wrong with it; the place is added where the places of all keys are known.
#[derive(Debug, PartialEq)]
pub(super) struct RefusedKey {
    pub(super) key: String,
    pub(super) what: String,
}

/// Refuses a key, with the rest of a sentence that begins with it.
pub(super) fn refuse(key: impl Into<String>, what: impl Into<String>) -> Result<(), RefusedKey> {
    Err(RefusedKey { key: key.into(), what: what.into() })
}

/// Refuses a key if something is wrong, with the rest of a sentence that begins with it.
pub(super) fn refuse_if(
    is_wrong: bool,
    key: impl Into<String>,
    what: impl Into<String>,
) -> Result<(), RefusedKey> {
    if is_wrong { refuse(key, what) } else { Ok(()) }
}

/// Says that there is no such thing among those that are known, and which one was probably meant.
pub(super) fn names_no<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    format!("names `{name}`, which is no {what}{}", did_you_mean(suggestion(name, known)))
}

/// Says that a number is no amount.
pub(super) fn describe_bad_amount(number: f64) -> String {
    format!("is {number}; it has to be an amount, 0 or more")
}

/// Returns the words that are put behind an unknown name.
pub(super) fn did_you_mean(hint: Option<&str>) -> String {
    hint.map(|word| format!("; did you mean `{word}`?")).unwrap_or_default()
}

/// Returns the candidate that the word was probably meant to be: the one that is the fewest letters to insert, delete,
/// replace or swap with their neighbour away. `-` and `_` are the same letter.
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |word: &str| word.to_lowercase().replace('-', "_");
    let word = plain(word);
    let bound = (word.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&word, &plain(candidate)), candidate))
        .filter(|(steps, _)| *steps <= bound)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests;
