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
use super::{Job, Prepared, environment, launch};
use client::Task;
use line::{End, Line, Report};
use model::event::{CostBasis, ExecOutcome, Program, Usage};
use process::{Exit, Finish, Launch, Stream};

/// How long a line of the child is at most.
const LONGEST: usize = 1024 * 1024;
/// How much of an answer is kept.
const ANSWER: usize = 16 * 1024 * 1024;

/// Makes the launch of our own program that plays the client, and the dialect of its lines.
pub(super) fn prepare(agent: Resolved, job: &Job<'_>) -> Prepared {
    let dialect = Acp::new(&agent.program, job);
    let own = agent.profile.api_key_env.clone();
    let own: Vec<_> = own.as_deref().into_iter().collect();
    (launch(&played(agent, job), &environment::of_program(&own), job), Box::new(dialect))
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
        End::Gone { .. } | End::Broken { .. } | End::Lost => dialect::last_words(&finish.stderr_tail),
        _ => String::new(),
    };
    (outcome, reason.map(|reason| reason + &words))
}

/// Returns what this call used. The cost is that of the whole session, says the protocol; tokens are those of the turn
/// or of the session, and count as they are, because too many are better than too few.
fn beyond(usage: Usage, used: &Usage) -> Usage {
    let before = used.cost_usd.unwrap_or(0.0);
    let added = |now: f64| if now >= before { now - before } else { now };
    Usage {
        cost_usd: usage.cost_usd.map(added),
        cost_basis: usage.cost_basis.or(Some(CostBasis::Unknown)),
        ..usage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::raw::RawFile;
    use crate::tests::with_job;
    use model::redact::Masker;
    use std::time::Duration;

    /// Hears what a child printed, piece by piece, before it ended like this.
    fn heard(pieces: &[&[u8]], exit: Exit) -> Heard {
        let masker = Masker::default();
        let raw = RawFile::create(Path::new("/dev/null"), &masker);
        let mut ear = Ear { raw, progress: Progress::new(&masker) };
        let mut dialect = with_job(|job| Acp::new(Path::new("/bin/agent"), &job));
        for piece in pieces {
            dialect.take(Stream::Stdout, piece, &mut ear);
        }
        let finish = Finish {
            exit,
            stdout: vec![],
            stdout_truncated: false,
            stdout_tail: String::new(),
            stderr_tail: "last words\n".into(),
            millis: 1,
        };
        let launch = Launch::new("agent", "/", Duration::from_secs(7));
        Box::new(dialect).heard(&launch, finish, &mut ear)
    }

    fn ended() -> String {
        let end = End::Turn { stop: "end_turn".into() };
        Line::Ended(Box::new(Report { end, ..Report::default() })).encode()
    }

    fn text(text: &str) -> String {
        Line::Text { text: text.into(), begins: true }.encode()
    }

    #[test]
    fn lines_are_heard_however_they_come() {
        let lines = text("one") + "no line of ours\n" + &text("two") + &ended();
        let pieces: Vec<_> = lines.as_bytes().chunks(7).collect();
        let expected = Heard {
            outcome: ExecOutcome::Done,
            text: "one\n\ntwo".into(),
            usage: Usage { cost_basis: Some(CostBasis::Unknown), ..Usage::default() },
            program: Some(Program { name: "agent".into(), ..Program::default() }),
            ..Heard::default()
        };
        assert_eq!(heard(&pieces, Exit::Code(0)), expected);
    }

    #[test]
    fn a_child_that_says_no_last_line_was_lost() {
        let lost = heard(&[text("one").as_bytes()], Exit::Code(0));
        let expected = "the client of the agent was lost: last words";
        assert_eq!((lost.outcome, lost.reason.as_deref()), (ExecOutcome::Crashed, Some(expected)));
        let overlong = ["x".repeat(LONGEST + 1), "\n".into(), ended()].concat();
        let lost = heard(&[overlong.as_bytes()], Exit::Code(0));
        assert_eq!((lost.outcome, lost.truncated), (ExecOutcome::Crashed, true));
    }

    #[test]
    fn a_child_that_was_ended_is_not_asked_how() {
        let said = |exit| heard(&[text("one").as_bytes(), ended().as_bytes()], exit).outcome;
        let exits = [Exit::TimedOut, Exit::Idle, Exit::Stopped, Exit::Signal(9), Exit::Code(2)];
        let expected = [
            ExecOutcome::TimedOut,
            ExecOutcome::Idle,
            ExecOutcome::Cancelled,
            ExecOutcome::Crashed,
            ExecOutcome::Crashed,
        ];
        assert_eq!(exits.map(said), expected);
    }

    #[test]
    fn a_cost_is_what_the_session_cost_more() {
        let usage = |cost_usd| Usage {
            cost_usd,
            input_tokens: Some(5),
            cost_basis: Some(CostBasis::Reported),
            ..Usage::default()
        };
        assert_eq!(beyond(usage(Some(0.75)), &usage(Some(0.5))), usage(Some(0.25)));
        assert_eq!(beyond(usage(Some(0.25)), &usage(Some(0.5))), usage(Some(0.25)));
        assert_eq!(beyond(usage(None), &usage(Some(0.5))), usage(None));
    }
}
