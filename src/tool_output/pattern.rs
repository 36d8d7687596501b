//! Regular expressions of the data files, and the named groups that they find.

use std::borrow::Cow;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::LazyLock;

use regex::{Captures, Regex, RegexSet};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use model::data_file;

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
    let table: Map<String, Value> = data_file::read(text);
    let patterns = table["patterns"].as_object().into_iter().flatten();
    let filled = patterns.fold(text.to_owned(), |text, (name, pattern)| {
        text.replace(&format!("{{{name}}}"), pattern.as_str().expect("a pattern is a text"))
    });
    let mut table: Map<String, Value> = data_file::read(&filled);
    table.remove("patterns");
    T::deserialize(&Value::Object(table)).expect("the table is a constant")
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

/// A sequence that does not end on its line is broken off: the line is kept.
static ESCAPE: LazyPattern =
    LazyPattern::new(|| regex(r"(?s)\x1B(?:\[[^@-~\n]*[@-~]?|\][^\x07\\\n]*[\x07\\]?|[()].?|.?)"));

/// Returns the text without terminal escapes.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    ESCAPE.replace_all(text, "")
}

/// Returns the lines; of one that was overwritten, what stood there last.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.lines().map(|line| line.rsplit('\r').find(|part| !part.is_empty()).unwrap_or("")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_and_links_are_gone_and_text_stays() {
        assert_eq!(plain("a\u{1b}[1;31mb\u{1b}[0mc"), "abc");
        assert_eq!(plain("\u{1b}]8;;https://x\u{7}link\u{1b}]8;;\u{1b}\\ end"), "link end");
        assert_eq!(plain("\u{1b}(Bx\u{1b}"), "x");
        assert_eq!(plain("\u{1b}[31\nkept"), "\nkept");
        assert_eq!(plain("\u{1b}é"), "");
        assert!(matches!(plain("no colour"), Cow::Borrowed(_)));
    }

    #[test]
    fn of_a_line_written_over_the_last_counts() {
        assert_eq!(lines("1%\r50%\rdone\r\nnext\n\r\n"), ["done", "next", ""]);
    }
}
