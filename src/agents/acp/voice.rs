//! Says what the agent does, line by line, on our standard output, and no more of it than can be borne.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::line::Line;

/// How much of the answer is passed on.
const ANSWER: usize = 4 * 1024 * 1024;
/// How much of what the agent thinks is passed on.
const THOUGHTS: usize = 1024 * 1024;
/// How many notes are passed on.
const NOTES: usize = 10_000;
/// How long a note is.
const NOTE: usize = 200;
/// How much text stands in one line at most.
const PIECE: usize = 64 * 1024;
/// How often a sign of life is given.
const BEAT: Duration = Duration::from_millis(500);

/// The way to whoever started us.
pub(super) struct Voice<W = io::Stdout> {
    out: W,
    answer: usize,
    thoughts: usize,
    notes: usize,
    /// Something of the answer was let go.
    pub truncated: bool,
    /// The name of the message that was said last, where the agent gives it one.
    message: Option<String>,
    /// The next piece begins a message: nothing was said yet, or a note stood between.
    begins: bool,
    said: Option<Instant>,
}

impl Voice {
    pub(super) fn new() -> Self {
        Self::to(io::stdout())
    }
}

impl<W: Write> Voice<W> {
    fn to(out: W) -> Self {
        Self {
            out,
            answer: ANSWER,
            thoughts: THOUGHTS,
            notes: NOTES,
            truncated: false,
            message: None,
            begins: true,
            said: None,
        }
    }

    /// Passes on a piece of the answer.
    pub(super) fn answer(&mut self, text: &str, message: Option<&str>) {
        let message = message.map(|id| short(id, NOTE));
        self.begins |= self.message != message;
        self.message = message;
        let kept = whole(text, self.answer);
        self.truncated |= kept.len() < text.len();
        self.answer -= kept.len();
        for piece in pieces(kept) {
            let begins = std::mem::take(&mut self.begins);
            self.say(&Line::Text { text: piece.to_owned(), begins });
        }
        self.live();
    }

    /// Passes on a piece of what the agent thinks.
    pub(super) fn thought(&mut self, text: &str) {
        let kept = whole(text, self.thoughts);
        self.thoughts -= kept.len();
        for piece in pieces(kept) {
            self.say(&Line::Thought { text: piece.to_owned() });
        }
        self.live();
    }

    /// Tells in a few words what the agent does.
    pub(super) fn note(&mut self, text: &str) {
        self.begins = true;
        if self.notes > 0 {
            self.notes -= 1;
            self.say(&Line::Note { text: short(text, NOTE) });
        }
        self.live();
    }

    /// Gives a sign of life, unless something was said just now.
    pub(super) fn live(&mut self) {
        if self.said.is_none_or(|said| said.elapsed() >= BEAT) {
            self.say(&Line::Alive);
        }
    }

    /// Says one line. When nobody listens any more, somebody is about to end us.
    pub(super) fn say(&mut self, line: &Line) {
        let _ = self.out.write_all(line.encode().as_bytes()).and_then(|()| self.out.flush());
        self.said = Some(Instant::now());
    }
}

/// Returns the beginning of a text in one line, without what would move a cursor.
pub(super) fn short(text: &str, most: usize) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(most).collect()
}

/// Returns as much of the beginning as fits, no character cut in two.
fn whole(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}

fn pieces(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (piece, rest) = text.split_at(whole(text, PIECE).len());
        text = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(speak: impl FnOnce(&mut Voice<&mut Vec<u8>>)) -> (Vec<Line>, bool) {
        let mut out = Vec::new();
        let mut voice = Voice::to(&mut out);
        speak(&mut voice);
        let truncated = voice.truncated;
        let text = String::from_utf8(out).expect("text");
        (text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect(), truncated)
    }

    fn text(text: &str, begins: bool) -> Line {
        Line::Text { text: text.into(), begins }
    }

    #[test]
    fn a_note_and_another_message_begin_anew() {
        let (lines, truncated) = said(|voice| {
            voice.answer("a", None);
            voice.answer("b", None);
            voice.note("reads\n a file");
            voice.answer("", None);
            voice.answer("c", None);
            voice.answer("d", Some("2"));
            voice.answer("e", Some("2"));
            voice.thought("hm");
        });
        let note = Line::Note { text: "reads  a file".into() };
        let thought = Line::Thought { text: "hm".into() };
        let expected = [
            text("a", true),
            text("b", false),
            note,
            text("c", true),
            text("d", true),
            text("e", false),
            thought,
        ];
        assert_eq!((lines, truncated), (expected.to_vec(), false));
    }

    #[test]
    fn the_answer_does_not_grow_beyond_its_limit() {
        let long = "あ".repeat(ANSWER / 3);
        let (lines, truncated) = said(|voice| {
            voice.answer(&long, None);
            voice.answer("more than fits", None);
            voice.answer("nothing of this", None);
        });
        let length: usize =
            lines.iter().map(|line| if let Line::Text { text, .. } = line { text.len() } else { 0 }).sum();
        let longest = lines.iter().map(|line| line.encode().len()).max();
        assert!(truncated && length == ANSWER && longest < Some(PIECE + 100), "{length} {longest:?}");
    }

    #[test]
    fn thoughts_and_notes_end_too_and_life_goes_on() {
        let (lines, truncated) = said(|voice| {
            voice.thought(&"x".repeat(THOUGHTS + 1));
            for _ in 0..=NOTES {
                voice.note("n");
            }
            voice.live();
        });
        let notes = lines.iter().filter(|line| matches!(line, Line::Note { .. })).count();
        assert_eq!((notes, truncated), (NOTES, false));
        assert_eq!(said(|voice| voice.note("n")).0, [Line::Note { text: "n".into() }]);
    }
}
