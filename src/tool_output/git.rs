//! `git status --porcelain`: names as they are on disk, whatever is in them.

use std::sync::LazyLock;

use regex::bytes;
use serde::Serialize;

use super::pattern::{LazyPattern, regex};

/// What git says differs. A file may stand in several lists; one that has another name now stands there by that.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GitStatus {
    /// Changed in the index.
    pub staged: Vec<String>,
    /// Changed on disk, conflicts included.
    pub unstaged: Vec<String>,
    /// Every tracked file that changed, each once.
    pub changed: Vec<String>,
    /// Paths that git does not know.
    pub untracked: Vec<String>,
}

/// ` M path`, `R  old -> new` and `?? path`, where names may stand in quotes. Who trimmed the output took its first blank away.
static ENTRY: LazyPattern = LazyPattern::new(|| {
    regex(
        r#"(?xm)^(?:(?<untracked>\?\?) | (?<conflict>AA|DD|U[ADU]|[AD]U) | (?<staged>[MTARCD])(?:\x20|(?<both>[MTD]))
    | \x20?(?<unstaged>[MTADRC]))\x20(?:(?:"(?:[^"\\]|\\.)*"|[^"\n]*?)\x20->\x20)?(?<path>.*?)\r?$"#,
    )
});

/// A letter behind a backslash, or a byte in three octal digits.
static ESCAPE: LazyLock<bytes::Regex> =
    LazyLock::new(|| bytes::Regex::new(r"(?s-u)\\([0-3][0-7][0-7]|.)").expect("a constant pattern"));

/// Reads what `git status --porcelain` printed.
pub fn changes(porcelain: &str) -> GitStatus {
    let mut status = GitStatus::default();
    for entry in ENTRY.captures_iter(porcelain) {
        let path = name(&entry["path"]);
        let is = |names: &[&str]| names.iter().any(|name| entry.name(name).is_some());
        if is(&["untracked"]) {
            status.untracked.push(path);
            continue;
        }
        if is(&["staged"]) {
            status.staged.push(path.clone());
        }
        if is(&["unstaged", "both", "conflict"]) {
            status.unstaged.push(path.clone());
        }
        status.changed.push(path);
    }
    status
}

/// Returns a name as it is on disk; git quotes unusual ones as C does.
fn name(text: &str) -> String {
    let Some(quoted) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return text.to_owned();
    };
    let bytes = ESCAPE.replace_all(quoted.as_bytes(), |escape: &bytes::Captures| [byte(&escape[1])]);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the byte of an escape. The letters of C stand for bytes that follow each other, from the bell to the carriage return.
fn byte(escape: &[u8]) -> u8 {
    match *escape {
        [a, b, c] => (a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'),
        _ => {
            (7..).zip(b"abtnvfr").find(|(_, letter)| escape == [**letter]).map_or(escape[0], |(byte, _)| byte)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected() -> GitStatus {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        GitStatus {
            staged: list(&["added.rs", "new é.rs"]),
            unstaged: list(&["a b.rs", "both"]),
            changed: list(&["a b.rs", "added.rs", "new é.rs", "both"]),
            untracked: list(&["tab\t\"quote\""]),
        }
    }

    #[test]
    fn names_are_read_with_quotes() {
        let lines = "## main...origin/main\n M a b.rs\nA  added.rs\nR  \"old -> odd.rs\" -> \"new \\303\\251.rs\"\nUU both\n\
            ?? \"tab\\t\\\"quote\\\"\"\n!! target/\n";
        assert_eq!(changes(lines), expected());
    }

    #[test]
    fn a_first_blank_that_was_trimmed_away_is_no_other_file() {
        assert_eq!(changes("M src/a.rs\n M src/b.rs").unstaged, ["src/a.rs", "src/b.rs"]);
        assert_eq!(changes("fatal: not a git repository\nhint: try again\n"), GitStatus::default());
    }
}
