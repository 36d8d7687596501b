//! One call of an agent: what is asked, what came of it, and the parser that each kind of agent has for its output.
//! How it ended comes from the exit of the program and from its structured fields; the program's own sentence is only
//! quoted behind ours. Starting, limits and stopping are the same for all agents and stand in `run`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use model::call::{CallBudget, ResumableSession};
use model::data_file;
use model::event::{ExecOutcome, ReportedProgram, Usage};
use model::issue::IssueNumber;
use model::phase::{PhaseName, Step};
use model::policy::TimeLimits;
use model::redact::Masker;
use process::{Launch, ProgramEnd, ProgramExit, Stream};

use super::schema;
use super::transcript::Transcript;

/// How many characters of the program's own sentence, or of its last lines on standard error, are quoted.
const QUOTED: usize = 500;

/// The classes of errors, by program and by what it calls them.
static ERROR_CLASSES: LazyLock<BTreeMap<String, BTreeMap<String, ExecOutcome>>> =
    LazyLock::new(|| data_file::read(include_str!("error_classes.toml")));

/// What is asked of an agent in one call.
#[derive(Debug, Clone, Copy)]
pub struct AgentCall<'a> {
    /// The issue that the run is about.
    pub issue: IssueNumber,
    /// The phase that the call belongs to.
    pub phase: &'a PhaseName,
    /// The step; it decides whether the agent may write.
    pub step: Step,
    /// The round of the phase, from 1.
    pub round: u32,
    /// The attempt of the step, from 1.
    pub attempt: u32,
    /// Becomes the agent's standard input.
    pub prompt_file: &'a Path,
    /// The phase's deliverable, relative to the worktree.
    pub output: &'a str,
    /// The nonce that a review has to repeat.
    pub review_id: Option<&'a str>,
    /// The seat of the panel whose review it is.
    pub seat: Option<&'a str>,
    /// The folder that the agent works in.
    pub worktree: &'a Path,
    /// Gets what the agent prints, masked, as `{"stream", "text"}` lines.
    pub raw_file: &'a Path,
    /// The time limits of the run; a profile may set its own.
    pub time: &'a TimeLimits,
    /// Hides secrets in everything that is kept or shown.
    pub masker: &'a Masker,
    /// The program that knows `__reaper`, `__scripted` and `__acp`: [`process::own_program`], except in tests.
    pub own_program: &'a Path,
    /// The session that is continued.
    pub resumes: Option<&'a ResumableSession>,
    /// What the call may use at most.
    pub allowance: CallBudget,
    /// The JSON Schema of the answer, for programs that can be held to one.
    pub schema: Option<&'a Value>,
    /// The commands of the repository, by id: an author may run them.
    pub commands: &'a BTreeMap<String, String>,
    /// A small file, and where it is copied to once no process of the call is left.
    pub copy_after_end: Option<(&'a Path, &'a Path)>,
}

/// The end of a call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentAnswer {
    /// The class of the end.
    pub outcome: ExecOutcome,
    /// Why it did not end well, for people.
    pub reason: Option<String>,
    /// What the agent answered; void unless `outcome` has ended.
    pub text: String,
    /// What the call used, as far as that can be known.
    pub usage: Usage,
    /// The text is only the beginning of a longer one.
    pub truncated: bool,
    /// How long the program ran, in milliseconds.
    pub millis: u64,
    /// No model was asked: a script or a plain command answered.
    pub simulated: bool,
    /// The text is an object that was held to the schema, by the program and again by us.
    pub structured: bool,
    /// A schema was asked for, the program can be held to one, and the text is not held to it.
    pub schema_missed: bool,
    /// The session, when it can be continued.
    pub session: Option<String>,
    /// The program and the model that answered.
    pub program: Option<ReportedProgram>,
    /// When a rate limit or a quota is said to end.
    pub resets_at: Option<Timestamp>,
    /// Worth reporting, and nothing depends on it.
    pub notices: Vec<String>,
}

/// What is started, and how its output is understood.
pub(crate) type PreparedCall = (Launch, Box<dyn OutputParser>);

/// Understands what one kind of program prints, while it works and at its end.
pub(crate) trait OutputParser {
    /// Takes output as it comes, and writes into the transcript what belongs there.
    fn push(&mut self, stream: Stream, bytes: &[u8], transcript: &mut Transcript<'_>);

    /// Tells whether the call cannot succeed any more, although the program goes on: it is ended then.
    fn is_hopeless(&self) -> bool {
        false
    }

    /// Returns what the turns of the call have used after which it goes on, as far as the program reports that while it
    /// works. The last turn is paid for anyway: a call that has reported how it ends is left to come to that end.
    fn usage_so_far(&mut self) -> Usage {
        Usage::default()
    }

    /// Returns the answer, once the program has gone. Its reason and notices are not masked yet.
    fn finish(
        self: Box<Self>,
        launch: &Launch,
        finish: ProgramEnd,
        transcript: &mut Transcript<'_>,
    ) -> AgentAnswer;
}

/// An answer as far as it says how the call ended. Its reason is not masked yet.
impl AgentAnswer {
    /// It ended well.
    pub(super) fn done() -> Self {
        Self { outcome: ExecOutcome::Done, ..Self::default() }
    }

    /// It ended in this class, for this reason.
    pub(super) fn with_reason(class: ExecOutcome, reason: impl Into<String>) -> Self {
        Self { outcome: class, reason: Some(reason.into()), ..Self::default() }
    }

    /// It did not end well, and `sentence` is what the program itself says about it.
    pub(super) fn with_quote(class: ExecOutcome, sentence: &str) -> Self {
        let quoted: String =
            sentence.chars().filter(|c| !c.is_control() || *c == '\n').take(QUOTED).collect();
        let quoted = quoted.split_whitespace().collect::<Vec<_>>().join(" ");
        Self::with_reason(class, describe_outcome(class).to_owned() + &prefix_with_colon(&quoted))
    }

    /// The end of a program that says nothing about itself but its exit code.
    pub(super) fn from_exit(launch: &Launch, finish: &ProgramEnd, text: &str) -> Self {
        let class = match &finish.exit {
            ProgramExit::Code(0) if text.trim().is_empty() => {
                return Self::with_reason(ExecOutcome::NoOutput, "the agent ended without a word");
            }
            ProgramExit::Code(0) => return Self::done(),
            ProgramExit::TimedOut => {
                let reason = format!("the agent ran longer than {} s", launch.wall.as_secs());
                return Self::with_reason(ExecOutcome::TimedOut, reason);
            }
            ProgramExit::Idle => {
                return Self::with_reason(ExecOutcome::Idle, idle_reason(launch, finish));
            }
            ProgramExit::Code(_) | ProgramExit::Signal(_) | ProgramExit::Lost => ExecOutcome::Crashed,
            ProgramExit::Stopped => ExecOutcome::Cancelled,
            ProgramExit::NotStarted(_) => ExecOutcome::NotStarted,
        };
        Self::with_reason(class, format!("the agent {}{}", finish.exit, quote_lines(&finish.stderr_tail)))
    }

    /// The end of a program that never said how it ended: what it printed before changes nothing, and neither does a good
    /// exit code. One that ends before it begins is most often a version that does not know our arguments.
    pub(super) fn no_report(launch: &Launch, finish: &ProgramEnd, has_begun: bool, needed: &str) -> Self {
        let (exit, lines) = (&finish.exit, quote_lines(&finish.stderr_tail));
        match exit {
            ProgramExit::Code(code) if *code != 0 && !has_begun => {
                let reason =
                    format!("the agent {exit} before it began{lines} (this needs {needed} or newer)");
                Self::with_reason(ExecOutcome::NotStarted, reason)
            }
            ProgramExit::Code(_) => {
                Self::with_reason(ExecOutcome::Crashed, format!("the agent {exit} and no result{lines}"))
            }
            _ => Self::from_exit(launch, finish, ""),
        }
    }

    /// Takes what the program answered: the text of a failed call is void, that of a question to a person is not. An object
    /// that meets the schema that was asked for takes the place of the text.
    pub(super) fn with_text(self, text: &str, object: &Value, schema: Option<&Value>) -> Self {
        let is_believed = self.outcome.ended() || self.outcome == ExecOutcome::BlockedOnPrompt;
        let is_met = schema.is_some_and(|schema| !object.is_null() && schema::is_met(object, schema));
        let text = match (is_believed, is_met) {
            (true, true) => object.to_string(),
            (true, false) => text.to_owned(),
            (false, _) => String::new(),
        };
        let structured = is_believed && is_met;
        Self { text, structured, schema_missed: schema.is_some() && !structured, ..self }
    }
}

/// Returns which time without output was too long: the one at the beginning has a limit of its own.
fn idle_reason(launch: &Launch, finish: &ProgramEnd) -> String {
    let is_first = finish.stdout.is_empty() && !finish.stdout_truncated && finish.stderr_tail.is_empty();
    match launch.first_output {
        Some(first) if is_first => format!("the agent said nothing in its first {} s", first.as_secs()),
        _ => format!("the agent was silent for {} s", launch.idle.unwrap_or_default().as_secs()),
    }
}

/// Returns the last lines of standard error, led in by a colon; nothing when there are none.
pub(super) fn quote_lines(stderr: &str) -> String {
    let lines: Vec<_> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let joined = lines[lines.len().saturating_sub(3)..].join(" / ");
    let skipped = joined.chars().count().saturating_sub(QUOTED);
    let quoted: String = joined.chars().skip(skipped).filter(|c| !c.is_control()).collect();
    prefix_with_colon(&quoted)
}

fn prefix_with_colon(quoted: &str) -> String {
    if quoted.is_empty() { String::new() } else { format!(": {quoted}") }
}

/// Returns the class of an error by a table; nothing when the table does not have it.
pub(super) fn error_class(table: &str, error: &str) -> Option<ExecOutcome> {
    ERROR_CLASSES.get(table)?.get(error).copied()
}

fn describe_outcome(class: ExecOutcome) -> &'static str {
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
pub(crate) mod tests;
