//! The hidden subcommand `__acp [--read-only] [--allow WORDS]… [--model MODEL] [--resume SESSION] -- PROGRAM ARGUMENT…`:
//! starts an agent, hands it the prompt from our standard input, and tells on our standard output what it does.
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

use super::desk::Desk;
use super::line::{End, Report};
use super::policy::Policy;
use super::talk::{Order, talk};

/// The exit code of a command line that cannot be read.
const USAGE: i32 = 2;
/// How long an agent may take to end once nothing more is asked of it.
const FAREWELL: Duration = Duration::from_millis(500);
/// How long we go on once we are to end; a little longer than the agent may take to end its turn.
const LAST: Duration = Duration::from_millis(2500);

/// Runs the subcommand with the arguments after its name; returns the exit code.
pub fn main(arguments: Vec<OsString>) -> i32 {
    let Some(task) = Task::read(arguments) else { return USAGE };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return USAGE;
    };
    runtime.block_on(task.run())
}

/// What the command line asks for.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Task {
    pub read_only: bool,
    pub allow: Vec<String>,
    pub model: Option<String>,
    pub resumes: Option<String>,
    pub program: OsString,
    pub arguments: Vec<OsString>,
}

impl Task {
    /// Returns the command line that says this.
    pub(super) fn write(self) -> Vec<OsString> {
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

    fn read(arguments: Vec<OsString>) -> Option<Self> {
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
        let policy =
            Policy { worktree: worktree.clone(), read_only: self.read_only, commands: self.allow.clone() };
        let desk = Arc::new(Desk::new(policy));
        let report = match io::read_to_string(io::stdin()) {
            Ok(prompt) => {
                let (model, resumes) = (self.model.clone(), self.resumes.clone());
                let order = Order { prompt, worktree, read_only: self.read_only, model, resumes };
                self.call(&order, &desk).await
            }
            Err(error) => not_started(format!("the prompt cannot be read: {error}")),
        };
        desk.close(report);
        0
    }

    async fn call(&self, order: &Order, desk: &Arc<Desk>) -> Report {
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
            report = talk(pipes, order, desk, &mut terminated) => report,
            () = too_late() => Report::default(),
        };
        let ended = say_goodbye(&mut agent).await;
        if let End::Gone { how } = &mut report.end {
            *how = ended;
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

/// Ends some time after we were told to end.
async fn too_late() {
    if let Ok(mut terminated) = signal(SignalKind::terminate()) {
        terminated.recv().await;
        sleep(LAST).await;
    } else {
        std::future::pending::<()>().await;
    }
}

/// Waits a little for an agent whose pipes are closed, and says how it ended. Whoever stays is the reaper's.
async fn say_goodbye(agent: &mut Child) -> Option<String> {
    let status = timeout(FAREWELL, agent.wait()).await.ok()?.ok()?;
    let signal = status.signal().map(|signal| format!("was ended by signal {signal}"));
    signal.or_else(|| Some(format!("ended with exit code {}", status.code()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_read_as_it_was_written() {
        let task = || Task {
            read_only: true,
            allow: vec!["cargo".into(), "npm run".into()],
            model: Some("m".into()),
            resumes: Some("--s".into()),
            program: "agent".into(),
            arguments: vec!["--".into(), "--acp".into()],
        };
        assert_eq!(Task::read(task().write()), Some(task()));
        let plain = || Task { program: "agent".into(), ..Task::default() };
        assert_eq!(Task::read(plain().write()), Some(plain()));
    }

    #[test]
    fn a_command_line_without_a_program_is_a_usage_error() {
        for bad in [&[][..], &["--"], &["--allow"], &["--what", "--", "x"], &["x"]] {
            assert_eq!(Task::read(bad.iter().map(OsString::from).collect()), None, "{bad:?}");
        }
        assert_eq!(main(vec![]), USAGE);
    }
}
