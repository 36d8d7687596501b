//! The hidden subcommand `__acp [--read-only] [--allow WORDS]… [--model MODEL] [--resume SESSION] -- PROGRAM ARGUMENT…`:
//! starts an agent, hands it the prompt from our standard input, and reports on our standard output what it does.
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

use super::events::{End, Report};
use super::handler::ClientHandler;
use super::permission::Permissions;
use super::session::{TurnRequest, run_turn};

/// The exit code of a command line that cannot be read.
const USAGE: i32 = 2;
/// How long an agent may take to end once nothing more is asked of it.
const GRACE: Duration = Duration::from_millis(500);
/// How long we go on once we are to end; a little longer than the agent may take to end its turn.
const GRACE_OF_TURN: Duration = Duration::from_millis(2500);

/// Runs the subcommand with the arguments after its name; returns the exit code.
pub fn main(arguments: Vec<OsString>) -> i32 {
    let Some(task) = ClientTask::parse(arguments) else { return USAGE };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return USAGE;
    };
    runtime.block_on(task.run())
}

/// What the command line asks for.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ClientTask {
    /// The call is a review.
    pub read_only: bool,
    /// The first words of the commands that the agent may run.
    pub allow: Vec<String>,
    /// The model that the agent is asked to use.
    pub model: Option<String>,
    /// The session that is continued.
    pub resumes: Option<String>,
    /// The agent's program.
    pub program: OsString,
    /// The agent's arguments.
    pub arguments: Vec<OsString>,
}

impl ClientTask {
    /// Returns the arguments that ask for this.
    pub(super) fn into_arguments(self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        if self.read_only {
            words.push("--read-only".into());
        }
        let allow = self.allow.into_iter().map(|words| ("--allow", words));
        let model = self.model.map(|model| ("--model", model));
        let resumes = self.resumes.map(|session| ("--resume", session));
        for (flag, value) in allow.chain(model).chain(resumes) {
            words.extend([flag.into(), value.into()]);
        }
        words.extend(["--".into(), self.program]);
        words.extend(self.arguments);
        words
    }

    fn parse(arguments: Vec<OsString>) -> Option<Self> {
        let mut rest = arguments.into_iter();
        let mut task = Self::default();
        loop {
            let flag = rest.next()?;
            let mut value = || rest.next()?.into_string().ok();
            match flag.to_str()? {
                "--read-only" => task.read_only = true,
                "--allow" => task.allow.push(value()?),
                "--model" => task.model = Some(value()?),
                "--resume" => task.resumes = Some(value()?),
                "--" => break,
                _ => return None,
            }
        }
        task.program = rest.next()?;
        task.arguments = rest.collect();
        Some(task)
    }

    async fn run(self) -> i32 {
        let Ok(worktree) = std::env::current_dir().and_then(|folder| folder.canonicalize()) else {
            return USAGE;
        };
        let permissions = Permissions {
            worktree: worktree.clone(),
            read_only: self.read_only,
            commands: self.allow.clone(),
        };
        let handler = Arc::new(ClientHandler::new(permissions));
        let report = match io::read_to_string(io::stdin()) {
            Ok(prompt) => {
                let (model, resumes) = (self.model.clone(), self.resumes.clone());
                let request = TurnRequest { prompt, worktree, read_only: self.read_only, model, resumes };
                self.call(&request, &handler).await
            }
            Err(error) => not_started(format!("the prompt cannot be read: {error}")),
        };
        handler.finish(report);
        0
    }

    async fn call(&self, request: &TurnRequest, handler: &Arc<ClientHandler>) -> Report {
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
        let mut report = tokio::select! {
            report = run_turn(pipes, request, handler, &mut terminated) => report,
            () = time_after_termination() => Report::default(),
        };
        let exit = wait_for_exit(&mut agent).await;
        if let End::Gone { how } = &mut report.end {
            *how = exit;
        }
        report
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

fn not_started(reason: String) -> Report {
    Report { end: End::NotStarted { reason }, ..Report::default() }
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
