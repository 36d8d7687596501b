//! Writes what an agent prints to its raw file while it prints: masked, one JSON object per line, up to a limit.
//! A file that cannot be written is told once and never ends the call.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use model::redact::Masker;

use process::Stream;

/// How large a raw file gets.
const LIMIT: usize = 4 * 1024 * 1024;
/// How much waits at most for the end of its line, or of its private key; what is longer is cut.
const BLOCK: usize = 256 * 1024;
/// How much is collected before it is written, unless somebody calls `flush`.
const ENOUGH: usize = 32 * 1024;

/// The raw file of one call.
pub(super) struct RawFile<'a> {
    file: Option<File>,
    room: usize,
    masker: &'a Masker,
    stdout: Pending,
    stderr: Pending,
}

/// What was printed and is not written yet.
#[derive(Default)]
struct Pending {
    bytes: Vec<u8>,
    /// Everything up to this is let go: the rest of something that was too long.
    skip_until: Option<&'static [u8]>,
}

impl<'a> RawFile<'a> {
    pub(super) fn create(path: &Path, masker: &'a Masker) -> Self {
        let file = File::create(path).inspect_err(warn).ok();
        Self { file, room: LIMIT, masker, stdout: Pending::default(), stderr: Pending::default() }
    }

    pub(super) fn take(&mut self, stream: Stream, bytes: &[u8]) {
        if self.file.is_none() {
            return;
        }
        for part in bytes.chunks(BLOCK / 2) {
            let pending = self.pending(stream);
            pending.bytes.extend_from_slice(part);
            if pending.bytes.len() >= ENOUGH {
                self.write(stream, false);
            }
        }
    }

    /// Writes every line that is complete.
    pub(super) fn flush(&mut self) {
        self.write(Stream::Stdout, false);
        self.write(Stream::Stderr, false);
    }

    /// Writes all that is left.
    pub(super) fn finish(mut self) {
        self.write(Stream::Stdout, true);
        self.write(Stream::Stderr, true);
    }

    fn pending(&mut self, stream: Stream) -> &mut Pending {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }

    fn write(&mut self, stream: Stream, last: bool) {
        let block = self.pending(stream).settled(last);
        let text = String::from_utf8_lossy(&block);
        let masked = self.masker.mask(&text);
        let mut lines = String::new();
        for line in masked.as_str().lines() {
            let object = serde_json::json!({"stream": stream.as_str(), "text": line}).to_string() + "\n";
            if lines.len() + object.len() > self.room {
                lines.push_str("{\"stream\":\"note\",\"text\":\"the rest is left out\"}\n");
                self.put(&lines);
                self.file = None;
                return;
            }
            lines.push_str(&object);
        }
        self.put(&lines);
    }

    fn put(&mut self, lines: &str) {
        self.room = self.room.saturating_sub(lines.len());
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

impl Pending {
    /// Takes what can be masked and written: whole lines, and no line of a private key before its last.
    fn settled(&mut self, last: bool) -> Vec<u8> {
        if !self.skip() {
            return Vec::new();
        }
        let mut end = if last { self.bytes.len() } else { position_after(&self.bytes, b"\n") };
        if !last && let Some(begin) = open_key(&self.bytes[..end]) {
            end = begin;
        }
        if end == 0 && self.bytes.len() >= BLOCK {
            return self.cut();
        }
        self.bytes.drain(..end).collect()
    }

    /// Lets go what is to be skipped; returns false when its end is still to come.
    fn skip(&mut self) -> bool {
        let Some(until) = self.skip_until else { return true };
        let found = self.bytes.windows(until.len()).position(|window| window == until);
        let end = found.map_or(self.bytes.len().saturating_sub(until.len() - 1), |at| at + until.len());
        self.bytes.drain(..end);
        self.skip_until = self.skip_until.filter(|_| found.is_none());
        found.is_some()
    }

    /// Takes the beginning of something too long, up to a place where no word is cut in two, and lets the rest go.
    fn cut(&mut self) -> Vec<u8> {
        let key = open_key(&self.bytes).is_some();
        self.skip_until = Some(if key { b"-----END" } else { b"\n" });
        let mut block = std::mem::take(&mut self.bytes);
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.+/=".contains(byte);
        let word = block.iter().rev().take_while(|byte| is_word(byte)).count();
        if !key && word < block.len() {
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
fn open_key(bytes: &[u8]) -> Option<usize> {
    let key = position_after(bytes, b"PRIVATE KEY-----");
    let begin = position_after(&bytes[..key], b"-----BEGIN").checked_sub("-----BEGIN".len())?;
    let ended = position_after(&bytes[begin..], b"-----END") > 0;
    if ended { None } else { Some(begin) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the pieces as standard output and returns the texts of the file.
    fn written(pieces: &[&[u8]]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("raw.jsonl");
        let masker = Masker::default();
        let mut raw = RawFile::create(&path, &masker);
        for piece in pieces {
            raw.take(Stream::Stdout, piece);
            raw.flush();
        }
        raw.finish();
        let text = std::fs::read_to_string(&path).expect("the file");
        text.lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an object"))
            .map(|object| object["text"].as_str().expect("a text").to_owned())
            .collect()
    }

    #[test]
    fn lines_are_written_whole_however_they_come() {
        assert_eq!(written(&[b"on", b"e\ntw", b"o\n\xff", b"!"]), ["one", "two", "\u{fffd}!"]);
    }

    #[test]
    fn a_secret_in_two_pieces_is_masked() {
        let token = "A".repeat(36);
        let rest = format!("{token} after\n");
        assert_eq!(written(&[b"x ghp_", rest.as_bytes()]), ["x [MASKED:GITHUB_TOKEN] after"]);
    }

    #[test]
    fn a_private_key_is_masked_whole() {
        let pieces: [&[u8]; 4] =
            [b"a\n-----BEGIN PRIVATE KEY-----\n", b"MIIB\n", b"-----END PRIVATE KEY-----\n", b"z\n"];
        assert_eq!(written(&pieces), ["a", "[MASKED:PRIVATE_KEY]", "z"]);
    }

    #[test]
    fn a_private_key_without_an_end_never_shows() {
        let line = format!("{}\n", "MIIB".repeat(16));
        let body = line.repeat(2 * BLOCK / line.len());
        let pieces: [&[u8]; 3] = [b"-----BEGIN RSA PRIVATE KEY-----\n", body.as_bytes(), b"MIIB"];
        assert_eq!(written(&pieces), ["[MASKED:PRIVATE_KEY]"]);
    }

    #[test]
    fn the_rest_of_a_line_without_end_is_let_go() {
        let long = "word ".repeat(BLOCK);
        let texts = written(&[long.as_bytes(), b"\nnext\n"]);
        assert_eq!(texts.len(), 2);
        assert!(texts[0].ends_with("word ") && texts[0].len() < BLOCK + ENOUGH + BLOCK / 2);
        assert_eq!(texts[1], "next");
    }

    #[test]
    fn a_file_that_cannot_be_made_ends_nothing() {
        let masker = Masker::default();
        let mut raw = RawFile::create(Path::new("/no/such/folder/raw.jsonl"), &masker);
        raw.take(Stream::Stderr, b"x\n");
        raw.finish();
    }

    #[test]
    fn the_file_does_not_grow_beyond_its_limit() {
        let line = format!("{}\n", "x ".repeat(50_000));
        let pieces = vec![line.as_bytes(); LIMIT / 100_000 + 5];
        let texts = written(&pieces);
        assert_eq!(texts.last().map(String::as_str), Some("the rest is left out"));
        assert!(texts.len() < pieces.len());
    }
}
