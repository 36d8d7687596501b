//! A text with YAML between `---` lines at its beginning. Errors name the line of the file.
//! Tolerates a byte order mark and CRLF; tolerates no unknown key.

use std::sync::LazyLock;

use regex::Regex;
use serde::de::DeserializeOwned;

/// Says which line cannot be read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    pub line: usize,
    pub why: String,
}

/// How a YAML error tells its place; ours is told once, before it.
static PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r" at line \d+ column \d+").expect("the pattern is a constant"));

fn bad(line: usize, why: impl Into<String>) -> BadLine {
    BadLine { line, why: why.into() }
}

/// Splits a file into its front matter and its body, without the empty lines around the body.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, String), BadLine> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n');
        bad(before.count(), "the text is not UTF-8")
    })?;
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut lines = text.split_inclusive('\n');
    if lines.next().is_none_or(|line| line.trim_end() != "---") {
        return Err(bad(1, "the front matter is missing: the first line has to be `---`"));
    }
    let mut end = text.find('\n').map_or(text.len(), |at| at + 1);
    for line in lines {
        if line.trim_end() == "---" {
            let front = yaml(&text[..end])?;
            return Ok((front, text[end + line.len()..].trim_matches('\n').to_owned()));
        }
        end += line.len();
    }
    Err(bad(1, "the front matter that begins here has no closing `---` line"))
}

/// Reads the YAML with its opening `---`, so that its line numbers are those of the file.
fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, BadLine> {
    serde_norway::from_str(text).map_err(|error| {
        let why = PLACE.replace_all(&error.to_string(), "").into_owned();
        bad(error.location().map_or(1, |location| location.line()), why)
    })
}
