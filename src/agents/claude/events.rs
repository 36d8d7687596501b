//! Parses the event stream. Only events at the top of a line count: what a tool printed or the model quoted is text
//! inside of them. Unknown events and fields are kept in the raw file and otherwise ignored.

use serde_json::Value;

use model::event::{Program, Usage};
use process::{Finish, Launch, Stream};

use crate::call::{AgentCall, Answer, OutputParser};
use crate::json_lines::{JsonLines, list, name, session_id, text};
use crate::schema;
use crate::transcript::Transcript;

use super::outcome::ClaudeTurn;
use super::usage::UsageCounter;

/// The parser of Claude Code's output.
#[derive(Default)]
pub(super) struct ClaudeParser {
    lines: JsonLines,
    turn: ClaudeTurn,
    session: Option<String>,
    program: Program,
    usage: UsageCounter,
    schema: Option<Value>,
    /// The worktree with a slash at its end: what is shown leaves it out.
    worktree: String,
}

impl ClaudeParser {
    pub(super) fn new(call: &AgentCall<'_>) -> Self {
        Self {
            program: Program { name: "claude".to_owned(), ..Program::default() },
            usage: UsageCounter::new(call.resumes),
            schema: call.schema.cloned(),
            worktree: format!("{}/", call.worktree.display()),
            ..Self::default()
        }
    }

    fn event(&mut self, event: &Value, transcript: &mut Transcript<'_>) {
        let kind = text(event, "type");
        if matches!(kind, "assistant" | "user") {
            // It goes on: what it called its result was not the end.
            self.turn.result = None;
        }
        let message = &event["message"];
        if kind == "assistant" && message.is_object() {
            self.usage.add_message(message, calls_tool(message));
        }
        let is_subagents = !event["parent_tool_use_id"].is_null();
        match (kind, text(event, "subtype")) {
            ("system", "init") => self.init(event),
            ("system", "permission_denied") => {
                self.turn.denied.extend(name(text(event, "tool_name")));
            }
            ("assistant", _) if !is_subagents => self.message(event, transcript),
            ("user", _) if !is_subagents => self.turn.tool_result(),
            ("rate_limit_event", _) => self.turn.rate_limit(event),
            ("result", _) => self.result(event),
            _ => {}
        }
    }

    fn init(&mut self, event: &Value) {
        self.turn.has_begun = true;
        self.session = session_id(text(event, "session_id")).map(str::to_owned);
        self.program.version = name(text(event, "claude_code_version"));
        self.program.model = name(text(event, "model"));
    }

    fn message(&mut self, event: &Value, transcript: &mut Transcript<'_>) {
        self.turn.error = name(text(event, "error"));
        let message = &event["message"];
        if self.turn.error.is_some() || !message.is_object() {
            return;
        }
        self.usage.count_turn(text(message, "id"));
        for block in list(message, "content") {
            match text(block, "type") {
                "text" => {
                    if !text(block, "text").trim().is_empty() {
                        self.turn.goes_on();
                    }
                    transcript.show_line(text(block, "text"));
                }
                "tool_use" => {
                    self.turn.tool_use(text(block, "name"));
                    transcript.show_line(&self.describe_tool_use(block));
                }
                _ => {}
            }
        }
    }

    /// Describes the use of a tool in a few words.
    fn describe_tool_use(&self, block: &Value) -> String {
        let input = &block["input"];
        let subject = ["file_path", "notebook_path", "pattern", "path"].map(|key| text(input, key));
        let subject = subject.into_iter().find(|subject| !subject.is_empty()).unwrap_or_default();
        match text(block, "name") {
            "Bash" => format!("$ {}", text(input, "command").lines().next().unwrap_or_default()),
            tool => format!("{tool} {}", subject.strip_prefix(&self.worktree).unwrap_or(subject)),
        }
    }

    fn result(&mut self, event: &Value) {
        self.usage.add_result(event);
        if let Some(session) = session_id(text(event, "session_id")) {
            self.session = Some(session.to_owned());
        }
        self.turn.result = Some(event.clone());
    }

    /// Returns the answer, and whether it was held to the schema.
    fn answer(&self) -> (String, bool) {
        let Some(result) = &self.turn.result else { return (String::new(), false) };
        let output = &result["structured_output"];
        match &self.schema {
            Some(schema) if !output.is_null() && schema::is_met(output, schema) => (output.to_string(), true),
            _ => (text(result, "result").to_owned(), false),
        }
    }
}

impl OutputParser for ClaudeParser {
    fn push(&mut self, stream: Stream, bytes: &[u8], transcript: &mut Transcript<'_>) {
        transcript.keep(stream, bytes);
        if stream == Stream::Stdout {
            for event in self.lines.push(bytes) {
                self.event(&event, transcript);
            }
        }
    }

    fn used_so_far(&mut self) -> Usage {
        if self.turn.result.is_some() { Usage::default() } else { self.usage.settled }
    }

    fn finish(mut self: Box<Self>, launch: &Launch, end: Finish, transcript: &mut Transcript<'_>) -> Answer {
        if let Some(event) = self.lines.finish() {
            self.event(&event, transcript);
        }
        self.turn.is_cut = self.lines.has_cut;
        let outcome = self.turn.outcome(launch, &end);
        let turns = self.turn.result.as_ref().and_then(|result| result["num_turns"].as_f64());
        let (usage, mut notices) = self.usage.total(turns);
        notices.extend(self.turn.notices());
        let (text, structured) = outcome.believed(self.answer());
        Answer {
            text,
            usage,
            structured,
            schema_missed: self.schema.is_some() && !structured,
            session: self.session,
            program: Some(self.program),
            notices,
            ..outcome
        }
    }
}

/// Tells whether the model wants a tool, and goes on with its result; the tool that takes the answer ends the call.
fn calls_tool(message: &Value) -> bool {
    let calls = |block| text(block, "type") == "tool_use" && text(block, "name") != "StructuredOutput";
    list(message, "content").iter().any(calls)
}
