//! Where everything arrives that the agent tells and asks in a session: says it on, answers by policy, and keeps what
//! the report needs. Sends nothing by itself.

use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, Plan, PlanEntryStatus, ReadTextFileRequest, ReadTextFileResponse,
    RequestPermissionRequest, RequestPermissionResponse, SessionId, SessionNotification, SessionUpdate,
    ToolCallUpdate, WriteTextFileRequest, WriteTextFileResponse,
};
use agent_client_protocol::{Error, ErrorCode};

use super::files::{self, Failed};
use super::line::{Line, Report};
use super::policy::{Policy, Tools, choose};
use super::voice::{Voice, short};

/// How many refusals are reported one by one.
const REFUSALS: usize = 20;
/// How much of files is read for an agent in one call.
const READ: usize = 64 * 1024 * 1024;
/// How long a line about one event is.
const WIDTH: usize = 200;

/// The desk of one call.
pub(super) struct Desk {
    policy: Policy,
    tray: Mutex<Tray>,
}

struct Tray {
    voice: Voice,
    tools: Tools,
    /// The session whose words count; before there is one nothing is an answer.
    session: Option<SessionId>,
    refusals: Vec<String>,
    more_refusals: usize,
    read: usize,
    /// What the session has cost so far, as the agent says.
    cost: Option<f64>,
}

impl Desk {
    pub(super) fn new(policy: Policy) -> Self {
        let tray = Tray {
            voice: Voice::new(),
            tools: Tools::default(),
            session: None,
            refusals: Vec::new(),
            more_refusals: 0,
            read: 0,
            cost: None,
        };
        Self { policy, tray: Mutex::new(tray) }
    }

    pub(super) fn note(&self, text: &str) {
        self.tray().voice.note(text);
    }

    /// From now on this session's words are the answer.
    pub(super) fn listen_to(&self, session: SessionId) {
        self.tray().session = Some(session);
    }

    /// Returns what the agent says its session has cost.
    pub(super) fn cost(&self) -> Option<f64> {
        self.tray().cost
    }

    pub(super) fn hear(&self, told: SessionNotification) {
        let mut tray = self.tray();
        if tray.session.as_ref() == Some(&told.session_id) {
            tray.hear(told.update);
        } else {
            tray.voice.live();
        }
    }

    pub(super) fn permit(&self, request: &RequestPermissionRequest) -> RequestPermissionResponse {
        let mut tray = self.tray();
        let tool = tray.tools.update(&request.tool_call);
        let title = short(&tool.title, WIDTH / 2);
        let refused = self.policy.refuse(tool);
        match &refused {
            Ok(()) => tray.voice.note(&format!("allowed: {title}")),
            Err(why) => tray.refuse(&title, &why.to_string()),
        }
        RequestPermissionResponse::new(choose(&request.options, refused.is_ok()))
    }

    pub(super) fn read(&self, request: &ReadTextFileRequest) -> Result<ReadTextFileResponse, Error> {
        let mut tray = self.tray();
        tray.voice.live();
        if tray.read > READ {
            return Err(Error::new(ErrorCode::INVALID_REQUEST, "too much was read in this session"));
        }
        let text =
            files::read(&self.policy, request).map_err(|failed| tray.failed("read a file", &failed))?;
        tray.read += text.len();
        Ok(ReadTextFileResponse::new(text))
    }

    pub(super) fn write(&self, request: &WriteTextFileRequest) -> Result<WriteTextFileResponse, Error> {
        let mut tray = self.tray();
        files::write(&self.policy, request).map_err(|failed| tray.failed("write a file", &failed))?;
        tray.voice.note(&format!("writes {}", request.path.display()));
        Ok(WriteTextFileResponse::new())
    }

    /// Says the last line.
    pub(super) fn close(&self, mut report: Report) {
        let mut tray = self.tray();
        report.truncated = tray.voice.truncated;
        report.notices.extend(tray.refusals());
        tray.voice.say(&Line::Ended(Box::new(report)));
    }

    fn tray(&self) -> MutexGuard<'_, Tray> {
        self.tray.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tray {
    fn hear(&mut self, update: SessionUpdate) {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => self.answer(&chunk),
            SessionUpdate::AgentThoughtChunk(ContentChunk { content: ContentBlock::Text(text), .. }) => {
                self.voice.thought(&text.text);
            }
            SessionUpdate::ToolCall(call) => self.tool(&ToolCallUpdate::from(call)),
            SessionUpdate::ToolCallUpdate(update) => self.tool(&update),
            SessionUpdate::Plan(plan) => self.voice.note(&describe(&plan)),
            SessionUpdate::UsageUpdate(usage) => {
                let dollars = usage.cost.filter(|cost| cost.currency.eq_ignore_ascii_case("USD"));
                self.cost = dollars.map(|cost| cost.amount).or(self.cost);
                self.voice.live();
            }
            _ => self.voice.live(),
        }
    }

    /// Tells of a tool call, once for each title that it gets.
    fn tool(&mut self, update: &ToolCallUpdate) {
        let tool = self.tools.update(update);
        if update.fields.title.is_some()
            && std::mem::replace(&mut tool.told, tool.title.clone()) != tool.title
        {
            self.voice.note(&tool.title);
        }
        self.voice.live();
    }

    fn answer(&mut self, chunk: &ContentChunk) {
        if let ContentBlock::Text(text) = &chunk.content {
            self.voice.answer(&text.text, chunk.message_id.as_ref().map(|id| &*id.0));
        }
    }

    fn failed(&mut self, what: &str, failed: &Failed) -> Error {
        let code = match failed {
            Failed::NotFound(_) => ErrorCode::RESOURCE_NOT_FOUND,
            _ => ErrorCode::INVALID_PARAMS,
        };
        if matches!(failed, Failed::Outside(_) | Failed::Reviewer) {
            self.refuse(what, &failed.to_string());
        }
        Error::new(code, failed.to_string())
    }

    fn refuse(&mut self, what: &str, why: &str) {
        let line = short(&format!("refused: {what}: {why}"), WIDTH);
        self.voice.note(&line);
        if self.refusals.len() < REFUSALS {
            self.refusals.push(line);
        } else {
            self.more_refusals += 1;
        }
    }

    fn refusals(&mut self) -> Vec<String> {
        let mut lines = std::mem::take(&mut self.refusals);
        if self.more_refusals > 0 {
            lines.push(format!("refused: {} times more", self.more_refusals));
        }
        lines
    }
}

/// Returns a plan in a few words.
fn describe(plan: &Plan) -> String {
    let done = plan.entries.iter().filter(|entry| entry.status == PlanEntryStatus::Completed).count();
    let now = plan.entries.iter().find(|entry| entry.status == PlanEntryStatus::InProgress);
    let now = now.map(|entry| format!(", now: {}", entry.content)).unwrap_or_default();
    format!("plan: {done} of {} done{now}", plan.entries.len())
}
