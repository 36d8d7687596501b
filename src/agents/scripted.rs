//! The agent `scripted:FILE`: a script played by a child process of our own program, the hidden subcommand
//! `__scripted FILE --attempt N`. The child works in the worktree and reads phase, step and round from the environment that
//! every agent gets; it writes one JSON object to its standard output.
//! Supervision, limits and output are those of any other agent.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use model::event::Usage;
use process::{Launch, ProgramEnd, Stream};
use settings::split_words;

use super::call::{AgentAnswer, OutputParser};
use super::transcript::Transcript;
use super::usage::ReportedUsage;
use crate::worktree_path::resolve;

/// The word for "any".
const ANY: &str = "*";
/// The steps in which an agent is called.
const STEPS: [&str; 5] = ["execute", "review", "triage", "revise", "answer"];

/// Stands for an object that answers every question of the prompt.
const ANSWERS: &str = "{{answers}}";

/// The exit code of a script that cannot go on.
const BROKEN: i32 = 1;

/// What the child writes to its standard output.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct ScriptedAnswer {
    text: String,
    usage: Usage,
    /// Figures that cannot be true, one line each.
    notices: Vec<String>,
}

/// The parser of the child's output: its standard output is a message of our own program.
pub(super) struct ScriptedParser;

impl OutputParser for ScriptedParser {
    fn push(&mut self, stream: Stream, bytes: &[u8], transcript: &mut Transcript<'_>) {
        if stream == Stream::Stderr {
            transcript.keep_and_show(stream, bytes);
        }
    }

    fn finish(
        self: Box<Self>,
        launch: &Launch,
        finish: ProgramEnd,
        transcript: &mut Transcript<'_>,
    ) -> AgentAnswer {
        // The child gave nothing back when it broke before it could write anything.
        let ScriptedAnswer { text, usage, notices } =
            serde_json::from_slice(&finish.stdout).unwrap_or_default();
        transcript.keep(Stream::Stdout, text.as_bytes());
        transcript.show_line(&text);
        let outcome = AgentAnswer::from_exit(launch, &finish, &text);
        AgentAnswer { text, usage, notices, truncated: finish.stdout_truncated, ..outcome }
    }
}

/// Runs the subcommand with the arguments after its name; returns the exit code.
pub fn main(arguments: Vec<OsString>) -> i32 {
    play_script(arguments).unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "{error}");
        BROKEN
    })
}

/// Plays a script; an error says for people why it broke.
fn play_script(arguments: Vec<OsString>) -> Result<i32, String> {
    let (file, attempt) = read_arguments(arguments).ok_or("usage: __scripted FILE --attempt N")?;
    let script = read(&file).map_err(|error| error.to_string())?;
    let mut position = read_position(attempt);
    let turn = script.find_turn(&position).ok_or_else(|| {
        let CallPosition { phase, step, round, .. } = &position;
        let file = file.display();
        format!(
            "no turn of the script `{file}` fits phase {phase} step {step} round {round} attempt {attempt}"
        )
    })?;
    perform_turn(turn, &position, Path::new("."))?;
    if turn.say.contains(ANSWERS) {
        let prompt = io::read_to_string(io::stdin()).map_err(|error| format!("no prompt: {error}"))?;
        position.answers = answer_all(&prompt);
    }
    write_answer(turn, &position).map_err(|error| format!("nothing can be said: {error}"))?;
    Ok(i32::from(turn.exit))
}

fn read_arguments(arguments: Vec<OsString>) -> Option<(PathBuf, u32)> {
    let [file, flag, attempt] = <[OsString; 3]>::try_from(arguments).ok()?;
    let attempt = attempt.to_str()?.parse().ok()?;
    if flag == "--attempt" { Some((file.into(), attempt)) } else { None }
}

/// Returns phase, step and round of the call, as the environment names them.
fn read_position(attempt: u32) -> CallPosition {
    let variable = |name: &str| std::env::var(format!("AI_WORKFLOW_{name}")).unwrap_or_default();
    CallPosition {
        phase: variable("PHASE"),
        step: variable("STEP"),
        seat: variable("SEAT"),
        round: variable("ROUND").parse().unwrap_or_default(),
        attempt,
        output: variable("OUTPUT"),
        review_id: variable("REVIEW_ID"),
        answers: String::new(),
    }
}

/// Returns an object that answers each question of a prompt, a line such as `S1: …`, with fine.
fn answer_all(prompt: &str) -> String {
    let is_id = |id: &&str| id.strip_prefix('S').is_some_and(|n| n.parse::<u32>().is_ok());
    let ids = prompt.lines().filter_map(|line| line.split_once(": ")).map(|(id, _)| id).filter(is_id);
    let answer = json!({"judgment": "fine", "reason": "the script says so"});
    Value::Object(ids.map(|id| (id.to_owned(), answer.clone())).collect()).to_string()
}

/// Does what the turn does before it answers.
fn perform_turn(turn: &ScriptedTurn, position: &CallPosition, worktree: &Path) -> Result<(), String> {
    std::thread::sleep(Duration::from_millis(turn.sleep_ms));
    for write in &turn.write {
        write_file(worktree, &position.fill_in(&write.path), &position.fill_in(&write.text))?;
    }
    for path in &turn.delete {
        delete_file(worktree, path)?;
    }
    turn.run.as_ref().map_or(Ok(()), |command| run_command(command, worktree))
}

fn write_file(worktree: &Path, path: &str, text: &str) -> Result<(), String> {
    let failed = |error| format!("`{path}` cannot be written: {error}");
    let file = resolve_inside(worktree, path)?;
    if file.is_symlink() {
        return Err(format!("`{path}` is outside the worktree"));
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(&file, text).map_err(failed)
}

/// Deletes a file; turns repeat, so one that has gone already is all right.
fn delete_file(worktree: &Path, path: &str) -> Result<(), String> {
    match fs::remove_file(resolve_inside(worktree, path)?) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(format!("`{path}` cannot be deleted: {error}"))
        }
        _ => Ok(()),
    }
}

/// Returns the path below the worktree; refuses every way out, also through a symbolic link to a folder.
fn resolve_inside(worktree: &Path, path: &str) -> Result<PathBuf, String> {
    let outside = || format!("`{path}` is outside the worktree");
    let relative = Path::new(path);
    let (Some(folder), Some(name)) = (relative.parent(), relative.file_name()) else { return Err(outside()) };
    let root = worktree.canonicalize().map_err(|_| outside())?;
    let folder = if relative.is_absolute() { None } else { resolve(&root, folder) };
    Ok(folder.ok_or_else(outside)?.join(name))
}

/// Runs a command without a shell; what it prints goes to our standard error, because our standard output is the answer.
fn run_command(command: &str, worktree: &Path) -> Result<(), String> {
    let words = split_words(command).map_err(|why| format!("`{command}` cannot be run: {why}"))?;
    let (program, arguments) = words.split_first().expect("split_words gives at least a program");
    let status = Command::new(program)
        .args(arguments)
        .current_dir(worktree)
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .status()
        .map_err(|error| format!("`{command}` cannot be run: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{command}` failed: {status}")) }
}

fn write_answer(turn: &ScriptedTurn, position: &CallPosition) -> io::Result<()> {
    let (usage, notices) = turn.usage.check();
    let answer = ScriptedAnswer { text: position.fill_in(&turn.say), usage, notices };
    let mut stdout = io::stdout().lock();
    serde_json::to_writer(&mut stdout, &answer)?;
    stdout.flush()
}

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
    turns: Vec<ScriptedTurn>,
}

/// What is done in a call, and for which calls.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ScriptedTurn {
    phase: Option<String>,
    step: Option<String>,
    seat: Option<String>,
    round: Option<u32>,
    attempt: Option<u32>,
    /// How long to wait first, in milliseconds.
    sleep_ms: u64,
    /// The files to write.
    write: Vec<FileWrite>,
    /// The files to delete.
    delete: Vec<String>,
    /// A command that is run without a shell.
    run: Option<String>,
    /// The answer.
    say: String,
    /// The exit code.
    exit: u8,
    /// What the turn claims to have used.
    usage: ReportedUsage,
}

/// Returns the keys of a turn, for hints: those that the error of an unknown key lists.
pub(super) fn list_turn_keys() -> String {
    let error = toml::from_str::<ScriptedTurn>("unknown = 0").expect_err("a turn has no such key");
    error.message().split_once("expected one of ").map_or("", |(_, keys)| keys).replace('`', "")
}

/// One file to write.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileWrite {
    /// Where, relative to the worktree.
    path: String,
    /// The whole content.
    text: String,
}

/// Phase, step and round of a call, and what its texts may name.
#[derive(Debug, Clone, Default, PartialEq)]
struct CallPosition {
    /// The phase.
    phase: String,
    /// The step.
    step: String,
    /// Empty for the first reviewer and all other steps.
    seat: String,
    /// The round, from 1.
    round: u32,
    /// The attempt, from 1.
    attempt: u32,
    /// The phase's deliverable, relative to the worktree.
    output: String,
    /// The nonce of the review; empty for all other steps.
    review_id: String,
    /// An object that answers the questions of the prompt; empty where the turn does not ask for it.
    answers: String,
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
    fn find_turn(&self, position: &CallPosition) -> Option<&ScriptedTurn> {
        let fitting = self.turns.iter().filter(|turn| !turn.conditions(position).contains(&Some(false)));
        fitting.max_by_key(|turn| turn.conditions(position).map(|condition| condition.is_some()))
    }
}

impl ScriptedTurn {
    fn check(&self) -> Result<(), String> {
        if let Some(step) = required_word(self.step.as_ref())
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
    fn conditions(&self, position: &CallPosition) -> [Option<bool>; 5] {
        [
            required_word(self.phase.as_ref()).map(|phase| *phase == position.phase),
            required_word(self.step.as_ref()).map(|step| *step == position.step),
            required_word(self.seat.as_ref()).map(|seat| *seat == position.seat),
            self.round.map(|round| round == position.round),
            self.attempt.map(|attempt| attempt == position.attempt),
        ]
    }
}

fn required_word(word: Option<&String>) -> Option<&String> {
    word.filter(|word| *word != ANY)
}

impl CallPosition {
    /// Replaces the five placeholders in one pass, so that what was put in is never looked at again.
    fn fill_in(&self, text: &str) -> String {
        let round = self.round.to_string();
        let values = [
            ("{{review_id}}", &self.review_id),
            ("{{output}}", &self.output),
            ("{{phase}}", &self.phase),
            ("{{round}}", &round),
            (ANSWERS, &self.answers),
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
