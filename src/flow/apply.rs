//! Folds one fact into the state. The only place where state changes; a fact that does not fit is an error.

use jiff::Timestamp;

use super::reopen::{answered, reopen};
use super::state::{Past, PhaseState, Round, Run, Stage, State, Status};
use crate::event::{
    Asked, Checked, Ended, Entry, Escalation, ExecOutcome, Fact, Outcome, Reviewed, Ruled, Ruling,
    RunStarted, StepStarted, Triaged, Worked,
};
use crate::phase::{PhaseName, Step};
use crate::policy::{CheckWhen, Entry as EntryStep};
use crate::verdict::{Judgment, ReadAs};

/// A fact that does not fit where the run stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {seq} does not fit: {why}")]
pub struct Misfit {
    pub seq: u64,
    pub why: String,
}

/// Folds all entries from the beginning.
pub fn fold<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<State, Misfit> {
    let mut state = State::default();
    for entry in entries {
        apply(&mut state, entry)?;
    }
    Ok(state)
}

/// Folds one entry into the state; on an error the state is unchanged.
pub fn apply(state: &mut State, entry: &Entry) -> Result<(), Misfit> {
    let misfit = |why: String| Misfit { seq: entry.seq, why };
    if entry.seq != state.seq + 1 {
        return Err(misfit(format!("expected entry {}", state.seq + 1)));
    }
    let mut next = state.clone();
    match (&entry.fact, &mut next.run) {
        (Fact::RunStarted(started), None) => next.run = Some(begin(started, entry.at)),
        (Fact::RunStarted(_), Some(_)) => return Err(misfit("the run has already begun".into())),
        (_, None) => return Err(misfit("the run has not begun".into())),
        (fact, Some(run)) => {
            run.apply(fact, entry.at).map_err(misfit)?;
            run.updated_at = entry.at;
        }
    }
    next.seq = entry.seq;
    *state = next;
    Ok(())
}

fn begin(started: &RunStarted, at: Timestamp) -> Run {
    Run {
        created_at: at,
        updated_at: at,
        phases: started.agreement.phases.iter().cloned().map(PhaseState::new).collect(),
        outcome: Outcome::Running,
        asked: Asked::default(),
        budget: started.agreement.budget.clone(),
        paused: None,
        spent: super::state::Spent::default(),
        cycles: 0,
        simulated: false,
        head: started.base_commit.clone(),
        pull_request: None,
        published: false,
        notes: Vec::new(),
        started: started.clone(),
    }
}

type Fit = Result<(), String>;

impl Run {
    fn apply(&mut self, fact: &Fact, at: Timestamp) -> Fit {
        match fact {
            Fact::RunStarted(_) => Err("the run has already begun".into()),
            Fact::Asked(asked) => {
                self.asked_for(asked);
                Ok(())
            }
            Fact::PhaseSkipped { phase, because } => self.skip(phase, because),
            Fact::PhaseStarted { phase, tree } => self.phase_mut(phase)?.start(tree, at),
            Fact::StepStarted(started) => {
                self.spent.calls += 1;
                self.phase_mut(&started.phase)?.call(started)
            }
            Fact::Worked(worked) => {
                self.pay(&worked.ended);
                self.phase_mut(&worked.phase)?.worked(worked)
            }
            Fact::Checked(checked) => self.phase_mut(&checked.phase)?.checked(checked),
            Fact::Reviewed(reviewed) => {
                self.pay(&reviewed.ended);
                self.phase_mut(&reviewed.phase)?.reviewed(reviewed)
            }
            Fact::Triaged(triaged) => {
                self.pay(&triaged.ended);
                self.phase_mut(&triaged.phase)?.triaged(triaged)
            }
            Fact::Ruled(ruled) => self.ruled(ruled, at),
            Fact::ApprovalVoided { phase, reason } => self.phase_mut(phase)?.voided(reason),
            Fact::Committed { phase, commit } => {
                self.phase_mut(phase)?.committed(commit, at)?;
                self.head.clone_from(commit);
                Ok(())
            }
            Fact::Published { pr_number, pr_url } => {
                self.pull_request = Some((*pr_number, pr_url.clone()));
                self.published = true;
                Ok(())
            }
            Fact::Paused { escalation } => {
                self.pause(escalation);
                Ok(())
            }
            Fact::Answered(answer) => answered(self, answer),
            Fact::Reopened(reopened) => reopen(self, reopened),
            Fact::Interrupted { .. } => Ok(()),
            Fact::Cancelled { .. } => {
                self.outcome = Outcome::Cancelled;
                Ok(())
            }
            Fact::Noted { kind, text } => {
                self.notes.push((kind.clone(), text.clone()));
                Ok(())
            }
            Fact::Finished { outcome } => {
                self.outcome = *outcome;
                Ok(())
            }
        }
    }

    fn phase_mut(&mut self, name: &PhaseName) -> Result<&mut PhaseState, String> {
        let found = self.phases.iter_mut().find(|phase| phase.name() == name);
        found.ok_or_else(|| format!("this run has no phase {name}"))
    }

    /// A new request also ends a pause whose reason may be gone; `decide` pauses again if it is not.
    fn asked_for(&mut self, asked: &Asked) {
        if let Some(budget) = &asked.budget {
            self.budget = budget.clone();
        }
        if self.paused.as_ref().is_some_and(|escalation| escalation.reason.passes_by_itself()) {
            self.paused = None;
            self.outcome = Outcome::Running;
        }
        if let Some(head) = &asked.head {
            self.head.clone_from(head);
        }
        for phase in self.phases.iter_mut().filter(|phase| !phase.status.satisfies()) {
            phase.work_with(&asked.agents, &asked.reviewers);
        }
        self.asked = asked.clone();
    }

    fn skip(&mut self, name: &PhaseName, because: &str) -> Fit {
        let phase = self.phase_mut(name)?;
        if phase.status != Status::Pending {
            return Err(format!("{name} is {}, not pending", phase.status.as_str()));
        }
        phase.status = Status::Skipped;
        phase.skipped_because = Some(because.to_owned());
        Ok(())
    }

    fn pay(&mut self, ended: &Ended) {
        self.spent.millis += ended.millis;
        self.spent.input_tokens += ended.usage.input_tokens.unwrap_or(0);
        self.spent.output_tokens += ended.usage.output_tokens.unwrap_or(0);
        self.spent.cost_usd += ended.usage.cost_usd.unwrap_or(0.0);
        self.simulated |= ended.simulated;
    }

    fn pause(&mut self, escalation: &Escalation) {
        self.paused = Some(escalation.clone());
        self.outcome = Outcome::Paused;
    }

    fn ruled(&mut self, ruled: &Ruled, at: Timestamp) -> Fit {
        self.phase_mut(&ruled.phase)?.ruled(ruled, at)?;
        match &ruled.ruling {
            Ruling::Pause { escalation } => self.pause(escalation),
            Ruling::Reopen { phase } => {
                self.cycles += 1;
                let reason = format!("{} sent the run back: {}", ruled.phase, ruled.rule);
                let by = crate::event::ReopenedBy::Evaluation;
                let fact = crate::event::Reopened { phase: phase.clone(), step: Step::Execute, reason, by };
                reopen(self, &fact)?;
            }
            Ruling::Advance | Ruling::Revise | Ruling::Redo { .. } | Ruling::Fail { .. } => {}
        }
        Ok(())
    }
}

impl PhaseState {
    fn expect(&self, stage: Stage) -> Fit {
        if self.stage == stage {
            Ok(())
        } else {
            Err(format!("{} is at {:?}, not at {stage:?}", self.name(), self.stage))
        }
    }

    fn work_with(&mut self, agents: &[String], reviewers: &[String]) {
        if !agents.is_empty() {
            agents.clone_into(&mut self.def.agents);
            self.author = 0;
        }
        if !reviewers.is_empty() {
            reviewers.clone_into(&mut self.def.reviewers);
            self.reviewer = 0;
        }
    }

    fn start(&mut self, tree: &str, at: Timestamp) -> Fit {
        self.expect(Stage::Idle)?;
        if self.status != Status::Pending {
            return Err(format!("{} is {}, not pending", self.name(), self.status.as_str()));
        }
        self.status = Status::InProgress;
        self.started_at = Some(at);
        tree.clone_into(&mut self.tree);
        self.stage = self.first_stage();
        Ok(())
    }

    fn first_stage(&self) -> Stage {
        match (&self.reopened, self.def.policy.entry) {
            (Some(reopened), _) if reopened.step == Step::Revise => Stage::Ready(Step::Revise),
            (Some(reopened), _) if reopened.step != Step::Execute => self.after_work(),
            (_, EntryStep::Execute) => Stage::Ready(Step::Execute),
            (_, EntryStep::Review) => self.after_work(),
        }
    }

    /// A call from `Working` takes up an interrupted one and is not counted again.
    fn call(&mut self, started: &StepStarted) -> Fit {
        if self.stage != Stage::Working(started.step) {
            self.expect(Stage::Ready(started.step))?;
            let author = matches!(started.step, Step::Execute | Step::Revise);
            self.counters.passes += u32::from(author);
            self.broken = None;
        }
        *self.calls.entry((started.round, started.step)).or_default() = started.attempt;
        self.stage = Stage::Working(started.step);
        self.delay_ms = 0;
        Ok(())
    }

    fn worked(&mut self, worked: &Worked) -> Fit {
        self.expect(Stage::Working(worked.step))?;
        worked.tree.clone_into(&mut self.tree);
        self.changed.extend(worked.changed.iter().cloned());
        self.work = Some(worked.clone());
        if !worked.ended.outcome.ended() {
            self.broke(worked.step);
            return Ok(());
        }
        self.evaluation.clone_from(&worked.evaluation);
        self.done(worked.step);
        self.round += u32::from(worked.step == Step::Revise);
        (self.checks, self.review, self.triage) = (None, None, None);
        (self.advice, self.reopened) = (None, None);
        self.stage = if self.declared_unfinished() { Stage::Deciding } else { self.after_work() };
        Ok(())
    }

    /// In a policy that checks on declaration, an author that says it is not finished is believed: it only costs itself.
    pub(super) fn declared_unfinished(&self) -> bool {
        let claim = self.work.as_ref().and_then(|work| work.claim.as_ref());
        let unfinished = claim.is_some_and(|claim| claim.status != crate::event::ClaimStatus::Completed);
        self.def.policy.check_when == CheckWhen::OnDeclaration && unfinished
    }

    fn broke(&mut self, step: Step) {
        self.broken = Some(step);
        self.stage = Stage::Deciding;
    }

    fn done(&mut self, step: Step) {
        if !self.completed_steps.contains(&step) {
            self.completed_steps.push(step);
        }
    }

    pub(super) fn after_work(&self) -> Stage {
        if self.def.policy.checks.is_empty() { self.after_checks() } else { Stage::Ready(Step::Check) }
    }

    fn after_checks(&self) -> Stage {
        if self.def.policy.review.is_some() { Stage::Ready(Step::Review) } else { Stage::Deciding }
    }

    fn checked(&mut self, checked: &Checked) -> Fit {
        self.expect(Stage::Ready(Step::Check))?;
        checked.tree.clone_into(&mut self.tree);
        self.checks = Some(checked.results.clone());
        self.done(Step::Check);
        self.stage = if self.evidence_judgment().is_some() { Stage::Deciding } else { self.after_checks() };
        Ok(())
    }

    fn reviewed(&mut self, reviewed: &Reviewed) -> Fit {
        self.expect(Stage::Working(Step::Review))?;
        self.review = Some(reviewed.clone());
        let Some(reading) = reviewed.reading.as_ref().filter(|_| reviewed.ended.outcome == ExecOutcome::Done)
        else {
            self.broke(Step::Review);
            return Ok(());
        };
        self.done(Step::Review);
        (self.advice, self.reopened) = (None, None);
        if self.def.policy.triage {
            self.stage = Stage::Ready(Step::Triage);
            return Ok(());
        }
        let readable = reading.read_as != ReadAs::Default;
        self.counters.reviews += u32::from(readable);
        self.stage = Stage::Deciding;
        Ok(())
    }

    fn triaged(&mut self, triaged: &Triaged) -> Fit {
        self.expect(Stage::Working(Step::Triage))?;
        triaged.tree.clone_into(&mut self.tree);
        self.changed.extend(triaged.changed.iter().cloned());
        self.triage = Some(triaged.clone());
        if !triaged.ended.outcome.ended() {
            self.broke(Step::Triage);
            return Ok(());
        }
        self.done(Step::Triage);
        self.counters.reviews += u32::from(triaged.table.is_some());
        self.counters.revisions += u32::from(!triaged.changed.is_empty());
        self.stage = Stage::Deciding;
        Ok(())
    }

    fn ruled(&mut self, ruled: &Ruled, at: Timestamp) -> Fit {
        self.expect(Stage::Deciding)?;
        let word = ruled.ruling.word();
        self.past.push(Past {
            round: ruled.round,
            judgment: ruled.judgment,
            ruling: word,
            rule: ruled.rule.clone(),
        });
        match &ruled.ruling {
            Ruling::Redo { step, delay_ms, next_agent } => {
                self.redo(*step, *next_agent, ruled.judgment);
                self.delay_ms = *delay_ms;
                return Ok(());
            }
            Ruling::Revise | Ruling::Advance | Ruling::Reopen { .. } => {
                self.close_round(ruled, word, Status::InProgress);
            }
            Ruling::Pause { escalation } => {
                self.close_round(ruled, word, Status::Paused);
                self.reason = Some(escalation.reason.as_str().to_owned());
            }
            Ruling::Fail { reason, incomplete } => {
                self.close_round(ruled, word, Status::Failed);
                self.incomplete = *incomplete;
                self.reason = Some(reason.clone());
                self.completed_at = Some(at);
            }
        }
        self.stage = self.stage_after(&ruled.ruling);
        Ok(())
    }

    fn stage_after(&mut self, ruling: &Ruling) -> Stage {
        match ruling {
            Ruling::Advance => Stage::Closing,
            Ruling::Revise if self.def.policy.triage => self.next_round(),
            Ruling::Revise => {
                self.counters.revisions += 1;
                self.completed_steps.retain(|step| *step == Step::Execute);
                Stage::Ready(Step::Revise)
            }
            Ruling::Redo { step, .. } => Stage::Ready(*step),
            Ruling::Pause { .. } | Ruling::Reopen { .. } | Ruling::Fail { .. } => Stage::Closed,
        }
    }

    /// Opens the next round of a policy whose triage already made the changes.
    pub(super) fn next_round(&mut self) -> Stage {
        self.round += 1;
        (self.checks, self.review, self.triage) = (None, None, None);
        self.after_work()
    }

    fn redo(&mut self, step: Step, next_agent: bool, judgment: Judgment) {
        if next_agent {
            let index = if step == Step::Review { &mut self.reviewer } else { &mut self.author };
            *index += 1;
            self.counters.redos.remove(&step);
        } else if judgment == Judgment::Unverifiable {
            self.counters.unreadable += 1;
        } else if self.format_failed() && self.broken.is_none() {
            self.counters.format_redos += 1;
        } else {
            *self.counters.redos.entry(step).or_default() += 1;
        }
        self.broken = None;
        self.stage = Stage::Ready(step);
    }

    /// Rounds are closed once: a revise that broke is ruled on again under the number of the round that asked for it.
    fn close_round(&mut self, ruled: &Ruled, word: &'static str, status: Status) {
        self.status = status;
        if !self.rounds.iter().any(|round| round.n == ruled.round) {
            let round = self.round_record(ruled, word);
            self.rounds.push(round);
        }
        self.counters.redos.clear();
        self.counters.unreadable = 0;
        if !self.format_failed() {
            self.counters.format_redos = 0;
        }
    }

    fn round_record(&self, ruled: &Ruled, word: &'static str) -> Round {
        let reading = self.review.as_ref().and_then(|review| review.reading.as_ref());
        let by_table = self.triage.as_ref().is_some_and(|triage| triage.table.is_some());
        let attempts =
            self.calls.iter().filter(|((n, _), _)| *n == ruled.round).map(|(_, count)| count).sum();
        Round {
            n: ruled.round,
            verdict: if by_table {
                Some(ruled.judgment.verdict())
            } else {
                reading.map(|reading| reading.result)
            },
            read_as: if by_table {
                Some(ReadAs::Table)
            } else {
                reading.map(|reading| reading.read_as.clone())
            },
            judgment: ruled.judgment,
            ruling: word,
            findings: self.findings().to_vec(),
            open: self.open(),
            attempts,
            changed_files: self.work.as_ref().is_some_and(|work| !work.changed.is_empty()),
            standstill: ruled.standstill.clone(),
        }
    }

    fn voided(&mut self, reason: &str) -> Fit {
        self.expect(Stage::Closing)?;
        self.voided += 1;
        self.round += 1;
        self.reason = Some(reason.to_owned());
        (self.checks, self.review, self.triage) = (None, None, None);
        self.stage = self.after_work();
        Ok(())
    }

    fn committed(&mut self, commit: &str, at: Timestamp) -> Fit {
        self.expect(Stage::Closing)?;
        self.commit = Some(commit.to_owned());
        self.status = Status::Completed;
        self.reason = None;
        self.completed_at = Some(at);
        self.changed.clear();
        self.stage = Stage::Closed;
        Ok(())
    }
}
