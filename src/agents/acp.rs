//! The agent `acp:COMMAND` and profiles of kind `acp`: any program that speaks the Agent Client Protocol, version 1.
//! Like a script it is played by a child process of our own program, the hidden subcommand `__acp`, which is the
//! protocol's client; here is what that child is asked and how its events are understood. The child classes the end, from
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
use process::{Finish, Launch, Stream};

use super::call::{AgentCall, Answer, OutputParser, PreparedCall};
use super::json_lines::Lines;
use super::launch::{launch, program_variables};
use super::lookup::ResolvedAgent;
use super::outcome::last_lines;
use super::transcript::Transcript;
use events::{ClientEvent, LOST};
use permission::allowed_by;
use session::ClientTask;

pub use client::main;

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
    /// The answer without its text as the child gave it, and whether the agent broke.
    ended: Option<(Answer, bool)>,
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
            Ok(ClientEvent::Ended { answer, is_broken }) => self.ended = Some((*answer, is_broken)),
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
        let lost = || (Answer::because(ExecOutcome::Crashed, LOST), true);
        let (answer, is_broken) = self.ended.unwrap_or_else(lost);
        let mut outcome = Answer::of_exit(launch, &finish, &self.text);
        if finish.exit.is_success() && answer.outcome != ExecOutcome::Done {
            // An agent that broke may have said why on its standard error.
            let more = if is_broken { last_lines(&finish.stderr_tail) } else { String::new() };
            outcome = Answer::because(answer.outcome, answer.reason.unwrap_or_default() + &more);
        }
        let program = Program { name: self.name, ..Program::default() };
        Answer {
            text: self.text,
            usage: usage_of_call(answer.usage, &self.used_before),
            truncated: self.is_truncated || self.is_overlong || answer.truncated,
            session: answer.session,
            program: Some(answer.program.unwrap_or(program)),
            notices: answer.notices,
            ..outcome
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
