//! Opens what was closed: by a person's answer, a retry, a rollback or the evaluation.
//! History stays; counters start again.

use jiff::Timestamp;

use super::calls::Turns;
use super::history::History;
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
        phase.person.reopened = Some(reopened.clone());
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
        if let Some(phase) = self.phases.iter_mut().find(|phase| phase.person.reopened.is_some()) {
            phase.person.advice = Some(text.to_owned()).filter(|text| !text.trim().is_empty());
        }
    }
}

impl PhaseState {
    fn back_to_pending(&mut self) {
        if self.left_out_by_choice() {
            return;
        }
        let next_round = self.history.rounds.last().map_or(1, |round| round.n + 1);
        let fresh = Self::new(self.def.clone());
        let before = std::mem::replace(self, fresh);
        self.round = next_round.max(before.latest_called_round());
        self.history = History { before_reopening: before.history.rounds.len(), ..before.history };
        self.ledger = before.ledger;
        self.tasks = before.tasks;
        self.calls = before.calls.kept_on_reopening();
        self.evidence.checks = before.evidence.checks;
        self.evidence.evaluation = before.evidence.evaluation;
        self.reviews.current = before.reviews.current;
        self.reviews.latest_verdict = before.reviews.latest_verdict;
        self.files.changed = before.files.changed;
        self.files.on_branch = before.files.on_branch;
        self.files.by_hand = before.files.by_hand;
        self.files.first_commit = before.files.first_commit.or(before.files.commit);
        self.tasks.forget_tries();
        self.ledger.take_waivers_back();
    }

    fn latest_called_round(&self) -> u32 {
        self.calls.attempts.keys().map(|(round, _)| *round).max().unwrap_or(1)
    }

    fn answered(&mut self, reason: PauseReason, answer: &Answered, at: Timestamp) {
        self.reason = None;
        self.status = Status::InProgress;
        self.person.advice = Some(answer.text.clone()).filter(|text| !text.trim().is_empty());
        self.was_changed(&answer.changed);
        match answer.choice {
            Choice::Continue => {
                self.person.granted = answer.rounds;
                self.go_on(reason);
            }
            Choice::Accept => {
                self.person.accepted_by = Some(answer.by.clone());
                self.person.accepted_because.clone_from(&self.person.advice);
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
        let rounds = self.counters.rounds.saturating_sub(self.counters.voided);
        self.begin_chains_anew();
        self.evidence.broken = None;
        if let Some(work) = &mut self.evidence.work {
            work.claim = None;
        }
        self.next_round();
        self.counters = Counters { passes, rounds, reviews, revisions, ..Counters::default() };
    }

    fn begin_chains_anew(&mut self) {
        self.counters.voided = 0;
        self.calls.turns = Turns::default();
        self.tasks.forget_tries();
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
        self.person.advice = Some(answer.text.clone()).filter(|text| !text.trim().is_empty());
        match answer.choice {
            Choice::Continue | Choice::Accept | Choice::Edited => self.person.gate_opened = true,
            Choice::GiveUp => self.fail("given_up", at),
        }
    }

    /// Goes on with fresh limits where the pause came from; whatever a person changed meanwhile is checked again.
    fn go_on(&mut self, reason: PauseReason) {
        self.counters = Counters::default();
        self.begin_chains_anew();
        let wants_revision =
            matches!(reason, PauseReason::Exhausted | PauseReason::Stalled | PauseReason::Discuss);
        match self.evidence.broken.take() {
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
