//! What the facts of one phase do to its step pointer, from the start to the commit.
//! Knows no limits and judges nothing: that is `rule`'s and `judge`'s.

use jiff::Timestamp;

use super::state::{PhaseState, Stage, Status};
use crate::event::{Checked, ClaimStatus, ExecOutcome, Reviewed, StepStarted, Triaged, Worked};
use crate::phase::Step;
use crate::policy::{CheckWhen, Entry};
use crate::verdict::ReadAs;

impl PhaseState {
    /// Other agents than the agreed ones, because somebody asked for them. What is named for the phase alone stands.
    pub(super) fn work_with(&mut self, agents: &[String], reviewers: &[String]) {
        let reviewers = self.not_its_author(agents, reviewers);
        if !agents.is_empty() && !self.def.own_agents {
            agents.clone_into(&mut self.def.agents);
            self.author = 0;
            self.def.step_agents.retain(|step, _| *step == Step::Review);
        }
        if !reviewers.is_empty() && !self.def.own_reviewers {
            self.def.reviewers = reviewers;
            self.reviewer = 0;
            self.def.step_agents.remove(&Step::Review);
        }
    }

    /// Reviewers that fit other agents do not review the author that stands: it may be one of them.
    fn not_its_author(&self, agents: &[String], reviewers: &[String]) -> Vec<String> {
        let stands = self.def.own_agents && !agents.is_empty();
        let fits = |reviewer: &&String| !(stands && self.def.agents.contains(reviewer));
        reviewers.iter().filter(fits).cloned().collect()
    }

    pub(super) fn start(&mut self, tree: &str, at: Timestamp) {
        self.status = Status::InProgress;
        self.started_at = Some(at);
        tree.clone_into(&mut self.tree);
        let asked = self.reopened.as_ref().map(|reopened| reopened.step);
        if matches!(asked, None | Some(Step::Execute)) {
            self.evaluation = None;
        }
        match asked {
            Some(Step::Revise) if !self.rounds.is_empty() && !self.def.policy.triage => self.revise_again(),
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
        self.round = self.rounds.last().map_or(self.round, |round| round.n);
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
            self.broken = None;
        }
        started.agent.clone_into(&mut self.caller);
        self.resumed = started.resumes.is_some();
        self.prompts.insert(started.step, started.prompt.clone());
        if started.template.is_empty() {
            self.templates.remove(&started.step);
        } else {
            self.templates.insert(started.step, started.template.clone());
        }
        self.calls.insert((started.round, started.step), started.attempt);
        self.stage = Stage::Working(started.step);
        self.delay_ms = 0;
    }

    pub(super) fn worked(&mut self, worked: &Worked) {
        worked.tree.clone_into(&mut self.tree);
        self.changed.extend(worked.changed.iter().cloned());
        if worked.ended.outcome == ExecOutcome::Cancelled {
            return;
        }
        self.remember_session(&worked.ended);
        self.work = Some(worked.clone());
        if !worked.ended.outcome.ended() {
            return self.broke(worked.step);
        }
        self.evaluation.clone_from(&worked.evaluation);
        self.done(worked.step);
        self.author_has_read();
        if worked.step == Step::Revise {
            self.open_round();
        } else {
            self.forget_evidence();
        }
        self.stage = if self.declared_unfinished() { Stage::Deciding } else { self.after_work() };
    }

    /// In a policy that checks on declaration, an author that says it is not finished is believed: it only costs itself.
    pub(super) fn declared_unfinished(&self) -> bool {
        let claim = self.work.as_ref().and_then(|work| work.claim.as_ref());
        let unfinished = claim.is_some_and(|claim| claim.status != ClaimStatus::Completed);
        self.def.policy.check_when == CheckWhen::OnDeclaration && unfinished
    }

    pub(super) fn checked(&mut self, checked: &Checked) {
        checked.tree.clone_into(&mut self.tree);
        self.checks = Some(checked.results.clone());
        self.done(Step::Check);
        self.stage = if self.evidence_judgment().is_some() { Stage::Deciding } else { self.after_checks() };
    }

    pub(super) fn reviewed(&mut self, reviewed: &Reviewed) {
        if reviewed.ended.outcome == ExecOutcome::Cancelled {
            return;
        }
        self.review = Some(reviewed.clone());
        let answered = reviewed.ended.outcome == ExecOutcome::Done;
        let Some(reading) = reviewed.reading.as_ref().filter(|_| answered) else {
            return self.broke(Step::Review);
        };
        self.done(Step::Review);
        if self.def.policy.checks.is_empty() {
            reviewed.tree.clone_into(&mut self.tree);
        }
        if self.def.policy.triage {
            self.stage = Stage::Ready(Step::Triage);
            return;
        }
        self.counters.reviews += u32::from(reading.read_as != ReadAs::Default);
        self.stage = Stage::Deciding;
    }

    pub(super) fn triaged(&mut self, triaged: &Triaged) {
        self.changed.extend(triaged.changed.iter().cloned());
        if triaged.ended.outcome == ExecOutcome::Cancelled {
            return;
        }
        self.triage = Some(triaged.clone());
        if self.triage_changed_files() {
            triaged.tree.clone_into(&mut self.tree);
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
        let Some(triage) = &self.triage else { return false };
        let reviewed = self.review.as_ref().map(|review| &review.tree);
        !triage.changed.is_empty() || reviewed != Some(&triage.tree)
    }

    /// What a person accepted is void too: from here on the evidence decides about the files as they are.
    pub(super) fn voided(&mut self, reason: &str) {
        self.voided += 1;
        self.reason = Some(reason.to_owned());
        (self.accepted_by, self.broken) = (None, None);
        self.open_round();
        self.stage = self.after_work();
    }

    pub(super) fn committed(&mut self, commit: &str, at: Timestamp) {
        self.commit = Some(commit.to_owned());
        self.status = Status::Completed;
        self.reason = None;
        self.completed_at = Some(at);
        self.changed.clear();
        self.author_has_read();
        self.stage = Stage::Closed;
    }

    pub(super) fn after_work(&self) -> Stage {
        if self.def.policy.checks.is_empty() { self.after_checks() } else { Stage::Ready(Step::Check) }
    }

    /// A reviewer is not paid for work that lacks what the phase is for.
    fn after_checks(&self) -> Stage {
        let reviewable = self.def.policy.review.is_some() && !self.undecided();
        if reviewable { Stage::Ready(Step::Review) } else { Stage::Deciding }
    }

    pub(super) fn open_round(&mut self) {
        self.round += 1;
        self.counters.rounds += 1;
        self.forget_evidence();
    }

    pub(super) fn forget_evidence(&mut self) {
        (self.checks, self.review, self.triage) = (None, None, None);
        self.completed_steps.retain(|step| matches!(step, Step::Execute | Step::Revise));
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

    /// What a person said was for the author's next prompt; a reviewer before it does not use it up.
    fn author_has_read(&mut self) {
        (self.advice, self.reopened) = (None, None);
    }
}
