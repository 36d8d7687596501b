//! Begins a run, resumes it or goes on with it, whatever there is to do, until it halts.

use crate::begin::begin_run;
use crate::continued_elsewhere::refuse_continued_elsewhere;
use crate::external_changes;
use crate::failure::{Failure, FailureKind, HaltResult};
use crate::kept_settings::{refuse_contradiction, refuse_untrusted_settings};
use crate::locked_run::{LockedIssue, LockedRun};
use crate::lost_commits::refuse_lost_commits;
use crate::project::Project;
use crate::rollback::cancelled;
use crate::run_location::{RunLocation, locate, view};
use crate::run_request::{ExecuteRequest, record_request, refuse_request};
use crate::run_to_halt::{RunDriver, RunObserver, halt_of, refresh_now, show};
use engine::{PhaseState, Run, Status};
use model::event::RunOutcome;
use model::issue::IssueNumber;
use model::phase::PhaseName;
use runner::report::skip_line;

/// Begins the run of an issue, or goes on with it, until it halts.
pub fn execute(project: &Project, observer: &dyn RunObserver, request: &ExecuteRequest) -> HaltResult {
    if let RunLocation::Finalized(record) = locate(project, request.issue)? {
        observer.show_finalized(&record);
        return Ok(None);
    }
    project.warn_of_short_secrets();
    let mut locked = take_or_begin(project, request)?;
    let run = locked.run();
    let early_halt = match run.outcome {
        RunOutcome::Completed => return show_completed(project, observer, locked),
        RunOutcome::Cancelled => {
            refresh_now(project, run);
            return Err(cancelled(run));
        }
        RunOutcome::Failed | RunOutcome::Incomplete if !request.retry_failed => {
            log_failed_phase(run);
            Some(FailureKind::PhaseFailed)
        }
        RunOutcome::Paused if run.waits_for_a_person() => halt_of(project, run, RunOutcome::Paused),
        RunOutcome::Running | RunOutcome::Paused | RunOutcome::Failed | RunOutcome::Incomplete => None,
    };
    if early_halt.is_some() {
        refresh_now(project, locked.run());
        show(observer, &locked, early_halt);
        return Ok(early_halt);
    }
    let has_begun = run.has_begun();
    locked.log_facts();
    external_changes::refuse_closed(project, locked.run())?;
    if let Some(lost) = external_changes::find_lost_files(project, &locked)? {
        external_changes::reopen_phase(&mut locked, &lost, "")?;
    }
    record_request(project, &mut locked, request)?;
    if has_begun {
        external_changes::note_changes(project, &mut locked)?;
    }
    RunDriver { project, observer }.drive(locked)
}

/// Nothing is left to do but what a crash or a refused push left undone between the last fact and its commit or its push.
fn show_completed(project: &Project, observer: &dyn RunObserver, mut locked: LockedRun) -> HaltResult {
    let number = locked.folder.issue();
    tracing::info!("The run of issue #{number} is completed; nothing is left to do");
    if let Err(gone) = locked.space.run_branch().refuse_missing() {
        tracing::warn!("{gone}");
        show(observer, &locked, None);
        return Ok(None);
    }
    // People who commit on top of a completed run decide what becomes of it.
    if external_changes::warn_of_commits_on_top(project, &locked)? {
        refresh_now(project, locked.run());
        show(observer, &locked, None);
        return Ok(None);
    }
    locked.log_facts();
    RunDriver { project, observer }.drive(locked)
}

/// Returns the phase of this name, of the settings or of the run that has begun; nothing for `all`.
pub fn phase_named(project: &Project, issue: IssueNumber, text: &str) -> Result<Option<PhaseName>, Failure> {
    if text == "all" {
        return Ok(None);
    }
    let phases = project.settings.phase_names();
    let is_it = |name: &&PhaseName| name.as_str() == text;
    let found = phases.iter().find(is_it).cloned().or_else(|| {
        let view = view(project, issue).ok()?;
        view.run().phases.iter().map(PhaseState::name).find(is_it).cloned()
    });
    if found.is_some() {
        return Ok(found);
    }
    let names: Vec<&str> = phases.iter().map(PhaseName::as_str).collect();
    let failure = Failure::usage(format!("there is no phase `{text}`"));
    Err(match settings::suggestion(text, names.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!("the phases are: all, {}", names.join(", "))),
    })
}

fn take_or_begin(project: &Project, request: &ExecuteRequest) -> Result<LockedRun, Failure> {
    let issue = request.issue;
    let mut locks = match LockedRun::take_if_begun(project, issue, &|run| refuse(project, run, request))? {
        LockedIssue::NotBegun(locks) => locks,
        LockedIssue::Begun(locked) => {
            let run = locked.run();
            refuse_contradiction(project, run)?;
            refuse_continued_elsewhere(project, locked.space.workspace(), run)?;
            if matches!(run.outcome, RunOutcome::Running | RunOutcome::Paused) || request.retry_failed {
                refuse_lost_commits(&locked)?;
                locked.space.run_branch().refuse_missing()?;
                refuse_untrusted_settings(project, run)?;
            }
            return Ok(*locked);
        }
    };
    match begin_run(project, request, &mut locks) {
        Ok((journal, space, folder)) => Ok(LockedRun { journal, space, folder, locks }),
        Err(failure) => {
            locks.remove(project, issue);
            Err(failure)
        }
    }
}

/// Refuses what this run does not take. Writes nothing.
pub(crate) fn refuse(project: &Project, run: &Run, request: &ExecuteRequest) -> Result<(), Failure> {
    refuse_contradiction(project, run)?;
    let goes_on = match run.outcome {
        RunOutcome::Running => true,
        RunOutcome::Failed | RunOutcome::Incomplete => request.retry_failed,
        RunOutcome::Paused => !run.waits_for_a_person(),
        RunOutcome::Completed => false,
        RunOutcome::Cancelled => return Err(cancelled(run)),
    };
    if goes_on { refuse_request(project, run, request) } else { Ok(()) }
}

/// Says that a run failed before and how to open it again.
fn log_failed_phase(run: &Run) {
    let Some(failed) = run.phases.iter().find(|phase| phase.status == Status::Failed) else { return };
    let reason = failed.reason.as_deref().unwrap_or("no reason");
    tracing::error!("Phase {}: Failed earlier: {reason}", failed.name());
    tracing::error!("{}", skip_line(failed.name().as_str()));
}
