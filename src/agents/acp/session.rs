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
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::BufReader;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::signal::unix::Signal;
use tokio::time::timeout;

use model::event::{CostBasis, ExecOutcome, Program, Usage};

use crate::call::Answer;
use crate::outcome::error_class;
use crate::usage::{ReportedUsage, float};

use super::events::{LOST, one_line};
use super::handler::ClientHandler;
use super::transport::{self, ConnectionState, ErrorResponse};

/// How long an agent may take to end its turn when it was asked to.
const CANCEL_GRACE: Duration = Duration::from_secs(2);
/// How many characters a name gets that an agent gives itself, or a session that can be continued.
const NAME_WIDTH: usize = 100;

/// How a turn ended that did not end well.
#[derive(Debug, PartialEq)]
pub(super) enum End {
    /// In this class, for a reason that the agent or the protocol names.
    Failed(ExecOutcome, String),
    /// The agent went away in the middle.
    Gone,
    /// What the agent sends is not the protocol, or nobody knows what became of it.
    Broken(String),
}

/// What is asked of the client, besides the prompt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ClientTask {
    /// The call is a review: the agent is not offered to write files.
    pub read_only: bool,
    /// The first words of the commands that the agent may run.
    pub allow: Vec<String>,
    /// The model that the agent has to offer.
    pub model: Option<String>,
    /// The session that is continued.
    pub resumes: Option<String>,
}

/// One turn that is asked of an agent.
pub(super) struct PromptTurn<'a> {
    /// How it is asked.
    pub task: &'a ClientTask,
    /// The text of the prompt.
    pub prompt: &'a str,
    /// Handles what the agent reports and asks.
    pub handler: &'a Arc<ClientHandler>,
}

impl PromptTurn<'_> {
    /// Talks to an agent until its turn ends, the connection breaks or `terminated` asks for the end.
    /// Returns how it ended, and what the agent said about itself in an answer without outcome.
    pub(super) async fn run(
        &self,
        agent: (ChildStdin, ChildStdout),
        terminated: &mut Signal,
    ) -> (Answer, Result<(), End>) {
        let state = ConnectionState::default();
        let incoming = transport::incoming(BufReader::new(agent.1), state.clone());
        let lines = Lines::new(transport::outgoing(agent.0), incoming);
        let (mut answer, mut ended) = (Answer::default(), None);
        let converse = async |connection: ConnectionTo<Agent>| {
            let mut conversation =
                Conversation { connection, state: &state, turn: self, answer: &mut answer };
            ended = Some(conversation.run(terminated).await);
            Ok(())
        };
        let connected = connect(lines, self.handler, converse).await;
        let ended = match (ended, connected) {
            (Some(ended), _) => ended,
            (None, Err(error)) => Err(broken(&state, &format!("the line to the agent broke: {error}"))),
            (None, Ok(())) => Err(End::Broken(LOST.to_owned())),
        };
        (answer, ended)
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
    turn: &'a PromptTurn<'a>,
    /// What is known of the answer so far.
    answer: &'a mut Answer,
}

impl Conversation<'_> {
    async fn run(&mut self, terminated: &mut Signal) -> Result<(), End> {
        let agent = self.initialize().await?;
        let session = self.open(&agent).await?;
        if agent.session_capabilities.resume.is_some() && session.0.len() <= NAME_WIDTH {
            self.answer.session = Some(session.to_string());
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
            let (name, version) = (one_line(&info.name, NAME_WIDTH), one_line(&info.version, NAME_WIDTH));
            self.answer.program = Some(Program { name, version: Some(version), model: None });
        }
        if agent.protocol_version != ProtocolVersion::V1 {
            let version = agent.protocol_version;
            let reason =
                format!("the agent speaks version {version} of the protocol, and we speak version 1");
            return Err(End::Failed(ExecOutcome::NotStarted, reason));
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
                return Err(End::Broken("the agent cannot continue a session".to_owned()));
            }
            None => {
                let opened = self.ask("session/new", NewSessionRequest::new(folder)).await?;
                (opened.session_id, opened.config_options)
            }
        };
        if let Some(model) = &self.turn.task.model {
            let reason = format!("the agent does not offer the model `{model}`");
            let missing = || End::Failed(ExecOutcome::ModelUnknown, reason);
            let (option, value) =
                model_option(options.as_deref().unwrap_or_default(), model).ok_or_else(missing)?;
            let request = SetSessionConfigOptionRequest::new(session.clone(), option, value);
            self.ask("session/set_config_option", request).await?;
        }
        Ok(session)
    }

    /// Hands over the prompt and waits for the end of the turn; asked to end, asks the agent to.
    async fn prompt(&mut self, session: SessionId, terminated: &mut Signal) -> Result<(), End> {
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
        (self.answer.usage, self.answer.notices) = turn_usage(used, self.turn.handler.state().cost);
        let answer = answer.map_err(|_| error_end("session/prompt", self.state))?;
        let stop = serde_json::to_value(answer.stop_reason).ok();
        classify_stop(stop.as_ref().and_then(Value::as_str).unwrap_or_default())
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
        Some(error) => answered_error(during, &error),
        None => broken(state, &format!("the answer of the agent to {during} cannot be read")),
    }
}

/// Returns how the connection broke; `otherwise` says what is wrong where it did not.
fn broken(state: &ConnectionState, otherwise: &str) -> End {
    let events = state.lock();
    match &events.breakage {
        Some(reason) => End::Broken(reason.clone()),
        None if events.is_closed => End::Gone,
        None => End::Broken(otherwise.to_owned()),
    }
}

/// Returns the end of a request that the agent answered with an error.
fn answered_error(during: &str, error: &ErrorResponse) -> End {
    let kind = error.kind.as_ref().map(|kind| format!(" ({kind})")).unwrap_or_default();
    let (code, message) = (error.code, &error.message);
    let reason = format!("the agent answered {during} with error {code}{kind}: {message}");
    End::Failed(classify_error(error), reason)
}

/// The kind weighs more than the code: adapters put every failure of the provider under one code.
fn classify_error(error: &ErrorResponse) -> ExecOutcome {
    let kind = error.kind.as_ref().map(|kind| kind.to_ascii_lowercase().replace('-', "_"));
    kind.and_then(|kind| error_class("acp.kind", &kind))
        .or_else(|| error_class("acp.code", &error.code.to_string()))
        .unwrap_or(ExecOutcome::Crashed)
}

/// An end that the agent calls a cancellation, without our asking for one, broke its work like any other.
fn classify_stop(stop: &str) -> Result<(), End> {
    let (class, reason) = match stop {
        "end_turn" => return Ok(()),
        "max_tokens" => (ExecOutcome::LimitReached, "the answer reached the limit of tokens"),
        "max_turn_requests" => (ExecOutcome::LimitReached, "the agent reached its limit of requests"),
        "refusal" => (ExecOutcome::Refused, "the agent refuses to work on this"),
        "cancelled" => (ExecOutcome::Crashed, "the agent cancelled the turn, and nobody had asked it to"),
        _ => {
            let reason = format!("the agent ended with the unknown stop reason `{stop}`");
            return Err(End::Failed(ExecOutcome::Crashed, reason));
        }
    };
    Err(End::Failed(class, reason.to_owned()))
}

/// Returns the class of an end, and for people why it is not a good one. `exit` says how an agent ended that went away,
/// where that could be seen.
pub(super) fn outcome(ended: Result<(), End>, exit: Option<&str>) -> (ExecOutcome, Option<String>) {
    match ended {
        Ok(()) => (ExecOutcome::Done, None),
        Err(End::Failed(class, reason)) => (class, Some(reason)),
        Err(End::Broken(reason)) => (ExecOutcome::Crashed, Some(reason)),
        Err(End::Gone) => {
            let how = exit.unwrap_or("closed its output");
            (ExecOutcome::Crashed, Some(format!("the agent {how} before its turn was over")))
        }
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
