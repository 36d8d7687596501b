//! Parses the event stream. Only events at the top of a line count: what a command printed or the model quoted is text
//! inside of them. Unknown events and fields are kept in the raw file and otherwise ignored.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::time::Instant;

use content_parser::read_object;
use model::event::{Program, Usage};
use process::{Finish, Launch, Stream};

use crate::call::{AgentCall, Answer, OutputParser};
use crate::json_lines::{JsonLines, list, name, session_id, text};
use crate::schema;
use crate::transcript::Transcript;
use crate::usage::{ReportedUsage, float, with_cost};

use super::outcome::{CodexTurn, TurnEnd};
use super::session::{SessionFiles, TokenCounts, token_counts};

/// How many notices of the program are reported.
const MOST_NOTICES: usize = 5;
/// How long the program may go on reconnecting before it is ended; it may itself wait for an hour.
const MOST_RECONNECTING: Duration = Duration::from_secs(30);

/// The parser of Codex's output.
#[derive(Default)]
pub(super) struct CodexParser {
    lines: JsonLines,
    turn: CodexTurn,
    session: Option<String>,
    answer: String,
    /// The totals of the session, as the last turn reports them.
    total: Option<TokenCounts>,
    notices: BTreeSet<String>,
    reconnects: Reconnects,
    schema: Option<Value>,
    /// The worktree with a slash at its end: what is shown leaves it out.
    worktree: String,
    /// What the continued session had used before.
    used_before: Usage,
    /// The model that was asked for.
    pub model: Option<String>,
    /// The session files of the program.
    pub sessions: SessionFiles,
    /// The folder for temporary files, which is removed with the call.
    _temporary: Option<TempDir>,
}

impl CodexParser {
    pub(super) fn new(call: &AgentCall<'_>, temporary: TempDir) -> Self {
        Self {
            turn: CodexTurn { has_begun: call.resumes.is_some(), ..CodexTurn::default() },
            schema: call.schema.cloned(),
            worktree: format!("{}/", call.worktree.display()),
            used_before: call.resumes.map(|resume| resume.used).unwrap_or_default(),
            _temporary: Some(temporary),
            ..Self::default()
        }
    }

    fn event(&mut self, event: &Value, transcript: &mut Transcript<'_>) {
        let kind = text(event, "type");
        if kind != "error" {
            self.reconnects.reset();
        }
        if kind == "turn.started" || kind.starts_with("item.") {
            self.goes_on();
        }
        match kind {
            "thread.started" => {
                self.turn.has_begun = true;
                self.session = session_id(text(event, "thread_id")).map(str::to_owned);
            }
            "turn.completed" => {
                self.turn.end = Some(TurnEnd::Completed);
                self.total = token_counts(&event["usage"]);
            }
            "turn.failed" => {
                self.turn.end = Some(TurnEnd::Failed);
                if event["error"].is_object() {
                    text(&event["error"], "message").clone_into(&mut self.turn.error);
                }
            }
            "error" => {
                self.reconnects.report(Instant::now());
                text(event, "message").clone_into(&mut self.turn.error);
                transcript.show_line(&self.turn.error);
            }
            "item.started" | "item.completed" => {
                self.item(&event["item"], kind == "item.completed", transcript);
            }
            _ => {}
        }
    }

    /// What was completed was not the end, and what was answered until then is not the answer.
    fn goes_on(&mut self) {
        if self.turn.end == Some(TurnEnd::Completed) {
            self.turn.end = None;
            self.turn.has_answered = false;
            self.answer.clear();
        }
    }

    fn item(&mut self, item: &Value, is_completed: bool, transcript: &mut Transcript<'_>) {
        match (text(item, "type"), is_completed) {
            ("agent_message", true) => {
                text(item, "text").clone_into(&mut self.answer);
                self.turn.has_answered = !self.answer.trim().is_empty();
                transcript.show_line(&self.answer);
            }
            ("command_execution", false) => {
                transcript.show_line(&format!("$ {}", command(text(item, "command"))));
            }
            ("file_change", true) => self.file_change(item, transcript),
            ("error", true) => self.notices.extend(name(text(item, "message"))),
            _ => {}
        }
    }

    fn file_change(&mut self, item: &Value, transcript: &mut Transcript<'_>) {
        if text(item, "status") != "completed" {
            self.notices.insert("a change of files was refused to the agent".to_owned());
        }
        for change in list(item, "changes") {
            let path = text(change, "path");
            transcript.show_line(&format!("Edit {}", path.strip_prefix(&self.worktree).unwrap_or(path)));
        }
    }

    /// Returns what this call used, and one line for each figure that cannot be true: the program reports the totals of
    /// the session.
    fn usage(&self, total: Option<TokenCounts>, turns: u64, model: Option<&str>) -> (Usage, Vec<String>) {
        let [input, cached, output] = total.unwrap_or_default();
        let reported = ReportedUsage {
            input_tokens: since(input, self.used_before.input_tokens),
            cached_tokens: since(cached, self.used_before.cached_tokens),
            output_tokens: since(output, self.used_before.output_tokens),
            turns: if turns > 0 { Some(float(turns)) } else { None },
            cost_usd: None,
        };
        let (usage, dropped) = reported.check();
        (with_cost(usage, model), dropped)
    }

    /// Returns the answer, and whether it was held to the schema. An answer that says a thing twice was not: nobody knows
    /// which of the two is meant.
    fn answer(&self) -> (String, bool) {
        if let Some(schema) = &self.schema
            && let Some(object) = read_object(&self.answer).map(Value::Object)
            && schema::is_met(&object, schema)
        {
            return (object.to_string(), true);
        }
        (self.answer.clone(), false)
    }
}

impl OutputParser for CodexParser {
    fn push(&mut self, stream: Stream, bytes: &[u8], transcript: &mut Transcript<'_>) {
        transcript.keep(stream, bytes);
        if stream == Stream::Stdout {
            for event in self.lines.push(bytes) {
                self.event(&event, transcript);
            }
        }
    }

    fn gives_up(&self) -> bool {
        self.reconnects.is_hopeless()
    }

    fn used_so_far(&mut self) -> Usage {
        let (Some(session), None) = (&self.session, self.turn.end) else { return Usage::default() };
        let record = self.sessions.follow(session);
        let (settled, turns) = (record.settled, record.turns);
        let model = record.model.clone().or_else(|| self.model.clone());
        self.usage(settled, turns, model.as_deref()).0
    }

    fn finish(mut self: Box<Self>, launch: &Launch, end: Finish, transcript: &mut Transcript<'_>) -> Answer {
        let gave_up = self.gives_up();
        if let Some(event) = self.lines.finish() {
            self.event(&event, transcript);
        }
        if self.lines.has_cut {
            self.notices.insert("an event of the agent was too long to be read".to_owned());
        }
        self.turn.record = self.session.as_deref().map(|id| self.sessions.read(id)).unwrap_or_default();
        let outcome = self.turn.outcome(launch, &end, gave_up);
        let record = std::mem::take(&mut self.turn.record);
        let model = record.model.or_else(|| self.model.clone());
        let (usage, dropped) = self.usage(self.total.or(record.total), record.turns, model.as_deref());
        let (text, structured) = outcome.believed(self.answer());
        Answer {
            text,
            usage,
            structured,
            schema_missed: self.schema.is_some() && !structured,
            program: Some(Program { name: "codex".to_owned(), version: record.version, model }),
            notices: self.notices.into_iter().take(MOST_NOTICES).chain(dropped).collect(),
            session: self.session,
            ..outcome
        }
    }
}

/// Takes from a total what was used before; a total that is smaller than that did not begin there.
fn since(total: Option<f64>, used: Option<u64>) -> Option<f64> {
    let (total, used) = (total?, float(used.unwrap_or_default()));
    Some(if total < used { total } else { total - used })
}

/// Returns the command without the shell around it, its first line only.
fn command(line: &str) -> &str {
    let inner = line.split_once(" -lc ").map_or(line, |(_, inner)| inner);
    inner.trim_matches(['\'', '"']).lines().next().unwrap_or_default()
}

/// Reports that the provider is asked again, with nothing else between them: the first and the latest. Only reports
/// count: silence after one may be a model that thinks, and has a limit of its own.
#[derive(Debug, Default)]
struct Reconnects(Option<(Instant, Instant)>);

impl Reconnects {
    /// Takes a report. One that comes long after the last begins anew.
    fn report(&mut self, now: Instant) {
        let first = match self.0 {
            Some((first, last)) if now.duration_since(last) <= MOST_RECONNECTING => first,
            _ => now,
        };
        self.0 = Some((first, now));
    }

    /// Forgets the reports: the provider answered.
    fn reset(&mut self) {
        self.0 = None;
    }

    /// Tells whether it went on for longer than anybody should wait.
    fn is_hopeless(&self) -> bool {
        self.0.is_some_and(|(first, last)| last.duration_since(first) > MOST_RECONNECTING)
    }
}

#[cfg(test)]
mod tests;
