//! What the client in the child tells us: one JSON object per line. Decides nothing about it.

use serde::{Deserialize, Serialize};

use model::event::Usage;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub(super) enum Line {
    /// A piece of the agent's answer; `begins` says that a new message begins with it.
    Text { text: String, begins: bool },
    /// A piece of what the agent thinks; no part of the answer.
    Thought { text: String },
    /// What the agent does, in a few words.
    Note { text: String },
    /// The agent did something that nobody needs to see.
    Alive,
    /// The last line.
    Ended(Box<Report>),
}

/// How it ended, and what the agent told about itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Report {
    pub end: End,
    pub name: Option<String>,
    pub version: Option<String>,
    /// The session, when the agent can continue it later.
    pub session: Option<String>,
    pub usage: Usage,
    /// The answer was longer than what is passed on.
    pub truncated: bool,
    /// What was refused and figures that were not believed, one line each.
    pub notices: Vec<String>,
}

/// How a call over the protocol ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum End {
    /// Nothing was heard.
    #[default]
    Lost,
    /// The turn ended, with a stop reason of the protocol.
    Turn { stop: String },
    /// The agent answered a request with an error; `told` is the kind of failure that it names.
    Error { during: String, code: i32, message: String, told: Option<String> },
    /// The agent went away in the middle; `how` says how it ended, where that could be seen.
    Gone { how: Option<String> },
    /// What the agent says is not the protocol.
    Broken { reason: String },
    /// There was no agent to talk to, or none that speaks this version.
    NotStarted { reason: String },
    /// The agent does not offer the model that was asked for.
    NoModel { model: String },
}

impl Line {
    /// Returns the line as it is written, its end included.
    pub(super) fn encode(&self) -> String {
        let mut line = serde_json::to_string(self).expect("these fields are always JSON");
        line.push('\n');
        line
    }
}
