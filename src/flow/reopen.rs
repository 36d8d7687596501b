//! Opens what was closed: by a person's answer, a retry, a rollback or the evaluation.
//! History stays; counters start again.

use super::state::{Counters, PhaseState, Run, Stage, Status};
use crate::event::{Answered, Choice, Escalation, Outcome, PauseReason, Reopened};
use crate::phase::Step;

/// Sets a phase and all later ones back to pending. Phases left out by choice stay left out.
pub(super) fn reopen(run: &mut Run, reopened: &Reopened) -> Result<(), String> {
    let index = run.phases.iter().position(|phase| *phase.name() == reopened.phase);
    let index = index.ok_or_else(|| format!("this run has no phase {}", reopened.phase))?;
    if run.outcome == Outcome::Cancelled {
        return Err("the run is cancelled".into());
    }
    for phase in &mut run.phases[index..] {
        phase.back_to_pending();
    }
    run.phases[index].reopened = Some(reopened.clone());
    run.paused = None;
    run.published = false;
    run.outcome = Outcome::Running;
    Ok(())
}

/// Takes a person's answer to the pause of the run.
pub(super) fn answered(run: &mut Run, answer: &Answered) -> Result<(), String> {
    let escalation = run.paused.take().ok_or("nothing was asked")?;
    run.outcome = Outcome::Running;
    let asked = run.phases.iter_mut().find(|phase| phase.status == Status::Paused);
    if let Some(phase) = asked {
        phase.answered(&escalation, answer);
    }
    Ok(())
}

impl PhaseState {
    fn back_to_pending(&mut self) {
        let by_choice = self.skipped_because.as_ref().is_some_and(|because| !because.starts_with("failed:"));
        if self.status == Status::Skipped && by_choice {
            return;
        }
        let next_round = self.rounds.iter().map(|round| round.n + 1).max().unwrap_or(1);
        let fresh = Self::new(self.def.clone());
        *self = Self {
            round: next_round,
            rounds: std::mem::take(&mut self.rounds),
            past: std::mem::take(&mut self.past),
            calls: std::mem::take(&mut self.calls),
            changed: std::mem::take(&mut self.changed),
            review: self.review.take(),
            checks: self.checks.take(),
            ..fresh
        };
    }

    fn answered(&mut self, escalation: &Escalation, answer: &Answered) {
        self.reason = None;
        self.status = Status::InProgress;
        self.advice = Some(answer.text.clone()).filter(|text| !text.trim().is_empty());
        match answer.choice {
            Choice::Continue => self.go_on(escalation.reason),
            Choice::Accept => {
                self.accepted_by = Some(answer.by.clone());
                self.round += 1;
                self.stage = Stage::Deciding;
            }
            Choice::GiveUp => {
                self.status = Status::Failed;
                self.reason = Some("given_up".into());
                self.stage = Stage::Closed;
            }
        }
    }

    fn go_on(&mut self, reason: PauseReason) {
        self.counters = Counters::default();
        self.voided = 0;
        (self.author, self.reviewer) = (0, 0);
        self.stage = match (reason, self.broken.take()) {
            (PauseReason::AgentFailed, Some(step)) => Stage::Ready(step),
            (PauseReason::Exhausted | PauseReason::Stalled | PauseReason::Discuss, _)
                if !self.def.policy.triage =>
            {
                self.counters.revisions = 1;
                Stage::Ready(Step::Revise)
            }
            _ => self.next_round(),
        };
    }
}
