//! Regular expressions of the data files, and the named groups that they find.

use std::ops::Deref;
use std::str::FromStr;
use std::sync::LazyLock;

use regex::{Captures, Regex, RegexSet};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A regular expression that stands in a data file.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Pattern(Regex);

impl TryFrom<String> for Pattern {
    type Error = regex::Error;

    fn try_from(pattern: String) -> Result<Self, regex::Error> {
        Regex::new(&pattern).map(Self)
    }
}

impl Deref for Pattern {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        &self.0
    }
}

/// A regular expression that stands in the code, made where it is first asked for.
pub(super) type LazyPattern = LazyLock<Regex>;

/// Makes a regular expression that stands in the code.
pub(super) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}

/// Reads a data file. What its `patterns` say stands in it wherever their names stand in braces.
pub(super) fn table<T: DeserializeOwned>(text: &str) -> T {
    let read = |text: &str| text.parse::<toml::Table>().expect("the table is a constant");
    let table = read(text);
    let patterns = table["patterns"].as_table().into_iter().flatten();
    let filled = patterns.fold(text.to_owned(), |text, (name, pattern)| {
        text.replace(&format!("{{{name}}}"), pattern.as_str().expect("a pattern is a text"))
    });
    let mut table = read(&filled);
    table.remove("patterns");
    table.try_into().expect("the table is a constant")
}

/// Returns what a group found.
pub(super) fn part<'t>(parts: &Captures<'t>, name: &str) -> Option<&'t str> {
    parts.name(name).map(|part| part.as_str())
}

/// Returns what a group found, as a number.
pub(super) fn number<T: FromStr>(parts: &Captures, name: &str) -> Option<T> {
    part(parts, name)?.parse().ok()
}

/// Reads a file with a pattern a line, as one; a line that begins with `# ` is a comment.
pub(super) fn set(text: &str) -> RegexSet {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    RegexSet::new(lines).expect("the patterns are constants")
}
