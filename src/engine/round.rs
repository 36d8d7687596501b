//! What a ruling does to a phase: the round is closed and recorded, the next step is set, the counters move.
//! Does not choose the ruling.

use jiff::Timestamp;

use super::history::{PastRuling, Round};
use super::state::{PhaseState, Stage, Status};
use model::event::{CheckResult, CheckStatus, PauseReason, Reading, Ruled, Ruling};
use model::phase::Step;
use model::verdict::{Judgment, ReadAs, Verdict};

impl PhaseState {
    pub(super) fn ruled(&mut self, ruled: &Ruled, at: Timestamp) {
        self.take_up_findings();
        self.history.rulings.push(PastRuling {
            round: ruled.round,
            judgment: ruled.judgment,
            ruling: ruled.ruling.word(),
            rule: ruled.rule.clone(),
        });
        if let Ruling::Redo { step, delay_ms, next_agent, .. } = &ruled.ruling {
            self.redo(*step, *next_agent, ruled.judgment);
            self.calls.delay_ms = *delay_ms;
            return;
        }
        if let Ruling::Wait { step, .. } = &ruled.ruling {
            self.set_turn(*step, 0);
            return self.once_more(*step);
        }
        if let Ruling::LeaveOut { seat } = &ruled.ruling {
            return self.leave_out(seat, &ruled.rule);
        }
        if let (Some(step), Ruling::Pause { escalation }) = (self.evidence.broken, &ruled.ruling)
            && escalation.reason.passes_by_itself()
        {
            self.counters.redos.remove(&step);
            if escalation.reason != PauseReason::Budget {
                self.set_turn(step, 0);
            }
            return self.once_more(step);
        }
        self.close_round(ruled);
        self.follow(&ruled.ruling, at);
    }

    fn follow(&mut self, ruling: &Ruling, at: Timestamp) {
        match ruling {
            Ruling::Advance => self.stage = Stage::Closing,
            Ruling::Revise if self.evidence.triage.is_some() => self.next_round(),
            Ruling::Revise => self.begin_revision(),
            Ruling::Pause { escalation } => {
                self.status = Status::Paused;
                self.reason = Some(escalation.reason.as_str().to_owned());
                self.stage = Stage::Closed;
            }
            Ruling::Fail { reason, incomplete } => {
                self.incomplete = *incomplete;
                self.fail(reason, at);
            }
            Ruling::Redo { .. } | Ruling::Wait { .. } | Ruling::LeaveOut { .. } | Ruling::Reopen { .. } => {
                self.stage = Stage::Closed;
            }
        }
    }

    pub(super) fn fail(&mut self, reason: &str, at: Timestamp) {
        self.status = Status::Failed;
        self.reason = Some(reason.to_owned());
        self.completed_at = Some(at);
        self.stage = Stage::Closed;
    }

    pub(super) fn begin_revision(&mut self) {
        self.hand_out_tasks();
        self.counters.revisions += 1;
        self.evidence.broken = None;
        self.evidence.completed_steps.retain(|step| *step == Step::Execute);
        self.stage = Stage::Ready(Step::Revise);
    }

    /// Opens the next round on the files as they are: the triage, or a person, already made the changes.
    pub(super) fn next_round(&mut self) {
        self.open_round();
        self.stage = self.after_work();
    }

    fn redo(&mut self, step: Step, next_agent: bool, judgment: Judgment) {
        let opinion = matches!(step, Step::Review | Step::Triage);
        if let (Step::Review, Some(doubted)) = (step, self.to_be_asked().cloned()) {
            self.ask_which_holds(doubted);
        } else if next_agent {
            self.counters.redos.remove(&step);
        } else if judgment == Judgment::Unverifiable && opinion {
            self.counters.unreadable += 1;
        } else if self.evidence.broken.is_none() && (self.undecided() || self.format_redo_left()) {
            self.counters.format_redos += 1;
        } else {
            *self.counters.redos.entry(step).or_default() += 1;
        }
        if step == Step::Check {
            self.forget_evidence();
        }
        if step == Step::Review && self.due().is_none() {
            self.forget_opinions();
        }
        if step == Step::Revise && self.evidence.broken.is_none() {
            self.back_to_the_round_that_asked();
        }
        self.evidence.broken = None;
        self.evidence.completed_steps.retain(|done| *done != step);
        self.stage = Stage::Ready(step);
    }

    /// The step that broke comes again when the run goes on.
    /// What a quota or a budget did not let happen is counted nowhere; what a failing provider did not was given back already.
    fn once_more(&mut self, step: Step) {
        if !self.ended_in_outage(step) {
            self.give_pass_back(step);
        }
        self.evidence.broken = None;
        self.stage = Stage::Ready(step);
    }

    /// A redo is no round: a revise that ended, and has to be done over, opens its round once more.
    fn back_to_the_round_that_asked(&mut self) {
        let revised = self.evidence.work.as_ref().is_some_and(|work| work.step == Step::Revise);
        if revised && self.history.rounds.last().is_some_and(|round| round.n + 1 == self.round) {
            self.round -= 1;
            self.counters.rounds = self.counters.rounds.saturating_sub(1);
        }
    }

    /// A step that broke leaves the record of the round that asked for it; anything else replaces it.
    fn close_round(&mut self, ruled: &Ruled) {
        let recorded = self.history.rounds.last().is_some_and(|round| round.n == ruled.round);
        let broke = self.evidence.broken.is_some() && self.person.accepted_by.is_none();
        if !(recorded && broke) {
            let record = self.round_record(ruled);
            self.history.rounds.truncate(self.history.rounds.len() - usize::from(recorded));
            self.history.rounds.push(record);
        }
        if !recorded {
            self.counters.revisions += u32::from(self.triage_changed_files());
        }
        self.counters.redos.clear();
        self.counters.unreadable = 0;
        if !self.format_failed() {
            self.counters.format_redos = 0;
        }
    }

    fn round_record(&self, ruled: &Ruled) -> Round {
        let worked = self.evidence.work.as_ref().is_some_and(|work| !work.changed.is_empty());
        let changed_files = if self.def.policy.triage { self.triage_changed_files() } else { worked };
        Round {
            n: ruled.round,
            verdict: self.verdict(ruled.judgment),
            read_as: self.read_as(),
            grade: self.reading().and_then(|reading| reading.grade),
            judgment: ruled.judgment,
            ruling: ruled.ruling.word(),
            findings: self.findings().iter().cloned().chain(self.false_claim()).collect(),
            failed: self
                .evidence
                .checks
                .iter()
                .flatten()
                .filter(|result| did_not_pass(result))
                .cloned()
                .collect(),
            open: self.open(),
            attempts: self.attempts(ruled.round),
            changed_files,
            standstill: ruled.standstill.clone(),
            opinions: self.opinions_told(),
            exchange: self.reviews.exchange.clone(),
            table: self.evidence.triage.as_ref().and_then(|triage| triage.table),
        }
    }

    /// Counts the calls that made and judged a round; its revise carries the number of the round before.
    fn attempts(&self, round: u32) -> u32 {
        let revise = (round.saturating_sub(1), Step::Revise);
        let own = [Step::Execute, Step::Review, Step::Answer, Step::Triage].map(|step| (round, step));
        own.iter().chain([&revise]).filter_map(|call| self.calls.attempts.get(call)).sum()
    }

    /// Returns what the review amounts to after the engine's tightening; nothing when a failed check ended the round.
    fn verdict(&self, judgment: Judgment) -> Option<Verdict> {
        if self.by_table() {
            return Some(judgment.verdict());
        }
        let reading = self.reading()?;
        Some(reading.result.max(self.reviews_judgment(reading).0.verdict()))
    }

    fn read_as(&self) -> Option<ReadAs> {
        if self.by_table() {
            return Some(ReadAs::Table);
        }
        self.reading().map(|reading| reading.read_as.clone())
    }

    pub(super) fn by_table(&self) -> bool {
        self.evidence.triage.as_ref().is_some_and(|triage| triage.table.is_some())
    }

    pub(super) fn reading(&self) -> Option<&Reading> {
        self.reviews.current.as_ref().and_then(|review| review.reading.as_ref())
    }
}

fn did_not_pass(result: &CheckResult) -> bool {
    matches!(result.status, CheckStatus::Fail | CheckStatus::Unavailable)
}
