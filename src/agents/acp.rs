//! The agent `acp:COMMAND` and profiles of kind `acp`: any program that implements the Agent Client Protocol, version 1.
//! Like a script it is played by a child process of our own program, the hidden subcommand `__acp`, which is the
//! protocol's client; here is what that child is asked and how its events are understood. The child classes the end, from
//! stop reasons, error codes and the kinds that adapters name, never from words for people. The protocol knows no schema
//! and no limits of turns or cost; a reviewer is read-only by our permissions, and the engine compares the files
//! afterwards.

mod client;
mod events;
mod handler;
mod permission;
mod transport;

use std::path::Path;

use serde_json::Value;

use model::event::{CostBasis, ExecOutcome, ReportedProgram, Usage};
use process::{Launch, ProgramEnd, Stream};

use super::call::{AgentAnswer, AgentCall, OutputParser, PreparedCall, quote_lines};
use super::json_lines::JsonLines;
use super::launch::{make_launch, program_variables};
use super::lookup::ResolvedAgent;
use super::transcript::Transcript;
use client::ClientTask;
use events::{ClientEvent, LOST};
use permission::allowed_program;

pub use client::main;

/// How many bytes of an answer are kept.
const ANSWER_LIMIT: usize = 16 * 1024 * 1024;

/// Makes the launch of our own program as it plays the client of an agent, and the parser of its events.
pub(super) fn prepare(mut agent: ResolvedAgent, call: &AgentCall<'_>) -> PreparedCall {
    let parser = AcpEventParser::new(&agent.program, call);
    let commands = call.commands.values().map(|command| allowed_program(command));
    let allow = commands.chain(agent.profile.allow.iter().cloned()).filter(|words| !words.trim().is_empty());
    let task = ClientTask {
        read_only: !call.step.writes(),
        allow: allow.collect(),
        model: agent.profile.model.clone(),
        resumes: call.resumes.map(|resume| resume.session.clone()),
    };
    let task = serde_json::to_string(&task).expect("these fields are always JSON");
    let program = std::mem::replace(&mut agent.program, call.own_program.to_owned());
    agent.arguments.splice(..0, ["__acp".into(), task.into(), program.into_os_string()]);
    let keys: Vec<_> = agent.profile.api_key_env.as_deref().into_iter().collect();
    (make_launch(&agent, &program_variables(&keys), call), Box::new(parser))
}

/// The parser of the child's events.
#[derive(Default)]
struct AcpEventParser {
    /// What the agent is called when it does not say so itself.
    name: String,
    /// What the continued session had used before.
    used_before: Usage,
    lines: JsonLines,
    text: String,
    is_truncated: bool,
    /// The answer without its text as the child gave it, and whether the agent broke.
    ended: Option<(AgentAnswer, bool)>,
}

impl AcpEventParser {
    fn new(program: &Path, call: &AgentCall<'_>) -> Self {
        Self {
            name: program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned(),
            used_before: call.resumes.map(|resume| resume.used).unwrap_or_default(),
            ..Self::default()
        }
    }

    fn handle_event(&mut self, object: Value, transcript: &mut Transcript<'_>) {
        match serde_json::from_value(object) {
            Ok(ClientEvent::Text { text, begins }) => self.add_answer_text(&text, begins, transcript),
            Ok(ClientEvent::Thought { text }) => add_to_transcript(&text, transcript),
            Ok(ClientEvent::Note { text }) => add_to_transcript(&format!("\n{text}\n"), transcript),
            Ok(ClientEvent::Ended { answer, is_broken }) => self.ended = Some((*answer, is_broken)),
            Ok(ClientEvent::Alive) | Err(_) => {}
        }
    }

    fn add_answer_text(&mut self, text: &str, begins: bool, transcript: &mut Transcript<'_>) {
        let gap = if begins && !self.text.is_empty() { "\n\n" } else { "" };
        add_to_transcript(&format!("{gap}{text}"), transcript);
        if self.text.len() + gap.len() + text.len() > ANSWER_LIMIT {
            self.is_truncated = true;
        } else {
            self.text.extend([gap, text]);
        }
    }
}

/// Adds text as the agent wrote it: pieces of one word stand beside each other.
fn add_to_transcript(text: &str, transcript: &mut Transcript<'_>) {
    transcript.keep_and_show(Stream::Stdout, text.as_bytes());
}

impl OutputParser for AcpEventParser {
    fn push(&mut self, stream: Stream, bytes: &[u8], transcript: &mut Transcript<'_>) {
        if stream == Stream::Stderr {
            transcript.keep_and_show(stream, bytes);
            return;
        }
        for object in self.lines.push(bytes) {
            self.handle_event(object, transcript);
        }
    }

    fn finish(
        self: Box<Self>,
        launch: &Launch,
        finish: ProgramEnd,
        transcript: &mut Transcript<'_>,
    ) -> AgentAnswer {
        add_to_transcript("\n", transcript);
        // The child writes no line that is too long: after one of those its report does not count.
        let ended = if self.lines.has_cut { None } else { self.ended };
        let lost = || (AgentAnswer::with_reason(ExecOutcome::Crashed, LOST), true);
        let (answer, is_broken) = ended.unwrap_or_else(lost);
        let mut end = AgentAnswer::from_exit(launch, &finish, &self.text);
        if finish.exit.is_success() && answer.outcome != ExecOutcome::Done {
            // An agent that broke may have said why on its standard error.
            let more = if is_broken { quote_lines(&finish.stderr_tail) } else { String::new() };
            end = AgentAnswer::with_reason(answer.outcome, answer.reason.unwrap_or_default() + &more);
        }
        AgentAnswer {
            text: self.text,
            usage: usage_of_call(answer.usage, &self.used_before),
            truncated: self.is_truncated || self.lines.has_cut || answer.truncated,
            session: answer.session,
            program: answer
                .program
                .or(Some(ReportedProgram { name: self.name, ..ReportedProgram::default() })),
            notices: answer.notices,
            ..end
        }
    }
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

#[cfg(test)]
mod tests;
