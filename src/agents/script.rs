//! The script of a `scripted:` agent: its turns, and which of them is played. Plays nothing: `scripted` does.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use settings::split_words;

use super::usage::ReportedUsage;

/// The word for "any".
const ANY: &str = "*";
/// The steps in which an agent is called.
const STEPS: [&str; 5] = ["execute", "review", "triage", "revise", "answer"];

/// The keys of a turn, for hints.
pub(super) const KEYS: [&str; 12] = [
    "phase", "step", "seat", "round", "attempt", "sleep_ms", "write", "delete", "run", "say", "exit", "usage",
];

/// Says what is wrong with a script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("the script `{0}` cannot be read: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// The text is no script, or a turn of it can never be played: the file, where in it, and what is wrong there.
    #[error("the script `{0}`, {1}: {2}")]
    Bad(PathBuf, String, String),
}

/// A whole script.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    #[serde(default, rename = "turn")]
    turns: Vec<Turn>,
}

/// What is done in a call, and for which calls.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Turn {
    phase: Option<String>,
    step: Option<String>,
    seat: Option<String>,
    round: Option<u32>,
    attempt: Option<u32>,
    /// How long to wait first, in milliseconds.
    pub sleep_ms: u64,
    /// The files to write.
    pub write: Vec<FileWrite>,
    /// The files to delete.
    pub delete: Vec<String>,
    /// A command that is run without a shell.
    pub run: Option<String>,
    /// The answer.
    pub say: String,
    /// The exit code.
    pub exit: u8,
    /// What the turn claims to have used.
    pub usage: ReportedUsage,
}

/// One file to write.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileWrite {
    /// Where, relative to the worktree.
    pub path: String,
    /// The whole content.
    pub text: String,
}

/// Where in the run a call stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Position {
    /// The phase.
    pub phase: String,
    /// The step.
    pub step: String,
    /// Empty for the first reviewer and all other steps.
    pub seat: String,
    /// The round, from 1.
    pub round: u32,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The phase's deliverable, relative to the worktree.
    pub output: String,
    /// The nonce of the review; empty for all other steps.
    pub review_id: String,
}

/// Reads a script and checks all of it.
pub(super) fn read(file: &Path) -> Result<Script, ScriptError> {
    let text = fs::read_to_string(file).map_err(|error| ScriptError::Unreadable(file.to_owned(), error))?;
    parse(&text, file)
}

fn parse(text: &str, file: &Path) -> Result<Script, ScriptError> {
    let bad = |place: String, message: String| ScriptError::Bad(file.to_owned(), place, message);
    let script: Script = toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = text.bytes().take(start).filter(|byte| *byte == b'\n').count() + 1;
        bad(format!("line {line}"), error.message().replace('\n', ", "))
    })?;
    for (index, turn) in script.turns.iter().enumerate() {
        turn.check().map_err(|message| bad(format!("turn {}", index + 1), message))?;
    }
    Ok(script)
}

impl Script {
    /// Returns the most specific turn: phase counts more than step, step more than seat, then round, then attempt,
    /// and of two alike the later one.
    pub(super) fn turn_for(&self, position: &Position) -> Option<&Turn> {
        let fitting = self.turns.iter().filter(|turn| !turn.conditions(position).contains(&Some(false)));
        fitting.max_by_key(|turn| turn.conditions(position).map(|condition| condition.is_some()))
    }
}

impl Turn {
    fn check(&self) -> Result<(), String> {
        if let Some(step) = wanted(self.step.as_ref())
            && !STEPS.contains(&step.as_str())
        {
            return Err(format!("`{step}` is no step of an agent: {}", STEPS.join(", ")));
        }
        match &self.run {
            Some(command) => split_words(command).map(drop).map_err(|why| format!("run = `{command}` {why}")),
            None => Ok(()),
        }
    }

    /// Returns whether a call is what the turn is for: its phase, step, seat, round and attempt; nothing where any will do.
    fn conditions(&self, position: &Position) -> [Option<bool>; 5] {
        [
            wanted(self.phase.as_ref()).map(|phase| *phase == position.phase),
            wanted(self.step.as_ref()).map(|step| *step == position.step),
            wanted(self.seat.as_ref()).map(|seat| *seat == position.seat),
            self.round.map(|round| round == position.round),
            self.attempt.map(|attempt| attempt == position.attempt),
        ]
    }
}

fn wanted(word: Option<&String>) -> Option<&String> {
    word.filter(|word| *word != ANY)
}

impl Position {
    /// Replaces the four placeholders in one pass, so that what was put in is never looked at again.
    pub(super) fn fill(&self, text: &str) -> String {
        let round = self.round.to_string();
        let values = [
            ("{{review_id}}", &self.review_id),
            ("{{output}}", &self.output),
            ("{{phase}}", &self.phase),
            ("{{round}}", &round),
        ];
        let mut filled = String::new();
        let mut rest = text;
        while let Some((at, name, value)) =
            values.iter().filter_map(|(name, value)| Some((rest.find(name)?, *name, *value))).min()
        {
            filled.push_str(&rest[..at]);
            filled.push_str(value);
            rest = &rest[at + name.len()..];
        }
        filled + rest
    }
}

#[cfg(test)]
mod tests;
