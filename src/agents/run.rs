//! Calls an agent: starts its program under supervision, passes its output to the parser of its kind, and ends it when the
//! caller stops it, when it used more than it may, or when it cannot succeed any more.

use std::cell::RefCell;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use model::event::ExecOutcome;
use model::redact::Masked;
use process::{Launch, ProgramEnd, Stop, Stream};
use settings::AgentKind;

use super::call::{AgentAnswer, AgentCall, OutputParser, PreparedCall};
use super::launch::make_launch;
use super::lookup::{ResolvedAgent, resolve};
use super::scripted::ScriptedParser;
use super::spec::{AgentSpec, Profiles};
use super::transcript::Transcript;
use super::usage::describe_excess;
use super::{acp, claude, codex};

/// How often the last line is shown.
const SHOW_INTERVAL: Duration = Duration::from_millis(200);

/// Calls an agent and waits for its end. Never fails: every failure is an outcome with a reason.
pub async fn call(
    spec: &AgentSpec,
    profiles: &Profiles,
    call: &AgentCall<'_>,
    on_line: &mut dyn FnMut(&Masked),
    stop: &mut Stop,
) -> AgentAnswer {
    let mut answer = match prepare(spec, profiles, call) {
        Ok((launch, parser)) => run_program(&launch, parser, call, on_line, stop).await,
        Err(reason) => AgentAnswer::with_reason(ExecOutcome::NotStarted, reason),
    };
    answer.simulated = spec.is_simulated();
    let mask = |text: String| call.masker.mask(&text).to_string();
    answer.reason = answer.reason.map(mask);
    answer.notices = answer.notices.into_iter().map(mask).collect();
    answer
}

/// Makes the launch of an agent, or says why there is none.
fn prepare(spec: &AgentSpec, profiles: &Profiles, call: &AgentCall<'_>) -> Result<PreparedCall, String> {
    let agent = resolve(spec, profiles).map_err(|error| error.to_string())?;
    match agent.kind {
        AgentKind::Command if matches!(spec, AgentSpec::Scripted(_)) => {
            Ok((scripted_launch(agent, call), Box::new(ScriptedParser)))
        }
        AgentKind::Command => Ok((make_launch(&agent, &[], call), Box::new(CommandParser))),
        AgentKind::Claude => claude::prepare(agent, call),
        AgentKind::Codex => codex::prepare(agent, call),
        AgentKind::Acp => Ok(acp::prepare(agent, call)),
    }
}

/// Makes the launch of our own program, which plays every script.
fn scripted_launch(script: ResolvedAgent, call: &AgentCall<'_>) -> Launch {
    let attempt = call.attempt.to_string().into();
    let arguments = vec!["__scripted".into(), script.program.into_os_string(), "--attempt".into(), attempt];
    let player = ResolvedAgent { program: call.own_program.to_owned(), arguments, ..script };
    make_launch(&player, &[], call)
}

/// A call under way.
struct RunningCall<'a> {
    call: &'a AgentCall<'a>,
    parser: Box<dyn OutputParser>,
    transcript: Transcript<'a>,
    /// Why it has to end, once it used more than it may.
    excess: Option<String>,
}

impl RunningCall<'_> {
    /// Tells whether it used more than it may, as far as its program reports that while it works.
    fn is_over_budget(&mut self) -> bool {
        let allowance = &self.call.allowance;
        let is_limited = allowance.usd.is_some() || allowance.tokens.is_some();
        if is_limited && self.excess.is_none() {
            self.excess = describe_excess(allowance, &self.parser.usage_so_far());
        }
        self.excess.is_some()
    }
}

/// Runs the program, keeps what it prints, shows its last line, and parses its output.
async fn run_program(
    launch: &Launch,
    parser: Box<dyn OutputParser>,
    call: &AgentCall<'_>,
    on_line: &mut dyn FnMut(&Masked),
    stop: &mut Stop,
) -> AgentAnswer {
    let transcript = Transcript::create(call.raw_file, call.masker);
    let running = RefCell::new(RunningCall { call, parser, transcript, excess: None });
    let (stop_program, mut program_stop) = Stop::new();
    let mut on_output = |stream: Stream, bytes: &[u8]| {
        let mut running = running.borrow_mut();
        let RunningCall { parser, transcript, .. } = &mut *running;
        parser.push(stream, bytes, transcript);
        if running.is_over_budget() {
            stop_program.stop();
        }
    };
    let mut timer = interval(SHOW_INTERVAL);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut urgency = stop.urgency();
    stop_program.raise(urgency);
    let finish = {
        let mut program = std::pin::pin!(process::run(launch, &mut on_output, &mut program_stop));
        loop {
            tokio::select! {
                finish = &mut program => break finish,
                raised = stop.wait_beyond(urgency) => {
                    urgency = raised;
                    stop_program.raise(raised);
                }
                _ = timer.tick() => {
                    let mut running = running.borrow_mut();
                    show_last_line(&mut running.transcript, on_line);
                    if running.is_over_budget() || running.parser.is_hopeless() {
                        stop_program.stop();
                    }
                }
            }
        }
    };
    let RunningCall { parser, mut transcript, excess, .. } = running.into_inner();
    let millis = finish.millis;
    let mut answer = parser.finish(launch, finish, &mut transcript);
    if let (ExecOutcome::Cancelled, Some(reason)) = (answer.outcome, excess) {
        (answer.outcome, answer.reason) = (ExecOutcome::OverBudget, Some(reason));
    }
    show_last_line(&mut transcript, on_line);
    transcript.write_all(true);
    answer.millis = millis;
    answer
}

fn show_last_line(transcript: &mut Transcript<'_>, on_line: &mut dyn FnMut(&Masked)) {
    if let Some(line) = transcript.flush() {
        on_line(&line);
    }
}

/// The parser of `command:PATH` and of profiles that name no other kind: standard output is the answer, the exit code
/// says whether it ended well.
struct CommandParser;

impl OutputParser for CommandParser {
    fn push(&mut self, stream: Stream, bytes: &[u8], transcript: &mut Transcript<'_>) {
        transcript.keep_and_show(stream, bytes);
    }

    fn finish(self: Box<Self>, launch: &Launch, finish: ProgramEnd, _: &mut Transcript<'_>) -> AgentAnswer {
        let text = String::from_utf8_lossy(&finish.stdout).into_owned();
        let outcome = AgentAnswer::from_exit(launch, &finish, &text);
        AgentAnswer { text, truncated: finish.stdout_truncated, ..outcome }
    }
}

#[cfg(test)]
mod tests;
