//! One turn over the protocol: initialize, a session, one prompt, the end of its turn and what it used. What the agent
//! reports and asks in between is the handler's.

use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    self, AgentCapabilities, CancelNotification, ClientCapabilities, FileSystemCapabilities, Implementation,
    InitializeRequest, NewSessionRequest, PromptRequest, ReadTextFileRequest, RequestPermissionRequest,
    ResumeSessionRequest, SessionConfigId, SessionConfigKind, SessionConfigOption,
    SessionConfigOptionCategory, SessionConfigSelectOptions, SessionConfigValueId, SessionId,
    SessionNotification, SetSessionConfigOptionRequest, WriteTextFileRequest,
};
use agent_client_protocol::{
    Agent, Builder, Client, ConnectTo, ConnectionTo, Error, JsonRpcRequest, Lines, on_receive_notification,
    on_receive_request,
};
use serde_json::Value;
use tokio::io::BufReader;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::signal::unix::Signal;
use tokio::time::timeout;

use model::event::{CostBasis, Usage};

use crate::usage::{ReportedUsage, float};

use super::client::ClientTask;
use super::events::{End, Report, one_line};
use super::handler::ClientHandler;
use super::transport::{self, ConnectionState};

/// How long an agent may take to end its turn when it was asked to.
const CANCEL_GRACE: Duration = Duration::from_secs(2);
/// How many characters a name gets that an agent gives itself, or a session that can be continued.
const NAME_WIDTH: usize = 100;

/// One turn that is asked of an agent.
pub(super) struct Turn<'a> {
    /// How it is asked.
    pub task: &'a ClientTask,
    /// The text of the prompt.
    pub prompt: &'a str,
    /// Handles what the agent reports and asks.
    pub handler: &'a Arc<ClientHandler>,
}

impl Turn<'_> {
    /// Talks to an agent until its turn ends, the connection breaks or `terminated` asks for the end.
    pub(super) async fn run(&self, agent: (ChildStdin, ChildStdout), terminated: &mut Signal) -> Report {
        let state = ConnectionState::default();
        let incoming = transport::incoming(BufReader::new(agent.1), state.clone());
        let lines = Lines::new(transport::outgoing(agent.0), incoming);
        let mut report = Report::default();
        let converse = async |connection: ConnectionTo<Agent>| {
            let mut conversation =
                Conversation { connection, state: &state, turn: self, report: &mut report };
            let end = conversation.run(terminated).await.unwrap_or_else(|end| end);
            report.end = end;
            Ok(())
        };
        let connected = connect(lines, self.handler, converse).await;
        if let (Err(error), End::Lost) = (connected, &report.end) {
            report.end = broken(&state, &format!("the line to the agent broke: {error}"));
        }
        report
    }
}

/// Connects the handler to the agent while the conversation runs.
async fn connect(
    lines: impl ConnectTo<Client> + 'static,
    handler: &Arc<ClientHandler>,
    converse: impl AsyncFnOnce(ConnectionTo<Agent>) -> Result<(), Error>,
) -> Result<(), Error> {
    let [updates, permissions, reads, writes] = [handler; 4].map(Arc::clone);
    Builder::new(Client)
        .on_receive_notification(
            async move |update: SessionNotification, _| {
                updates.session_update(update);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _| {
                responder.respond(permissions.request_permission(&request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ReadTextFileRequest, responder, _| {
                responder.respond_with_result(reads.read_file(&request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: WriteTextFileRequest, responder, _| {
                responder.respond_with_result(writes.write_file(&request))
            },
            on_receive_request!(),
        )
        .connect_with(lines, converse)
        .await
}

/// Our side of the conversation.
struct Conversation<'a> {
    connection: ConnectionTo<Agent>,
    state: &'a ConnectionState,
    turn: &'a Turn<'a>,
    report: &'a mut Report,
}

impl Conversation<'_> {
    async fn run(&mut self, terminated: &mut Signal) -> Result<End, End> {
        let agent = self.initialize().await?;
        let session = self.open(&agent).await?;
        if agent.session_capabilities.resume.is_some() && session.0.len() <= NAME_WIDTH {
            self.report.session = Some(session.to_string());
        }
        self.turn.handler.state().session = Some(session.clone());
        self.prompt(session, terminated).await
    }

    async fn initialize(&mut self) -> Result<AgentCapabilities, End> {
        let files =
            FileSystemCapabilities::new().read_text_file(true).write_text_file(!self.turn.task.read_only);
        let request = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new().fs(files))
            .client_info(Implementation::new("ai-workflow", env!("CARGO_PKG_VERSION")));
        let agent = self.ask("initialize", request).await?;
        self.turn.handler.state().events.note("the agent answers");
        if let Some(info) = agent.agent_info {
            self.report.name = Some(one_line(&info.name, NAME_WIDTH));
            self.report.version = Some(one_line(&info.version, NAME_WIDTH));
        }
        if agent.protocol_version != ProtocolVersion::V1 {
            let version = agent.protocol_version;
            let reason =
                format!("the agent speaks version {version} of the protocol, and we speak version 1");
            return Err(End::NotStarted { reason });
        }
        Ok(agent.agent_capabilities)
    }

    /// Opens the session: a new one unless one is continued, with the model that was asked for.
    async fn open(&mut self, agent: &AgentCapabilities) -> Result<SessionId, End> {
        let folder = self.turn.handler.permissions.worktree.clone();
        let (session, options) = match &self.turn.task.resumes {
            Some(known) if agent.session_capabilities.resume.is_some() => {
                let request = ResumeSessionRequest::new(known.clone(), folder);
                (SessionId::new(known.clone()), self.ask("session/resume", request).await?.config_options)
            }
            Some(_) => {
                return Err(End::Broken { reason: "the agent cannot continue a session".to_owned() });
            }
            None => {
                let opened = self.ask("session/new", NewSessionRequest::new(folder)).await?;
                (opened.session_id, opened.config_options)
            }
        };
        if let Some(model) = &self.turn.task.model {
            let missing = || End::NoModel { model: model.clone() };
            let (option, value) =
                model_option(options.as_deref().unwrap_or_default(), model).ok_or_else(missing)?;
            let request = SetSessionConfigOptionRequest::new(session.clone(), option, value);
            self.ask("session/set_config_option", request).await?;
        }
        Ok(session)
    }

    /// Hands over the prompt and waits for the end of the turn; asked to end, asks the agent to.
    async fn prompt(&mut self, session: SessionId, terminated: &mut Signal) -> Result<End, End> {
        let request = PromptRequest::new(session.clone(), vec![self.turn.prompt.into()]);
        let answered = self.connection.send_request(request).block_task();
        let mut answered = std::pin::pin!(answered);
        let answer = tokio::select! {
            answer = &mut answered => answer,
            _ = terminated.recv() => {
                // It may have gone already; then the answer says so.
                let _ = self.connection.send_notification(CancelNotification::new(session));
                timeout(CANCEL_GRACE, answered).await.unwrap_or_else(|_| Err(Error::request_cancelled()))
            }
        };
        let used = answer.as_ref().ok().and_then(|answer| answer.usage.as_ref());
        (self.report.usage, self.report.notices) = turn_usage(used, self.turn.handler.state().cost);
        let answer = answer.map_err(|_| error_end("session/prompt", self.state))?;
        let stop = serde_json::to_value(answer.stop_reason).ok();
        let stop = stop.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(End::Turn { stop })
    }

    async fn ask<R: JsonRpcRequest>(&self, during: &str, request: R) -> Result<R::Response, End>
    where
        R::Response: Send,
    {
        let answer = self.connection.send_request(request).block_task().await;
        answer.map_err(|_| error_end(during, self.state))
    }
}

/// Returns the setting that chooses a model, when the agent offers that model.
fn model_option(
    options: &[SessionConfigOption],
    model: &str,
) -> Option<(SessionConfigId, SessionConfigValueId)> {
    let of_model =
        |option: &&SessionConfigOption| option.category == Some(SessionConfigOptionCategory::Model);
    let option = options.iter().find(of_model)?;
    let SessionConfigKind::Select(select) = &option.kind else { return None };
    let offered: Vec<_> = match &select.options {
        SessionConfigSelectOptions::Ungrouped(options) => options.iter().collect(),
        SessionConfigSelectOptions::Grouped(groups) => {
            groups.iter().flat_map(|group| &group.options).collect()
        }
        _ => Vec::new(),
    };
    let value = offered.into_iter().map(|option| &option.value).find(|value| &*value.0 == model)?;
    Some((option.id.clone(), value.clone()))
}

/// Returns how a request failed: by an error that the agent answered, else by what became of the connection.
fn error_end(during: &str, state: &ConnectionState) -> End {
    let answered = state.lock().error.take();
    match answered {
        Some(error) => End::Error { during: during.to_owned(), error },
        None => broken(state, &format!("the answer of the agent to {during} cannot be read")),
    }
}

/// Returns how the connection broke; `otherwise` says what is wrong where it did not.
fn broken(state: &ConnectionState, otherwise: &str) -> End {
    let events = state.lock();
    match &events.breakage {
        Some(reason) => End::Broken { reason: reason.clone() },
        None if events.is_closed => End::Gone { how: None },
        None => End::Broken { reason: otherwise.to_owned() },
    }
}

/// Returns the figures that can be true, and one line for each that cannot.
fn turn_usage(reported: Option<&schema::Usage>, cost: Option<f64>) -> (Usage, Vec<String>) {
    let figures = ReportedUsage {
        input_tokens: reported.map(input_tokens).map(float),
        output_tokens: reported.map(|usage| float(usage.output_tokens)),
        cost_usd: cost,
        ..ReportedUsage::default()
    };
    let (usage, notices) = figures.check();
    let basis = if usage.cost_usd.is_some() { CostBasis::Reported } else { CostBasis::Unknown };
    let cached = reported.and_then(|usage| usage.cached_read_tokens);
    let cached_tokens = cached.filter(|cached| usage.input_tokens.is_some_and(|input| *cached <= input));
    (Usage { cached_tokens, cost_basis: Some(basis), ..usage }, notices)
}

/// All tokens that went in. Some agents count cached ones apart; then they fit into the total besides the others.
fn input_tokens(usage: &schema::Usage) -> u64 {
    let cached = [usage.cached_read_tokens, usage.cached_write_tokens].into_iter().flatten();
    let cached = cached.fold(0, u64::saturating_add);
    let apart = usage.input_tokens.saturating_add(cached);
    if apart.saturating_add(usage.output_tokens) <= usage.total_tokens { apart } else { usage.input_tokens }
}

#[cfg(test)]
mod tests;
