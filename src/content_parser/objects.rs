//! Finds the JSON objects of a text in one pass. Checks their shape only; `json` reads what they hold.
//!
//! An answer may hold braces and quotes that are no JSON, so a read is tried from every `{` and most of them fail. To stay
//! linear, no byte is ever read again: a failed read takes all objects it had open with it (they would fail at the same
//! byte), keeps those it had closed, and the only `{` it has not tried are those inside its strings. Those are tried at
//! the same time by a second reader, for which string and structure are the other way round. Two readers can never agree
//! about where a string is: a quote turns both, and a backslash, which turns only one, ends the other. So two suffice.

use std::ops::Range;

use super::text::next_of;

/// Deeper nesting is nobody's answer; `serde_json` stops soon after.
const DEEPEST: usize = 100;

/// More objects than this are nobody's answer.
const MOST: usize = 50_000;

/// The objects of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Objects {
    /// The outermost complete objects that are not empty, by position.
    pub whole: Vec<Range<usize>>,
    /// The objects that state a verdict and are no JSON.
    pub broken: Vec<Broken>,
    /// There were too many to read; what was found is not everything.
    pub crowded: bool,
}

/// An object that has a key `result` or `decision` and breaks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Broken {
    /// The text of the verdict, between its quotes.
    pub word: Option<Range<usize>>,
    /// The byte that no JSON has there, or the end of the text.
    pub end: usize,
}

/// Returns the objects of a text.
pub(super) fn find(text: &str) -> Objects {
    let bytes = text.as_bytes();
    let mut objects = Objects::default();
    let [mut first, mut second] = [Reader::default(), Reader::default()];
    let mut at = 0;
    while at < bytes.len() && !objects.crowded {
        at = match (first.alive, second.alive) {
            (false, false) => match next_opening(bytes, at) {
                Some(brace) => first.open(brace),
                None => break,
            },
            (true, false) => first.run(&mut second, bytes, at, &mut objects),
            (false, true) => second.run(&mut first, bytes, at, &mut objects),
            (true, true) => run_both(&mut first, &mut second, bytes, at, &mut objects),
        };
    }
    for reader in [&mut first, &mut second] {
        if reader.alive {
            reader.end(State::Dead, bytes.len(), &mut objects);
        }
    }
    objects.whole.sort_by_key(|span| (span.start, span.end));
    objects
}

/// Joins spans that overlap; they are sorted by where they start.
pub(super) fn joined(spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => joined.push(span),
        }
    }
    joined
}

fn next_opening(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = next_of(bytes, from, *b"{");
    while at < bytes.len() {
        if opens(bytes, at) {
            return Some(at);
        }
        at = next_of(bytes, at + 1, *b"{");
    }
    None
}

/// Tells whether a brace is followed by a key and a colon; one that is not needs no reader. The look ahead ends at the
/// second quote, which is the next brace's first one at the latest, so no byte is looked at more than twice.
#[inline]
fn opens(bytes: &[u8], brace: usize) -> bool {
    let quote = after_blanks(bytes, brace + 1);
    bytes.get(quote) == Some(&b'"') && is_key(bytes, quote + 1)
}

/// Tells whether a string is followed by a colon.
fn is_key(bytes: &[u8], text: usize) -> bool {
    let mut at = text;
    loop {
        at = next_of(bytes, at.min(bytes.len()), *b"\"\\");
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(_) => return bytes.get(after_blanks(bytes, at + 1)) == Some(&b':'),
            None => return false,
        }
    }
}

fn after_blanks(bytes: &[u8], from: usize) -> usize {
    let blanks = bytes[from..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    from + blanks
}

/// Lets two readers go on. One of them is outside a string, and only a quote matters to the other: it turns both. Where
/// the one outside ends, the other goes on alone; the brace that ended it may begin an object.
fn run_both(first: &mut Reader, other: &mut Reader, bytes: &[u8], at: usize, found: &mut Objects) -> usize {
    let (mut outside, mut inside) = if first.state.is_text() { (other, first) } else { (first, other) };
    let mut at = at;
    loop {
        at = outside.read_structure(bytes, at);
        match outside.state {
            State::KeyText | State::ValueText => inside.end_string(bytes, at - 1),
            State::Dead | State::Done => {
                outside.end(outside.state, at, found);
                if bytes[at] == b'"' {
                    inside.end_string(bytes, at);
                    at += 1;
                }
                return at;
            }
            _ => return at,
        }
        std::mem::swap(&mut outside, &mut inside);
    }
}

/// What the grammar allows next.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    KeyOrEnd,
    Key,
    KeyText,
    Colon,
    Value,
    ValueOrEnd,
    ValueText,
    AfterField,
    AfterItem,
    /// The outermost object is complete.
    Done,
    /// No JSON goes on like this.
    Dead,
}

impl State {
    fn is_text(self) -> bool {
        matches!(self, Self::KeyText | Self::ValueText)
    }
}

/// A container that is open.
#[derive(Debug)]
struct Frame {
    start: usize,
    is_object: bool,
    /// How many closed objects there were when it opened: those after are inside it.
    closed_before: usize,
    /// Whether its last key is that of a verdict; nothing before the first.
    key: Option<bool>,
    states_verdict: bool,
    word: Option<Range<usize>>,
}

/// One attempt to read an object.
#[derive(Debug, Default)]
struct Reader {
    alive: bool,
    state: State,
    /// Where the current string begins.
    token: usize,
    in_object: bool,
    frames: Vec<Frame>,
    closed: Vec<Range<usize>>,
}

impl Reader {
    /// Begins at a brace; returns the position after it.
    fn open(&mut self, at: usize) -> usize {
        self.alive = true;
        self.state = self.push(at, true);
        at + 1
    }

    /// Reads on alone until this read ends, or until a brace inside a string begins another. Returns where to go on: the
    /// brace that ended this read may begin one, too.
    fn run(&mut self, free: &mut Self, bytes: &[u8], from: usize, objects: &mut Objects) -> usize {
        let mut at = from;
        loop {
            if self.state.is_text() {
                at = self.read_string(bytes, at);
                if at < bytes.len() && self.state.is_text() {
                    return free.open(at);
                }
            } else {
                at = self.read_structure(bytes, at);
            }
            if matches!(self.state, State::Done | State::Dead) {
                self.end(self.state, at, objects);
                return if bytes[at] == b'{' { at } else { at + 1 };
            }
            if at >= bytes.len() {
                return at;
            }
        }
    }

    /// Reads on in a string until it ends, or until a brace in it may begin an object. Returns the position after the
    /// string, or that of the brace, or that of what no string has.
    fn read_string(&mut self, bytes: &[u8], from: usize) -> usize {
        let mut at = from;
        loop {
            at = next_of(bytes, at, *b"\"\\{");
            match bytes.get(at) {
                Some(b'"') => {
                    self.end_string(bytes, at);
                    return at + 1;
                }
                Some(b'\\') => match bytes.get(at + 1) {
                    Some(byte) if b"\"\\/bfnrtu".contains(byte) => at += 2,
                    Some(_) => {
                        self.state = State::Dead;
                        return at + 1;
                    }
                    None => return bytes.len(),
                },
                Some(_) if !opens(bytes, at) => at += 1,
                _ => return at,
            }
        }
    }

    /// Reads on outside of strings. Returns the position after the quote that begins one, or that of the byte that ends
    /// this read.
    fn read_structure(&mut self, bytes: &[u8], from: usize) -> usize {
        use State::{
            AfterField, AfterItem, Colon, Dead, Done, Key, KeyOrEnd, KeyText, Value, ValueOrEnd, ValueText,
        };
        // The state is kept in a register: this loop is where the time goes.
        let mut state = self.state;
        let mut at = from;
        while let Some(&byte) = bytes.get(at) {
            state = match (state, byte) {
                (Colon, b':') | (AfterItem, b',') => Value,
                (AfterField, b',') => Key,
                (Key | KeyOrEnd, b'"') => self.begin(at + 1, KeyText),
                (Value | ValueOrEnd, b'"') => self.begin(at + 1, ValueText),
                (Value | ValueOrEnd, b'{') => self.push(at, true),
                (Value | ValueOrEnd, b'[') => self.push(at, false),
                (Value | ValueOrEnd, _) if is_scalar(byte) => {
                    let end = scalar_end(bytes, at);
                    if end == bytes.len() {
                        at = end;
                        break;
                    }
                    let good = is_json_scalar(&bytes[at..end]);
                    // What follows a good one is still to be read; a bad one ends the read there.
                    at = if good { end - 1 } else { end };
                    if good { self.after_value() } else { Dead }
                }
                (KeyOrEnd | AfterField, b'}') | (ValueOrEnd | AfterItem, b']') => self.close(at),
                (_, b' ' | b'\t' | b'\n' | b'\r') => state,
                _ => Dead,
            };
            match state {
                Dead | Done => break,
                KeyText | ValueText => {
                    at += 1;
                    break;
                }
                _ => at += 1,
            }
        }
        self.state = state;
        at
    }

    fn begin(&mut self, token: usize, state: State) -> State {
        self.token = token;
        state
    }

    fn after_value(&self) -> State {
        if self.in_object { State::AfterField } else { State::AfterItem }
    }

    /// Ends a string at its quote.
    fn end_string(&mut self, bytes: &[u8], at: usize) {
        self.state = if self.state == State::KeyText { self.end_key(bytes, at) } else { self.end_text(at) };
    }

    fn end_key(&mut self, bytes: &[u8], at: usize) -> State {
        if let Some(frame) = self.frames.last_mut() {
            let states_verdict = is_verdict_key(&bytes[self.token..at]);
            frame.key = Some(states_verdict);
            frame.states_verdict |= states_verdict;
        }
        State::Colon
    }

    fn end_text(&mut self, at: usize) -> State {
        if let Some(frame) = self.frames.last_mut().filter(|frame| frame.key == Some(true)) {
            frame.word = Some(self.token..at);
        }
        self.after_value()
    }

    fn push(&mut self, at: usize, is_object: bool) -> State {
        if self.frames.len() == DEEPEST {
            return State::Dead;
        }
        self.frames.push(Frame {
            start: at,
            is_object,
            closed_before: self.closed.len(),
            key: None,
            states_verdict: false,
            word: None,
        });
        self.in_object = is_object;
        if is_object { State::KeyOrEnd } else { State::ValueOrEnd }
    }

    fn close(&mut self, at: usize) -> State {
        let Some(frame) = self.frames.pop() else { return State::Dead };
        if frame.is_object && frame.key.is_some() {
            self.closed.truncate(frame.closed_before);
            self.closed.push(frame.start..at + 1);
        }
        match self.frames.last() {
            None => State::Done,
            Some(_) if self.closed.len() > MOST => State::Dead,
            Some(parent) => {
                self.in_object = parent.is_object;
                self.after_value()
            }
        }
    }

    /// Ends the read: what it had closed is found, what it had open is broken.
    #[cold]
    fn end(&mut self, state: State, at: usize, objects: &mut Objects) {
        (self.alive, self.state) = (false, state);
        for frame in self.frames.drain(..).filter(|frame| frame.states_verdict) {
            objects.broken.push(Broken { word: frame.word, end: at });
        }
        objects.whole.append(&mut self.closed);
        objects.crowded |= objects.whole.len().max(objects.broken.len()) > MOST;
    }
}

fn is_verdict_key(key: &[u8]) -> bool {
    key.eq_ignore_ascii_case(b"result") || key.eq_ignore_ascii_case(b"decision")
}

fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// Returns where a scalar ends; in the middle of one may stand everything that scalars have.
fn scalar_end(bytes: &[u8], from: usize) -> usize {
    let length = bytes[from..].iter().position(|byte| !is_scalar(*byte));
    length.map_or(bytes.len(), |length| from + length)
}

fn is_json_scalar(token: &[u8]) -> bool {
    // One digit is by far the most frequent.
    matches!(token, [b'0'..=b'9']) || serde_json::from_slice::<serde::de::IgnoredAny>(token).is_ok()
}

#[cfg(test)]
mod tests;
