//! The agent `acp:COMMAND` and profiles of kind `acp`: any program that speaks the Agent Client Protocol, version 1.
//! Like a script it is played by a child process of our own program, the hidden subcommand `__acp`, which is the
//! protocol's client; here is what that child is asked and how its events are understood. The class of an end comes from
//! stop reasons, error codes and the kinds that adapters name, never from words for people. The protocol knows no schema
//! and no limits of turns or cost; a reviewer is read-only by our permissions, and the engine compares the files
//! afterwards.

mod client;
mod events;
mod files;
mod handler;
mod permission;
mod session;
mod transport;

use std::path::Path;

use model::event::{CostBasis, ExecOutcome, Program, Usage};
use process::{Exit, Finish, Launch, Stream};

use super::call::{AgentCall, Answer, OutputParser, PreparedCall};
use super::json_lines::Lines;
use super::launch::{launch, program_variables};
use super::lookup::ResolvedAgent;
use super::outcome::{error_class, last_lines};
use super::transcript::Transcript;
use client::ClientTask;
use events::{ClientEvent, End, Report};
use permission::allowed_by;
use transport::ErrorResponse;

pub use client::main;
pub(super) use files::resolve;

/// How many bytes a line of the child gets.
const LINE_LIMIT: usize = 1024 * 1024;
/// How many bytes of an answer are kept.
const ANSWER_LIMIT: usize = 16 * 1024 * 1024;

/// Makes the launch of our own program that plays the client, and the parser of its events.
pub(super) fn prepare(agent: ResolvedAgent, call: &AgentCall<'_>) -> PreparedCall {
    let parser = AcpParser::new(&agent.program, call);
    let key = agent.profile.api_key_env.clone();
    let keys: Vec<_> = key.as_deref().into_iter().collect();
    (launch(&client_program(agent, call), &program_variables(&keys), call), Box::new(parser))
}

/// Returns our own program as it plays the client of an agent.
fn client_program(mut agent: ResolvedAgent, call: &AgentCall<'_>) -> ResolvedAgent {
    let commands = call.commands.values().map(|command| allowed_by(command));
    let allow = commands.chain(agent.profile.allow.iter().cloned()).filter(|words| !words.trim().is_empty());
    let task = ClientTask {
        read_only: !call.step.writes(),
        allow: allow.collect(),
        model: agent.model.clone(),
        resumes: call.resumes.map(|resume| resume.session.clone()),
    };
    let task = serde_json::to_string(&task).expect("these fields are always JSON");
    agent.arguments.splice(..0, ["__acp".into(), task.into(), agent.program.into_os_string()]);
    ResolvedAgent { program: call.own_program.to_owned(), ..agent }
}

/// The parser of the child's events.
#[derive(Default)]
struct AcpParser {
    /// What the agent is called when it does not say so itself.
    name: String,
    /// What the continued session had used before.
    used_before: Usage,
    lines: Lines,
    /// A line was longer than any is; nothing after it is read.
    is_overlong: bool,
    text: String,
    is_truncated: bool,
    report: Option<Report>,
}

impl AcpParser {
    fn new(program: &Path, call: &AgentCall<'_>) -> Self {
        Self {
            name: program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned(),
            used_before: call.resumes.map(|resume| resume.used).unwrap_or_default(),
            lines: Lines::new(LINE_LIMIT),
            ..Self::default()
        }
    }

    fn event(&mut self, line: &str, transcript: &mut Transcript<'_>) {
        match serde_json::from_str(line) {
            Ok(ClientEvent::Text { text, begins }) => self.answer(&text, begins, transcript),
            Ok(ClientEvent::Thought { text }) => add(&text, transcript),
            Ok(ClientEvent::Note { text }) => add(&format!("\n{text}\n"), transcript),
            Ok(ClientEvent::Ended(report)) => self.report = Some(*report),
            Ok(ClientEvent::Alive) | Err(_) => {}
        }
    }

    fn answer(&mut self, text: &str, begins: bool, transcript: &mut Transcript<'_>) {
        let gap = if begins && !self.text.is_empty() { "\n\n" } else { "" };
        add(&format!("{gap}{text}"), transcript);
        if self.text.len() + gap.len() + text.len() > ANSWER_LIMIT {
            self.is_truncated = true;
        } else {
            self.text.extend([gap, text]);
        }
    }
}

/// Adds text as the agent wrote it: pieces of one word stand beside each other.
fn add(text: &str, transcript: &mut Transcript<'_>) {
    transcript.keep_and_show(Stream::Stdout, text.as_bytes());
}

impl OutputParser for AcpParser {
    fn push(&mut self, stream: Stream, bytes: &[u8], transcript: &mut Transcript<'_>) {
        if stream == Stream::Stderr {
            transcript.keep_and_show(stream, bytes);
            return;
        }
        for line in self.lines.push(bytes) {
            self.is_overlong |= line.is_cut;
            if !self.is_overlong {
                self.event(&line.text, transcript);
            }
        }
    }

    fn finish(self: Box<Self>, launch: &Launch, finish: Finish, transcript: &mut Transcript<'_>) -> Answer {
        add("\n", transcript);
        let report = self.report.unwrap_or_default();
        let outcome = match &finish.exit {
            Exit::Code(0) => with_last_lines(classify(&report.end, &self.text), &report.end, &finish),
            _ => Answer::of_exit(launch, &finish, &self.text),
        };
        let name = report.name.unwrap_or(self.name);
        Answer {
            text: self.text,
            usage: usage_of_call(report.usage, &self.used_before),
            truncated: self.is_truncated || self.is_overlong || report.truncated,
            session: report.session,
            program: Some(Program { name, version: report.version, model: None }),
            notices: report.notices,
            ..outcome
        }
    }
}

/// An agent that broke may have said why on its standard error.
fn with_last_lines(mut outcome: Answer, end: &End, finish: &Finish) -> Answer {
    if let (End::Gone { .. } | End::Broken { .. } | End::Lost, Some(reason)) = (end, &mut outcome.reason) {
        reason.push_str(&last_lines(&finish.stderr_tail));
    }
    outcome
}

/// Returns what this call used. The cost is that of the whole session, says the protocol; tokens are those of the turn
/// or of the session, and count as they are, because too many are better than too few.
fn usage_of_call(usage: Usage, used_before: &Usage) -> Usage {
    let before = used_before.cost_usd.unwrap_or(0.0);
    let added = |now: f64| if now >= before { now - before } else { now };
    Usage {
        cost_usd: usage.cost_usd.map(added),
        cost_basis: usage.cost_basis.or(Some(CostBasis::Unknown)),
        ..usage
    }
}

/// Returns the class of an end, and for people why it is not a good one.
fn classify(end: &End, text: &str) -> Answer {
    match end {
        End::Turn { stop } => classify_turn(stop, text),
        End::Error { during, error } => {
            let kind = error.kind.as_ref().map(|kind| format!(" ({kind})")).unwrap_or_default();
            let (code, message) = (error.code, &error.message);
            let reason = format!("the agent answered {during} with error {code}{kind}: {message}");
            Answer::because(classify_error(error), reason)
        }
        End::Gone { how } => {
            let how = how.as_deref().unwrap_or("closed its output");
            Answer::because(ExecOutcome::Crashed, format!("the agent {how} before its turn was over"))
        }
        End::Broken { reason } => Answer::because(ExecOutcome::Crashed, reason),
        End::NotStarted { reason } => Answer::because(ExecOutcome::NotStarted, reason),
        End::NoModel { model } => {
            let reason = format!("the agent does not offer the model `{model}`");
            Answer::because(ExecOutcome::ModelUnknown, reason)
        }
        End::Lost => Answer::because(ExecOutcome::Crashed, "the client of the agent was lost"),
    }
}

/// An end that the agent calls a cancellation, without our asking for one, broke its work like any other.
fn classify_turn(stop: &str, text: &str) -> Answer {
    let (class, reason) = match stop {
        "end_turn" if text.trim().is_empty() => (ExecOutcome::NoOutput, "the agent ended without a word"),
        "end_turn" => return Answer::done(),
        "max_tokens" => (ExecOutcome::LimitReached, "the answer reached the limit of tokens"),
        "max_turn_requests" => (ExecOutcome::LimitReached, "the agent reached its limit of requests"),
        "refusal" => (ExecOutcome::Refused, "the agent refuses to work on this"),
        "cancelled" => (ExecOutcome::Crashed, "the agent cancelled the turn, and nobody had asked it to"),
        _ => {
            let reason = format!("the agent ended with the unknown stop reason `{stop}`");
            return Answer::because(ExecOutcome::Crashed, reason);
        }
    };
    Answer::because(class, reason)
}

/// The kind weighs more than the code: adapters put every failure of the provider under one code.
fn classify_error(error: &ErrorResponse) -> ExecOutcome {
    let kind = error.kind.as_ref().map(|kind| kind.to_ascii_lowercase().replace('-', "_"));
    kind.and_then(|kind| error_class("acp.kind", &kind))
        .or_else(|| error_class("acp.code", &error.code.to_string()))
        .unwrap_or(ExecOutcome::Crashed)
}

#[cfg(test)]
mod tests;
