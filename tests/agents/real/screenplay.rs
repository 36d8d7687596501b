//! Plays the demo's script through a real program: what the scripted agent writes by itself becomes calls of the program's
//! own tools, what it says becomes the model's answer, held to the schema where there is one.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde::Deserialize;
use serde_json::{Value, json};
use settings::AgentKind;

use super::play::{Asked, Block, Message, Player, Turn, say};

/// The script of the demo, of which only the part of the model is played.
#[derive(Deserialize)]
struct Script {
    turn: Vec<Part>,
}

#[derive(Deserialize, Clone)]
struct Part {
    phase: Option<String>,
    step: Option<String>,
    round: Option<u32>,
    #[serde(default)]
    write: Vec<Write>,
    #[serde(default)]
    say: String,
}

#[derive(Deserialize, Clone)]
struct Write {
    path: String,
    text: String,
}

/// Where in the run a prompt stands, as the prompt itself says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub phase: String,
    pub step: String,
    pub round: u32,
    output: String,
    review_id: String,
}

impl Place {
    /// Reads the place out of what the model is asked, and counts the answers since; nothing when this is no prompt of ours.
    pub fn of(asked: &Asked) -> Option<(Self, usize)> {
        let (prompt, after) = asked.since("`, step `")?;
        let found = |pattern: &str| {
            let captures = Regex::new(pattern).expect("a constant").captures(prompt)?;
            Some(captures.get(1).expect("one group").as_str().to_owned())
        };
        let phase = found(r"Phase `(\w+)`, step `")?;
        let place = Self {
            step: found(r"step `(\w+)`")?,
            round: found(r"round (\d+)")?.parse().ok()?,
            output: found(&format!(r"`(\.ai-workflow/issue-\d+/(?:\d+_)?{phase}/output/[\w.-]+)`"))
                .unwrap_or_default(),
            review_id: review_id(prompt),
            phase,
        };
        let answers = after.iter().filter(|line| matches!(line, super::play::Line::Model(_))).count();
        Some((place, answers))
    }

    fn fill(&self, text: &str) -> String {
        let round = self.round.to_string();
        let values = [
            ("{{output}}", &self.output),
            ("{{phase}}", &self.phase),
            ("{{review_id}}", &self.review_id),
            ("{{round}}", &round),
        ];
        values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }
}

/// A prompt may quote another review before it says how its own is to be named.
fn review_id(prompt: &str) -> String {
    let pattern = Regex::new(r#""?review_id"?: "?([\w-]+)"#).expect("a constant");
    let last = pattern.captures_iter(prompt).last();
    last.map(|captures| captures[1].to_owned()).unwrap_or_default()
}

/// Returns a player of the demo's script for a program that works in a folder.
pub fn demo(kind: AgentKind, root: &Path) -> Player {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/agent.toml");
    let text = fs::read_to_string(path).expect("the demo's script");
    let script: Script = toml::from_str(&text).expect("a script");
    let root: PathBuf = root.canonicalize().expect("the folder is there");
    Box::new(move |asked| match Place::of(asked) {
        Some((place, answers)) => play(&script, &place, answers, asked, kind, &root),
        None => say("There is no place for this in the script."),
    })
}

fn play(script: &Script, place: &Place, answers: usize, asked: &Asked, kind: AgentKind, root: &Path) -> Turn {
    let part = part(script, place);
    let calls: Vec<Block> = part.write.iter().flat_map(|write| calls(kind, root, place, write)).collect();
    match calls.get(answers) {
        Some(call) => Turn::Message(Message::new(vec![call.clone()])),
        None => end(&place.fill(&part.say), asked),
    }
}

/// Returns the part that fits best: the phase counts more than the step, the step more than the round, the later more.
fn part(script: &Script, place: &Place) -> Part {
    let rank = |part: &Part| {
        let fits = part.phase.as_ref().is_none_or(|phase| *phase == place.phase)
            && part.step.as_ref().is_none_or(|step| *step == place.step)
            && part.round.is_none_or(|round| round == place.round);
        fits.then_some((part.phase.is_some(), part.step.is_some(), part.round.is_some()))
    };
    let fitting = script.turn.iter().filter_map(|part| Some((rank(part)?, part)));
    let best = fitting.max_by_key(|(rank, _)| *rank);
    best.unwrap_or_else(|| panic!("the script has no part for {place:?}")).1.clone()
}

/// Returns the calls of tools that write a file. Claude has to read what it overwrites.
fn calls(kind: AgentKind, root: &Path, place: &Place, write: &Write) -> Vec<Block> {
    let (path, text) = (place.fill(&write.path), place.fill(&write.text));
    if kind == AgentKind::Codex {
        let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n");
        return vec![Block::Free("apply_patch".into(), patch)];
    }
    let file = root.join(path);
    let tool = |name: &str, input: Value| Block::Tool(name.to_owned(), input);
    vec![tool("Read", json!({"file_path": file})), tool("Write", json!({"file_path": file, "content": text}))]
}

/// Ends the turn: by the tool for structured answers where there is one, else in words.
fn end(words: &str, asked: &Asked) -> Turn {
    let structured = asked.offers("StructuredOutput") || !asked.body["text"]["format"]["schema"].is_null();
    let object = serde_json::from_str::<Value>(words).ok().filter(|_| structured);
    let Some(object) = object.map(complete) else { return say(words) };
    if asked.offers("StructuredOutput") {
        return Turn::Message(Message::new(vec![Block::Tool("StructuredOutput".into(), object)]));
    }
    say(&object.to_string())
}

/// A schema wants every key; the script leaves out what it has nothing to say about.
pub fn complete(mut review: Value) -> Value {
    let empty =
        json!({"file": null, "line": null, "category": "", "suggestion": null, "auto_fixable": false});
    for finding in review["findings"].as_array_mut().into_iter().flatten() {
        for (key, value) in empty.as_object().expect("a constant") {
            if finding.get(key).is_none() {
                finding[key] = value.clone();
            }
        }
    }
    if review.get("questions").is_none() {
        review["questions"] = json!([]);
    }
    review
}
