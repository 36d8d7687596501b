//! `git status --porcelain`, versions 1 and 2, with and without `-z`: names as they are on disk, whatever is in them.

use serde::Serialize;

/// What git says differs. A file may stand in several lists.
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
    /// Paths that have another name now.
    pub renamed: Vec<Renamed>,
}

/// A file that has another name now; the new name stands in the other lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Renamed {
    /// The path before.
    pub from: String,
    /// The path now.
    pub to: String,
}

/// Reads what `git status --porcelain` printed.
pub fn changes(porcelain: &str) -> GitStatus {
    let raw = porcelain.contains('\0');
    let mut status = GitStatus::default();
    let mut records = porcelain.split(if raw { '\0' } else { '\n' });
    while let Some(record) = records.next() {
        let record = if raw { record } else { record.trim_end_matches('\r') };
        let Some(entry) = second(record, raw).or_else(|| first(record, raw)) else { continue };
        let from = match entry.from {
            None if entry.moved && raw => records.next().map(str::to_owned),
            from => from,
        };
        see(&mut status, entry.letters, entry.path, from);
    }
    status
}

struct Entry {
    /// Index against HEAD, worktree against index; blank where nothing differs.
    letters: [u8; 2],
    path: String,
    moved: bool,
    from: Option<String>,
}

/// Reads a line of version 2: `1 .M N... 100644 100644 100644 id id path`.
fn second(record: &str, raw: bool) -> Option<Entry> {
    let (kind, rest) = record.split_once(' ')?;
    let fields = match kind {
        "1" => 8,
        "2" => 9,
        "u" => 10,
        "?" => return Some(entry(*b"??", name(rest, raw), None)),
        _ => return None,
    };
    let parts: Vec<&str> = rest.splitn(fields, ' ').collect();
    let (letters, path) = (parts.first()?.as_bytes(), *parts.get(fields - 1)?);
    let letters = if kind == "u" { *b"UU" } else { [blank(*letters.first()?), blank(*letters.get(1)?)] };
    let (path, from) = match path.split_once('\t').filter(|_| kind == "2" && !raw) {
        Some((path, from)) => (path, Some(name(from, raw))),
        None => (path, None),
    };
    Some(Entry { moved: kind == "2", ..entry(letters, name(path, raw), from) })
}

fn blank(letter: u8) -> u8 {
    if letter == b'.' { b' ' } else { letter }
}

/// Reads a line of version 1: `R  old -> new`. Who trimmed the output took the first blank away.
fn first(record: &str, raw: bool) -> Option<Entry> {
    let bytes = record.as_bytes();
    let (letters, rest) = match bytes {
        [index, worktree, b' ', ..] => ([*index, *worktree], &record[3..]),
        [worktree, b' ', ..] => ([b' ', *worktree], &record[2..]),
        _ => return None,
    };
    if !letters.iter().all(|letter| b" MTADRCU?".contains(letter)) || letters == *b"  " {
        return None;
    }
    let moved = letters.iter().any(|letter| b"RC".contains(letter));
    if raw || !moved {
        return Some(Entry { moved, ..entry(letters, name(rest, raw), None) });
    }
    let (from, to) = two_names(rest)?;
    Some(Entry { moved, ..entry(letters, to, Some(from)) })
}

fn entry(letters: [u8; 2], path: String, from: Option<String>) -> Entry {
    Entry { letters, path, moved: false, from }
}

/// Splits `old -> new`, where either may stand in quotes.
fn two_names(text: &str) -> Option<(String, String)> {
    let end = if text.starts_with('"') { quoted_end(text)? } else { text.find(" -> ")? };
    let (from, to) = (&text[..end], text[end..].strip_prefix(" -> ")?);
    Some((name(from, false), name(to, false)))
}

fn quoted_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().enumerate().skip(1).find_map(|(index, byte)| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends.then_some(index + 1)
    })
}

/// Returns a name as it is on disk; git quotes unusual ones as C does.
fn name(text: &str, raw: bool) -> String {
    let quoted = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|_| !raw);
    quoted.map_or_else(|| text.to_owned(), unquoted)
}

fn unquoted(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, left) = if *first == b'\\' { escape(after) } else { (*first, after) };
        bytes.push(byte);
        rest = left;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads what follows a backslash: a letter, or the byte in three octal digits.
fn escape(text: &[u8]) -> (u8, &[u8]) {
    match text {
        [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', rest @ ..] => {
            ((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'), rest)
        }
        [letter, rest @ ..] => (named(*letter), rest),
        [] => (b'\\', text),
    }
}

fn named(letter: u8) -> u8 {
    match letter {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        other => other,
    }
}

fn see(status: &mut GitStatus, [index, worktree]: [u8; 2], path: String, from: Option<String>) {
    if index == b'?' {
        status.untracked.push(path);
        return;
    }
    let conflict = index == b'U' || worktree == b'U' || (index == worktree && index != b' ' && index != b'M');
    if index != b' ' && !conflict {
        status.staged.push(path.clone());
    }
    if worktree != b' ' || conflict {
        status.unstaged.push(path.clone());
    }
    if let Some(from) = from {
        status.renamed.push(Renamed { from, to: path.clone() });
    }
    status.changed.push(path);
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
            renamed: vec![Renamed { from: "old -> odd.rs".into(), to: "new é.rs".into() }],
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
