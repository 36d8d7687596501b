//! What facts and rulings change in a phase: its position in its steps, its rounds and its counters.
//! Knows no limits and chooses no ruling: that is `rule`'s and `judge`'s.

use jiff::Timestamp;

use crate::findings::{hand_out_tasks, take_up_findings};
use crate::history::{Exchange, FallbackChain, Round};
use crate::phase_state::{PhaseState, Status, StepPosition};
use model::event::{
    CheckResult, CheckStatus, Checked, ClaimStatus, ExecOutcome, PauseReason, Reviewed, Ruled, Ruling,
    StepStarted, Triaged, Worked,
};
use model::phase::Step;
use model::policy::FirstStep;
use model::verdict::{Judgment, ReadAs, Verdict};

impl PhaseState {
    /// Replaces the agreed agents by those that a request names. Agents that are named for the phase alone stay.
    pub(crate) fn use_agents(&mut self, agents: &[String], reviewers: &[String]) {
        let reviewers = self.reviewers_but_author(agents, reviewers);
        if !agents.is_empty() && !self.def.own_agents {
            agents.clone_into(&mut self.def.agents);
            self.calls.turns.remove(&FallbackChain::Author);
            self.def.step_agents.retain(|step, _| *step == Step::Review);
        }
        if !reviewers.is_empty() && !self.def.own_reviewers {
            self.def.reviewers = reviewers;
            self.calls.turns.remove(&FallbackChain::Reviewer);
            self.def.step_agents.remove(&Step::Review);
        }
    }

    /// Returns the requested reviewers without the phase's own authors, which the request does not replace.
    fn reviewers_but_author(&self, agents: &[String], reviewers: &[String]) -> Vec<String> {
        let stands = self.def.own_agents && !agents.is_empty();
        let fits = |reviewer: &&String| !(stands && self.def.agents.contains(reviewer));
        reviewers.iter().filter(fits).cloned().collect()
    }

    pub(crate) fn start(&mut self, tree: &str, head: String, at: Timestamp) {
        self.status = Status::InProgress;
        self.started_at = Some(at);
        tree.clone_into(&mut self.files.tree);
        self.files.began_at = head;
        let asked = self.person.reopened.as_ref().map(|reopened| reopened.step);
        if matches!(asked, None | Some(Step::Execute)) {
            self.evidence.evaluation = None;
        }
        match asked {
            Some(Step::Revise) if !self.history.rounds.is_empty() && !self.def.policy.triage => {
                // It carries the number of the latest round, and the check after it opens the next.
                self.round = self.history.rounds.last().map_or(self.round, |round| round.n);
                self.begin_revision();
            }
            Some(Step::Check | Step::Review | Step::Triage) => self.look_again(),
            _ if self.def.policy.entry == FirstStep::Review => self.look_again(),
            _ => {
                self.counters.rounds = 1;
                self.position = StepPosition::Ready(Step::Execute);
            }
        }
    }

    fn look_again(&mut self) {
        self.counters.rounds = 1;
        self.forget_evidence();
        self.position = self.position_after_work();
    }

    /// Begins a call. A call from `Working` continues an interrupted one and is not counted again.
    pub(crate) fn begin_call(&mut self, started: &StepStarted) {
        if self.position != StepPosition::Working(started.step) {
            let author = matches!(started.step, Step::Execute | Step::Revise);
            self.counters.passes += u32::from(author);
            self.evidence.broken = None;
            if author || started.step == Step::Triage {
                self.files.put_back.clear();
            }
        }
        started.agent.clone_into(&mut self.calls.last_agent);
        self.calls.resumed = started.resumes.is_some();
        let digest = if started.template.is_empty() { &started.prompt } else { &started.template };
        self.calls.prompts.insert(started.step, digest.clone());
        self.calls.attempts.insert((started.round, started.step), started.attempt);
        self.position = StepPosition::Working(started.step);
        self.files.author_was_stopped = false;
        self.calls.delay_ms = 0;
    }

    pub(crate) fn record_work(&mut self, worked: &Worked) {
        self.calls.remember_document(worked.step, worked.round, worked.attempt, &worked.ended);
        worked.tree.clone_into(&mut self.files.tree);
        self.files.changed.extend(worked.changed.iter().cloned());
        self.files.put_back.extend(worked.put_back.iter().cloned());
        self.files.author_was_stopped = worked.ended.outcome == ExecOutcome::Cancelled;
        if self.files.author_was_stopped {
            self.files.left_by_stopped.extend(worked.changed.iter().cloned());
            // A session that goes on counts from its beginning.
            return self.calls.remember_session(&worked.ended);
        }
        self.calls.remember_session(&worked.ended);
        self.evidence.author.clone_from(&self.calls.last_agent);
        self.evidence.work = Some(self.add_changes_of_stopped_calls(worked));
        if !worked.ended.outcome.ended() {
            if worked.ended.outcome.is_outage() {
                self.refund_pass(worked.step);
            }
            return self.record_break(worked.step);
        }
        self.evidence.claim = worked.claim.clone().map(|claim| (worked.round, claim));
        self.evidence.evaluation.clone_from(&worked.evaluation);
        self.complete_step(worked.step);
        self.clear_advice();
        if worked.step == Step::Revise {
            self.tasks.record_try(worked.round, &self.calls.last_agent);
            self.open_round();
        } else {
            self.forget_evidence();
        }
        let blocked = worked.claim.as_ref().is_some_and(|claim| claim.status == ClaimStatus::Blocked);
        self.counters.blocked = if blocked { self.counters.blocked + 1 } else { 0 };
        self.position = if self.skips_checks() { StepPosition::Deciding } else { self.position_after_work() };
    }

    fn add_changes_of_stopped_calls(&mut self, worked: &Worked) -> Worked {
        let mut changed = std::mem::take(&mut self.files.left_by_stopped);
        changed.extend(worked.changed.iter().cloned());
        Worked { changed: changed.into_iter().collect(), ..worked.clone() }
    }

    pub(crate) fn record_checks(&mut self, checked: &Checked) {
        checked.tree.clone_into(&mut self.files.tree);
        self.evidence.checks = Some(checked.results.clone());
        self.evidence.documents.clone_from(&checked.documents);
        self.complete_step(Step::Check);
        self.position = if self.evidence_judgment().is_some() {
            StepPosition::Deciding
        } else {
            self.position_after_checks()
        };
    }

    pub(crate) fn record_review(&mut self, reviewed: &Reviewed, at: Timestamp) {
        self.calls.remember_document(Step::Review, reviewed.round, reviewed.attempt, &reviewed.ended);
        if reviewed.ended.outcome == ExecOutcome::Cancelled {
            return;
        }
        self.reviews.current = Some(reviewed.clone());
        if reviewed.reading.is_some() {
            self.files.changed_after_review.clear();
            self.reviews.answered_at = Some(at);
        }
        if self.is_rejection_without_answer(reviewed) {
            return self.decide_after(Step::Review);
        }
        if reviewed.ended.outcome != ExecOutcome::Done || reviewed.reading.is_none() {
            return self.record_break(Step::Review);
        }
        self.reviews.answers.push(reviewed.clone());
        if self.def.policy.checks.is_empty() {
            reviewed.tree.clone_into(&mut self.files.tree);
        }
        if self.should_ask_again(reviewed) {
            return self.decide_after(Step::Review);
        }
        if self.should_ask_author(reviewed) {
            self.reviews.exchange = Some(Exchange { first: reviewed.clone(), reply: None });
            self.position = StepPosition::Ready(Step::Answer);
            return;
        }
        self.record_opinion(reviewed);
    }

    pub(crate) fn record_triage(&mut self, triaged: &Triaged, at: Timestamp) {
        self.calls.remember_document(Step::Triage, triaged.round, triaged.attempt, &triaged.ended);
        self.files.changed.extend(triaged.changed.iter().cloned());
        self.files.changed_after_review.extend(triaged.changed.iter().cloned());
        self.files.put_back.extend(triaged.put_back.iter().cloned());
        if triaged.ended.outcome == ExecOutcome::Cancelled {
            return;
        }
        self.evidence.triage = Some(triaged.clone());
        self.evidence.triaged_by.clone_from(&self.calls.last_agent);
        self.evidence.triaged_at = Some(at);
        if self.triage_changed_files() {
            triaged.tree.clone_into(&mut self.files.tree);
        }
        if !matches!(triaged.ended.outcome, ExecOutcome::Done | ExecOutcome::Partial) {
            return self.record_break(Step::Triage);
        }
        if triaged.table.is_some() {
            self.clear_advice();
            self.counters.reviews += 1;
        }
        self.decide_after(Step::Triage);
    }

    /// Voids an approval. What a person accepted is void too: from now on the evidence decides about the files as they are.
    pub(crate) fn void_approval(&mut self, reason: &str) {
        self.counters.voided += 1;
        self.reason = Some(reason.to_owned());
        if self.person.accepted_by.take().is_some() {
            self.person.accepted_because = None;
            self.ledger.revoke_waivers();
        }
        self.evidence.broken = None;
        self.begin_next_round();
    }

    /// Records changes of a person. The files as they are were neither checked nor reviewed, so this round begins again with its
    /// evidence, and the author's claim is dropped. An open question to a reviewer stays open.
    pub(crate) fn record_manual_changes(&mut self, tree: &str, changed: &[String]) {
        tree.clone_into(&mut self.files.tree);
        self.add_manual_changes(changed);
        // An author takes the files as they are.
        if self.is_author_idle() && self.current_step().is_some_and(Step::writes) {
            return;
        }
        if let Some(work) = &mut self.evidence.work {
            work.claim = None;
        }
        self.evidence.broken = None;
        let asked = self.doubtful_review().cloned();
        self.forget_evidence();
        if let Some(asked) = asked {
            self.ask_to_clarify(asked);
        }
        self.position = self.position_after_work();
    }

    /// Adds paths that a person changed: they are committed with the phase and marked as changed by hand.
    pub(crate) fn add_manual_changes(&mut self, by_hand: &[String]) {
        self.files.changed.extend(by_hand.iter().cloned());
        self.files.by_hand.extend(by_hand.iter().cloned());
    }

    pub(crate) fn record_commit(&mut self, commit: &str, at: Timestamp) {
        self.files.commit = Some(commit.to_owned());
        if let Some(approval) = &mut self.reviews.approval {
            // The commit holds the files that were approved.
            commit.clone_into(&mut approval.commit);
        }
        self.status = Status::Completed;
        self.reason = None;
        self.completed_at = Some(at);
        self.files.on_branch.append(&mut self.files.changed);
        self.files.by_hand.clear();
        self.clear_advice();
        self.position = StepPosition::Closed;
    }

    pub(crate) fn position_after_work(&self) -> StepPosition {
        if self.def.policy.checks.is_empty() {
            self.position_after_checks()
        } else {
            StepPosition::Ready(Step::Check)
        }
    }

    /// Returns the position after the checks. Work that lacks what the phase is for is not reviewed.
    fn position_after_checks(&self) -> StepPosition {
        let reviewable =
            self.def.policy.review.is_some() && !self.lacks_decision() && self.unfinished_claim().is_none();
        if reviewable { StepPosition::Ready(Step::Review) } else { StepPosition::Deciding }
    }

    pub(crate) fn open_round(&mut self) {
        self.round += 1;
        self.counters.rounds += 1;
        self.forget_evidence();
    }

    pub(crate) fn forget_evidence(&mut self) {
        (self.evidence.checks, self.reviews.current, self.evidence.triage, self.reviews.exchange) =
            (None, None, None, None);
        self.reviews.doubts.clear();
        self.reviews.answers.clear();
        self.forget_opinions();
        self.evidence.documents.clear();
        self.evidence.completed_steps.retain(|step| matches!(step, Step::Execute | Step::Revise));
    }

    fn record_break(&mut self, step: Step) {
        self.evidence.broken = Some(step);
        self.position = StepPosition::Deciding;
    }

    /// Clears a person's advice after the author has read it; the call of a reviewer before that does not clear it.
    fn clear_advice(&mut self) {
        (self.person.advice, self.person.reopened) = (None, None);
    }

    /// Does not count a call that the provider refused as a pass.
    pub(crate) fn refund_pass(&mut self, step: Step) {
        let author = matches!(step, Step::Execute | Step::Revise);
        self.counters.passes = self.counters.passes.saturating_sub(u32::from(author));
    }

    pub(crate) fn record_ruling(&mut self, ruled: &Ruled, at: Timestamp) {
        take_up_findings(self);
        self.history.rulings.push(ruled.clone());
        if let Ruling::Redo { step, delay_ms, next_agent, .. } = &ruled.ruling {
            self.redo(*step, *next_agent, ruled.judgment);
            self.calls.delay_ms = *delay_ms;
            return;
        }
        if let Ruling::Wait { step, .. } = &ruled.ruling {
            self.set_turn(*step, 0);
            return self.repeat_broken_step(*step);
        }
        if let Ruling::LeaveOut { seat } = &ruled.ruling {
            return self.leave_out_seat(seat, &ruled.rule);
        }
        if let (Some(step), Ruling::Pause { escalation }) = (self.evidence.broken, &ruled.ruling)
            && escalation.reason.passes_by_itself()
        {
            self.counters.redos.remove(&step);
            if escalation.reason != PauseReason::Budget {
                self.set_turn(step, 0);
            }
            return self.repeat_broken_step(step);
        }
        self.close_round(ruled);
        self.follow_ruling(&ruled.ruling, at);
    }

    fn follow_ruling(&mut self, ruling: &Ruling, at: Timestamp) {
        match ruling {
            Ruling::Advance => self.position = StepPosition::Closing,
            Ruling::Revise if self.evidence.triage.is_some() => self.begin_next_round(),
            Ruling::Revise => self.begin_revision(),
            Ruling::Pause { escalation } => {
                self.status = Status::Paused;
                self.reason = Some(escalation.reason.as_str().to_owned());
                self.position = StepPosition::Closed;
            }
            Ruling::Fail { reason, incomplete } => {
                self.incomplete = *incomplete;
                self.fail(reason, at);
            }
            Ruling::Redo { .. } | Ruling::Wait { .. } | Ruling::LeaveOut { .. } | Ruling::Reopen { .. } => {
                self.position = StepPosition::Closed;
            }
        }
    }

    pub(crate) fn fail(&mut self, reason: &str, at: Timestamp) {
        self.status = Status::Failed;
        self.reason = Some(reason.to_owned());
        self.completed_at = Some(at);
        self.position = StepPosition::Closed;
    }

    pub(crate) fn begin_revision(&mut self) {
        hand_out_tasks(self);
        self.counters.revisions += 1;
        self.counters.continuations += u32::from(self.is_unfinished_only());
        self.evidence.broken = None;
        self.evidence.completed_steps.retain(|step| *step == Step::Execute);
        self.position = StepPosition::Ready(Step::Revise);
    }

    /// Opens the next round on the files as they are: the triage, or a person, already made the changes.
    pub(crate) fn begin_next_round(&mut self) {
        self.open_round();
        self.position = self.position_after_work();
    }

    fn redo(&mut self, step: Step, next_agent: bool, judgment: Judgment) {
        let opinion = matches!(step, Step::Review | Step::Triage);
        if let (Step::Review, Some(doubted)) = (step, self.review_to_clarify().cloned()) {
            self.ask_to_clarify(doubted);
        } else if next_agent {
            self.counters.redos.remove(&step);
        } else if judgment == Judgment::Unverifiable && opinion {
            self.counters.unreadable += 1;
        } else if self.evidence.broken.is_none() && (self.lacks_decision() || self.needs_format_redo()) {
            self.counters.format_redos += 1;
        } else {
            *self.counters.redos.entry(step).or_default() += 1;
        }
        if step == Step::Check {
            self.forget_evidence();
        }
        if step == Step::Review && self.all_have_answered() {
            self.forget_opinions();
        }
        if step == Step::Revise && self.evidence.broken.is_none() {
            self.return_to_previous_round();
        }
        self.evidence.broken = None;
        self.evidence.completed_steps.retain(|done| *done != step);
        self.position = StepPosition::Ready(step);
    }

    /// Repeats the step that broke when the run goes on. A call that a quota or a budget prevented is not counted; the pass of a
    /// call that failed at its provider was refunded before.
    fn repeat_broken_step(&mut self, step: Step) {
        if !self.ended_of(step).is_some_and(|ended| ended.outcome.is_outage()) {
            self.refund_pass(step);
        }
        self.evidence.broken = None;
        self.position = StepPosition::Ready(step);
    }

    /// Returns to the round that asked for the revision: a redo is no round, so a revise that is redone opens its round again.
    fn return_to_previous_round(&mut self) {
        let revised = self.evidence.work.as_ref().is_some_and(|work| work.step == Step::Revise);
        if revised && self.history.rounds.last().is_some_and(|round| round.n + 1 == self.round) {
            self.round -= 1;
            self.counters.rounds = self.counters.rounds.saturating_sub(1);
        }
    }

    /// Closes a round. When a step broke, the record of the round that asked for it stays; otherwise a new record replaces it.
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
        if !self.has_format_failure() {
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
            decision: self.decision(ruled.judgment),
            grade: self.grade(ruled.judgment),
            judgment: ruled.judgment,
            ruling: ruled.ruling.word(),
            findings: self.findings().iter().cloned().chain(self.false_claim()).collect(),
            failed: self.evidence.results().filter(|result| did_not_pass(result)).cloned().collect(),
            open: self.open(),
            attempts: self.count_attempts(ruled.round),
            changed_files,
            standstill: ruled.standstill.clone(),
            rule: ruled.rule.clone(),
            summary: self.refusal_summary(),
            stated_failure: self.stated_failure(),
            opinions: self.summarize_opinions(),
            exchange: self.reviews.exchange.clone(),
            changed_verdicts: self.changed_verdicts(),
            table: self.evidence.triage.as_ref().and_then(|triage| triage.table),
            reviewed_at: self.reviewed_at(),
            triaged_at: self.triaged_at(),
        }
    }

    /// Counts the calls that made and judged a round; its revise carries the number of the round before.
    fn count_attempts(&self, round: u32) -> u32 {
        let revise = (round.saturating_sub(1), Step::Revise);
        let own = [Step::Execute, Step::Review, Step::Answer, Step::Triage].map(|step| (round, step));
        own.iter().chain([&revise]).filter_map(|call| self.calls.attempts.get(call)).sum()
    }

    /// Returns the verdict of the review, tightened by the engine; with triage that of its judgment. Nothing when a failed check
    /// ended the round.
    pub(crate) fn verdict(&self, judgment: Judgment) -> Option<Verdict> {
        if self.has_triage_table() {
            return Some(judgment.verdict());
        }
        let reading = self.reading()?;
        Some(reading.result.max(self.reviews_judgment(reading).0.verdict()))
    }

    fn read_as(&self) -> Option<ReadAs> {
        if self.has_triage_table() {
            return Some(ReadAs::Table);
        }
        self.reading().map(|reading| reading.read_as.clone())
    }
}

fn did_not_pass(result: &CheckResult) -> bool {
    matches!(result.status, CheckStatus::Fail | CheckStatus::Unavailable)
}
