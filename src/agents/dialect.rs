//! What a program's output means: each kind of agent is one dialect. A dialect listens while the program works and
//! says at its end what was heard. Starting, limits and stopping are the same for all and stand elsewhere.

use jiff::Timestamp;

use model::event::{ExecOutcome, Program, Usage};

use super::progress::Progress;
use super::raw::RawFile;
use process::{Exit, Finish, Launch, Stream};

/// How many characters of the last lines on standard error become part of a reason.
const REASON: usize = 500;

/// Understands what one kind of program prints.
pub(super) trait Dialect {
    /// Takes output as it comes, keeps what belongs in the raw file and tells what somebody who watches may see.
    fn take(&mut self, stream: Stream, bytes: &[u8], ear: &mut Ear<'_>);

    /// Tells whether nothing can come of the call any more, although the program goes on: it is ended then.
    fn gives_up(&self) -> bool {
        false
    }

    /// Returns what the turns of the call have used after which it goes on, as far as the program tells that while it
    /// works. The last turn is paid for anyway: a call that has said how it ends is left to come to that end.
    fn used_so_far(&mut self) -> Usage {
        Usage::default()
    }

    /// Says how the call ended, once the program has gone.
    fn heard(self: Box<Self>, launch: &Launch, finish: Finish, ear: &mut Ear<'_>) -> Heard;
}

/// Where output goes.
pub(super) struct Ear<'a> {
    pub raw: RawFile<'a>,
    pub progress: Progress<'a>,
}

/// What came of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Heard {
    pub outcome: ExecOutcome,
    /// Why it did not end well, for people; not masked yet.
    pub reason: Option<String>,
    pub text: String,
    pub usage: Usage,
    pub truncated: bool,
    /// The answer was held to the schema that was asked for, by the program and again by us.
    pub structured: bool,
    /// It was asked to answer by a schema and could have been held to it, and was not.
    pub schema_missed: bool,
    pub session: Option<String>,
    pub program: Option<Program>,
    pub resets_at: Option<Timestamp>,
    /// Worth telling, and nothing depends on it.
    pub notices: Vec<String>,
}

/// Returns the outcome of a program that says nothing about itself but its exit code.
pub(super) fn outcome(exit: &Exit, text: &str) -> ExecOutcome {
    match exit {
        Exit::Code(0) if text.trim().is_empty() => ExecOutcome::NoOutput,
        Exit::Code(0) => ExecOutcome::Done,
        Exit::Code(_) | Exit::Signal(_) | Exit::Lost => ExecOutcome::Crashed,
        Exit::TimedOut => ExecOutcome::TimedOut,
        Exit::Idle => ExecOutcome::Idle,
        Exit::Stopped => ExecOutcome::Cancelled,
        Exit::NotStarted(_) => ExecOutcome::NotStarted,
    }
}

/// Says for people why a call did not end well.
pub(super) fn reason(launch: &Launch, finish: &Finish, text: &str) -> Option<String> {
    Some(match &finish.exit {
        Exit::Code(0) if text.trim().is_empty() => "the agent ended without a word".to_owned(),
        Exit::Code(0) => return None,
        Exit::TimedOut => format!("the agent ran longer than {} s", launch.wall.as_secs()),
        Exit::Idle => silent(launch, finish),
        exit => format!("the agent {exit}{}", last_words(&finish.stderr_tail)),
    })
}

/// Says which silence was too long: the one at the beginning has a limit of its own.
fn silent(launch: &Launch, finish: &Finish) -> String {
    let heard = !finish.stdout_tail.is_empty() || !finish.stderr_tail.is_empty();
    match launch.first_output.filter(|_| !heard) {
        Some(first) => format!("the agent said nothing in its first {} s", first.as_secs()),
        None => format!("the agent was silent for {} s", launch.idle.unwrap_or_default().as_secs()),
    }
}

/// Returns the last lines of standard error, led in by a colon; nothing when there are none.
pub(super) fn last_words(stderr: &str) -> String {
    let lines: Vec<_> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let words = lines[lines.len().saturating_sub(3)..].join(" / ");
    let skipped = words.chars().count().saturating_sub(REASON);
    let words: String = words.chars().skip(skipped).filter(|c| !c.is_control()).collect();
    if words.is_empty() { words } else { format!(": {words}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_silence_is_told_with_its_own_limit() {
        let seconds = std::time::Duration::from_secs;
        let mut launch = Launch::new("x", "/", seconds(60));
        (launch.idle, launch.first_output) = (Some(seconds(1800)), Some(seconds(1)));
        let said = |launch: &Launch, tail: &str| {
            let finish = Finish {
                exit: Exit::Idle,
                stdout: vec![],
                stdout_truncated: false,
                stdout_tail: tail.into(),
                stderr_tail: String::new(),
                millis: 1,
            };
            reason(launch, &finish, "").expect("a reason")
        };
        assert_eq!(said(&launch, ""), "the agent said nothing in its first 1 s");
        assert_eq!(said(&launch, "x"), "the agent was silent for 1800 s");
        launch.first_output = None;
        assert_eq!(said(&launch, ""), "the agent was silent for 1800 s");
    }

    #[test]
    fn the_last_lines_of_standard_error_become_part_of_the_reason() {
        assert_eq!(last_words("a\n\n b\x1b\nc\nd\n"), ": b / c / d");
        assert_eq!(last_words(" \n"), "");
        assert_eq!(last_words(&"x".repeat(900)).len(), REASON + 2);
    }
}
