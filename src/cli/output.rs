//! Prints: data to stdout, words to stderr. A reader that has gone away, such as `head`, is no failure;
//! a full disk is one. Whatever is printed holds no command for the runner of a job, unless it is one of ours.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::CommandResult;
use app::failure::{Failure, FailureKind};
use views::summary::{neutralize, neutralize_json};

/// Prints the result of a command, as lines or as JSON. Returns the exit code of a command that has done what it was to do.
pub(super) fn show(json: bool, value: &Value, lines: &str) -> CommandResult {
    print(json, value, lines);
    Ok(0)
}

/// Prints lines, or the same as JSON.
pub(super) fn print(json: bool, value: &Value, lines: &str) {
    if json {
        document(&format!("{value:#}\n"));
    } else {
        text(lines);
    }
}

/// Prints a failure as JSON: the report of the run, if there is one, with `error`, `hints` and `exit_code`.
pub(super) fn failure_document(failure: &Failure) {
    let mut value = failure.report.as_deref().cloned().unwrap_or_else(|| json!({}));
    value["exit_code"] = json!(failure.kind.exit_code());
    value["error"] = json!(failure.message);
    value["hints"] = json!(failure.hints);
    print(true, &value, "");
}

/// Prints a text.
pub(super) fn text(text: &str) {
    data(neutralize(text).as_bytes());
}

/// Prints a document of JSON, or one in each line.
pub(super) fn document(json: &str) {
    data(neutralize_json(json).as_bytes());
}

/// Writes data to stdout as it is: nothing in it may come from outside. When it cannot be written, for another reason than that its reader has gone, the process ends
/// here: to every command its output is the last thing it does, and an exit code of 0 would be a lie.
pub(super) fn data(bytes: &[u8]) {
    if let Err(failure) = written(bytes, &mut io::stdout().lock()) {
        words(&format!("{failure}\n"));
        #[expect(clippy::exit, reason = "nothing is left to do, and the reader of stdout must learn of it")]
        std::process::exit(i32::from(failure.kind.exit_code()));
    }
}

fn written(bytes: &[u8], out: &mut impl Write) -> Result<(), Failure> {
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            FailureKind::State,
            format!("failed to write to stdout: {error}"),
        )
        .hint(
            "what the command did is done, only its output is lost: make room, or send it to another place",
        )),
        _ => Ok(()),
    }
}

/// Writes words for people to stderr.
pub(super) fn words(text: &str) {
    let _ = io::stderr().lock().write_all(neutralize(text).as_bytes());
}

/// Writes commands of ours for the runner of the job that we are in. It reads stderr as well, and stdout stays what it is.
pub(super) fn commands(lines: &[String]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests;
