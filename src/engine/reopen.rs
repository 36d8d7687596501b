//! Opens what was closed: by a person's answer, a retry, a rollback or the evaluation.
//! History stays; counters start again.

use jiff::Timestamp;

use super::state::{Counters, PhaseState, Run, Stage, Status};
use model::event::{Answered, Choice, Outcome, PauseReason, Reopened, ReopenedBy};
use model::phase::Step;
use model::policy::Gate;

/// Sets a phase and all later ones back to pending. Phases left out by choice stay left out,
/// and so does the question of an earlier phase.
pub(super) fn reopen(run: &mut Run, reopened: &Reopened) {
    let from = run.phases.iter().skip_while(|phase| *phase.name() != reopened.phase).count();
    let index = run.phases.len() - from;
    for phase in &mut run.phases[index..] {
        phase.back_to_pending();
    }
    if let Some(phase) = run.phases.get_mut(index) {
        phase.reopened = Some(reopened.clone());
    }
    if reopened.by != ReopenedBy::Evaluation {
        run.cycles = 0;
    }
    if run.phases.iter().all(|phase| phase.status != Status::Paused) {
        run.paused = None;
        run.outcome = Outcome::Running;
    }
}

/// Takes a person's answer to the pause of the run.
pub(super) fn answered(run: &mut Run, answer: &Answered, at: Timestamp) {
    let Some(escalation) = run.paused.take() else { return };
    run.outcome = Outcome::Running;
    let asked = run.phases.iter_mut().find(|phase| phase.status == Status::Paused);
    match asked {
        Some(phase) if escalation.reason == PauseReason::Gate => phase.at_gate(answer, at),
        Some(phase) => phase.answered(escalation.reason, answer, at),
        None => run.advise(&answer.text),
    }
}

impl Run {
    /// What a person says about a run that no phase made wait is for the phase that was opened again.
    fn advise(&mut self, text: &str) {
        if let Some(phase) = self.phases.iter_mut().find(|phase| phase.reopened.is_some()) {
            phase.advice = Some(text.to_owned()).filter(|text| !text.trim().is_empty());
        }
    }
}

impl PhaseState {
    fn back_to_pending(&mut self) {
        if self.left_out_by_choice() {
            return;
        }
        let next_round = self.rounds.last().map_or(1, |round| round.n + 1);
        let fresh = Self::new(self.def.clone());
        *self = Self {
            round: next_round.max(self.latest_called_round()),
            earlier_rounds: self.rounds.len(),
            rounds: std::mem::take(&mut self.rounds),
            ledger: std::mem::take(&mut self.ledger),
            tasks: std::mem::take(&mut self.tasks),
            past: std::mem::take(&mut self.past),
            calls: std::mem::take(&mut self.calls),
            prompts: std::mem::take(&mut self.prompts),
            templates: std::mem::take(&mut self.templates),
            documents: std::mem::take(&mut self.documents),
            usage: std::mem::take(&mut self.usage),
            changed: std::mem::take(&mut self.changed),
            on_branch: std::mem::take(&mut self.on_branch),
            by_hand: std::mem::take(&mut self.by_hand),
            review: self.review.take(),
            bound: self.bound.take(),
            checks: self.checks.take(),
            earlier: self.earlier.take().or_else(|| self.commit.take()),
            evaluation: self.evaluation.take(),
            ..fresh
        };
        self.tasks.forget_tries();
        self.ledger.take_waivers_back();
    }

    fn latest_called_round(&self) -> u32 {
        self.calls.keys().map(|(round, _)| *round).max().unwrap_or(1)
    }

    fn answered(&mut self, reason: PauseReason, answer: &Answered, at: Timestamp) {
        self.reason = None;
        self.status = Status::InProgress;
        self.advice = Some(answer.text.clone()).filter(|text| !text.trim().is_empty());
        self.was_changed(&answer.changed);
        match answer.choice {
            Choice::Continue => {
                self.granted = answer.rounds;
                self.go_on(reason);
            }
            Choice::Accept => {
                self.accepted_by = Some(answer.by.clone());
                self.accepted_because.clone_from(&self.advice);
                self.stage = Stage::Deciding;
            }
            Choice::GiveUp => self.fail("given_up", at),
            Choice::Edited => self.edited(),
        }
    }

    /// Looks again at what a person changed. No limit begins anew, this round counts for none, and what the author said of its own
    /// work says nothing about this.
    fn edited(&mut self) {
        let Counters { passes, reviews, revisions, .. } = self.counters;
        let rounds = self.counters.rounds.saturating_sub(self.voided);
        self.begin_chains_anew();
        self.broken = None;
        if let Some(work) = &mut self.work {
            work.claim = None;
        }
        self.next_round();
        self.counters = Counters { passes, rounds, reviews, revisions, ..Counters::default() };
    }

    fn begin_chains_anew(&mut self) {
        self.voided = 0;
        (self.author, self.reviewer) = (0, 0);
        self.own_turns.clear();
        self.tasks.forget_tries();
        self.seat_turns.clear();
    }

    /// Waits for a person to open the gate.
    pub(super) fn wait_at_gate(&mut self) {
        if self.status == Status::Pending && self.def.gate == Gate::Ask {
            self.status = Status::Paused;
            self.reason = Some(PauseReason::Gate.as_str().to_owned());
        }
    }

    fn at_gate(&mut self, answer: &Answered, at: Timestamp) {
        self.reason = None;
        self.status = Status::Pending;
        self.advice = Some(answer.text.clone()).filter(|text| !text.trim().is_empty());
        match answer.choice {
            Choice::Continue | Choice::Accept | Choice::Edited => self.let_in = true,
            Choice::GiveUp => self.fail("given_up", at),
        }
    }

    /// Goes on with fresh limits where the pause came from; whatever a person changed meanwhile is checked again.
    fn go_on(&mut self, reason: PauseReason) {
        self.counters = Counters::default();
        self.begin_chains_anew();
        let wants_revision =
            matches!(reason, PauseReason::Exhausted | PauseReason::Stalled | PauseReason::Discuss);
        match self.broken.take() {
            Some(Step::Revise) => self.begin_revision(),
            Some(step @ (Step::Execute | Step::Triage)) => {
                self.counters.rounds = 1;
                self.stage = Stage::Ready(step);
            }
            _ if wants_revision && !self.def.policy.triage => self.begin_revision(),
            _ => self.next_round(),
        }
    }
}
