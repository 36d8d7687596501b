//! Hears the event stream. Only events at the top of a line count: what a tool printed or the model quoted is text
//! inside of them. Unknown events and fields are kept in the raw file and otherwise ignored.

use serde_json::{Map, Value};

use crate::dialect::{Dialect, Ear, Heard};
use crate::lines::{Line, Lines};
use crate::names::{name, session};
use crate::usage::{Figures, Stated};
use crate::{Job, schema};
use model::call::Resume;
use model::event::{CostBasis, Program, Usage};
use process::{Finish, Launch, Stream};

use super::outcome::{self, Told};
use super::unpaid::Unpaid;

/// The dialect of Claude Code.
pub(super) struct Claude {
    lines: Lines,
    told: Told,
    session: Option<String>,
    program: Program,
    figures: Figures,
    unpaid: Unpaid,
    /// What the messages have used after which it went on.
    settled: Usage,
    schema: Option<Value>,
    worktree: String,
    resumes: Option<Resume>,
    /// The model's messages so far, and the last one's id: one message comes as several events.
    messages: u64,
    last_message: String,
    basis: Option<CostBasis>,
}

impl Claude {
    pub(super) fn new(job: &Job<'_>) -> Self {
        Self {
            lines: Lines::default(),
            told: Told::default(),
            session: None,
            program: Program { name: "claude".to_owned(), ..Program::default() },
            figures: Figures::default(),
            unpaid: Unpaid::default(),
            settled: Usage::default(),
            schema: job.schema.cloned(),
            worktree: format!("{}/", job.worktree.display()),
            resumes: job.resumes.cloned(),
            messages: 0,
            last_message: String::new(),
            basis: None,
        }
    }
}

impl Dialect for Claude {
    fn take(&mut self, stream: Stream, bytes: &[u8], ear: &mut Ear<'_>) {
        ear.raw.take(stream, bytes);
        if stream == Stream::Stdout {
            for line in self.lines.take(bytes) {
                self.line(&line, ear);
            }
        }
    }

    fn used_so_far(&mut self) -> Usage {
        if self.told.result.is_some() { Usage::default() } else { self.settled }
    }

    fn heard(mut self: Box<Self>, launch: &Launch, finish: Finish, ear: &mut Ear<'_>) -> Heard {
        if let Some(line) = self.lines.end() {
            self.line(&line, ear);
        }
        let ending = outcome::of(launch, &finish, &self.told);
        let (usage, mut notices) = self.usage();
        notices.extend(self.told.notices());
        let (text, structured) = ending.answer(self.answer());
        Heard {
            outcome: ending.outcome,
            reason: ending.reason,
            text,
            usage,
            truncated: false,
            structured,
            schema_missed: self.schema.is_some() && !structured,
            session: self.session,
            program: Some(self.program),
            resets_at: ending.resets_at,
            notices,
        }
    }
}

impl Claude {
    fn line(&mut self, line: &Line, ear: &mut Ear<'_>) {
        match serde_json::from_str(&line.text) {
            Ok(Value::Object(event)) => self.event(&event, ear),
            _ if line.cut => self.told.cut = true,
            _ => {}
        }
    }

    fn event(&mut self, event: &Map<String, Value>, ear: &mut Ear<'_>) {
        if matches!(text(event, "type"), "assistant" | "user") {
            // It goes on: what it called its result was not the end.
            self.told.result = None;
        }
        if let ("assistant", Some(Value::Object(message))) = (text(event, "type"), event.get("message")) {
            if self.unpaid.is_new(message) {
                self.settled = self.usage().0;
            }
            self.unpaid.message(message);
            if calls_tool(message) {
                self.settled = self.usage().0;
            }
        }
        match (text(event, "type"), text(event, "subtype")) {
            ("system", "init") => self.begin(event),
            ("system", "permission_denied") => {
                self.told.denied.extend(name(text(event, "tool_name")));
            }
            ("assistant", _) if event.get("parent_tool_use_id").is_none_or(Value::is_null) => {
                self.message(event, ear);
            }
            ("user", _) if event.get("parent_tool_use_id").is_none_or(Value::is_null) => {
                self.told.tool_answered();
            }
            ("rate_limit_event", _) => self.told.limit(event),
            ("result", _) => self.result(event),
            _ => {}
        }
    }

    fn begin(&mut self, event: &Map<String, Value>) {
        self.told.began = true;
        self.session = session(text(event, "session_id")).map(str::to_owned);
        self.program.version = name(text(event, "claude_code_version"));
        self.program.model = name(text(event, "model"));
    }

    fn message(&mut self, event: &Map<String, Value>, ear: &mut Ear<'_>) {
        if let Some(error) = name(text(event, "error")) {
            self.told.error = Some(error);
            return;
        }
        self.told.error = None;
        let Some(message) = event.get("message").and_then(Value::as_object) else { return };
        if self.last_message != text(message, "id") {
            text(message, "id").clone_into(&mut self.last_message);
            self.messages += 1;
        }
        for block in message.get("content").and_then(Value::as_array).into_iter().flatten() {
            let Value::Object(block) = block else { continue };
            match text(block, "type") {
                "text" => {
                    if !text(block, "text").trim().is_empty() {
                        self.told.goes_on();
                    }
                    show(ear, text(block, "text"));
                }
                "tool_use" => {
                    self.told.tool(text(block, "name"));
                    show(ear, &self.tool(block));
                }
                _ => {}
            }
        }
    }

    /// Says the use of a tool in a few words.
    fn tool(&self, block: &Map<String, Value>) -> String {
        let empty = Map::new();
        let input = block.get("input").and_then(Value::as_object).unwrap_or(&empty);
        let subject = ["file_path", "notebook_path", "pattern", "path"].map(|key| text(input, key));
        let subject = subject.into_iter().find(|subject| !subject.is_empty()).unwrap_or_default();
        match text(block, "name") {
            "Bash" => format!("$ {}", text(input, "command").lines().next().unwrap_or_default()),
            tool => format!("{tool} {}", subject.strip_prefix(&self.worktree).unwrap_or(subject)),
        }
    }

    fn result(&mut self, event: &Map<String, Value>) {
        self.spent(event);
        self.unpaid.settle();
        self.session = session(text(event, "session_id")).map(str::to_owned).or_else(|| self.session.take());
        self.told.result = Some(event.clone());
    }

    /// Adds what was used since the last result; the totals of a session would count its earlier calls again.
    fn spent(&mut self, event: &Map<String, Value>) {
        let Some(models) = event.get("model_usage_since_last_result").and_then(Value::as_object) else {
            self.spent_in_all(event);
            return;
        };
        for model in models.values().filter_map(Value::as_object) {
            let figure = |name: &str| model.get(name).and_then(Value::as_f64);
            let (read, written) = (figure("cacheReadInputTokens"), figure("cacheCreationInputTokens"));
            self.figures.add_input([figure("inputTokens"), read, written]);
            self.figures.add(Stated {
                cached_tokens: read,
                output_tokens: figure("outputTokens"),
                cost_usd: figure("costUSD"),
                ..Stated::default()
            });
            if text(model, "costBasis") == "unknown" {
                self.basis = Some(CostBasis::Unknown);
            }
        }
    }

    fn spent_in_all(&mut self, event: &Map<String, Value>) {
        let empty = Map::new();
        let usage = event.get("usage").and_then(Value::as_object).unwrap_or(&empty);
        let figure = |name: &str| usage.get(name).and_then(Value::as_f64);
        let (read, written) = (figure("cache_read_input_tokens"), figure("cache_creation_input_tokens"));
        self.figures.add_input([figure("input_tokens"), read, written]);
        let before = self.resumes.as_ref().and_then(|resume| resume.used.cost_usd).unwrap_or_default();
        let cost = event.get("total_cost_usd").and_then(Value::as_f64);
        self.figures.add(Stated {
            cached_tokens: read,
            output_tokens: figure("output_tokens"),
            cost_usd: cost.map(|cost| (cost - before).max(0.0)),
            ..Stated::default()
        });
    }

    fn usage(&self) -> (Usage, Vec<String>) {
        let turns = self.told.result.as_ref().and_then(|result| result.get("num_turns")?.as_f64());
        #[expect(clippy::cast_precision_loss, reason = "messages of one call are far below 2^52")]
        let turns = turns.or((self.messages > 0).then_some(self.messages as f64));
        let mut figures = self.figures;
        let estimated = self.unpaid.add_to(&mut figures).then_some(CostBasis::Unknown);
        let (mut usage, dropped) = figures.stated(turns).check();
        let basis = estimated.or(self.basis).or(usage.cost_basis);
        usage.cost_basis = basis.or(usage.cost_usd.map(|_| CostBasis::Reported));
        if basis == Some(CostBasis::Unknown) {
            usage.cost_usd = None;
        }
        (usage, dropped)
    }

    /// Returns the answer, and whether it was held to the schema.
    fn answer(&self) -> (String, bool) {
        let Some(result) = &self.told.result else { return (String::new(), false) };
        let object = result.get("structured_output").filter(|object| !object.is_null());
        let met = self.schema.as_ref().zip(object).filter(|(schema, object)| schema::meets(object, schema));
        match met {
            Some((_, object)) => (object.to_string(), true),
            None => (text(result, "result").to_owned(), false),
        }
    }
}

/// Tells whether the model wants a tool, and goes on with what that says; the tool that takes the answer ends the call.
fn calls_tool(message: &Map<String, Value>) -> bool {
    let blocks = message.get("content").and_then(Value::as_array).into_iter().flatten();
    blocks
        .filter_map(Value::as_object)
        .any(|block| text(block, "type") == "tool_use" && text(block, "name") != "StructuredOutput")
}

/// Returns a field that is a text, or nothing.
pub(super) fn text<'a>(object: &'a Map<String, Value>, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn show(ear: &mut Ear<'_>, words: &str) {
    ear.progress.take(words.as_bytes());
    ear.progress.take(b"\n");
}
