//! What is kept of an output of any length: its beginning and its last lines. Everything else is counted and let go.

use std::collections::VecDeque;

/// How much of the end is kept.
const TAIL: usize = 8 * 1024;

/// The beginning and the end of an output.
#[derive(Debug)]
pub(super) struct Kept {
    head: Vec<u8>,
    limit: usize,
    tail: VecDeque<u8>,
    truncated: bool,
}

impl Kept {
    /// Keeps at most this many bytes of the beginning.
    pub(super) fn new(limit: usize) -> Self {
        Self { head: Vec::new(), limit, tail: VecDeque::new(), truncated: false }
    }

    pub(super) fn take(&mut self, bytes: &[u8]) {
        let room = self.limit - self.head.len();
        self.head.extend_from_slice(&bytes[..room.min(bytes.len())]);
        self.truncated |= bytes.len() > room;
        self.tail.extend(&bytes[bytes.len().saturating_sub(TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
    }

    /// Returns the beginning and whether something is missing after it.
    pub(super) fn into_head(self) -> (Vec<u8>, bool) {
        (self.head, self.truncated)
    }

    /// Returns the end as text; what is not UTF-8 is replaced.
    pub(super) fn tail(&self) -> String {
        let (front, back) = self.tail.as_slices();
        String::from_utf8_lossy(&[front, back].concat()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        let mut kept = Kept::new(4);
        kept.take(b"abc");
        kept.take(b"def");
        kept.take(&[b'x'; 2 * TAIL]);
        kept.take(b"end");
        assert_eq!(kept.tail(), "x".repeat(TAIL - 3) + "end");
        assert_eq!(kept.into_head(), (b"abcd".to_vec(), true));
    }

    #[test]
    fn a_short_output_is_kept_whole() {
        let mut kept = Kept::new(4);
        kept.take(b"ab\xff");
        assert_eq!(kept.tail(), "ab\u{fffd}");
        assert_eq!(kept.into_head(), (b"ab\xff".to_vec(), false));
    }
}
