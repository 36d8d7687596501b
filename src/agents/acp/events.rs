//! What the client in the child process reports to us: one JSON object per line on its standard output, and no more of
//! them than can be handled. Decides nothing about what is reported.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::call::AgentAnswer;
use model::text::head;

/// The reason of a call whose end is not known.
pub(super) const LOST: &str = "the client of the agent was lost";
/// How many bytes of the answer are passed on.
const ANSWER_LIMIT: usize = 4 * 1024 * 1024;
/// How many bytes of what the agent thinks are passed on.
const THOUGHT_LIMIT: usize = 1024 * 1024;
/// How many notes are passed on.
const NOTE_LIMIT: usize = 10_000;
/// How many characters a note gets.
const NOTE_WIDTH: usize = 200;
/// How many bytes of text stand in one event at most.
const PIECE: usize = 64 * 1024;
/// The time after which `Alive` is written when there was no other event.
const ALIVE_INTERVAL: Duration = Duration::from_millis(500);

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub(super) enum ClientEvent {
    /// A piece of the agent's answer; `begins` says that a new message begins with it.
    Text { text: String, begins: bool },
    /// A piece of what the agent thinks; no part of the answer.
    Thought { text: String },
    /// What the agent does, in a few words.
    Note { text: String },
    /// The agent did something that is not shown.
    Alive,
    /// The last event: the answer without its text, and whether the agent broke, so that its standard error may say why.
    Ended { answer: Box<AgentAnswer>, is_broken: bool },
}

impl ClientEvent {
    /// Returns the line as it is written, its end included.
    pub(super) fn encode(&self) -> String {
        let mut line = serde_json::to_string(self).expect("these fields are always JSON");
        line.push('\n');
        line
    }
}

/// Writes the events.
pub(super) struct EventWriter<W = io::Stdout> {
    out: W,
    /// How many bytes of the answer may still be passed on.
    answer_left: usize,
    thought_left: usize,
    notes_left: usize,
    /// Something of the answer was dropped.
    pub truncated: bool,
    /// The id of the message that was passed on last, where the agent gives it one.
    message: Option<String>,
    /// The next piece begins a message: nothing was passed on yet, or a note came between.
    begins: bool,
    last_written: Option<Instant>,
}

impl<W: Write> EventWriter<W> {
    /// Makes a writer that has written nothing yet.
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            answer_left: ANSWER_LIMIT,
            thought_left: THOUGHT_LIMIT,
            notes_left: NOTE_LIMIT,
            truncated: false,
            message: None,
            begins: true,
            last_written: None,
        }
    }

    /// Passes on a piece of the answer.
    pub(super) fn write_answer(&mut self, text: &str, message: Option<&str>) {
        let message = message.map(|id| one_line(id, NOTE_WIDTH));
        self.begins |= self.message != message;
        self.message = message;
        let kept = head(text, self.answer_left);
        self.truncated |= kept.len() < text.len();
        self.answer_left -= kept.len();
        for piece in split_pieces(kept) {
            let begins = std::mem::take(&mut self.begins);
            self.write(&ClientEvent::Text { text: piece.to_owned(), begins });
        }
        self.write_alive();
    }

    /// Passes on a piece of what the agent thinks.
    pub(super) fn write_thought(&mut self, text: &str) {
        let kept = head(text, self.thought_left);
        self.thought_left -= kept.len();
        for piece in split_pieces(kept) {
            self.write(&ClientEvent::Thought { text: piece.to_owned() });
        }
        self.write_alive();
    }

    /// Reports in a few words what the agent does.
    pub(super) fn write_note(&mut self, text: &str) {
        self.begins = true;
        if self.notes_left > 0 {
            self.notes_left -= 1;
            self.write(&ClientEvent::Note { text: one_line(text, NOTE_WIDTH) });
        }
        self.write_alive();
    }

    /// Writes `Alive`, unless an event was written just now.
    pub(super) fn write_alive(&mut self) {
        if self.last_written.is_none_or(|at| at.elapsed() >= ALIVE_INTERVAL) {
            self.write(&ClientEvent::Alive);
        }
    }

    /// Writes one event. A write that fails is ignored: when our output is not read any more, we are about to be ended.
    pub(super) fn write(&mut self, event: &ClientEvent) {
        let _ = self.out.write_all(event.encode().as_bytes()).and_then(|()| self.out.flush());
        self.last_written = Some(Instant::now());
    }
}

/// Returns the beginning of a text in one line, without what would move a cursor.
pub(super) fn one_line(text: &str, most: usize) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(most).collect()
}

fn split_pieces(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (piece, rest) = text.split_at(head(text, PIECE).len());
        text = rest;
        if piece.is_empty() { None } else { Some(piece) }
    })
}

#[cfg(test)]
mod tests;
