//! What differs in one path: the file before and after, and the lines that came and went.
//! Knows no git and no disk; who made it and who judges it stand higher up.

use std::sync::OnceLock;

use imara_diff::{Algorithm, Diff, InternedInput};

/// A text beyond this is not looked at line by line, in bytes.
pub const LONGEST_TEXT: u64 = 4 * 1024 * 1024;

/// Texts of more lines are compared in a way that takes less time and finds other pairs of lines that many places share.
const MOST_LINES: usize = 2_000;

/// What differs in one path. Never both sides missing.
#[derive(Debug, Default)]
pub struct Change {
    /// Relative to the top of the worktree, with `/`.
    pub path: String,
    /// The file before; nothing for a new one.
    pub before: Option<FileVersion>,
    /// The file after; nothing for a deleted one.
    pub after: Option<FileVersion>,
    lines: OnceLock<ChangedLines>,
}

/// One side of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVersion {
    /// What kind of file it is.
    pub mode: FileMode,
    /// What it holds.
    pub content: FileContent,
}

/// What kind of file it is, as git keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMode {
    /// A plain file.
    File,
    /// A file that may be executed.
    Executable,
    /// A symbolic link; its content is where it points to.
    Link,
    /// The commit of another repository.
    Submodule,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FileContent {
    /// Of whatever encoding: a byte that is not UTF-8 hides nothing.
    Text(String),
    /// Bytes that are no text in any encoding we know.
    Binary(Vec<u8>),
    /// More than [`LONGEST_TEXT`] bytes.
    TooLong(u64),
}

impl FileContent {
    /// Tells what bytes are.
    pub fn of(bytes: Vec<u8>) -> Self {
        let size = bytes.len() as u64;
        if size > LONGEST_TEXT {
            return Self::TooLong(size);
        }
        match read_utf16(&bytes) {
            Some(text) => Self::Text(text),
            None if bytes.contains(&0) => Self::Binary(bytes),
            None => String::from_utf8(bytes).map_or_else(|error| read_latin1(error.into_bytes()), Self::Text),
        }
    }

    /// Returns the text, where it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Binary(_) | Self::TooLong(_) => None,
        }
    }

    /// Returns what a reader would make out in bytes that are no text; without NULs, so that UTF-16 is seen as well.
    pub fn legible(&self) -> Option<String> {
        let Self::Binary(bytes) = self else { return None };
        let seen: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
        Some(String::from_utf8_lossy(&seen).into_owned())
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::Binary(bytes) => bytes.len() as u64,
            Self::TooLong(size) => *size,
        }
    }
}

/// Reads UTF-16 that says so with its first bytes.
fn read_utf16(bytes: &[u8]) -> Option<String> {
    let of: fn([u8; 2]) -> u16 = match bytes.get(..2)? {
        [0xff, 0xfe] => u16::from_le_bytes,
        [0xfe, 0xff] => u16::from_be_bytes,
        _ => return None,
    };
    let (pairs, rest) = bytes[2..].as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| of(*pair)).collect();
    String::from_utf16(&units).ok().filter(|text| rest.is_empty() && !text.contains('\0'))
}

/// Reads Latin-1, which every byte is; controls that no text has tell what is none.
fn read_latin1(bytes: Vec<u8>) -> FileContent {
    let of_text = |byte: &u8| *byte >= b' ' && *byte != 0x7f || b"\t\n\r\x0c\x1b".contains(byte);
    if !bytes.iter().all(of_text) {
        return FileContent::Binary(bytes);
    }
    FileContent::Text(bytes.into_iter().map(char::from).collect())
}

impl FileVersion {
    /// Makes a plain file.
    pub fn file(text: &str) -> Self {
        Self { mode: FileMode::File, content: FileContent::Text(text.to_owned()) }
    }

    /// Returns the text of a file that is no link and no submodule.
    pub fn text(&self) -> Option<&str> {
        let plain = matches!(self.mode, FileMode::File | FileMode::Executable);
        if plain { self.content.text() } else { None }
    }
}

/// The numbers of lines, from 0.
#[derive(Debug, Default)]
struct ChangedLines {
    added: Vec<usize>,
    removed: Vec<usize>,
}

impl Change {
    /// Makes a change of a path.
    pub fn new(path: impl Into<String>, before: Option<FileVersion>, after: Option<FileVersion>) -> Self {
        Self { path: path.into(), before, after, lines: OnceLock::new() }
    }

    /// Makes a change of a plain file from its texts.
    pub fn of_texts(path: &str, before: Option<&str>, after: Option<&str>) -> Self {
        Self::new(path, before.map(FileVersion::file), after.map(FileVersion::file))
    }

    /// Returns the text before; nothing for a new file and for what is no text.
    pub fn old_text(&self) -> Option<&str> {
        self.before.as_ref()?.text()
    }

    /// Returns the text after; nothing for a deleted file and for what is no text.
    pub fn new_text(&self) -> Option<&str> {
        self.after.as_ref()?.text()
    }

    /// Tells whether the path was not there before.
    pub fn is_new(&self) -> bool {
        self.before.is_none()
    }

    /// Tells whether the path is not there after.
    pub fn is_deleted(&self) -> bool {
        self.after.is_none()
    }

    /// Returns the lines that the change brought, with their numbers from 1 in the new text, without their ends.
    pub fn added_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        pick_lines(self.new_text(), &self.lines().added)
    }

    /// Returns the lines that the change took away, with their numbers from 1 in the old text.
    pub fn removed_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        pick_lines(self.old_text(), &self.lines().removed)
    }

    fn lines(&self) -> &ChangedLines {
        self.lines.get_or_init(|| compare(self.old_text().unwrap_or(""), self.new_text().unwrap_or("")))
    }
}

/// Returns the lines with these ascending numbers from 0, and their numbers from 1.
fn pick_lines<'t>(text: Option<&'t str>, numbers: &'t [usize]) -> impl Iterator<Item = (usize, &'t str)> {
    let mut wanted = numbers.iter().peekable();
    text.unwrap_or("")
        .lines()
        .enumerate()
        .filter_map(move |(number, line)| wanted.next_if(|next| **next == number).map(|_| (number + 1, line)))
}

fn compare(before: &str, after: &str) -> ChangedLines {
    if before.is_empty() || after.is_empty() {
        return ChangedLines {
            added: (0..after.lines().count()).collect(),
            removed: (0..before.lines().count()).collect(),
        };
    }
    let input = InternedInput::new(before, after);
    let long = input.before.len().max(input.after.len()) > MOST_LINES;
    let diff = Diff::compute(if long { Algorithm::Myers } else { Algorithm::Histogram }, &input);
    let mut lines = ChangedLines::default();
    for hunk in diff.hunks() {
        lines.removed.extend(hunk.before.map(|line| line as usize));
        lines.added.extend(hunk.after.map(|line| line as usize));
    }
    lines
}

#[cfg(test)]
mod tests;
