//! Splits output into lines as it comes. A line that is too long is cut and marked, so that no line costs more than
//! its limit; what is not UTF-8 is replaced. Knows nothing of what the lines mean.

/// How long a line gets. An event with a whole file in it is shorter; what is longer is no event that we need.
const LIMIT: usize = 4 * 1024 * 1024;

/// One line without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub text: String,
    /// The line was longer; this is its beginning.
    pub cut: bool,
}

/// The line that has no end yet.
#[derive(Debug)]
pub(super) struct Lines {
    open: Vec<u8>,
    cut: bool,
    limit: usize,
}

impl Default for Lines {
    fn default() -> Self {
        Self::new(LIMIT)
    }
}

impl Lines {
    fn new(limit: usize) -> Self {
        Self { open: Vec::new(), cut: false, limit }
    }

    /// Takes output and returns the lines that it ends.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.lengthen(&rest[..end]);
            lines.extend(self.end());
            rest = &rest[end + 1..];
        }
        self.lengthen(rest);
        lines
    }

    /// Returns the last line, when the output ended without an end of line.
    pub(super) fn end(&mut self) -> Option<Line> {
        let bytes = std::mem::take(&mut self.open);
        let cut = std::mem::take(&mut self.cut);
        let text = String::from_utf8_lossy(&bytes).trim_end_matches('\r').to_owned();
        if text.is_empty() { None } else { Some(Line { text, cut }) }
    }

    fn lengthen(&mut self, bytes: &[u8]) {
        let room = self.limit - self.open.len();
        self.cut |= bytes.len() > room;
        self.open.extend_from_slice(&bytes[..room.min(bytes.len())]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Line {
        Line { text: text.to_owned(), cut: false }
    }

    #[test]
    fn lines_are_whole_however_they_come() {
        let mut lines = Lines::default();
        assert_eq!(lines.take(b"on"), []);
        assert_eq!(lines.take(b"e\r\n\ntwo\nth\xff"), [whole("one"), whole("two")]);
        assert_eq!(lines.end(), Some(whole("th\u{fffd}")));
        assert_eq!(lines.end(), None);
    }

    #[test]
    fn a_character_in_two_pieces_stays_one() {
        let mut lines = Lines::default();
        let (first, second) = "あ\n".as_bytes().split_at(1);
        assert_eq!([lines.take(first), lines.take(second)].concat(), [whole("あ")]);
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_and_costs_no_memory() {
        let mut lines = Lines::new(4);
        for _ in 0..1000 {
            assert_eq!(lines.take(&[b'x'; 1000]), []);
        }
        assert!(lines.open.capacity() < 64);
        assert_eq!(lines.take(b"y\nnext\n"), [Line { text: "xxxx".into(), cut: true }, whole("next")]);
    }
}
