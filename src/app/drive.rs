//! The turn of a process on a run, shown to somebody: has it worked on until it halts, shows how it stands then, reports that
//! to the job that this may be, and starts another job where the run waits for one.

use crate::bundle::VerifiedBundle;
use crate::failure::{FailureKind, Result};
use crate::github_job::{self, WorkDone};
use crate::locked_run::LockedRun;
use crate::project::Project;
use crate::run_to_halt::{Halt, HaltResult, RunObserver, Turn, TurnStart};
use engine::{PhaseState, Run};
use model::event::{ExecOutcome, Fact, Outcome};
use runner::JobRole;

/// Returns what the halt of a run counts as.
pub fn halt_of(project: &Project, run: &Run, outcome: Outcome) -> Halt {
    match outcome {
        Outcome::Completed | Outcome::Running => None,
        Outcome::Failed if never_started(run) => Some(FailureKind::NoAgent),
        Outcome::Failed | Outcome::Incomplete => Some(FailureKind::PhaseFailed),
        Outcome::Paused if project.settings.no_wait => Some(FailureKind::PhaseFailed),
        Outcome::Paused => Some(FailureKind::Waiting),
        Outcome::Cancelled => Some(FailureKind::Interrupted),
    }
}

/// Tells whether the run failed because no program could be started at all.
fn never_started(run: &Run) -> bool {
    let missing = |agent: &String| {
        run.agents.unusable.get(agent).is_some_and(|unusable| unusable.outcome == ExecOutcome::NotStarted)
    };
    let not_started = |phase: &PhaseState| {
        phase.reason.as_deref() == Some("agent_failed") && phase.def.agents.iter().all(missing)
    };
    run.phases.iter().any(not_started)
}

impl Turn<'_> {
    /// Drives the run until it halts and shows how it ended.
    pub fn drive(self, locked: LockedRun) -> HaltResult {
        let end = self.run_to_halt(locked, TurnStart::default())?;
        let halt = self.show_halt(&end.locked, end.outcome)?;
        if self.project.role == JobRole::Both {
            let done = if end.has_called { WorkDone::Worked } else { WorkDone::Idle };
            github_job::start_again(self.project, &end.locked, done);
        }
        Ok(halt)
    }

    /// Publishes what another process worked on, as far as it was judged, and shows how the run stands.
    pub fn publish(self, locked: LockedRun, bundle: &VerifiedBundle) -> HaltResult {
        let start = TurnStart { first: None, judged: Some(bundle.tip.clone()) };
        let end = self.run_to_halt(locked, start)?;
        let halt = self.show_halt(&end.locked, end.outcome)?;
        // Whoever publishes sees what the checks of the server say, and asks no agent.
        if end.took_up_red_checks && end.outcome == Outcome::Running {
            github_job::start_again(self.project, &end.locked, WorkDone::RedChecks);
        } else if bundle.asks_for_more {
            github_job::start_again(self.project, &end.locked, WorkDone::Worked);
        }
        Ok(halt)
    }

    /// Writes down what ends the run's turn, and shares it: the comment, the branch, the pull request.
    pub fn share(self, locked: LockedRun, last: Fact) -> Result<()> {
        let start = TurnStart { first: Some(last), judged: None };
        let end = self.run_to_halt(locked, start)?;
        show(self.observer, &end.locked, None);
        Ok(())
    }

    /// Shows how a run came to this outcome, and returns what that counts as.
    pub fn show_halt(self, locked: &LockedRun, outcome: Outcome) -> HaltResult {
        let halt = halt_of(self.project, locked.run()?, outcome);
        show(self.observer, locked, halt);
        Ok(halt)
    }
}

/// Shows how a run stands, and reports it to the job that we may be in.
pub fn show(observer: &dyn RunObserver, locked: &LockedRun, halt: Halt) {
    observer.halted(locked, halt);
    observer.job_commands(&github_job::report(locked, None));
}
