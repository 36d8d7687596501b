//! The hidden subcommand `__acp TASK PROGRAM ARGUMENT…`, where the task is JSON: starts an agent, hands it the prompt from
//! our standard input, and reports on our standard output what it does.
//! It stands in the worktree and under the reaper, which ends whoever is left behind.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{sleep, timeout};

use model::event::ExecOutcome;

use crate::call::Answer;

use super::events::LOST;
use super::handler::ClientHandler;
use super::permission::Permissions;
use super::session::{ClientTask, End, PromptTurn, outcome};

/// The exit code of a command line that cannot be read.
const USAGE: i32 = 2;
/// How long an agent may take to end once nothing more is asked of it.
const GRACE: Duration = Duration::from_millis(500);
/// How long we go on once we are to end; a little longer than the agent may take to end its turn.
const GRACE_OF_TURN: Duration = Duration::from_millis(2500);

/// Runs the subcommand with the arguments after its name; returns the exit code.
pub fn main(arguments: Vec<OsString>) -> i32 {
    let Some(client) = AcpClient::parse(arguments) else { return USAGE };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return USAGE;
    };
    runtime.block_on(client.run())
}

/// The client of an agent that is still to be started.
#[derive(Debug, PartialEq)]
struct AcpClient {
    task: ClientTask,
    program: OsString,
    arguments: Vec<OsString>,
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
        let handler = Arc::new(ClientHandler::new(Permissions { worktree, read_only, commands }));
        let (answer, is_broken) = match io::read_to_string(io::stdin()) {
            Ok(prompt) => self.call(&prompt, &handler).await,
            Err(error) => not_started(format!("the prompt cannot be read: {error}")),
        };
        handler.finish(answer, is_broken);
        0
    }

    /// Returns the answer, and whether the agent broke.
    async fn call(&self, prompt: &str, handler: &Arc<ClientHandler>) -> (Answer, bool) {
        let mut agent = match self.start() {
            Ok(agent) => agent,
            Err(error) => {
                return not_started(format!("`{}` cannot be started: {error}", self.program.display()));
            }
        };
        let pipes = agent.stdin.take().zip(agent.stdout.take()).expect("both are pipes");
        let Ok(mut terminated) = signal(SignalKind::terminate()) else {
            return not_started("no signal can be heard".to_owned());
        };
        let turn = PromptTurn { task: &self.task, prompt, handler };
        let (mut answer, ended) = tokio::select! {
            ended = turn.run(pipes, &mut terminated) => ended,
            () = time_after_termination() => (Answer::default(), Err(End::Broken(LOST.to_owned()))),
        };
        let exit = wait_for_exit(&mut agent).await;
        let is_broken = matches!(ended, Err(End::Gone | End::Broken(_)));
        (answer.outcome, answer.reason) = outcome(ended, exit.as_deref());
        (answer, is_broken)
    }

    fn start(&self) -> io::Result<Child> {
        Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
    }
}

fn not_started(reason: String) -> (Answer, bool) {
    (Answer::because(ExecOutcome::NotStarted, reason), false)
}

/// Waits until we were asked to end and the agent had time to end its turn.
async fn time_after_termination() {
    if let Ok(mut terminated) = signal(SignalKind::terminate()) {
        terminated.recv().await;
        sleep(GRACE_OF_TURN).await;
    } else {
        std::future::pending::<()>().await;
    }
}

/// Waits a little for an agent whose pipes are closed, and says how it ended. The reaper ends one that stays.
async fn wait_for_exit(agent: &mut Child) -> Option<String> {
    let status = timeout(GRACE, agent.wait()).await.ok()?.ok()?;
    let signal = status.signal().map(|signal| format!("was ended by signal {signal}"));
    signal.or_else(|| Some(format!("ended with exit code {}", status.code()?)))
}

#[cfg(test)]
mod tests;
