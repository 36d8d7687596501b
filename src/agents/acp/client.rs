//! The hidden subcommand `__acp TASK PROGRAM ARGUMENT…`, where the task is JSON: starts an agent, sends it the prompt from
//! our standard input in one turn of the protocol, and reports on our standard output what it does.
//! It works in the worktree and under the reaper, which ends the processes that are left. What the agent reports and asks
//! during the turn goes to the handler.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    self, AgentCapabilities, CancelNotification, ClientCapabilities, FileSystemCapabilities, Implementation,
    InitializeRequest, NewSessionRequest, PromptRequest, ResumeSessionRequest, SessionConfigId,
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOptions,
    SessionConfigValueId, SessionId, SetSessionConfigOptionRequest,
};
use agent_client_protocol::{Agent, Builder, Client, ConnectionTo, Error, JsonRpcRequest, Lines};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::BufReader;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{sleep, timeout};

use model::event::{CostBasis, ExecOutcome, ReportedProgram, Usage};

use crate::call::{AgentAnswer, error_class};
use crate::usage::{ReportedUsage, float};

use super::events::{LOST, one_line};
use super::handler::ClientHandler;
use super::permission::Permissions;
use super::transport::{ConnectionState, ErrorResponse, read_messages, write_messages};

/// The exit code of a command line that cannot be read.
const USAGE: i32 = 2;
/// How long an agent may take to end once nothing more is asked of it.
const GRACE: Duration = Duration::from_millis(500);
/// How long an agent may take to end its turn when it was asked to.
const CANCEL_GRACE: Duration = Duration::from_secs(2);
/// How long we go on once we are to end; a little longer than the agent may take to end its turn.
const GRACE_OF_TURN: Duration = Duration::from_millis(2500);
/// The longest name of an agent, and the longest id of a session that can be continued, in characters.
const NAME_WIDTH: usize = 100;

/// Runs the subcommand with the arguments after its name; returns the exit code.
pub fn main(arguments: Vec<OsString>) -> i32 {
    let Some(client) = AcpClient::parse(arguments) else { return USAGE };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return USAGE;
    };
    runtime.block_on(client.run())
}

/// The task of the client, besides the prompt.
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

/// The client of an agent that is still to be started.
#[derive(Debug, PartialEq)]
struct AcpClient {
    task: ClientTask,
    program: OsString,
    arguments: Vec<OsString>,
}

/// How a turn ended that did not end well.
#[derive(Debug, PartialEq)]
enum TurnFailure {
    /// In this class, for a reason that the agent or the protocol names.
    Failed(ExecOutcome, String),
    /// The agent closed the connection before the end of its turn.
    Gone,
    /// The agent sends what is not the protocol, or its end is not known.
    Broken(String),
}

impl AcpClient {
    fn parse(arguments: Vec<OsString>) -> Option<Self> {
        let mut rest = arguments.into_iter();
        let task = serde_json::from_str(rest.next()?.to_str()?).ok()?;
        Some(Self { task, program: rest.next()?, arguments: rest.collect() })
    }

    async fn run(self) -> i32 {
        let Ok(worktree) = std::env::current_dir().and_then(|folder| folder.canonicalize()) else {
            return USAGE;
        };
        let (read_only, commands) = (self.task.read_only, self.task.allow.clone());
        let handler = ClientHandler::new(Permissions { worktree, read_only, commands });
        let (ended, exit) = match self.start() {
            Ok((prompt, agent, signals)) => self.run_turn(&prompt, agent, signals, &handler).await,
            Err(reason) => (Err(TurnFailure::Failed(ExecOutcome::NotStarted, reason)), None),
        };
        let is_broken = matches!(ended, Err(TurnFailure::Gone | TurnFailure::Broken(_)));
        handler.state().finish(classify_end(ended, exit.as_deref()), is_broken);
        0
    }

    /// Returns the prompt, the agent, and two receivers of SIGTERM.
    fn start(&self) -> Result<(String, Child, [Signal; 2]), String> {
        let prompt =
            io::read_to_string(io::stdin()).map_err(|error| format!("the prompt cannot be read: {error}"))?;
        let agent = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|error| format!("`{}` cannot be started: {error}", self.program.display()))?;
        let terminated =
            || signal(SignalKind::terminate()).map_err(|_| "no signal handler can be installed".to_owned());
        Ok((prompt, agent, [terminated()?, terminated()?]))
    }

    /// Returns how the turn ended, and how the agent's program ended where that is known.
    async fn run_turn(
        &self,
        prompt: &str,
        mut agent: Child,
        [mut terminated, mut deadline]: [Signal; 2],
        handler: &ClientHandler,
    ) -> (Result<(), TurnFailure>, Option<String>) {
        let pipes = agent.stdin.take().zip(agent.stdout.take()).expect("both are pipes");
        let ended = tokio::select! {
            ended = self.converse(prompt, pipes, &mut terminated, handler) => ended,
            () = async { deadline.recv().await; sleep(GRACE_OF_TURN).await } => {
                handler.state().answer = AgentAnswer::default();
                Err(TurnFailure::Broken(LOST.to_owned()))
            }
        };
        (ended, wait_for_exit(&mut agent).await)
    }

    /// Talks to an agent until its turn ends, the connection breaks or `terminated` asks for the end.
    async fn converse(
        &self,
        prompt: &str,
        (stdin, stdout): (ChildStdin, ChildStdout),
        terminated: &mut Signal,
        handler: &ClientHandler,
    ) -> Result<(), TurnFailure> {
        let state = ConnectionState::default();
        let lines = Lines::new(write_messages(stdin), read_messages(BufReader::new(stdout), state.clone()));
        let mut ended = None;
        let connected = Builder::new_with(Client, handler)
            .connect_with(lines, async |connection| {
                let conversation = Conversation { connection, state: &state, task: &self.task, handler };
                ended = Some(conversation.run(prompt, terminated).await);
                Ok(())
            })
            .await;
        ended.unwrap_or_else(|| match connected {
            Ok(()) => Err(TurnFailure::Broken(LOST.to_owned())),
            Err(error) => Err(connection_failure(&state, &format!("the line to the agent broke: {error}"))),
        })
    }
}

/// Waits a little for an agent whose pipes are closed, and returns how it ended. The reaper ends one that goes on.
async fn wait_for_exit(agent: &mut Child) -> Option<String> {
    let status = timeout(GRACE, agent.wait()).await.ok()?.ok()?;
    let signal = status.signal().map(|signal| format!("was ended by signal {signal}"));
    signal.or_else(|| Some(format!("ended with exit code {}", status.code()?)))
}

/// Our side of one turn over the protocol: initialize, a session, one prompt, the end of its turn and what it used.
struct Conversation<'a> {
    connection: ConnectionTo<Agent>,
    state: &'a ConnectionState,
    task: &'a ClientTask,
    handler: &'a ClientHandler,
}

impl Conversation<'_> {
    async fn run(&self, prompt: &str, terminated: &mut Signal) -> Result<(), TurnFailure> {
        let agent = self.initialize().await?;
        let session = self.open_session(&agent).await?;
        {
            let mut state = self.handler.state();
            if agent.session_capabilities.resume.is_some() && session.0.len() <= NAME_WIDTH {
                state.answer.session = Some(session.to_string());
            }
            state.session = Some(session.clone());
        }
        self.send_prompt(prompt, session, terminated).await
    }

    async fn initialize(&self) -> Result<AgentCapabilities, TurnFailure> {
        let files = FileSystemCapabilities::new().read_text_file(true).write_text_file(!self.task.read_only);
        let request = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new().fs(files))
            .client_info(Implementation::new("ai-workflow", env!("CARGO_PKG_VERSION")));
        let agent = self.request("initialize", request).await?;
        let mut state = self.handler.state();
        state.events.write_note("the agent answers");
        if let Some(info) = agent.agent_info {
            let (name, version) = (one_line(&info.name, NAME_WIDTH), one_line(&info.version, NAME_WIDTH));
            state.answer.program = Some(ReportedProgram { name, version: Some(version), model: None });
        }
        if agent.protocol_version != ProtocolVersion::V1 {
            let version = agent.protocol_version;
            let reason =
                format!("the agent speaks version {version} of the protocol, and we speak version 1");
            return Err(TurnFailure::Failed(ExecOutcome::NotStarted, reason));
        }
        Ok(agent.agent_capabilities)
    }

    /// Opens the session: a new one unless one is continued, with the model that was asked for.
    async fn open_session(&self, agent: &AgentCapabilities) -> Result<SessionId, TurnFailure> {
        let folder = self.handler.state().permissions.worktree.clone();
        let (session, options) = match &self.task.resumes {
            Some(known) if agent.session_capabilities.resume.is_some() => {
                let request = ResumeSessionRequest::new(known.clone(), folder);
                (SessionId::new(known.clone()), self.request("session/resume", request).await?.config_options)
            }
            Some(_) => return Err(TurnFailure::Broken("the agent cannot continue a session".to_owned())),
            None => {
                let opened = self.request("session/new", NewSessionRequest::new(folder)).await?;
                (opened.session_id, opened.config_options)
            }
        };
        if let Some(model) = &self.task.model {
            let reason = format!("the agent does not offer the model `{model}`");
            let missing = || TurnFailure::Failed(ExecOutcome::ModelUnknown, reason);
            let (option, value) =
                find_model_option(options.as_deref().unwrap_or_default(), model).ok_or_else(missing)?;
            let request = SetSessionConfigOptionRequest::new(session.clone(), option, value);
            self.request("session/set_config_option", request).await?;
        }
        Ok(session)
    }

    /// Sends the prompt and waits for the end of the turn. After the signal TERM it asks the agent to cancel the turn.
    async fn send_prompt(
        &self,
        prompt: &str,
        session: SessionId,
        terminated: &mut Signal,
    ) -> Result<(), TurnFailure> {
        let request = PromptRequest::new(session.clone(), vec![prompt.into()]);
        let mut answered = std::pin::pin!(self.connection.send_request(request).block_task());
        let answer = tokio::select! {
            answer = &mut answered => answer,
            _ = terminated.recv() => {
                // The agent may have ended already; then the answer says so.
                let _ = self.connection.send_notification(CancelNotification::new(session));
                timeout(CANCEL_GRACE, answered).await.unwrap_or_else(|_| Err(Error::request_cancelled()))
            }
        };
        let used = answer.as_ref().ok().and_then(|answer| answer.usage.as_ref());
        let mut state = self.handler.state();
        (state.answer.usage, state.answer.notices) = turn_usage(used, state.cost);
        let answer = answer.map_err(|_| take_failure("session/prompt", self.state))?;
        let stop = serde_json::to_value(answer.stop_reason).ok();
        classify_stop(stop.as_ref().and_then(Value::as_str).unwrap_or_default())
    }

    async fn request<R: JsonRpcRequest>(&self, during: &str, request: R) -> Result<R::Response, TurnFailure>
    where
        R::Response: Send,
    {
        let answer = self.connection.send_request(request).block_task().await;
        answer.map_err(|_| take_failure(during, self.state))
    }
}

/// Returns the setting that chooses a model, when the agent offers that model.
fn find_model_option(
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

/// Returns how a request failed: by an error that the agent answered, else by the state of the connection.
fn take_failure(during: &str, state: &ConnectionState) -> TurnFailure {
    let answered = state.lock().error.take();
    match answered {
        Some(error) => request_failure(during, &error),
        None => connection_failure(state, &format!("the answer of the agent to {during} cannot be read")),
    }
}

/// Returns how the connection broke; `otherwise` is the reason where it did not break.
fn connection_failure(state: &ConnectionState, otherwise: &str) -> TurnFailure {
    let events = state.lock();
    match &events.breakage {
        Some(reason) => TurnFailure::Broken(reason.clone()),
        None if events.is_closed => TurnFailure::Gone,
        None => TurnFailure::Broken(otherwise.to_owned()),
    }
}

/// Returns the failure of a request that the agent answered with an error.
fn request_failure(during: &str, error: &ErrorResponse) -> TurnFailure {
    let kind = error.kind.as_ref().map(|kind| format!(" ({kind})")).unwrap_or_default();
    let (code, message) = (error.code, &error.message);
    let reason = format!("the agent answered {during} with error {code}{kind}: {message}");
    TurnFailure::Failed(classify_error(error), reason)
}

/// The kind weighs more than the code: adapters put every failure of the provider under one code.
fn classify_error(error: &ErrorResponse) -> ExecOutcome {
    let kind = error.kind.as_ref().map(|kind| kind.to_ascii_lowercase().replace('-', "_"));
    kind.and_then(|kind| error_class("acp.kind", &kind))
        .or_else(|| error_class("acp.code", &error.code.to_string()))
        .unwrap_or(ExecOutcome::Crashed)
}

/// Returns the failure that a stop reason means. A cancellation that we did not ask for is a crash.
fn classify_stop(stop: &str) -> Result<(), TurnFailure> {
    let (class, reason) = match stop {
        "end_turn" => return Ok(()),
        "max_tokens" => (ExecOutcome::LimitReached, "the answer reached the limit of tokens"),
        "max_turn_requests" => (ExecOutcome::LimitReached, "the agent reached its limit of requests"),
        "refusal" => (ExecOutcome::Refused, "the agent refuses to work on this"),
        "cancelled" => (ExecOutcome::Crashed, "the agent cancelled the turn, and nobody had asked it to"),
        _ => {
            let reason = format!("the agent ended with the unknown stop reason `{stop}`");
            return Err(TurnFailure::Failed(ExecOutcome::Crashed, reason));
        }
    };
    Err(TurnFailure::Failed(class, reason.to_owned()))
}

/// Returns the class of an end and, for people, why the turn failed. `exit` says how the agent's program ended, where that
/// is known.
fn classify_end(ended: Result<(), TurnFailure>, exit: Option<&str>) -> (ExecOutcome, Option<String>) {
    match ended {
        Ok(()) => (ExecOutcome::Done, None),
        Err(TurnFailure::Failed(class, reason)) => (class, Some(reason)),
        Err(TurnFailure::Broken(reason)) => (ExecOutcome::Crashed, Some(reason)),
        Err(TurnFailure::Gone) => {
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

/// Returns all input tokens. Some agents count cached ones apart; then they fit into the total besides the others.
fn input_tokens(usage: &schema::Usage) -> u64 {
    let cached = [usage.cached_read_tokens, usage.cached_write_tokens].into_iter().flatten();
    let cached = cached.fold(0, u64::saturating_add);
    let apart = usage.input_tokens.saturating_add(cached);
    if apart.saturating_add(usage.output_tokens) <= usage.total_tokens { apart } else { usage.input_tokens }
}

#[cfg(test)]
mod tests;
