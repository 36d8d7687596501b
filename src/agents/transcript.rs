//! What is kept and shown of a call while it runs: the raw file, which holds all that the agent printed, and the last
//! line for somebody who watches. Both are masked. A raw file that cannot be written is reported once and never ends
//! the call.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use model::redact::{Masked, Masker};
use process::Stream;

/// How many bytes a raw file gets.
const RAW_LIMIT: usize = 4 * 1024 * 1024;
/// How many bytes wait at most for the end of their line, or of their private key; what is longer is cut.
const BLOCK: usize = 256 * 1024;
/// How many bytes are collected before they are written, unless somebody calls `flush`.
const BUFFER: usize = 32 * 1024;

/// How many characters of a line are shown.
const SHOWN_WIDTH: usize = 200;
/// How many bytes of a line are looked at; enough for every secret that could begin in the part that is shown.
const LOOKED_AT: usize = 4096;

/// Where the output of a call goes.
pub(super) struct Transcript<'a> {
    raw: RawFile<'a>,
    progress: ProgressLine,
}

impl<'a> Transcript<'a> {
    pub(super) fn create(raw_file: &Path, masker: &'a Masker) -> Self {
        Self { raw: RawFile::create(raw_file, masker), progress: ProgressLine::default() }
    }

    /// Keeps output in the raw file.
    pub(super) fn keep(&mut self, stream: Stream, bytes: &[u8]) {
        self.raw.push(stream, bytes);
    }

    /// Shows a whole line to somebody who watches.
    pub(super) fn show_line(&mut self, line: &str) {
        self.progress.push(line.as_bytes());
        self.progress.push(b"\n");
    }

    /// Keeps output and shows it, each line once it is complete.
    pub(super) fn keep_and_show(&mut self, stream: Stream, bytes: &[u8]) {
        self.keep(stream, bytes);
        self.progress.push(bytes);
    }

    /// Writes what is complete to the raw file, and returns the last line that was not returned yet.
    pub(super) fn flush(&mut self) -> Option<Masked> {
        self.raw.write_all(false);
        self.progress.take(self.raw.masker)
    }

    /// Writes all that is left to the raw file.
    pub(super) fn finish(mut self) {
        self.raw.write_all(true);
    }
}

/// The raw file of one call: one JSON object per line that was printed, up to a limit.
struct RawFile<'a> {
    file: Option<File>,
    bytes_left: usize,
    masker: &'a Masker,
    /// By stream.
    pending: [Pending; 2],
}

impl<'a> RawFile<'a> {
    fn create(path: &Path, masker: &'a Masker) -> Self {
        let file = File::create(path).inspect_err(warn).ok();
        Self { file, bytes_left: RAW_LIMIT, masker, pending: Default::default() }
    }

    fn push(&mut self, stream: Stream, bytes: &[u8]) {
        if self.file.is_none() {
            return;
        }
        for part in bytes.chunks(BLOCK / 2) {
            let pending = &mut self.pending[stream as usize];
            pending.bytes.extend_from_slice(part);
            if pending.bytes.len() >= BUFFER {
                self.write(stream, false);
            }
        }
    }

    /// Writes every line that is complete; at the end all that is left.
    fn write_all(&mut self, is_last: bool) {
        self.write(Stream::Stdout, is_last);
        self.write(Stream::Stderr, is_last);
    }

    fn write(&mut self, stream: Stream, is_last: bool) {
        let block = self.pending[stream as usize].take_complete(is_last);
        let text = String::from_utf8_lossy(&block);
        let masked = self.masker.mask(&text);
        let mut lines = String::new();
        for line in masked.as_str().lines() {
            let object = serde_json::json!({"stream": stream.to_string(), "text": line}).to_string() + "\n";
            if lines.len() + object.len() > self.bytes_left {
                lines.push_str("{\"stream\":\"note\",\"text\":\"the rest is left out\"}\n");
                self.append(&lines);
                self.file = None;
                return;
            }
            lines.push_str(&object);
        }
        self.append(&lines);
    }

    fn append(&mut self, lines: &str) {
        self.bytes_left = self.bytes_left.saturating_sub(lines.len());
        if let Some(file) = &mut self.file
            && let Err(error) = file.write_all(lines.as_bytes())
        {
            warn(&error);
            self.file = None;
        }
    }
}

fn warn(error: &io::Error) {
    tracing::warn!("the raw output of the agent cannot be kept: {error}");
}

/// What was printed and is not written yet.
#[derive(Default)]
struct Pending {
    bytes: Vec<u8>,
    /// Everything up to this is dropped: the rest of something that was too long.
    skip_until: Option<&'static [u8]>,
}

impl Pending {
    /// Takes what can be masked and written: whole lines, and no line of a private key before its last.
    fn take_complete(&mut self, is_last: bool) -> Vec<u8> {
        if !self.skip() {
            return Vec::new();
        }
        let mut end = if is_last { self.bytes.len() } else { position_after(&self.bytes, b"\n") };
        if !is_last && let Some(begin) = unfinished_key(&self.bytes[..end]) {
            end = begin;
        }
        if end == 0 && self.bytes.len() >= BLOCK {
            return self.cut();
        }
        self.bytes.drain(..end).collect()
    }

    /// Drops what is to be skipped; returns false when its end is still to come.
    fn skip(&mut self) -> bool {
        let Some(until) = self.skip_until else { return true };
        let found = self.bytes.windows(until.len()).position(|window| window == until);
        let end = found.map_or(self.bytes.len().saturating_sub(until.len() - 1), |at| at + until.len());
        self.bytes.drain(..end);
        if found.is_some() {
            self.skip_until = None;
        }
        found.is_some()
    }

    /// Takes the beginning of something too long, up to a place where no word is cut in two, and drops the rest.
    fn cut(&mut self) -> Vec<u8> {
        let is_key = unfinished_key(&self.bytes).is_some();
        self.skip_until = Some(if is_key { b"-----END" } else { b"\n" });
        let mut block = std::mem::take(&mut self.bytes);
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.+/=".contains(byte);
        let word = block.iter().rev().take_while(|byte| is_word(byte)).count();
        if !is_key && word < block.len() {
            block.truncate(block.len() - word);
        }
        block
    }
}

/// Returns the position after the last place where something stands, 0 when it stands nowhere.
fn position_after(bytes: &[u8], wanted: &[u8]) -> usize {
    bytes.windows(wanted.len()).rposition(|window| window == wanted).map_or(0, |at| at + wanted.len())
}

/// Returns where a private key begins that does not end in these bytes.
fn unfinished_key(bytes: &[u8]) -> Option<usize> {
    let key = position_after(bytes, b"PRIVATE KEY-----");
    let begin = position_after(&bytes[..key], b"-----BEGIN").checked_sub("-----BEGIN".len())?;
    let ended = position_after(&bytes[begin..], b"-----END") > 0;
    if ended { None } else { Some(begin) }
}

/// The last line that was printed and not shown yet: masked, short, without control characters.
#[derive(Default)]
struct ProgressLine {
    /// The beginning of a line that has no end yet.
    unfinished: Vec<u8>,
    last: Option<String>,
}

impl ProgressLine {
    fn push(&mut self, bytes: &[u8]) {
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
            self.extend(bytes);
            return;
        };
        let lines = &bytes[..end];
        let first_end = lines.iter().position(|byte| *byte == b'\n').unwrap_or(end);
        self.extend(&lines[..first_end]);
        let first = std::mem::take(&mut self.unfinished);
        let later = lines.get(first_end + 1..).unwrap_or_default();
        let found = later.rsplit(|byte| *byte == b'\n').find_map(readable).or_else(|| readable(&first));
        if found.is_some() {
            self.last = found;
        }
        self.extend(&bytes[end + 1..]);
    }

    /// Returns the last line, once.
    fn take(&mut self, masker: &Masker) -> Option<Masked> {
        let masked = masker.mask(&self.last.take()?);
        // A masked text has no shorter form of its own; masking it again changes nothing.
        Some(masker.mask(&masked.as_str().chars().take(SHOWN_WIDTH).collect::<String>()))
    }

    fn extend(&mut self, bytes: &[u8]) {
        let free = LOOKED_AT.saturating_sub(self.unfinished.len()).min(bytes.len());
        self.unfinished.extend_from_slice(&bytes[..free]);
    }
}

/// Returns a line without what would move a terminal's cursor; nothing when it is blank.
fn readable(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&line[..line.len().min(LOOKED_AT)]);
    let mut plain = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => skip_escape(&mut characters),
            '\t' => plain.push(' '),
            _ if character.is_control() => {}
            _ => plain.push(character),
        }
    }
    let plain = plain.trim();
    if plain.is_empty() { None } else { Some(plain.to_owned()) }
}

/// Skips `[ parameters letter` after an escape; of other sequences the one character that names it.
fn skip_escape(characters: &mut std::str::Chars<'_>) {
    if characters.next() == Some('[') {
        let _ = characters.find(|character| ('@'..='~').contains(character));
    }
}

#[cfg(test)]
mod tests;
