//! Hears the event stream. Only events at the top of a line count: what a command printed or the model quoted is text
//! inside of them. Unknown events and fields are kept in the raw file and otherwise ignored.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Map, Value};
use tempfile::TempDir;
use tokio::time::Instant;

use crate::dialect::{Dialect, Ear, Heard};
use crate::lines::{Line, Lines};
use crate::names::{name, session};
use crate::usage::Stated;
use crate::{Job, prices, schema};
use content_parser::read_object;
use model::call::Resume;
use model::event::{Program, Usage};
use process::{Finish, Launch, Stream};

use super::outcome::{self, Told, Turn};
use super::session::{Follower, Record, text, tokens};
use super::vain::Vain;

/// How many remarks of the program are told.
const REMARKS: usize = 5;

/// The dialect of Codex.
pub(super) struct Codex {
    lines: Lines,
    told: Told,
    session: Option<String>,
    answer: String,
    total: Option<[Option<f64>; 3]>,
    remarks: BTreeSet<String>,
    reconnecting: Vain,
    schema: Option<Value>,
    worktree: String,
    resumes: Option<Resume>,
    model: Option<String>,
    sessions: Option<PathBuf>,
    follower: Follower,
    /// Goes with the call.
    _temporary: TempDir,
}

impl Codex {
    pub(super) fn new(
        job: &Job<'_>,
        model: Option<&str>,
        sessions: Option<PathBuf>,
        temporary: TempDir,
    ) -> Self {
        Self {
            lines: Lines::default(),
            told: Told { resumes: job.resumes.is_some(), ..Told::default() },
            session: None,
            answer: String::new(),
            total: None,
            remarks: BTreeSet::new(),
            reconnecting: Vain::default(),
            schema: job.schema.cloned(),
            worktree: format!("{}/", job.worktree.display()),
            resumes: job.resumes.cloned(),
            model: model.map(str::to_owned),
            sessions,
            follower: Follower::default(),
            _temporary: temporary,
        }
    }
}

impl Dialect for Codex {
    fn take(&mut self, stream: Stream, bytes: &[u8], ear: &mut Ear<'_>) {
        ear.raw.take(stream, bytes);
        if stream == Stream::Stdout {
            for line in self.lines.take(bytes) {
                self.line(&line, ear);
            }
        }
    }

    fn gives_up(&self) -> bool {
        self.reconnecting.is_hopeless()
    }

    fn used_so_far(&mut self) -> Usage {
        let place = self.sessions.as_deref().zip(self.session.as_deref());
        let (Some((sessions, session)), None) = (place, self.told.turn) else { return Usage::default() };
        let record = self.follower.look(sessions, session);
        let (total, turns, model) = (record.settled, record.turns, record.model.clone());
        self.usage(total, turns, model.or_else(|| self.model.clone()).as_deref()).0
    }

    fn heard(mut self: Box<Self>, launch: &Launch, finish: Finish, ear: &mut Ear<'_>) -> Heard {
        let gave_up = self.gives_up();
        if let Some(line) = self.lines.end() {
            self.line(&line, ear);
        }
        let record = self.record();
        let ending = outcome::of(launch, &finish, &self.told, &record, gave_up);
        let model = record.model.clone().or_else(|| self.model.clone());
        let (usage, dropped) = self.usage(self.total.or(record.total), record.turns, model.as_deref());
        let (text, structured) = ending.answer(self.answer());
        Heard {
            outcome: ending.outcome,
            reason: ending.reason,
            text,
            usage,
            truncated: false,
            structured,
            schema_missed: self.schema.is_some() && !structured,
            program: Some(Program { name: "codex".to_owned(), version: record.version, model }),
            resets_at: ending.resets_at,
            notices: self.remarks.into_iter().take(REMARKS).chain(dropped).collect(),
            session: self.session,
        }
    }
}

impl Codex {
    fn line(&mut self, line: &Line, ear: &mut Ear<'_>) {
        match serde_json::from_str(&line.text) {
            Ok(Value::Object(event)) => self.event(&event, ear),
            _ if line.cut => {
                self.remarks.insert("an event of the agent was too long to be read".to_owned());
            }
            _ => {}
        }
    }

    fn event(&mut self, event: &Map<String, Value>, ear: &mut Ear<'_>) {
        if text(event, "type") != "error" {
            self.reconnecting.end();
        }
        if text(event, "type") == "turn.started" || text(event, "type").starts_with("item.") {
            self.goes_on();
        }
        match text(event, "type") {
            "thread.started" => {
                self.told.began = true;
                self.session = session(text(event, "thread_id")).map(str::to_owned);
            }
            "turn.completed" => {
                self.told.turn = Some(Turn::Completed);
                self.total = event.get("usage").and_then(Value::as_object).map(tokens);
            }
            "turn.failed" => {
                self.told.turn = Some(Turn::Failed);
                self.error(event.get("error").and_then(Value::as_object));
            }
            "error" => {
                self.reconnecting.report(Instant::now());
                self.error(Some(event));
                show(ear, &self.told.error);
            }
            "item.started" | "item.completed" => {
                if let Some(Value::Object(item)) = event.get("item") {
                    self.item(item, text(event, "type") == "item.completed", ear);
                }
            }
            _ => {}
        }
    }

    /// What was completed was not the end, and what was said until then is not the answer.
    fn goes_on(&mut self) {
        if self.told.turn == Some(Turn::Completed) {
            self.told.turn = None;
            self.told.said_something = false;
            self.answer.clear();
        }
    }

    fn error(&mut self, error: Option<&Map<String, Value>>) {
        if let Some(error) = error {
            text(error, "message").clone_into(&mut self.told.error);
        }
    }

    fn item(&mut self, item: &Map<String, Value>, completed: bool, ear: &mut Ear<'_>) {
        match (text(item, "type"), completed) {
            ("agent_message", true) => {
                text(item, "text").clone_into(&mut self.answer);
                self.told.said_something = !self.answer.trim().is_empty();
                show(ear, &self.answer);
            }
            ("command_execution", false) => show(ear, &format!("$ {}", command(text(item, "command")))),
            ("file_change", true) => self.change(item, ear),
            ("error", true) => self.remarks.extend(name(text(item, "message"))),
            _ => {}
        }
    }

    fn change(&mut self, item: &Map<String, Value>, ear: &mut Ear<'_>) {
        if text(item, "status") != "completed" {
            self.remarks.insert("a change of files was refused to the agent".to_owned());
        }
        for change in item.get("changes").and_then(Value::as_array).into_iter().flatten() {
            let path = change["path"].as_str().unwrap_or_default();
            show(ear, &format!("Edit {}", path.strip_prefix(&self.worktree).unwrap_or(path)));
        }
    }

    fn record(&self) -> Record {
        let place = self.sessions.as_deref().zip(self.session.as_deref());
        place.map(|(sessions, session)| Record::read(sessions, session)).unwrap_or_default()
    }

    /// Returns what this call used: the program tells the totals of the session.
    fn usage(
        &self,
        total: Option<[Option<f64>; 3]>,
        turns: u64,
        model: Option<&str>,
    ) -> (Usage, Vec<String>) {
        let used = self.resumes.as_ref().map(|resume| resume.used).unwrap_or_default();
        let [input, cached, output] = total.unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "turns of one call are far below 2^52")]
        let turns = (turns > 0).then_some(turns as f64);
        let stated = Stated {
            input_tokens: since(input, used.input_tokens),
            cached_tokens: since(cached, used.cached_tokens),
            output_tokens: since(output, used.output_tokens),
            turns,
            cost_usd: None,
        };
        let (usage, dropped) = stated.check();
        (prices::with_cost(usage, model), dropped)
    }

    /// Returns the answer, and whether it was held to the schema. What says a thing twice was not: nobody knows which
    /// of the two is meant.
    fn answer(&self) -> (String, bool) {
        let Some(schema) = &self.schema else { return (self.answer.clone(), false) };
        match read_object(&self.answer).map(Value::Object) {
            Some(object) if schema::meets(&object, schema) => (object.to_string(), true),
            _ => (self.answer.clone(), false),
        }
    }
}

/// Takes from a total what was used before; a total that is smaller than that did not begin there.
#[expect(clippy::cast_precision_loss, reason = "tokens of one session are far below 2^52")]
fn since(total: Option<f64>, used: Option<u64>) -> Option<f64> {
    let (total, used) = (total?, used.unwrap_or_default() as f64);
    Some(if total < used { total } else { total - used })
}

/// Returns the command without the shell around it, its first line only.
fn command(line: &str) -> &str {
    let inner = line.split_once(" -lc ").map_or(line, |(_, inner)| inner);
    inner.trim_matches(['\'', '"']).lines().next().unwrap_or_default()
}

fn show(ear: &mut Ear<'_>, words: &str) {
    ear.progress.take(words.as_bytes());
    ear.progress.take(b"\n");
}
