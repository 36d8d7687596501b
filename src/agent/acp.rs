//! The agent `acp:COMMAND` and profiles of kind `acp`: any program that speaks the Agent Client Protocol, version 1.
//! Like a script it is played by a child process of our own program, the hidden subcommand `__acp`, which is the
//! protocol's client; here is what that child is told and how its lines are understood. The protocol knows no schema
//! and no limits of turns or cost; a reviewer is read-only by our policy, and the engine compares the files afterwards.

mod client;
mod command;
mod desk;
mod files;
mod inside;
mod line;
mod outcome;
mod policy;
mod talk;
mod usage;
mod voice;
mod wire;

use std::ffi::OsString;
use std::path::Path;

pub use client::main;

use super::dialect::{self, Dialect, Ear, Heard};
use super::lookup::Resolved;
use super::process::{Exit, Finish, Launch, Stream};
use super::{Job, Prepared, launch};
use crate::event::{ExecOutcome, Program, Usage};
use client::Task;
use line::{End, Line, Report};

/// How long a line of the child is at most.
const LONGEST: usize = 1024 * 1024;
/// How much of an answer is kept.
const ANSWER: usize = 16 * 1024 * 1024;

/// Makes the launch of our own program that plays the client, and the dialect of its lines.
pub(super) fn prepare(agent: Resolved, job: &Job<'_>) -> Prepared {
    let dialect = Acp::new(&agent.program, job);
    let own = agent.profile.api_key_env.clone();
    let own: Vec<_> = own.as_deref().into_iter().collect();
    (launch(&played(agent, job), &own, job), Box::new(dialect))
}

/// Returns our own program as it plays the client of an agent.
fn played(agent: Resolved, job: &Job<'_>) -> Resolved {
    let commands = job.commands.values().map(|command| command::allowed_by(command));
    let allow = commands.chain(agent.profile.allow.iter().cloned()).filter(|words| !words.trim().is_empty());
    let task = Task {
        read_only: !job.step.writes(),
        allow: allow.collect(),
        model: agent.model.clone(),
        resumes: job.resumes.map(|resume| resume.session.clone()),
        program: agent.program.clone().into_os_string(),
        arguments: agent.arguments.clone(),
    };
    let mut arguments = vec![OsString::from("__acp")];
    arguments.extend(task.write());
    Resolved { program: job.own_program.to_owned(), arguments, ..agent }
}

/// The dialect of the child's lines.
pub(super) struct Acp {
    /// What the agent is called when it does not say so itself.
    name: String,
    /// What the continued session had used before.
    used: Usage,
    pending: Vec<u8>,
    /// A line was longer than any is.
    overlong: bool,
    text: String,
    truncated: bool,
    report: Option<Report>,
}

impl Acp {
    fn new(program: &Path, job: &Job<'_>) -> Self {
        let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
        let used = job.resumes.map(|resume| resume.used).unwrap_or_default();
        let (pending, text) = (Vec::new(), String::new());
        Self { name, used, pending, overlong: false, text, truncated: false, report: None }
    }

    fn take_line(&mut self, line: &[u8], ear: &mut Ear<'_>) {
        match serde_json::from_slice(line) {
            Ok(Line::Text { text, begins }) => self.answer(&text, begins, ear),
            Ok(Line::Thought { text }) => show(&text, ear),
            Ok(Line::Note { text }) => show(&format!("\n{text}\n"), ear),
            Ok(Line::Ended(report)) => self.report = Some(*report),
            Ok(Line::Alive) | Err(_) => {}
        }
    }

    fn answer(&mut self, text: &str, begins: bool, ear: &mut Ear<'_>) {
        let gap = if begins && !self.text.is_empty() { "\n\n" } else { "" };
        show(&format!("{gap}{text}"), ear);
        if self.text.len() + gap.len() + text.len() > ANSWER {
            self.truncated = true;
        } else {
            self.text.extend([gap, text]);
        }
    }
}

/// Keeps and shows what the agent said, as it said it: pieces of one word stand beside each other.
fn show(text: &str, ear: &mut Ear<'_>) {
    ear.raw.take(Stream::Stdout, text.as_bytes());
    ear.progress.take(text.as_bytes());
}

impl Dialect for Acp {
    fn take(&mut self, stream: Stream, bytes: &[u8], ear: &mut Ear<'_>) {
        if stream == Stream::Stderr {
            ear.raw.take(stream, bytes);
            ear.progress.take(bytes);
            return;
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.overlong |= self.pending.len() + part.len() > LONGEST;
            if !self.overlong {
                self.pending.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.pending);
                self.take_line(&line, ear);
            }
        }
    }

    fn heard(self: Box<Self>, launch: &Launch, finish: Finish, ear: &mut Ear<'_>) -> Heard {
        show("\n", ear);
        let report = self.report.unwrap_or_default();
        let (outcome, reason) = match &finish.exit {
            Exit::Code(0) => {
                with_last_words(outcome::classify(&report.end, &self.text), &report.end, &finish)
            }
            _ => (dialect::outcome(&finish.exit, &self.text), dialect::reason(launch, &finish, &self.text)),
        };
        let name = report.name.unwrap_or(self.name);
        Heard {
            outcome,
            reason,
            text: self.text,
            usage: beyond(report.usage, &self.used),
            truncated: self.truncated || self.overlong || report.truncated,
            session: report.session,
            program: Some(Program { name, version: report.version, model: None }),
            notices: report.notices,
            ..Heard::default()
        }
    }
}

/// An agent that broke may have said why on its standard error.
fn with_last_words(
    (outcome, reason): (ExecOutcome, Option<String>),
    end: &End,
    finish: &Finish,
) -> (ExecOutcome, Option<String>) {
    let words = match end {
        End::Broken { .. } | End::Lost => dialect::last_words(&finish.stderr_tail),
        _ => String::new(),
    };
    (outcome, reason.map(|reason| reason + &words))
}

/// Figures are those of the whole session: returns what this call added.
fn beyond(usage: Usage, used: &Usage) -> Usage {
    let added =
        |now: Option<u64>, before: Option<u64>| now.map(|now| now.saturating_sub(before.unwrap_or(0)));
    Usage {
        input_tokens: added(usage.input_tokens, used.input_tokens),
        cached_tokens: added(usage.cached_tokens, used.cached_tokens),
        output_tokens: added(usage.output_tokens, used.output_tokens),
        cost_usd: usage.cost_usd.map(|now| (now - used.cost_usd.unwrap_or(0.0)).max(0.0)),
        ..usage
    }
}
