//! Says whether a fact fits where the run stands, and if not, why. Changes nothing: the fold asks here first,
//! so a fact that does not fit leaves the state as it was.

use crate::phase_state::{PhaseState, Stage, Status};
use crate::run::{Run, standing_approval};
use model::event::{Fact, Outcome, Ruled, Ruling, StepStarted};
use model::phase::{PhaseName, Step};

/// Nothing, or why the fact does not fit.
pub(crate) type FitResult = Result<(), String>;

/// Says whether the fact fits the run.
pub(crate) fn fits(run: &Run, fact: &Fact) -> FitResult {
    match fact {
        Fact::RunStarted(_) => Err("the run has already begun".into()),
        Fact::RunRequested(asked) => {
            run_is(run, NOT_CANCELLED)?;
            asked.only.as_ref().map_or(Ok(()), |only| known(run, only).map(|_| ()))
        }
        // A person may leave a phase out while the run waits for something else.
        Fact::PhaseSkipped { phase, .. } => {
            run_is(run, &[Outcome::Running, Outcome::Paused])?;
            pending(known(run, phase)?)
        }
        Fact::PhaseStarted { phase, .. } => {
            running(run)?;
            pending(known(run, phase)?)
        }
        Fact::Assessed(_) => {
            running(run)?;
            unless(run.difficulty.is_none(), || "the difficulty is known already".into())
        }
        Fact::StepStarted(started) => call_fits(run, started),
        Fact::Worked(worked) => {
            let is_authors = matches!(worked.step, Step::Execute | Step::Revise);
            unless(is_authors, || format!("{} is not a step of the author", worked.step))?;
            ended_fits(run, &worked.phase, worked.step, (worked.round, worked.attempt))
        }
        Fact::Checked(checked) => {
            at(in_round(run, &checked.phase, checked.round)?, Stage::Ready(Step::Check))
        }
        Fact::Reviewed(reviewed) => {
            seat_fits(known(run, &reviewed.phase)?, Step::Review, reviewed.seat.as_deref())?;
            ended_fits(run, &reviewed.phase, Step::Review, (reviewed.round, reviewed.attempt))
        }
        Fact::Replied(replied) => {
            ended_fits(run, &replied.phase, Step::Answer, (replied.round, replied.attempt))
        }
        Fact::ReviewStands { phase: name, round } => {
            running(run)?;
            let phase = in_round(run, name, *round)?;
            at(phase, Stage::Ready(Step::Review))?;
            unless(standing_approval(run, phase).is_some(), || format!("no approval of {name} stands"))
        }
        Fact::Triaged(triaged) => {
            ended_fits(run, &triaged.phase, Step::Triage, (triaged.round, triaged.attempt))
        }
        Fact::Ruled(ruled) => ruling_fits(run, ruled),
        Fact::ApprovalVoided { phase, .. } | Fact::Committed { phase, .. } => {
            at(known(run, phase)?, Stage::Closing)
        }
        Fact::ChangedByHand { phase, .. } => {
            running(run)?;
            waits_for_a_step(known(run, phase)?)
        }
        Fact::Paused { .. } => running(run),
        Fact::Answered(answer) => {
            let asked = run.paused.as_ref().ok_or("nothing was asked")?;
            let why = || format!("that answer was not offered for a pause for {}", asked.reason.as_str());
            unless(asked.takes(answer.choice), why)
        }
        Fact::Reopened(reopened) => {
            run_is(run, NOT_CANCELLED)?;
            reopenable(run, &reopened.phase)
        }
        // Finished work only is taken up, and one thing after the other.
        Fact::FedBack(fed) => {
            run_is(run, &[Outcome::Completed])?;
            unless(run.feedback.pending.is_none(), || "what was said before is not answered yet".into())?;
            reopenable(run, &fed.phase)
        }
        Fact::ThreadsAnswered { .. } => {
            let waits = run.feedback.pending.is_some() || !run.feedback.left_open.is_empty();
            unless(waits, || "no thread waits for an answer".into())
        }
        Fact::Cancelled { .. } => {
            run_is(run, &[Outcome::Running, Outcome::Paused, Outcome::Failed, Outcome::Incomplete])
        }
        Fact::Finished { outcome } => {
            running(run)?;
            let last = matches!(outcome, Outcome::Completed | Outcome::Failed | Outcome::Incomplete);
            unless(last, || format!("a run does not finish as {}", outcome.as_str()))
        }
        Fact::FollowedUp { .. } => {
            unless(run.publication.follow_up.is_none(), || "the run has a follow-up issue already".into())
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

const NOT_CANCELLED: &[Outcome] =
    &[Outcome::Running, Outcome::Paused, Outcome::Completed, Outcome::Failed, Outcome::Incomplete];

fn unless(fits: bool, why: impl FnOnce() -> String) -> FitResult {
    if fits { Ok(()) } else { Err(why()) }
}

fn known<'a>(run: &'a Run, name: &PhaseName) -> Result<&'a PhaseState, String> {
    run.phase(name).ok_or_else(|| format!("this run has no phase {name}"))
}

fn in_round<'a>(run: &'a Run, name: &PhaseName, round: u32) -> Result<&'a PhaseState, String> {
    let phase = known(run, name)?;
    unless(phase.round == round, || format!("{name} is in round {}, not {round}", phase.round))?;
    Ok(phase)
}

fn run_is(run: &Run, fitting: &[Outcome]) -> FitResult {
    unless(fitting.contains(&run.outcome), || format!("the run is {}", run.outcome.as_str()))
}

fn running(run: &Run) -> FitResult {
    run_is(run, &[Outcome::Running])
}

fn pending(phase: &PhaseState) -> FitResult {
    unless(phase.status == Status::Pending, || format!("{} is {}, not pending", phase.name(), phase.status))
}

fn at(phase: &PhaseState, stage: Stage) -> FitResult {
    unless(phase.stage == stage, || format!("{} is {}, not {stage}", phase.name(), phase.stage))
}

/// Who writes takes the files as they are.
fn waits_for_a_step(phase: &PhaseState) -> FitResult {
    let reader = phase.current_step().is_some_and(|step| matches!(step, Step::Review | Step::Answer));
    let fits = reader || phase.author_rests();
    unless(fits, || format!("{} is {}, not before a step", phase.name(), phase.stage))
}

/// A call begins where the step is due, or takes up the same step that was interrupted.
fn call_fits(run: &Run, started: &StepStarted) -> FitResult {
    running(run)?;
    let phase = in_round(run, &started.phase, started.round)?;
    unless(started.step != Step::Check, || format!("{} is not an agent's step of the cycle", started.step))?;
    seat_fits(phase, started.step, started.seat.as_deref())?;
    let next = phase.attempts_at(started.step) + 1;
    unless(started.attempt == next, || format!("attempt {next} of {} comes next", started.step))?;
    if phase.stage == Stage::Working(started.step) {
        return Ok(());
    }
    at(phase, Stage::Ready(started.step))
}

/// Reviewers are heard one after the other, each once.
fn seat_fits(phase: &PhaseState, step: Step, seat: Option<&str>) -> FitResult {
    let due = phase.seat_of(step);
    unless(due == seat, || {
        let name = |seat: Option<&str>| seat.unwrap_or("the first reviewer").to_owned();
        format!("{} is due, not {}", name(due), name(seat))
    })
}

fn ended_fits(run: &Run, name: &PhaseName, step: Step, (round, attempt): (u32, u32)) -> FitResult {
    let phase = in_round(run, name, round)?;
    at(phase, Stage::Working(step))?;
    let latest = phase.attempts_at(step);
    unless(attempt == latest, || format!("attempt {latest} of {step} is under way"))
}

fn ruling_fits(run: &Run, ruled: &Ruled) -> FitResult {
    running(run)?;
    let phase = in_round(run, &ruled.phase, ruled.round)?;
    at(phase, Stage::Deciding)?;
    match &ruled.ruling {
        Ruling::Reopen { phase } => reopenable(run, phase),
        Ruling::LeaveOut { seat } => {
            let silent = phase.evidence.broken == Some(Step::Review);
            let due = phase.seat_of(Step::Review) == Some(seat) && phase.is_dispensable(Step::Review);
            unless(silent && due, || format!("{seat} cannot be left out"))
        }
        Ruling::Wait { step, .. } => {
            unless(phase.evidence.broken == Some(*step), || format!("{step} did not break"))
        }
        Ruling::Advance
        | Ruling::Revise
        | Ruling::Redo { .. }
        | Ruling::Pause { .. }
        | Ruling::Fail { .. } => Ok(()),
    }
}

fn reopenable(run: &Run, name: &PhaseName) -> FitResult {
    let phase = known(run, name)?;
    unless(!phase.left_out_by_choice(), || format!("{name} was left out of this run"))
}
