//! The client's side of the protocol: takes what the agent reports and asks in a session, passes it on, answers by the
//! permissions of the call, and keeps what the report needs. Sends nothing by itself.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, Plan, PlanEntryStatus, ReadTextFileRequest, ReadTextFileResponse,
    RequestPermissionRequest, RequestPermissionResponse, SessionId, SessionNotification, SessionUpdate,
    ToolCallUpdate, WriteTextFileRequest, WriteTextFileResponse,
};
use agent_client_protocol::{Error, ErrorCode};

use crate::call::Answer;

use super::events::{ClientEvent, EventWriter, one_line};
use super::files::{self, FileError};
use super::permission::{Permissions, ToolCalls, choose_option};

/// How many refusals are reported one by one.
const REFUSALS: usize = 20;
/// How many bytes of files are read for an agent in one call.
const READ_LIMIT: usize = 64 * 1024 * 1024;
/// How many characters a line about one request gets.
const WIDTH: usize = 200;

/// Handles what an agent reports and asks in one call.
pub(super) struct ClientHandler {
    /// What is allowed in the call.
    pub permissions: Permissions,
    state: Mutex<HandlerState>,
}

/// What happened in one call so far.
pub(super) struct HandlerState {
    /// Where it is reported.
    pub events: EventWriter,
    tool_calls: ToolCalls,
    /// The session whose messages count; before there is one nothing is an answer.
    pub session: Option<SessionId>,
    refusals: Vec<String>,
    more_refusals: usize,
    bytes_read: usize,
    /// What the session has cost so far, as the agent says.
    pub cost: Option<f64>,
}

impl ClientHandler {
    pub(super) fn new(permissions: Permissions) -> Self {
        let state = HandlerState {
            events: EventWriter::new(io::stdout()),
            tool_calls: ToolCalls::default(),
            session: None,
            refusals: Vec::new(),
            more_refusals: 0,
            bytes_read: 0,
            cost: None,
        };
        Self { permissions, state: Mutex::new(state) }
    }

    pub(super) fn session_update(&self, notification: SessionNotification) {
        let mut state = self.state();
        if state.session.as_ref() == Some(&notification.session_id) {
            state.update(notification.update);
        } else {
            state.events.alive();
        }
    }

    pub(super) fn request_permission(&self, request: &RequestPermissionRequest) -> RequestPermissionResponse {
        let mut state = self.state();
        let tool = state.tool_calls.update(&request.tool_call);
        let title = one_line(&tool.title, WIDTH / 2);
        let permission = self.permissions.check(tool);
        match &permission {
            Ok(()) => state.events.note(&format!("allowed: {title}")),
            Err(why) => state.refuse(&title, &why.to_string()),
        }
        RequestPermissionResponse::new(choose_option(&request.options, permission.is_ok()))
    }

    pub(super) fn read_file(&self, request: &ReadTextFileRequest) -> Result<ReadTextFileResponse, Error> {
        let mut state = self.state();
        state.events.alive();
        if state.bytes_read > READ_LIMIT {
            return Err(Error::new(ErrorCode::INVALID_REQUEST, "too much was read in this session"));
        }
        let text = files::read(&self.permissions.worktree, request)
            .map_err(|error| state.file_error("read a file", &error))?;
        state.bytes_read += text.len();
        Ok(ReadTextFileResponse::new(text))
    }

    pub(super) fn write_file(&self, request: &WriteTextFileRequest) -> Result<WriteTextFileResponse, Error> {
        let mut state = self.state();
        files::write(&self.permissions.worktree, self.permissions.read_only, request)
            .map_err(|error| state.file_error("write a file", &error))?;
        state.events.note(&format!("writes {}", request.path.display()));
        Ok(WriteTextFileResponse::new())
    }

    /// Writes the last event.
    pub(super) fn finish(&self, mut answer: Answer, is_broken: bool) {
        let mut state = self.state();
        answer.truncated = state.events.truncated;
        answer.notices.append(&mut state.refusals);
        if state.more_refusals > 0 {
            answer.notices.push(format!("refused: {} times more", state.more_refusals));
        }
        state.events.write(&ClientEvent::Ended { answer: Box::new(answer), is_broken });
    }

    /// Returns what happened so far.
    pub(super) fn state(&self) -> MutexGuard<'_, HandlerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HandlerState {
    fn update(&mut self, update: SessionUpdate) {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => self.answer(&chunk),
            SessionUpdate::AgentThoughtChunk(ContentChunk { content: ContentBlock::Text(text), .. }) => {
                self.events.thought(&text.text);
            }
            SessionUpdate::ToolCall(call) => self.tool_call(&ToolCallUpdate::from(call)),
            SessionUpdate::ToolCallUpdate(update) => self.tool_call(&update),
            SessionUpdate::Plan(plan) => self.events.note(&describe(&plan)),
            SessionUpdate::UsageUpdate(usage) => {
                let dollars = usage.cost.filter(|cost| cost.currency.eq_ignore_ascii_case("USD"));
                self.cost = dollars.map(|cost| cost.amount).or(self.cost);
                self.events.alive();
            }
            _ => self.events.alive(),
        }
    }

    /// Reports a tool call, once for each title that it gets.
    fn tool_call(&mut self, update: &ToolCallUpdate) {
        let tool = self.tool_calls.update(update);
        if update.fields.title.is_some() && tool.reported_title != tool.title {
            tool.reported_title.clone_from(&tool.title);
            self.events.note(&tool.title);
        }
        self.events.alive();
    }

    fn answer(&mut self, chunk: &ContentChunk) {
        if let ContentBlock::Text(text) = &chunk.content {
            self.events.answer(&text.text, chunk.message_id.as_ref().map(|id| &*id.0));
        }
    }

    fn file_error(&mut self, what: &str, error: &FileError) -> Error {
        let code = match error {
            FileError::NotFound(_) => ErrorCode::RESOURCE_NOT_FOUND,
            _ => ErrorCode::INVALID_PARAMS,
        };
        if matches!(error, FileError::Outside(_) | FileError::Reviewer) {
            self.refuse(what, &error.to_string());
        }
        Error::new(code, error.to_string())
    }

    fn refuse(&mut self, what: &str, why: &str) {
        let line = one_line(&format!("refused: {what}: {why}"), WIDTH);
        self.events.note(&line);
        if self.refusals.len() < REFUSALS {
            self.refusals.push(line);
        } else {
            self.more_refusals += 1;
        }
    }
}

/// Describes a plan in a few words.
fn describe(plan: &Plan) -> String {
    let done = plan.entries.iter().filter(|entry| entry.status == PlanEntryStatus::Completed).count();
    let now = plan.entries.iter().find(|entry| entry.status == PlanEntryStatus::InProgress);
    let now = now.map(|entry| format!(", now: {}", entry.content)).unwrap_or_default();
    format!("plan: {done} of {} done{now}", plan.entries.len())
}
