//! How a call ended, as a class and in words for people. The class comes from the exit of the program and from its
//! structured fields; the program's own sentence is only quoted behind ours.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use model::event::ExecOutcome;
use process::{Exit, Finish, Launch};

use super::call::Answer;

/// How many characters of the program's own sentence, or of its last lines on standard error, are quoted.
const QUOTED: usize = 500;

/// The classes of errors, by program and by what it calls them.
static ERROR_CLASSES: LazyLock<BTreeMap<String, BTreeMap<String, ExecOutcome>>> =
    LazyLock::new(|| toml::from_str(include_str!("error_classes.toml")).expect("a test reads the same file"));

/// Returns the class of an error that stands in a table; nothing when the table does not have it.
pub(super) fn error_class(table: &str, error: &str) -> Option<ExecOutcome> {
    ERROR_CLASSES.get(table)?.get(error).copied()
}

/// An answer as far as it says how the call ended. Its reason is not masked yet.
impl Answer {
    /// It ended well.
    pub(super) fn done() -> Self {
        Self { outcome: ExecOutcome::Done, ..Self::default() }
    }

    /// It ended in this class, for this reason.
    pub(super) fn because(class: ExecOutcome, reason: impl Into<String>) -> Self {
        Self { outcome: class, reason: Some(reason.into()), ..Self::default() }
    }

    /// It did not end well, and `sentence` is what the program itself says about it.
    pub(super) fn quoting(class: ExecOutcome, sentence: &str) -> Self {
        let quoted: String =
            sentence.chars().filter(|c| !c.is_control() || *c == '\n').take(QUOTED).collect();
        let quoted = quoted.split_whitespace().collect::<Vec<_>>().join(" ");
        let ours = describe(class);
        if quoted.is_empty() {
            Self::because(class, ours)
        } else {
            Self::because(class, format!("{ours}: {quoted}"))
        }
    }

    /// The end of a program that says nothing about itself but its exit code.
    pub(super) fn of_exit(launch: &Launch, finish: &Finish, text: &str) -> Self {
        let class = match &finish.exit {
            Exit::Code(0) if text.trim().is_empty() => {
                return Self::because(ExecOutcome::NoOutput, "the agent ended without a word");
            }
            Exit::Code(0) => return Self::done(),
            Exit::TimedOut => {
                let reason = format!("the agent ran longer than {} s", launch.wall.as_secs());
                return Self::because(ExecOutcome::TimedOut, reason);
            }
            Exit::Idle => return Self::because(ExecOutcome::Idle, silence(launch, finish)),
            Exit::Code(_) | Exit::Signal(_) | Exit::Lost => ExecOutcome::Crashed,
            Exit::Stopped => ExecOutcome::Cancelled,
            Exit::NotStarted(_) => ExecOutcome::NotStarted,
        };
        Self::because(class, format!("the agent {}{}", finish.exit, last_lines(&finish.stderr_tail)))
    }

    /// The end of a program that never said how it ended: what it printed before changes nothing, and neither does a good
    /// exit code. One that ends before it begins is most often a version that does not know our arguments.
    pub(super) fn unreported(launch: &Launch, finish: &Finish, has_begun: bool, needed: &str) -> Self {
        let (exit, lines) = (&finish.exit, last_lines(&finish.stderr_tail));
        match exit {
            Exit::Code(code) if *code != 0 && !has_begun => {
                let reason =
                    format!("the agent {exit} before it began{lines} (this needs {needed} or newer)");
                Self::because(ExecOutcome::NotStarted, reason)
            }
            Exit::Code(_) => {
                Self::because(ExecOutcome::Crashed, format!("the agent {exit} and no result{lines}"))
            }
            _ => Self::of_exit(launch, finish, ""),
        }
    }

    /// Returns the text of an answer, and whether it is structured, as far as it may be believed: what a broken call
    /// says is void, a question is not.
    pub(super) fn believed(&self, (text, structured): (String, bool)) -> (String, bool) {
        if self.outcome.ended() || self.outcome == ExecOutcome::BlockedOnPrompt {
            (text, structured)
        } else {
            (String::new(), false)
        }
    }
}

/// Says which silence was too long: the one at the beginning has a limit of its own.
fn silence(launch: &Launch, finish: &Finish) -> String {
    let is_first = finish.stdout_tail.is_empty() && finish.stderr_tail.is_empty();
    match launch.first_output {
        Some(first) if is_first => format!("the agent said nothing in its first {} s", first.as_secs()),
        _ => format!("the agent was silent for {} s", launch.idle.unwrap_or_default().as_secs()),
    }
}

/// Returns the last lines of standard error, led in by a colon; nothing when there are none.
pub(super) fn last_lines(stderr: &str) -> String {
    let lines: Vec<_> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let joined = lines[lines.len().saturating_sub(3)..].join(" / ");
    let skipped = joined.chars().count().saturating_sub(QUOTED);
    let quoted: String = joined.chars().skip(skipped).filter(|c| !c.is_control()).collect();
    if quoted.is_empty() { quoted } else { format!(": {quoted}") }
}

fn describe(class: ExecOutcome) -> &'static str {
    match class {
        ExecOutcome::Done => "the agent is done",
        ExecOutcome::Partial => "the agent says that something is missing",
        ExecOutcome::NoOutput => "the agent ended without a word",
        ExecOutcome::TimedOut => "the agent ran too long",
        ExecOutcome::Idle => "the agent was silent too long",
        ExecOutcome::BlockedOnPrompt => "the agent asks a person, and nobody is there",
        ExecOutcome::RateLimited => "the provider allows no more requests for now",
        ExecOutcome::Overloaded => "the provider is overloaded",
        ExecOutcome::ProviderFailed => "the provider failed",
        ExecOutcome::QuotaExhausted => "the quota or the credit is used up",
        ExecOutcome::SignedOut => "the agent is not signed in",
        ExecOutcome::ModelUnknown => "the model is not known or not allowed",
        ExecOutcome::ContextTooLong => "the prompt is longer than the model can read",
        ExecOutcome::Refused => "the model refuses to work on this",
        ExecOutcome::LimitReached => "a limit of the call was reached",
        ExecOutcome::OverBudget => "the call used up what it might spend",
        ExecOutcome::Crashed => "the agent broke",
        ExecOutcome::NotStarted => "the agent did not start",
        ExecOutcome::Cancelled => "the agent was stopped",
    }
}

#[cfg(test)]
mod tests;
