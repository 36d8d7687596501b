//! The client's side of the protocol: takes what the agent reports and asks in a session, passes it on, answers by the
//! permissions of the call, and keeps what the report needs. Files it reads and writes in the worktree only, none through
//! a link that leads out, none that is huge. Sends nothing by itself.

use std::fmt::Debug;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_client_protocol::util::MatchDispatch;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, Plan, PlanEntryStatus, ReadTextFileRequest, ReadTextFileResponse,
    RequestPermissionRequest, RequestPermissionResponse, SessionId, SessionNotification, SessionUpdate,
    ToolCallUpdate, WriteTextFileRequest, WriteTextFileResponse,
};
use agent_client_protocol::{Agent, ConnectionTo, Dispatch, Error, ErrorCode, HandleDispatchFrom, Handled};

use model::event::ExecOutcome;

use crate::call::AgentAnswer;
use crate::worktree_path::{resolve, resolve_writable};

use super::events::{ClientEvent, EventWriter, one_line};
use super::permission::{Permissions, ToolCalls, choose_option};

/// How many refusals are reported one by one.
const REFUSALS: usize = 20;
/// How many bytes of files are read for an agent in one call.
const READ_LIMIT: usize = 64 * 1024 * 1024;
/// How many bytes a file may have that is still read.
const LARGEST: u64 = 4 * 1024 * 1024;
/// How many characters a line about one request gets.
const WIDTH: usize = 200;

/// Handles what an agent reports and asks in one call.
pub(super) struct ClientHandler(Mutex<HandlerState>);

/// What happened in one call so far.
pub(super) struct HandlerState {
    /// What is allowed in the call.
    pub permissions: Permissions,
    /// Writes what is reported.
    pub events: EventWriter,
    /// The session whose messages count; before there is one nothing is an answer.
    pub session: Option<SessionId>,
    /// What the session has cost so far, as the agent says.
    pub cost: Option<f64>,
    /// The answer so far: session, program, usage and notices.
    pub answer: AgentAnswer,
    tool_calls: ToolCalls,
    refusals: Vec<String>,
    bytes_read: usize,
}

impl ClientHandler {
    pub(super) fn new(permissions: Permissions) -> Self {
        Self(Mutex::new(HandlerState {
            permissions,
            events: EventWriter::new(io::stdout()),
            session: None,
            cost: None,
            answer: AgentAnswer::default(),
            tool_calls: ToolCalls::default(),
            refusals: Vec::new(),
            bytes_read: 0,
        }))
    }

    /// Returns what happened so far.
    pub(super) fn state(&self) -> MutexGuard<'_, HandlerState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HandleDispatchFrom<Agent> for &ClientHandler {
    async fn handle_dispatch_from(
        &mut self,
        message: Dispatch,
        _: ConnectionTo<Agent>,
    ) -> Result<Handled<Dispatch>, Error> {
        MatchDispatch::new(message)
            .if_notification(async |update| {
                self.state().handle_session_update(update);
                Ok(())
            })
            .await
            .if_request(async |request, responder| {
                responder.respond(self.state().request_permission(&request))
            })
            .await
            .if_request(async |request, responder| {
                responder.respond_with_result(self.state().read_file(&request))
            })
            .await
            .if_request(async |request, responder| {
                responder.respond_with_result(self.state().write_file(&request))
            })
            .await
            .done()
    }

    fn describe_chain(&self) -> impl Debug {
        "the client"
    }
}

impl HandlerState {
    fn handle_session_update(&mut self, notification: SessionNotification) {
        if self.session.as_ref() != Some(&notification.session_id) {
            self.events.write_alive();
            return;
        }
        match notification.update {
            SessionUpdate::AgentMessageChunk(chunk) => self.answer(&chunk),
            SessionUpdate::AgentThoughtChunk(ContentChunk { content: ContentBlock::Text(text), .. }) => {
                self.events.write_thought(&text.text);
            }
            SessionUpdate::ToolCall(call) => self.report_tool_call(&ToolCallUpdate::from(call)),
            SessionUpdate::ToolCallUpdate(update) => self.report_tool_call(&update),
            SessionUpdate::Plan(plan) => self.events.write_note(&describe_plan(&plan)),
            SessionUpdate::UsageUpdate(usage) => {
                let dollars = usage.cost.filter(|cost| cost.currency.eq_ignore_ascii_case("USD"));
                self.cost = dollars.map(|cost| cost.amount).or(self.cost);
                self.events.write_alive();
            }
            _ => self.events.write_alive(),
        }
    }

    fn request_permission(&mut self, request: &RequestPermissionRequest) -> RequestPermissionResponse {
        let tool = self.tool_calls.update(&request.tool_call);
        let title = one_line(&tool.title, WIDTH / 2);
        let permission = self.permissions.check(tool);
        match &permission {
            Ok(()) => self.events.write_note(&format!("allowed: {title}")),
            Err(why) => self.report_refusal(&title, &why.to_string()),
        }
        RequestPermissionResponse::new(choose_option(&request.options, permission.is_ok()))
    }

    fn read_file(&mut self, request: &ReadTextFileRequest) -> Result<ReadTextFileResponse, Error> {
        self.events.write_alive();
        if self.bytes_read > READ_LIMIT {
            return Err(Error::new(ErrorCode::INVALID_REQUEST, "too much was read in this session"));
        }
        let text = read_lines(&self.permissions.worktree, request)
            .map_err(|error| self.report_file_error("read a file", &error))?;
        self.bytes_read += text.len();
        Ok(ReadTextFileResponse::new(text))
    }

    fn write_file(&mut self, request: &WriteTextFileRequest) -> Result<WriteTextFileResponse, Error> {
        write_file(&self.permissions.worktree, self.permissions.read_only, request)
            .map_err(|error| self.report_file_error("write a file", &error))?;
        self.events.write_note(&format!("writes {}", request.path.display()));
        Ok(WriteTextFileResponse::new())
    }

    /// Reports a tool call, once for each title that it gets.
    fn report_tool_call(&mut self, update: &ToolCallUpdate) {
        let tool = self.tool_calls.update(update);
        if update.fields.title.is_some() && tool.reported_title != tool.title {
            tool.reported_title.clone_from(&tool.title);
            self.events.write_note(&tool.title);
        }
        self.events.write_alive();
    }

    fn answer(&mut self, chunk: &ContentChunk) {
        if let ContentBlock::Text(text) = &chunk.content {
            self.events.write_answer(&text.text, chunk.message_id.as_ref().map(|id| &*id.0));
        }
    }

    fn report_file_error(&mut self, what: &str, error: &FileError) -> Error {
        let code = match error {
            FileError::NotFound(_) => ErrorCode::RESOURCE_NOT_FOUND,
            _ => ErrorCode::INVALID_PARAMS,
        };
        if matches!(error, FileError::Outside(_) | FileError::Reviewer) {
            self.report_refusal(what, &error.to_string());
        }
        Error::new(code, error.to_string())
    }

    fn report_refusal(&mut self, what: &str, why: &str) {
        let line = one_line(&format!("refused: {what}: {why}"), WIDTH);
        self.events.write_note(&line);
        self.refusals.push(line);
    }

    /// Writes the last event: the class of the end and its reason, and whether the agent broke.
    pub(super) fn finish(&mut self, (outcome, reason): (ExecOutcome, Option<String>), is_broken: bool) {
        let known = std::mem::take(&mut self.answer);
        let mut answer = AgentAnswer { outcome, reason, truncated: self.events.truncated, ..known };
        let more = self.refusals.len().saturating_sub(REFUSALS);
        answer.notices.extend(self.refusals.drain(..).take(REFUSALS));
        if more > 0 {
            answer.notices.push(format!("refused: {more} times more"));
        }
        self.events.write(&ClientEvent::Ended { answer: Box::new(answer), is_broken });
    }
}

/// Describes a plan in a few words.
fn describe_plan(plan: &Plan) -> String {
    let done = plan.entries.iter().filter(|entry| entry.status == PlanEntryStatus::Completed).count();
    let now = plan.entries.iter().find(|entry| entry.status == PlanEntryStatus::InProgress);
    let now = now.map(|entry| format!(", now: {}", entry.content)).unwrap_or_default();
    format!("plan: {done} of {} done{now}", plan.entries.len())
}

/// Why a file is not read or not written.
#[derive(Debug, thiserror::Error)]
enum FileError {
    #[error("`{}` is outside the worktree, or protected", .0.display())]
    Outside(PathBuf),
    #[error("a reviewer changes nothing")]
    Reviewer,
    #[error("`{}` is larger than what is read for an agent", .0.display())]
    Huge(PathBuf),
    #[error("`{}` is no plain file", .0.display())]
    NotPlain(PathBuf),
    #[error("`{}` was not found", .0.display())]
    NotFound(PathBuf),
    #[error("`{}`: {}", .0.display(), .1)]
    Other(PathBuf, io::Error),
}

/// Returns the lines of a file that are asked for.
fn read_lines(worktree: &Path, request: &ReadTextFileRequest) -> Result<String, FileError> {
    let path = &request.path;
    let real = resolve(worktree, path).ok_or_else(|| FileError::Outside(path.clone()))?;
    let text = read_whole(&real, path)?;
    let Some(limit) = request.limit.or(request.line.map(|_| u32::MAX)) else { return Ok(text) };
    let before = request.line.unwrap_or(1).saturating_sub(1);
    let lines = text.split_inclusive('\n').skip(before as usize);
    Ok(lines.take(limit as usize).collect())
}

fn read_whole(real: &Path, path: &Path) -> Result<String, FileError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => FileError::NotFound(path.to_owned()),
        _ => FileError::Other(path.to_owned(), error),
    };
    if !real.metadata().map_err(failed)?.is_file() {
        return Err(FileError::NotPlain(path.to_owned()));
    }
    let mut text = String::new();
    let file = File::open(real).map_err(failed)?;
    let length = file.take(LARGEST + 1).read_to_string(&mut text).map_err(failed)?;
    if length as u64 > LARGEST { Err(FileError::Huge(path.to_owned())) } else { Ok(text) }
}

/// Writes a file for an author, its folders too.
fn write_file(worktree: &Path, read_only: bool, request: &WriteTextFileRequest) -> Result<(), FileError> {
    let path = &request.path;
    if read_only {
        return Err(FileError::Reviewer);
    }
    let real = resolve_writable(worktree, path).ok_or_else(|| FileError::Outside(path.clone()))?;
    let failed = |error| FileError::Other(path.clone(), error);
    if real.exists() && !real.is_file() {
        return Err(FileError::NotPlain(path.clone()));
    }
    if let Some(folder) = real.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(&real, &request.content).map_err(failed)
}

#[cfg(test)]
mod tests;
