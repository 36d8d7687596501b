//! Validates a fact against the state of the run before it is applied, and says why a fact does not fit. Changes nothing, so a
//! fact that does not fit leaves the state as it was.

use crate::documents;
use crate::phase_state::{PhaseState, Status, StepPosition};
use crate::run::{Run, standing_approval};
use model::event::{Fact, Ruled, Ruling, RunOutcome, StepStarted};
use model::phase::{PhaseName, Step};

/// Nothing, or why the fact does not fit.
pub(crate) type FitResult = Result<(), String>;

/// Returns an error when the fact does not fit the run.
pub(crate) fn validate(run: &Run, fact: &Fact) -> FitResult {
    match fact {
        Fact::RunStarted(_) => Err("the run has already begun".into()),
        Fact::RunRequested(asked) => {
            refuse_outcome(run, &[RunOutcome::Cancelled])?;
            asked.only.as_ref().map_or(Ok(()), |only| find_phase(run, only).map(|_| ()))
        }
        // A person may leave a phase out while the run waits for something else.
        Fact::PhaseSkipped { phase, .. } => {
            require_outcome(run, &[RunOutcome::Running, RunOutcome::Paused])?;
            require_pending(find_phase(run, phase)?)
        }
        Fact::PhaseStarted { phase, .. } => {
            require_running(run)?;
            require_pending(find_phase(run, phase)?)
        }
        Fact::Assessed(_) => {
            require_running(run)?;
            require(run.difficulty.is_none(), || "the difficulty is known already".into())
        }
        Fact::StepStarted(started) => validate_call(run, started),
        Fact::Worked(worked) => {
            let is_authors = matches!(worked.step, Step::Execute | Step::Revise);
            require(is_authors, || format!("{} is not a step of the author", worked.step))?;
            validate_call_end(run, &worked.phase, worked.step, (worked.round, worked.attempt))
        }
        Fact::Checked(checked) => require_position(
            phase_in_round(run, &checked.phase, checked.round)?,
            StepPosition::Ready(Step::Check),
        ),
        Fact::Reviewed(reviewed) => {
            validate_seat(find_phase(run, &reviewed.phase)?, Step::Review, reviewed.seat.as_deref())?;
            validate_call_end(run, &reviewed.phase, Step::Review, (reviewed.round, reviewed.attempt))
        }
        Fact::Replied(replied) => {
            validate_call_end(run, &replied.phase, Step::Answer, (replied.round, replied.attempt))
        }
        Fact::ReviewStands { phase: name, round } => {
            require_running(run)?;
            let phase = phase_in_round(run, name, *round)?;
            require_position(phase, StepPosition::Ready(Step::Review))?;
            require(standing_approval(run, phase).is_some(), || format!("no approval of {name} stands"))
        }
        Fact::Triaged(triaged) => {
            validate_call_end(run, &triaged.phase, Step::Triage, (triaged.round, triaged.attempt))
        }
        Fact::Ruled(ruled) => validate_ruling(run, ruled),
        Fact::ApprovalVoided { phase, .. } => {
            require_position(find_phase(run, phase)?, StepPosition::Closing)
        }
        Fact::Committed { phase, documents, .. } => {
            let phase = find_phase(run, phase)?;
            require_position(phase, StepPosition::Closing)?;
            documents::validate_commit(run, phase, documents)
        }
        Fact::ChangedByHand { phase, .. } => {
            require_running(run)?;
            require_waiting(find_phase(run, phase)?)
        }
        Fact::Paused { .. } => require_running(run),
        Fact::Answered(answer) => {
            let asked = run.paused.as_ref().ok_or("nothing was asked")?;
            let why = || format!("that answer was not offered for a pause for {}", asked.reason.as_str());
            require(asked.takes(answer.choice), why)
        }
        Fact::Reopened(reopened) => {
            refuse_outcome(run, &[RunOutcome::Cancelled])?;
            require_reopenable(run, &reopened.phase)
        }
        // Finished work only is taken up, and one thing after the other.
        Fact::FedBack(fed) => {
            require_outcome(run, &[RunOutcome::Completed])?;
            require(run.feedback.pending.is_none(), || "what was said before is not answered yet".into())?;
            require_reopenable(run, &fed.phase)
        }
        Fact::ThreadsAnswered { .. } => {
            let waits = run.feedback.pending.is_some() || !run.feedback.left_open.is_empty();
            require(waits, || "no thread waits for an answer".into())
        }
        Fact::Cancelled { .. } => refuse_outcome(run, &[RunOutcome::Completed, RunOutcome::Cancelled]),
        Fact::Finished { outcome } => {
            require_running(run)?;
            let last = matches!(outcome, RunOutcome::Completed | RunOutcome::Failed | RunOutcome::Incomplete);
            require(last, || format!("a run does not finish as {}", outcome.as_str()))
        }
        Fact::FollowedUp { .. } => {
            require(run.publication.follow_up.is_none(), || "the run has a follow-up issue already".into())
        }
        Fact::MarkedReady
        | Fact::ReviewersAsked { .. }
        | Fact::Commented { .. }
        | Fact::Published { .. }
        | Fact::SpentElsewhere(_)
        | Fact::Interrupted { .. }
        | Fact::Noted { .. } => Ok(()),
    }
}

fn require(fits: bool, why: impl FnOnce() -> String) -> FitResult {
    if fits { Ok(()) } else { Err(why()) }
}

fn find_phase<'a>(run: &'a Run, name: &PhaseName) -> Result<&'a PhaseState, String> {
    run.phase(name).ok_or_else(|| format!("this run has no phase {name}"))
}

fn phase_in_round<'a>(run: &'a Run, name: &PhaseName, round: u32) -> Result<&'a PhaseState, String> {
    let phase = find_phase(run, name)?;
    require(phase.round == round, || format!("{name} is in round {}, not {round}", phase.round))?;
    Ok(phase)
}

fn require_outcome(run: &Run, fitting: &[RunOutcome]) -> FitResult {
    require(fitting.contains(&run.outcome), || format!("the run is {}", run.outcome.as_str()))
}

fn refuse_outcome(run: &Run, unfit: &[RunOutcome]) -> FitResult {
    require(!unfit.contains(&run.outcome), || format!("the run is {}", run.outcome.as_str()))
}

fn require_running(run: &Run) -> FitResult {
    require_outcome(run, &[RunOutcome::Running])
}

fn require_pending(phase: &PhaseState) -> FitResult {
    require(phase.status == Status::Pending, || format!("{} is {}, not pending", phase.name(), phase.status))
}

fn require_position(phase: &PhaseState, stage: StepPosition) -> FitResult {
    require(phase.position == stage, || format!("{} is {}, not {stage}", phase.name(), phase.position))
}

/// Requires a step that reads, or an author that does not work now: an author that works takes the files as they are.
fn require_waiting(phase: &PhaseState) -> FitResult {
    let reader = phase.current_step().is_some_and(|step| matches!(step, Step::Review | Step::Answer));
    let fits = reader || phase.is_author_idle();
    require(fits, || format!("{} is {}, not before a step", phase.name(), phase.position))
}

/// A call begins where the step is due, or takes up the same step that was interrupted.
fn validate_call(run: &Run, started: &StepStarted) -> FitResult {
    require_running(run)?;
    let phase = phase_in_round(run, &started.phase, started.round)?;
    require(started.step != Step::Check, || format!("{} is not an agent's step of the cycle", started.step))?;
    validate_seat(phase, started.step, started.seat.as_deref())?;
    let next = phase.attempts_at(started.step) + 1;
    require(started.attempt == next, || format!("attempt {next} of {} comes next", started.step))?;
    if phase.position == StepPosition::Working(started.step) {
        return Ok(());
    }
    require_position(phase, StepPosition::Ready(started.step))
}

/// Requires the reviewer that is due: reviewers are called one after the other, each once.
fn validate_seat(phase: &PhaseState, step: Step, seat: Option<&str>) -> FitResult {
    let due = phase.seat_of(step);
    require(due == seat, || {
        let name = |seat: Option<&str>| seat.unwrap_or("the first reviewer").to_owned();
        format!("{} is due, not {}", name(due), name(seat))
    })
}

fn validate_call_end(run: &Run, name: &PhaseName, step: Step, (round, attempt): (u32, u32)) -> FitResult {
    let phase = phase_in_round(run, name, round)?;
    require_position(phase, StepPosition::Working(step))?;
    let latest = phase.attempts_at(step);
    require(attempt == latest, || format!("attempt {latest} of {step} is under way"))
}

fn validate_ruling(run: &Run, ruled: &Ruled) -> FitResult {
    require_running(run)?;
    let phase = phase_in_round(run, &ruled.phase, ruled.round)?;
    require_position(phase, StepPosition::Deciding)?;
    match &ruled.ruling {
        Ruling::Reopen { phase } => require_reopenable(run, phase),
        Ruling::LeaveOut { seat } => {
            let silent = phase.evidence.broken == Some(Step::Review);
            let due = phase.seat_of(Step::Review) == Some(seat) && phase.is_dispensable(Step::Review);
            require(silent && due, || format!("{seat} cannot be left out"))
        }
        Ruling::Wait { step, .. } => {
            require(phase.evidence.broken == Some(*step), || format!("{step} did not break"))
        }
        Ruling::Advance
        | Ruling::Revise
        | Ruling::Redo { .. }
        | Ruling::Pause { .. }
        | Ruling::Fail { .. } => Ok(()),
    }
}

fn require_reopenable(run: &Run, name: &PhaseName) -> FitResult {
    let phase = find_phase(run, name)?;
    require(!phase.is_left_out_by_choice(), || format!("{name} was left out of this run"))
}
