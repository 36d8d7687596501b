//! Opens phases again: after a person's answer, a retry, a rollback, a decision of the evaluation, or feedback on finished work.
//! History stays; counters start again.

use jiff::Timestamp;

use crate::findings::{take_up_feedback, take_up_put_back};
use crate::history::{Approval, History};
use crate::phase_state::{Counters, PhaseState, Status, StepPosition};
use crate::run::Run;
use model::event::{
    Answered, Feedback, FeedbackSource, PauseChoice, PauseReason, Reopened, ReopenedBy, RunOutcome,
    UsageTotal,
};
use model::phase::Step;
use model::policy::Gate;

/// Sets a phase and all later ones back to pending. Phases left out by choice stay left out,
/// and so does the question of an earlier phase.
pub(crate) fn reopen(run: &mut Run, reopened: &Reopened) {
    let reopened_at = run.phases.iter().position(|phase| *phase.name() == reopened.phase);
    if let Some(index) = reopened_at {
        let approval = approval_to_keep(&run.phases[index], reopened);
        run.phases[index..].iter_mut().for_each(reset_to_pending);
        run.phases[index].person.reopened = Some(reopened.clone());
        run.phases[index].reviews.approval = approval;
    }
    if reopened.by != ReopenedBy::Evaluation {
        run.cycles = 0;
    }
    if run.phases.iter().all(|phase| phase.status != Status::Paused) {
        run.paused = None;
        run.outcome = RunOutcome::Running;
    }
}

/// Returns the approval of a phase that a person has looked at again as it is: it holds as long as nothing has changed. Work that
/// is done again is judged again.
fn approval_to_keep(phase: &PhaseState, reopened: &Reopened) -> Option<Approval> {
    let is_looked_at_again =
        reopened.by == ReopenedBy::Rollback && matches!(reopened.step, Step::Check | Step::Review);
    if is_looked_at_again { phase.reviews.approval.clone() } else { None }
}

/// Applies a person's answer to the pause of the run.
pub(crate) fn apply_answer(run: &mut Run, answer: &Answered, at: Timestamp) {
    let Some(escalation) = run.paused.take() else { return };
    run.outcome = RunOutcome::Running;
    let asked = run.phases.iter_mut().find(|phase| phase.status == Status::Paused);
    match asked {
        Some(phase) if escalation.reason == PauseReason::Gate => answer_gate(phase, answer, at),
        Some(phase) => take_answer(phase, escalation.reason, answer, at),
        None => advise(run, &answer.text),
    }
}

/// Keeps a person's advice for the phase that was opened again, when no phase waits.
fn advise(run: &mut Run, text: &str) {
    if let Some(phase) = run.phases.iter_mut().find(|phase| phase.person.reopened.is_some()) {
        phase.person.advice = Some(text.to_owned()).filter(|text| !text.trim().is_empty());
    }
}

fn reset_to_pending(phase: &mut PhaseState) {
    if phase.is_left_out_by_choice() {
        return;
    }
    take_up_put_back(phase);
    let next_round = phase.history.rounds.last().map_or(1, |round| round.n + 1);
    let fresh = PhaseState::new(phase.def.clone());
    let before = std::mem::replace(phase, fresh);
    let latest_called = before.calls.attempts.keys().map(|(round, _)| *round).max().unwrap_or(1);
    phase.round = next_round.max(latest_called);
    phase.history = History { before_reopening: before.history.rounds.len(), ..before.history };
    phase.ledger = before.ledger;
    phase.tasks = before.tasks;
    phase.calls = before.calls.keep_on_reopening();
    phase.evidence.checks = before.evidence.checks;
    phase.evidence.evaluation = before.evidence.evaluation;
    phase.reviews.current = before.reviews.current;
    phase.reviews.latest_verdict = before.reviews.latest_verdict;
    phase.files.changed = before.files.changed;
    phase.files.changed_after_review = before.files.changed_after_review;
    phase.files.on_branch = before.files.on_branch;
    phase.files.by_hand = before.files.by_hand;
    phase.files.first_commit = before.files.first_commit.or(before.files.commit);
    phase.tasks.forget_tries();
    phase.ledger.revoke_waivers();
}

/// Has the files that a person changed checked again. The limits keep their counts, this round counts against none, and the
/// author's claim is dropped, since it says nothing about these files.
fn recheck_edited_files(phase: &mut PhaseState) {
    let Counters { passes, reviews, revisions, continuations, .. } = phase.counters;
    let rounds = phase.counters.rounds.saturating_sub(phase.counters.voided);
    reset_chains(phase);
    phase.evidence.broken = None;
    if let Some(work) = &mut phase.evidence.work {
        work.claim = None;
    }
    phase.begin_next_round();
    phase.counters = Counters { passes, rounds, reviews, revisions, continuations, ..Counters::default() };
}

fn reset_chains(phase: &mut PhaseState) {
    phase.counters.voided = 0;
    phase.calls.turns.clear();
    phase.tasks.forget_tries();
}

/// Pauses a phase whose gate asks a person.
pub(crate) fn wait_at_gate(phase: &mut PhaseState) {
    if phase.status == Status::Pending && phase.def.gate == Gate::Ask {
        phase.status = Status::Paused;
        phase.reason = Some(PauseReason::Gate.as_str().to_owned());
    }
}

fn answer_gate(phase: &mut PhaseState, answer: &Answered, at: Timestamp) {
    phase.reason = None;
    phase.status = Status::Pending;
    phase.person.advice = Some(answer.text.clone()).filter(|text| !text.trim().is_empty());
    match answer.choice {
        PauseChoice::Continue | PauseChoice::Accept | PauseChoice::Edited => phase.person.gate_opened = true,
        PauseChoice::GiveUp => phase.fail("given_up", at),
    }
}

/// Continues with fresh limits at the step that led to the pause; what a person changed meanwhile is checked again.
fn continue_phase(phase: &mut PhaseState, reason: PauseReason) {
    phase.counters = Counters::default();
    reset_chains(phase);
    let wants_revision =
        matches!(reason, PauseReason::Exhausted | PauseReason::Stalled | PauseReason::Discuss);
    match phase.evidence.broken.take() {
        Some(Step::Revise) => phase.begin_revision(),
        Some(step @ (Step::Execute | Step::Triage)) => {
            phase.counters.rounds = 1;
            phase.position = StepPosition::Ready(step);
        }
        _ if wants_revision && !phase.def.policy.triage => phase.begin_revision(),
        _ => phase.begin_next_round(),
    }
}

fn take_answer(phase: &mut PhaseState, reason: PauseReason, answer: &Answered, at: Timestamp) {
    phase.reason = None;
    phase.status = Status::InProgress;
    phase.person.advice = Some(answer.text.clone()).filter(|text| !text.trim().is_empty());
    phase.add_manual_changes(&answer.changed);
    match answer.choice {
        PauseChoice::Continue => {
            phase.person.granted = answer.rounds;
            continue_phase(phase, reason);
        }
        PauseChoice::Accept => {
            phase.person.accepted_by = Some(answer.by.clone());
            phase.person.accepted_because.clone_from(&phase.person.advice);
            phase.position = StepPosition::Deciding;
        }
        PauseChoice::GiveUp => phase.fail("given_up", at),
        PauseChoice::Edited => recheck_edited_files(phase),
    }
}

pub(crate) fn take_feedback(run: &mut Run, fed: &Feedback) {
    run.spending.latest_call = UsageTotal::default();
    let (phase, reason) = (fed.phase.clone(), fed.reason());
    reopen(run, &Reopened { phase, step: Step::Revise, reason, by: ReopenedBy::Feedback });
    take_up_feedback(run.phase_mut(&fed.phase), &fed.findings);
    run.feedback.left_open.retain(|left| fed.threads.iter().all(|taken| taken.id != *left));
    run.feedback.threads.extend(fed.threads.iter().map(|taken| (taken.id.clone(), taken.up_to)));
    match fed.by {
        FeedbackSource::Reviewers => run.feedback.pending = Some(fed.clone()),
        FeedbackSource::Checks => run.feedback.ci_rounds += 1,
    }
}
