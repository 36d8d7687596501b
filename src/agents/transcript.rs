//! What is kept and shown of a call while it runs: the raw file, which holds all that the agent printed, and the last
//! line, which is shown. Both are masked. A raw file that cannot be written is reported once and never ends the call.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use model::redact::{Masked, Masker};
use process::Stream;

use super::json_lines::LineSplitter;

/// How many bytes a raw file gets.
const RAW_LIMIT: usize = 4 * 1024 * 1024;
/// How many bytes wait at most for the end of their line, or of their private key; what is longer is cut.
const BLOCK: usize = 256 * 1024;
/// How many bytes are collected before they are written, unless `flush` is called.
const BUFFER: usize = 32 * 1024;

/// How many characters of a line are shown.
const SHOWN_WIDTH: usize = 200;
/// How many bytes of a line are looked at; enough for every secret that could begin in the part that is shown.
const LOOKED_AT: usize = 4096;

/// Writes the output of a call: into the raw file one JSON object per printed line, up to a limit, and the last line for
/// the reporters.
pub(super) struct Transcript<'a> {
    raw_file: Option<File>,
    bytes_left: usize,
    masker: &'a Masker,
    /// By stream.
    pending: [UnwrittenOutput; 2],
    lines: LineSplitter,
    /// The last line that was printed and not shown yet.
    last_line: Option<String>,
}

impl<'a> Transcript<'a> {
    pub(super) fn create(raw_file: &Path, masker: &'a Masker) -> Self {
        Self {
            raw_file: File::create(raw_file).inspect_err(warn_of_raw_file).ok(),
            bytes_left: RAW_LIMIT,
            masker,
            pending: Default::default(),
            lines: LineSplitter::new(LOOKED_AT),
            last_line: None,
        }
    }

    /// Keeps output in the raw file.
    pub(super) fn keep(&mut self, stream: Stream, bytes: &[u8]) {
        if self.raw_file.is_none() {
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

    /// Shows a whole line.
    pub(super) fn show_line(&mut self, line: &str) {
        self.show(format!("{line}\n").as_bytes());
    }

    /// Keeps output and shows it, each line once it is complete.
    pub(super) fn keep_and_show(&mut self, stream: Stream, bytes: &[u8]) {
        self.keep(stream, bytes);
        self.show(bytes);
    }

    /// Shows the last line that is not blank; of many lines only the last ones are read.
    fn show(&mut self, bytes: &[u8]) {
        let is_end = |byte: &u8| *byte == b'\n';
        let (first, rest) = bytes.split_at(bytes.iter().position(is_end).map_or(bytes.len(), |at| at + 1));
        let (complete, unfinished) = rest.split_at(rest.iter().rposition(is_end).map_or(0, |at| at + 1));
        let first = self.lines.push(first);
        self.lines.push(unfinished);
        let cut = |line: &[u8]| make_readable(&String::from_utf8_lossy(&line[..line.len().min(LOOKED_AT)]));
        let last = complete.rsplit(is_end).find_map(cut);
        if let Some(line) = last.or_else(|| make_readable(&first.first()?.text)) {
            self.last_line = Some(line);
        }
    }

    /// Writes what is complete to the raw file, and returns the last line that was not returned yet.
    pub(super) fn flush(&mut self) -> Option<Masked> {
        self.write_all(false);
        let masked = self.masker.mask(&self.last_line.take()?);
        // A masked text has no shorter form of its own; masking it again changes nothing.
        Some(self.masker.mask(&masked.as_str().chars().take(SHOWN_WIDTH).collect::<String>()))
    }

    /// Writes every line that is complete; at the end all that is left.
    pub(super) fn write_all(&mut self, is_last: bool) {
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
                self.append_lines(&lines);
                self.raw_file = None;
                return;
            }
            lines.push_str(&object);
        }
        self.append_lines(&lines);
    }

    fn append_lines(&mut self, lines: &str) {
        self.bytes_left = self.bytes_left.saturating_sub(lines.len());
        if let Some(file) = &mut self.raw_file
            && let Err(error) = file.write_all(lines.as_bytes())
        {
            warn_of_raw_file(&error);
            self.raw_file = None;
        }
    }
}

fn warn_of_raw_file(error: &io::Error) {
    tracing::warn!("the raw output of the agent cannot be kept: {error}");
}

/// What was printed and is not written yet.
#[derive(Default)]
struct UnwrittenOutput {
    bytes: Vec<u8>,
    /// Everything up to this is dropped: the rest of something that was too long.
    skip_until: Option<&'static [u8]>,
}

impl UnwrittenOutput {
    /// Takes what can be masked and written: whole lines, and no line of a private key before its last.
    fn take_complete(&mut self, is_last: bool) -> Vec<u8> {
        if !self.skip_rest() {
            return Vec::new();
        }
        let mut end = if is_last { self.bytes.len() } else { position_after(&self.bytes, b"\n") };
        if !is_last && let Some(begin) = find_unfinished_key(&self.bytes[..end]) {
            end = begin;
        }
        if end == 0 && self.bytes.len() >= BLOCK {
            return self.cut_block();
        }
        self.bytes.drain(..end).collect()
    }

    /// Drops what is to be skipped; returns false when its end is still to come.
    fn skip_rest(&mut self) -> bool {
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
    fn cut_block(&mut self) -> Vec<u8> {
        let is_key = find_unfinished_key(&self.bytes).is_some();
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

/// Returns the position after the last occurrence of some bytes; 0 when there is none.
fn position_after(bytes: &[u8], wanted: &[u8]) -> usize {
    bytes.windows(wanted.len()).rposition(|window| window == wanted).map_or(0, |at| at + wanted.len())
}

/// Returns where a private key begins that does not end in these bytes.
fn find_unfinished_key(bytes: &[u8]) -> Option<usize> {
    let key = position_after(bytes, b"PRIVATE KEY-----");
    let begin = position_after(&bytes[..key], b"-----BEGIN").checked_sub("-----BEGIN".len())?;
    let ended = position_after(&bytes[begin..], b"-----END") > 0;
    if ended { None } else { Some(begin) }
}

/// Returns a line without what would move a terminal's cursor; nothing when it is blank.
fn make_readable(line: &str) -> Option<String> {
    let mut plain = String::new();
    let mut characters = line.chars();
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
