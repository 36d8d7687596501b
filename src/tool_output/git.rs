//! `git status --porcelain`, versions 1 and 2, with and without `-z`: names as they are on disk, whatever is in them.

use std::sync::LazyLock;

use regex::bytes;
use serde::Serialize;

use super::pattern::LazyPattern;

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

/// Lines of version 2, `1 .M N... 100644 100644 100644 id id path`, and of version 1, ` M path`. Who trimmed the output took the
/// first blank of version 1 away.
static ENTRIES: [LazyPattern; 5] = [
    LazyPattern::new(r"(?s)^1 (?<letters>\S\S) (?:\S+ ){6}(?<path>.*)$"),
    LazyPattern::new(r"(?s)^2 (?<letters>\S\S) (?:\S+ ){7}(?<path>.*)$"),
    LazyPattern::new(r"(?s)^u (?<letters>\S\S) (?:\S+ ){8}(?<path>.*)$"),
    LazyPattern::new(r"(?s)^(?<letters>\?) (?<path>.*)$"),
    LazyPattern::new(r"(?s)^(?<letters>[ MTADRCU?][MTADRCU?]|[MTADRCU?] ?) (?<path>.*)$"),
];

/// `old -> new`, where the old name may stand in quotes.
static RENAMED: LazyPattern = LazyPattern::new(r#"(?s)^("(?:[^"\\]|\\.)*"|.*?) -> (.*)$"#);

/// A letter behind a backslash, or a byte in three octal digits.
static ESCAPE: LazyLock<bytes::Regex> =
    LazyLock::new(|| bytes::Regex::new(r"(?s-u)\\([0-3][0-7][0-7]|.)").expect("a constant pattern"));

/// Reads what `git status --porcelain` printed.
pub fn changes(porcelain: &str) -> GitStatus {
    let raw = porcelain.contains('\0');
    let mut status = GitStatus::default();
    let mut records = porcelain.split(if raw { '\0' } else { '\n' });
    while let Some(record) = records.next() {
        let record = if raw { record } else { record.trim_end_matches('\r') };
        let Some(parts) = ENTRIES.iter().find_map(|entry| entry.captures(record)) else { continue };
        let (letters, path) = (letters(&parts["letters"]), &parts["path"]);
        let moved = letters.contains(&b'R') || letters.contains(&b'C');
        let path = match (raw, moved) {
            (true, false) => Some(path.to_owned()),
            (true, true) => records.next().map(|_| path.to_owned()),
            (false, false) => Some(name(path)),
            (false, true) => new_name(path).map(name),
        };
        if let Some(path) = path {
            status.add(letters, path);
        }
    }
    status
}

/// Returns how the index differs from HEAD, and the worktree from the index; blank where nothing differs.
fn letters(text: &str) -> [u8; 2] {
    match text.replace('.', " ").as_bytes() {
        [index, worktree] => [*index, *worktree],
        letters => [b' ', letters[0]],
    }
}

/// Returns the new name of `new<tab>old` of version 2, and of `old -> new` of version 1.
fn new_name(text: &str) -> Option<&str> {
    match text.split_once('\t') {
        Some((new, _)) => Some(new),
        None => RENAMED.captures(text).map(|parts| parts.extract::<2>().1[1]),
    }
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

impl GitStatus {
    fn add(&mut self, letters: [u8; 2], path: String) {
        if letters.contains(&b'?') {
            self.untracked.push(path);
            return;
        }
        let [index, worktree] = letters;
        let is_conflict = letters.contains(&b'U') || letters == *b"AA" || letters == *b"DD";
        if index != b' ' && !is_conflict {
            self.staged.push(path.clone());
        }
        if worktree != b' ' || is_conflict {
            self.unstaged.push(path.clone());
        }
        self.changed.push(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

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
    fn version_1_is_read_with_quotes_and_with_nul() {
        let lines = "## main...origin/main\n M a b.rs\nA  added.rs\nR  \"old -> odd.rs\" -> \"new \\303\\251.rs\"\nUU both\n\
            ?? \"tab\\t\\\"quote\\\"\"\n!! target/\n";
        assert_eq!(changes(lines), expected());
        let raw = " M a b.rs\0A  added.rs\0R  new é.rs\0old -> odd.rs\0UU both\0?? tab\t\"quote\"\0";
        assert_eq!(changes(raw), expected());
    }

    #[test]
    fn version_2_is_read_with_quotes_and_with_nul() {
        let entry =
            |letters: &str, path: &str| format!("1 {letters} N... 100644 100644 100644 {ID} {ID} {path}");
        let moved = |rest: &str| format!("2 R. N... 100644 100644 100644 {ID} {ID} R100 {rest}");
        let both = format!("u UU N... 100644 100644 100644 100644 {ID} {ID} {ID} both");
        let oid = format!("# branch.oid {ID}");
        let lines = [
            &oid,
            &entry(".M", "a b.rs"),
            &entry("A.", "added.rs"),
            &moved("\"new \\303\\251.rs\"\told -> odd.rs"),
            &both,
            "? \"tab\\t\\\"quote\\\"\"",
            "! target/",
        ];
        assert_eq!(changes(&lines.join("\n")), expected());
        let raw = [
            &oid,
            &entry(".M", "a b.rs"),
            &entry("A.", "added.rs"),
            &moved("new é.rs"),
            "old -> odd.rs",
            &both,
            "? tab\t\"quote\"",
            "",
        ];
        assert_eq!(changes(&raw.join("\0")), expected());
    }

    #[test]
    fn a_first_blank_that_was_trimmed_away_is_no_other_file() {
        assert_eq!(changes("M src/a.rs\n M src/b.rs").unstaged, ["src/a.rs", "src/b.rs"]);
        assert_eq!(changes("fatal: not a git repository\nhint: try again\n"), GitStatus::default());
    }
}
