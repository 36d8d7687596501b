//! The last line an agent printed, for somebody who watches: masked, short, without control characters, a few times
//! per second. Keeps nothing else.

use model::redact::{Masked, Masker};

/// How many characters of a line are shown.
const WIDTH: usize = 200;
/// How much of a line is looked at; wide enough for every secret that could begin in the part that is shown.
const LOOKED_AT: usize = 4096;

/// The last line that was not shown yet.
pub(super) struct Progress<'a> {
    masker: &'a Masker,
    /// The beginning of a line that has no end yet.
    open: Vec<u8>,
    last: Option<String>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(masker: &'a Masker) -> Self {
        Self { masker, open: Vec::new(), last: None }
    }

    pub(super) fn take(&mut self, bytes: &[u8]) {
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
            self.lengthen(bytes);
            return;
        };
        let lines = &bytes[..end];
        let first_end = lines.iter().position(|byte| *byte == b'\n').unwrap_or(end);
        self.lengthen(&lines[..first_end]);
        let first = std::mem::take(&mut self.open);
        let later = lines.get(first_end + 1..).unwrap_or_default();
        let found = later.rsplit(|byte| *byte == b'\n').find_map(readable).or_else(|| readable(&first));
        self.last = found.or_else(|| self.last.take());
        self.lengthen(&bytes[end + 1..]);
    }

    /// Returns the last line, once.
    pub(super) fn line(&mut self) -> Option<Masked> {
        let masked = self.masker.mask(&self.last.take()?);
        // A masked text has no shorter form of its own; masking it again changes nothing.
        Some(self.masker.mask(&masked.as_str().chars().take(WIDTH).collect::<String>()))
    }

    fn lengthen(&mut self, bytes: &[u8]) {
        let room = LOOKED_AT.saturating_sub(self.open.len()).min(bytes.len());
        self.open.extend_from_slice(&bytes[..room]);
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
mod tests {
    use super::*;

    fn shown(pieces: &[&[u8]]) -> Option<String> {
        let masker = Masker::new([("MY_TOKEN".to_owned(), "correct horse".to_owned())]);
        let mut progress = Progress::new(&masker);
        for piece in pieces {
            progress.take(piece);
        }
        let line = progress.line().map(|line| line.to_string());
        assert_eq!(progress.line(), None);
        line
    }

    #[test]
    fn the_last_line_with_something_on_it_is_shown() {
        assert_eq!(shown(&[b"one\ntwo\n \n\nthr"]).as_deref(), Some("two"));
        assert_eq!(shown(&[b"one\ntw", b"o", b" too\n"]).as_deref(), Some("two too"));
        assert_eq!(shown(&[b"one\n", b"\n"]).as_deref(), Some("one"));
        assert_eq!(shown(&[b"one"]), None);
    }

    #[test]
    fn the_line_is_masked_short_and_moves_no_cursor() {
        assert_eq!(shown(&[b"correct horse\n"]).as_deref(), Some("[MASKED:MY_TOKEN]"));
        assert_eq!(shown(&[b"\x1b[2J\x1b[1;31mred\x1b[0m\ta\x07\x1bcb\r\n"]).as_deref(), Some("red ab"));
        let long = format!("{}\n", "あ".repeat(3000));
        assert_eq!(shown(&[long.as_bytes()]), Some("あ".repeat(200)));
    }
}
