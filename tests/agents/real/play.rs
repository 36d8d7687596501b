//! What a model is asked and what it answers, whatever the provider: a player is a function from the one to the other.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use serde_json::Value;

/// Who said something in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    User(String),
    Model(String),
    /// What a tool gave back.
    Tool(String),
}

/// One request to the model.
#[derive(Debug, Clone)]
pub struct Asked {
    pub headers: BTreeMap<String, String>,
    pub body: Value,
    pub lines: Vec<Line>,
    /// The names of the tools on offer.
    pub tools: Vec<String>,
    pub stream: bool,
}

impl Asked {
    /// Returns the last thing that a person said and that contains a text, and what came after it.
    pub fn since(&self, text: &str) -> Option<(&str, &[Line])> {
        self.lines.iter().enumerate().rev().find_map(|(at, line)| match line {
            Line::User(said) if said.contains(text) => Some((said.as_str(), &self.lines[at + 1..])),
            _ => None,
        })
    }

    /// Counts the answers of the model in this conversation.
    pub fn answers(&self) -> usize {
        self.lines.iter().filter(|line| matches!(line, Line::Model(_))).count()
    }

    pub fn offers(&self, tool: &str) -> bool {
        self.tools.iter().any(|name| name == tool)
    }
}

/// A part of an answer.
#[derive(Debug, Clone)]
pub enum Block {
    Text(String),
    /// A call of a tool by name.
    Tool(String, Value),
    /// A call of a tool that takes a text as it is.
    Free(String, String),
}

/// A whole answer of the model.
#[derive(Debug, Clone)]
pub struct Message {
    pub blocks: Vec<Block>,
    /// Why it ends, in the provider's word; nothing for the usual ones.
    pub stop: Option<&'static str>,
    /// The tokens that went in and out.
    pub tokens: (u64, u64),
    /// The stream ends early: after so many events, and how.
    pub broken: Option<(usize, Broken)>,
}

/// How a stream ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// The connection is closed.
    Cut,
    /// Nothing comes any more.
    Stalled,
}

/// What the server answers.
#[derive(Debug, Clone)]
pub enum Turn {
    Message(Message),
    /// An error of the interface.
    Error {
        status: u16,
        headers: Vec<(&'static str, String)>,
        /// The provider's kind of error, or a whole body.
        error: Fault,
    },
    /// A body as it is.
    Raw {
        content_type: &'static str,
        body: String,
    },
    /// The request is taken, and nothing ever comes.
    Hang,
}

/// The body of an error.
#[derive(Debug, Clone)]
pub enum Fault {
    Kind(&'static str, &'static str),
    Body(Value),
}

/// Plays the model.
pub type Player = Box<dyn Fn(&Asked) -> Turn + Send + Sync>;

impl Message {
    pub fn new(blocks: Vec<Block>) -> Self {
        Self { blocks, stop: None, tokens: (1000, 50), broken: None }
    }
}

/// Says a text and ends the turn.
pub fn say(text: &str) -> Turn {
    Turn::Message(Message::new(vec![Block::Text(text.to_owned())]))
}

/// Calls one tool.
pub fn tool(name: &str, input: Value) -> Turn {
    Turn::Message(Message::new(vec![Block::Tool(name.to_owned(), input)]))
}

/// Fails with a status and the provider's kind of error.
pub fn fail(status: u16, kind: &'static str, message: &'static str) -> Turn {
    Turn::Error { status, headers: Vec::new(), error: Fault::Kind(kind, message) }
}

/// Adds a header to a failure.
pub fn with_header(turn: Turn, name: &'static str, value: &str) -> Turn {
    match turn {
        Turn::Error { status, mut headers, error } => {
            headers.push((name, value.to_owned()));
            Turn::Error { status, headers, error }
        }
        other => other,
    }
}

/// Breaks a message after some events.
pub fn broken(turn: Turn, after: usize, how: Broken) -> Turn {
    match turn {
        Turn::Message(message) => Turn::Message(Message { broken: Some((after, how)), ..message }),
        other => other,
    }
}

/// Plays turns in their order; the last one again and again.
pub fn in_order(turns: Vec<Turn>) -> Player {
    let turns = Mutex::new(VecDeque::from(turns));
    Box::new(move |_| {
        let mut turns = turns.lock().expect("no player panics");
        if turns.len() > 1 { turns.pop_front() } else { turns.front().cloned() }.expect("at least one turn")
    })
}
