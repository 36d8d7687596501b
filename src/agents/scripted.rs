//! The agent `scripted:FILE`: a script played by a child process of our own program, the hidden subcommand
//! `__scripted FILE --attempt N`. The child stands in the worktree and knows its place in the run from the
//! environment that every agent gets; it gives back one JSON object on its standard output.
//! Supervision, limits and output are those of any other agent.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use model::event::Usage;
use process::{Finish, Launch, Stream};
use settings::split_words;

use super::acp::resolve;
use super::call::{Answer, OutputParser};
use super::script::{self, Position, Turn};
use super::transcript::Transcript;

/// The exit code of a script that cannot go on.
const BROKEN: i32 = 1;

/// What the child gives back.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct ScriptedAnswer {
    text: String,
    usage: Usage,
    /// Figures that were not believed, one line each.
    notices: Vec<String>,
}

/// Reads what the child gave back; nothing when it broke before it could write anything.
fn decode(stdout: &[u8]) -> Option<ScriptedAnswer> {
    serde_json::from_slice(stdout).ok()
}

/// The parser of the child's output: its standard output is a message between two halves of our own.
pub(super) struct ScriptedParser;

impl OutputParser for ScriptedParser {
    fn push(&mut self, stream: Stream, bytes: &[u8], transcript: &mut Transcript<'_>) {
        if stream == Stream::Stderr {
            transcript.keep_and_show(stream, bytes);
        }
    }

    fn finish(self: Box<Self>, launch: &Launch, finish: Finish, transcript: &mut Transcript<'_>) -> Answer {
        let ScriptedAnswer { text, usage, notices } = decode(&finish.stdout).unwrap_or_default();
        transcript.keep(Stream::Stdout, text.as_bytes());
        transcript.show_line(&text);
        let outcome = Answer::of_exit(launch, &finish, &text);
        Answer { text, usage, notices, truncated: finish.stdout_truncated, ..outcome }
    }
}

/// Runs the subcommand with the arguments after its name; returns the exit code.
pub fn main(arguments: Vec<OsString>) -> i32 {
    play(arguments).unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "{error}");
        BROKEN
    })
}

/// Plays a script; an error says for people why it broke.
fn play(arguments: Vec<OsString>) -> Result<i32, String> {
    let (file, attempt) = read_arguments(arguments).ok_or("usage: __scripted FILE --attempt N")?;
    let script = script::read(&file).map_err(|error| error.to_string())?;
    let position = position(attempt);
    let turn = script.turn_for(&position).ok_or_else(|| {
        let Position { phase, step, round, .. } = &position;
        let file = file.display();
        format!(
            "no turn of the script `{file}` fits phase {phase} step {step} round {round} attempt {attempt}"
        )
    })?;
    perform(turn, &position, Path::new("."))?;
    write_answer(turn, &position).map_err(|error| format!("nothing can be said: {error}"))?;
    Ok(i32::from(turn.exit))
}

fn read_arguments(arguments: Vec<OsString>) -> Option<(PathBuf, u32)> {
    let [file, flag, attempt] = <[OsString; 3]>::try_from(arguments).ok()?;
    let attempt = attempt.to_str()?.parse().ok()?;
    if flag == "--attempt" { Some((file.into(), attempt)) } else { None }
}

/// Returns where in the run the call stands, as the environment says it.
fn position(attempt: u32) -> Position {
    let variable = |name: &str| std::env::var(format!("AI_WORKFLOW_{name}")).unwrap_or_default();
    Position {
        phase: variable("PHASE"),
        step: variable("STEP"),
        seat: variable("SEAT"),
        round: variable("ROUND").parse().unwrap_or_default(),
        attempt,
        output: variable("OUTPUT"),
        review_id: variable("REVIEW_ID"),
    }
}

/// Does what the turn does before it answers.
fn perform(turn: &Turn, position: &Position, worktree: &Path) -> Result<(), String> {
    std::thread::sleep(Duration::from_millis(turn.sleep_ms));
    for write in &turn.write {
        write_file(worktree, &position.fill(&write.path), &position.fill(&write.text))?;
    }
    for path in &turn.delete {
        delete_file(worktree, path)?;
    }
    turn.run.as_ref().map_or(Ok(()), |command| run(command, worktree))
}

fn write_file(worktree: &Path, path: &str, text: &str) -> Result<(), String> {
    let failed = |error| format!("`{path}` cannot be written: {error}");
    let file = inside(worktree, path)?;
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
    match fs::remove_file(inside(worktree, path)?) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(format!("`{path}` cannot be deleted: {error}"))
        }
        _ => Ok(()),
    }
}

/// Returns the path below the worktree; refuses every way out, also through a symbolic link to a folder.
fn inside(worktree: &Path, path: &str) -> Result<PathBuf, String> {
    let outside = || format!("`{path}` is outside the worktree");
    let relative = Path::new(path);
    let (Some(folder), Some(name)) = (relative.parent(), relative.file_name()) else { return Err(outside()) };
    let root = worktree.canonicalize().map_err(|_| outside())?;
    let folder = if relative.is_absolute() { None } else { resolve(&root, folder) };
    Ok(folder.ok_or_else(outside)?.join(name))
}

/// Runs a command without a shell; what it prints goes to our standard error, because our standard output is the answer.
fn run(command: &str, worktree: &Path) -> Result<(), String> {
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

fn write_answer(turn: &Turn, position: &Position) -> io::Result<()> {
    let (usage, notices) = turn.usage.check();
    let answer = ScriptedAnswer { text: position.fill(&turn.say), usage, notices };
    let mut stdout = io::stdout().lock();
    serde_json::to_writer(&mut stdout, &answer)?;
    stdout.flush()
}

#[cfg(test)]
mod tests;
