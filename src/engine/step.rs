//! What the facts of one phase do to its step pointer, from the start to the commit.
//! Knows no limits and judges nothing: that is `rule`'s and `judge`'s.

use jiff::Timestamp;

use super::state::{PhaseState, Stage, Status};
use model::event::{Checked, ExecOutcome, Reviewed, StepStarted, Triaged, Worked};
use model::phase::Step;
use model::policy::Entry;

impl PhaseState {
    /// Other agents than the agreed ones, because somebody asked for them. What is named for the phase alone stands.
    pub(super) fn work_with(&mut self, agents: &[String], reviewers: &[String]) {
        let reviewers = self.not_its_author(agents, reviewers);
        if !agents.is_empty() && !self.def.own_agents {
            agents.clone_into(&mut self.def.agents);
            self.calls.turns.author = 0;
            self.def.step_agents.retain(|step, _| *step == Step::Review);
        }
        if !reviewers.is_empty() && !self.def.own_reviewers {
            self.def.reviewers = reviewers;
            self.calls.turns.reviewer = 0;
            self.def.step_agents.remove(&Step::Review);
        }
    }

    /// Reviewers that fit other agents do not review the author that stands: it may be one of them.
    fn not_its_author(&self, agents: &[String], reviewers: &[String]) -> Vec<String> {
        let stands = self.def.own_agents && !agents.is_empty();
        let fits = |reviewer: &&String| !(stands && self.def.agents.contains(reviewer));
        reviewers.iter().filter(fits).cloned().collect()
    }

    pub(super) fn start(&mut self, tree: &str, head: String, at: Timestamp) {
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
                self.revise_again()
            }
            Some(Step::Check | Step::Review | Step::Triage) => self.look_again(),
            _ if self.def.policy.entry == Entry::Review => self.look_again(),
            _ => {
                self.counters.rounds = 1;
                self.stage = Stage::Ready(Step::Execute);
            }
        }
    }

    /// A person asks for a revision: it carries the number of the latest round, and the check after it opens the next.
    fn revise_again(&mut self) {
        self.round = self.history.rounds.last().map_or(self.round, |round| round.n);
        self.begin_revision();
    }

    fn look_again(&mut self) {
        self.counters.rounds = 1;
        self.forget_evidence();
        self.stage = self.after_work();
    }

    /// A call from `Working` takes up an interrupted one and is not counted again.
    pub(super) fn call(&mut self, started: &StepStarted) {
        if self.stage != Stage::Working(started.step) {
            let author = matches!(started.step, Step::Execute | Step::Revise);
            self.counters.passes += u32::from(author);
            self.evidence.broken = None;
        }
        started.agent.clone_into(&mut self.calls.last_agent);
        self.calls.resumed = started.resumes.is_some();
        self.calls.prompts.insert(started.step, started.prompt.clone());
        if started.template.is_empty() {
            self.calls.templates.remove(&started.step);
        } else {
            self.calls.templates.insert(started.step, started.template.clone());
        }
        self.calls.attempts.insert((started.round, started.step), started.attempt);
        self.stage = Stage::Working(started.step);
        self.files.author_was_stopped = false;
        self.calls.delay_ms = 0;
    }

    pub(super) fn worked(&mut self, worked: &Worked) {
        self.calls.remember_document(worked.step, worked.round, worked.attempt, &worked.ended);
        worked.tree.clone_into(&mut self.files.tree);
        self.files.changed.extend(worked.changed.iter().cloned());
        self.files.author_was_stopped = worked.ended.outcome == ExecOutcome::Cancelled;
        if self.files.author_was_stopped {
            self.files.left_by_stopped.extend(worked.changed.iter().cloned());
            // A session that goes on counts from its beginning.
            return self.remember_session(&worked.ended);
        }
        self.remember_work(&worked.ended);
        self.evidence.work = Some(self.with_what_was_left(worked));
        if !worked.ended.outcome.ended() {
            if worked.ended.outcome.is_outage() {
                self.give_pass_back(worked.step);
            }
            return self.broke(worked.step);
        }
        self.evidence.claim = worked.claim.clone().map(|claim| (worked.round, claim));
        self.evidence.evaluation.clone_from(&worked.evaluation);
        self.done(worked.step);
        self.author_has_read();
        if worked.step == Step::Revise {
            self.tasks.tried(worked.round, &self.calls.last_agent);
            self.open_round();
        } else {
            self.forget_evidence();
        }
        self.count_blocked(worked);
        self.stage = if self.sent_on_unchecked() { Stage::Deciding } else { self.after_work() };
    }

    fn with_what_was_left(&mut self, worked: &Worked) -> Worked {
        let mut changed = std::mem::take(&mut self.files.left_by_stopped);
        changed.extend(worked.changed.iter().cloned());
        Worked { changed: changed.into_iter().collect(), ..worked.clone() }
    }

    pub(super) fn checked(&mut self, checked: &Checked) {
        checked.tree.clone_into(&mut self.files.tree);
        self.evidence.checks = Some(checked.results.clone());
        self.done(Step::Check);
        self.stage = if self.evidence_judgment().is_some() { Stage::Deciding } else { self.after_checks() };
    }

    pub(super) fn reviewed(&mut self, reviewed: &Reviewed) {
        self.calls.remember_document(Step::Review, reviewed.round, reviewed.attempt, &reviewed.ended);
        if reviewed.ended.outcome == ExecOutcome::Cancelled {
            return;
        }
        self.reviews.current = Some(reviewed.clone());
        if self.judged_without_words(reviewed) {
            self.done(Step::Review);
            self.stage = Stage::Deciding;
            return;
        }
        if reviewed.ended.outcome != ExecOutcome::Done || reviewed.reading.is_none() {
            return self.broke(Step::Review);
        }
        if self.def.policy.checks.is_empty() {
            reviewed.tree.clone_into(&mut self.files.tree);
        }
        if self.asks_again(reviewed) {
            self.done(Step::Review);
            self.stage = Stage::Deciding;
            return;
        }
        if self.asks_author(reviewed) {
            return self.put_questions(reviewed);
        }
        self.hear(reviewed);
    }

    pub(super) fn triaged(&mut self, triaged: &Triaged) {
        self.calls.remember_document(Step::Triage, triaged.round, triaged.attempt, &triaged.ended);
        self.files.changed.extend(triaged.changed.iter().cloned());
        if triaged.ended.outcome == ExecOutcome::Cancelled {
            return;
        }
        self.evidence.triage = Some(triaged.clone());
        if self.triage_changed_files() {
            triaged.tree.clone_into(&mut self.files.tree);
        }
        if !matches!(triaged.ended.outcome, ExecOutcome::Done | ExecOutcome::Partial) {
            return self.broke(Step::Triage);
        }
        self.done(Step::Triage);
        self.author_has_read();
        self.counters.reviews += u32::from(triaged.table.is_some());
        self.stage = Stage::Deciding;
    }

    /// Tells whether files changed after the review of this round, so that nobody has reviewed them as they are.
    pub(super) fn triage_changed_files(&self) -> bool {
        let Some(triage) = &self.evidence.triage else { return false };
        let reviewed = self.reviews.current.as_ref().map(|review| &review.tree);
        !triage.changed.is_empty() || reviewed != Some(&triage.tree)
    }

    /// What a person accepted is void too: from here on the evidence decides about the files as they are.
    pub(super) fn voided(&mut self, reason: &str) {
        self.counters.voided += 1;
        self.reason = Some(reason.to_owned());
        if self.person.accepted_by.take().is_some() {
            self.person.accepted_because = None;
            self.ledger.take_waivers_back();
        }
        self.evidence.broken = None;
        self.open_round();
        self.stage = self.after_work();
    }

    /// Nobody has looked at the files as they are: this round begins again with its evidence, and what the author said of
    /// its own work says nothing about them. A question to a reviewer that is open stays open.
    pub(super) fn changed_by_hand(&mut self, tree: &str, changed: &[String]) {
        tree.clone_into(&mut self.files.tree);
        self.was_changed(changed);
        // Who writes takes the files as they are.
        if self.author_rests() && self.current_step().is_some_and(Step::writes) {
            return;
        }
        if let Some(work) = &mut self.evidence.work {
            work.claim = None;
        }
        self.evidence.broken = None;
        let asked = self.doubted().cloned();
        self.forget_evidence();
        if let Some(asked) = asked {
            self.ask_which_holds(asked);
        }
        self.stage = self.after_work();
    }

    /// What a person changed is committed with the phase, and known to be theirs.
    pub(super) fn was_changed(&mut self, by_hand: &[String]) {
        self.files.changed.extend(by_hand.iter().cloned());
        self.files.by_hand.extend(by_hand.iter().cloned());
    }

    pub(super) fn committed(&mut self, commit: &str, at: Timestamp) {
        self.files.commit = Some(commit.to_owned());
        self.status = Status::Completed;
        self.reason = None;
        self.completed_at = Some(at);
        self.files.on_branch.append(&mut self.files.changed);
        self.files.by_hand.clear();
        self.author_has_read();
        self.stage = Stage::Closed;
    }

    pub(super) fn after_work(&self) -> Stage {
        if self.def.policy.checks.is_empty() { self.after_checks() } else { Stage::Ready(Step::Check) }
    }

    /// A reviewer is not paid for work that lacks what the phase is for.
    fn after_checks(&self) -> Stage {
        let reviewable = self.def.policy.review.is_some() && !self.undecided() && !self.declared_unfinished();
        if reviewable { Stage::Ready(Step::Review) } else { Stage::Deciding }
    }

    pub(super) fn open_round(&mut self) {
        self.round += 1;
        self.counters.rounds += 1;
        self.forget_evidence();
    }

    pub(super) fn forget_evidence(&mut self) {
        (self.evidence.checks, self.reviews.current, self.evidence.triage, self.reviews.exchange) =
            (None, None, None, None);
        self.reviews.doubts.clear();
        self.forget_opinions();
        self.evidence.completed_steps.retain(|step| matches!(step, Step::Execute | Step::Revise));
    }

    fn broke(&mut self, step: Step) {
        self.evidence.broken = Some(step);
        self.stage = Stage::Deciding;
    }

    pub(super) fn done(&mut self, step: Step) {
        if !self.evidence.completed_steps.contains(&step) {
            self.evidence.completed_steps.push(step);
        }
    }

    /// What a person said was for the author's next prompt; a reviewer before it does not use it up.
    fn author_has_read(&mut self) {
        (self.person.advice, self.person.reopened) = (None, None);
    }
}
