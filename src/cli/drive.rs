//! Drives a run until it halts, under the eyes of the reporters, and tells how it ended.

use std::sync::{Arc, OnceLock};

use super::door::{Door, runtime};
use super::failure::{Failure, Kind};
use super::hold::Hold;
use super::{Answer, announce, signals};
use crate::config::PushWhen;
use crate::event::{ExecOutcome, Outcome};
use crate::flow::{PhaseState, Run};
use crate::forge::{Forge, LocalForge};
use crate::phase_runner::{PhaseRunner, Push, RunError};
use crate::process::{self, Stop};
use crate::report::{LocalComment, Terminal};

/// Drives the run until it halts and tells how it ended.
pub(super) fn drive(door: &Door, hold: Hold, terminal: &Terminal, json: bool) -> Answer {
    let runtime = runtime()?;
    let (handle, stop) = Stop::new();
    let signal = Arc::new(OnceLock::new());
    process::adopt_orphans();
    announce::beginning(door, &hold);
    let Hold { journal, space, folder, lock } = hold;
    let forge = LocalForge::new(door.root());
    let mut runner = PhaseRunner {
        journal,
        checkout: door.root().to_owned(),
        space,
        folder,
        forge: Forge::Local(forge.clone()),
        profiles: door.profiles(),
        prompts: door.prompts(),
        masker: door.masker.clone(),
        stop,
        push: push(door),
        signal: Arc::clone(&signal),
        seen: None,
    };
    runner.journal.tell(Box::new(terminal.clone()));
    runner.journal.tell(Box::new(LocalComment::new(forge, door.masker.clone())));
    let ended = runtime.block_on(async {
        let watch = signals::watch(handle, signal)?;
        let ended = runner.run().await;
        watch.abort();
        Ok::<_, Failure>(ended)
    })?;
    terminal.finish();
    let PhaseRunner { journal, space, folder, .. } = runner;
    told(&Hold { journal, space, folder, lock }, ended, door.settings.no_wait, json)
}

fn told(hold: &Hold, ended: Result<Outcome, RunError>, no_wait: bool, json: bool) -> Answer {
    match ended {
        Ok(outcome) => Ok(finish(hold, json, exit_code(hold.run()?, outcome, no_wait))),
        Err(error) => {
            announce::stopped(&hold.journal);
            let failure = Failure::from(error);
            let report = announce::report(&hold.journal, failure.kind as u8);
            Err(failure.with_report(Some(report)))
        }
    }
}

fn push(door: &Door) -> Push {
    match door.settings.push {
        Some(PushWhen::Phase) => Push::Phase,
        Some(PushWhen::Halt) => Push::Halt,
        Some(PushWhen::Never) | None => Push::Never,
    }
}

/// Returns the exit code of a halt.
fn exit_code(run: &Run, outcome: Outcome, no_wait: bool) -> u8 {
    match outcome {
        Outcome::Completed | Outcome::Running => 0,
        Outcome::Failed if never_started(run) => Kind::NoAgent as u8,
        Outcome::Failed | Outcome::Incomplete => Kind::PhaseFailed as u8,
        Outcome::Paused if no_wait => Kind::PhaseFailed as u8,
        Outcome::Paused => Kind::Waiting as u8,
        Outcome::Cancelled => Kind::Interrupted as u8,
    }
}

/// Tells whether the run failed because no program could be started at all.
fn never_started(run: &Run) -> bool {
    let missing = |agent: &String| {
        run.unusable.get(agent).is_some_and(|unusable| unusable.outcome == ExecOutcome::NotStarted)
    };
    let not_started = |phase: &PhaseState| {
        phase.reason.as_deref() == Some("agent_failed") && phase.def.agents.iter().all(missing)
    };
    run.phases.iter().any(not_started)
}

/// Prints the last lines, or the JSON report.
pub(super) fn finish(hold: &Hold, json: bool, code: u8) -> u8 {
    announce::ending(hold, code, json);
    code
}
