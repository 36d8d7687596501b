//! One conversation in the protocol: initialize, a session, one prompt, the end of its turn. What the agent tells and
//! asks in between is the desk's.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, ClientCapabilities, FileSystemCapabilities, Implementation,
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
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::signal::unix::Signal;
use tokio::time::timeout;

use super::desk::Desk;
use super::line::{End, Report};
use super::usage;
use super::voice::short;
use super::wire::{self, Seen};

/// How long an agent may take to end its turn when it was asked to.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a name is that an agent gives itself, or a session that can be continued.
const NAME: usize = 100;

/// What is asked of the agent.
#[derive(Debug, Clone)]
pub(super) struct Order {
    pub prompt: String,
    /// The worktree's real path.
    pub worktree: PathBuf,
    pub read_only: bool,
    pub model: Option<String>,
    /// The session that is continued.
    pub resumes: Option<String>,
}

/// Talks to an agent until its turn ends, the line breaks or `terminated` says that it is enough.
pub(super) async fn talk(
    agent: (impl AsyncWrite + Unpin + Send + 'static, impl AsyncRead + Unpin + Send + 'static),
    order: &Order,
    desk: &Arc<Desk>,
    terminated: &mut Signal,
) -> Report {
    let seen = Seen::default();
    let lines = Lines::new(wire::outgoing(agent.0), wire::incoming(BufReader::new(agent.1), seen.clone()));
    let mut told = Report::default();
    let speak = async |connection: ConnectionTo<Agent>| {
        let mut speaker = Speaker { connection, seen: &seen, order, desk, told: &mut told };
        let end = speaker.speak(terminated).await.unwrap_or_else(|end| end);
        told.end = end;
        Ok(())
    };
    let connected = connect(lines, desk, speak).await;
    if let (Err(error), End::Lost) = (connected, &told.end) {
        told.end = broken(&seen, &error);
    }
    told
}

/// Connects the desk to the line while somebody speaks.
async fn connect(
    lines: impl ConnectTo<Client> + 'static,
    desk: &Arc<Desk>,
    speak: impl AsyncFnOnce(ConnectionTo<Agent>) -> Result<(), Error>,
) -> Result<(), Error> {
    let [told, asked, read, written] = [desk; 4].map(Arc::clone);
    Builder::new(Client)
        .on_receive_notification(
            async move |update: SessionNotification, _| {
                told.hear(update);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _| {
                responder.respond(asked.permit(&request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ReadTextFileRequest, responder, _| {
                responder.respond_with_result(read.read(&request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: WriteTextFileRequest, responder, _| {
                responder.respond_with_result(written.write(&request))
            },
            on_receive_request!(),
        )
        .connect_with(lines, speak)
        .await
}

/// Our side of the conversation.
struct Speaker<'a> {
    connection: ConnectionTo<Agent>,
    seen: &'a Seen,
    order: &'a Order,
    desk: &'a Arc<Desk>,
    told: &'a mut Report,
}

impl Speaker<'_> {
    async fn speak(&mut self, terminated: &mut Signal) -> Result<End, End> {
        let agent = self.introduce().await?;
        let session = self.open(&agent).await?;
        if agent.session_capabilities.resume.is_some() && session.0.len() <= NAME {
            self.told.session = Some(session.to_string());
        }
        self.desk.listen_to(session.clone());
        self.prompt(session, terminated).await
    }

    async fn introduce(&mut self) -> Result<AgentCapabilities, End> {
        let files = FileSystemCapabilities::new().read_text_file(true).write_text_file(!self.order.read_only);
        let request = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new().fs(files))
            .client_info(Implementation::new("ai-workflow", env!("CARGO_PKG_VERSION")));
        let agent = self.ask("initialize", request).await?;
        self.desk.note("the agent answers");
        if let Some(info) = agent.agent_info {
            self.told.name = Some(short(&info.name, NAME));
            self.told.version = Some(short(&info.version, NAME));
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
        let folder = self.order.worktree.clone();
        let (session, options) = match &self.order.resumes {
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
        if let Some(model) = &self.order.model {
            let missing = || End::NoModel { model: model.clone() };
            let (option, value) =
                choice(options.as_deref().unwrap_or_default(), model).ok_or_else(missing)?;
            let request = SetSessionConfigOptionRequest::new(session.clone(), option, value);
            self.ask("session/set_config_option", request).await?;
        }
        Ok(session)
    }

    /// Hands over the prompt and waits for the end of the turn; asked to end, asks the agent to.
    async fn prompt(&mut self, session: SessionId, terminated: &mut Signal) -> Result<End, End> {
        let request = PromptRequest::new(session.clone(), vec![self.order.prompt.as_str().into()]);
        let answered = self.connection.send_request(request).block_task();
        let mut answered = std::pin::pin!(answered);
        let answer = tokio::select! {
            answer = &mut answered => answer,
            _ = terminated.recv() => {
                // It may have gone already; then the answer says so.
                let _ = self.connection.send_notification(CancelNotification::new(session));
                timeout(PATIENCE, answered).await.unwrap_or_else(|_| Err(Error::request_cancelled()))
            }
        };
        let used = answer.as_ref().ok().and_then(|answer| answer.usage.as_ref());
        (self.told.usage, self.told.notices) = usage::of(used, self.desk.cost());
        let answer = answer.map_err(|error| fault("session/prompt", self.seen, &error))?;
        let stop = serde_json::to_value(answer.stop_reason).ok();
        let stop = stop.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(End::Turn { stop })
    }

    async fn ask<R: JsonRpcRequest>(&self, during: &str, request: R) -> Result<R::Response, End>
    where
        R::Response: Send,
    {
        let answer = self.connection.send_request(request).block_task().await;
        answer.map_err(|error| fault(during, self.seen, &error))
    }
}

/// Returns the setting that chooses a model, when the agent offers that model.
fn choice(options: &[SessionConfigOption], model: &str) -> Option<(SessionConfigId, SessionConfigValueId)> {
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

/// Says how a request failed: by an error that the agent stated, else by what became of the line.
fn fault(during: &str, seen: &Seen, error: &Error) -> End {
    match seen.error() {
        Some(fault) => End::Error {
            during: during.to_owned(),
            code: fault.code,
            message: fault.message,
            told: fault.kind,
        },
        None if seen.closed() || seen.broken().is_some() => broken(seen, error),
        None => End::Broken { reason: format!("the answer of the agent to {during} cannot be read") },
    }
}

fn broken(seen: &Seen, error: &Error) -> End {
    match seen.broken() {
        Some(reason) => End::Broken { reason },
        None if seen.closed() => End::Gone { how: None },
        None => End::Broken { reason: format!("the line to the agent broke: {error}") },
    }
}
