//! Folds one fact into the state. The only place where state changes; a fact that does not fit is an error.
//! What a fact changes inside a phase is implemented in `transitions`, `reviewers` and `reopen`.

use jiff::Timestamp;

use crate::agents::AgentStates;
use crate::fact_validation::validate;
use crate::history::{Approval, VerdictRecord};
use crate::phase_state::{PhaseState, Status};
use crate::reopen::{apply_answer, reopen, take_feedback, wait_at_gate};
use crate::run::{BranchHeads, FeedbackState, Publication, Run, State, phase_of};
use crate::spending::Spending;
use model::event::{
    CallEnd, Entry, Escalation, ExecOutcome, Fact, PauseReason, Reopened, ReopenedBy, Ruled, Ruling,
    RunOutcome, RunRequested, RunStarted, StepStarted, UsageTotal,
};
use model::phase::{PhaseName, Step};

/// A fact that does not fit the state of the run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {seq} does not fit: {why}")]
pub struct InvalidFact {
    /// The number of the entry.
    pub seq: u64,
    /// Why it does not fit, in a few words.
    pub why: String,
}

/// Folds all entries from the beginning.
pub fn fold<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<State, InvalidFact> {
    let mut state = State::default();
    for entry in entries {
        apply(&mut state, entry)?;
    }
    Ok(state)
}

/// Folds one entry into the state; on an error the state is unchanged.
pub fn apply(state: &mut State, entry: &Entry) -> Result<(), InvalidFact> {
    check_fits(state, entry)?;
    if let Some(run) = &mut state.run {
        run.apply(&entry.fact, entry.at);
        run.updated_at = entry.at;
    } else if let Fact::RunStarted(started) = &entry.fact {
        state.run = Some(begin_run(started, entry.at));
    }
    state.seq = entry.seq;
    Ok(())
}

/// Tells why an entry could not be folded into the state.
pub fn check_fits(state: &State, entry: &Entry) -> Result<(), InvalidFact> {
    let invalid = |why: String| InvalidFact { seq: entry.seq, why };
    if entry.seq != state.seq + 1 {
        return Err(invalid(format!("expected entry {}", state.seq + 1)));
    }
    match (&entry.fact, &state.run) {
        (Fact::RunStarted(_), None) => Ok(()),
        (_, None) => Err(invalid("the run has not begun".into())),
        (fact, Some(run)) => validate(run, fact).map_err(invalid),
    }
}

fn begin_run(started: &RunStarted, at: Timestamp) -> Run {
    let agreement = &started.agreement;
    Run {
        started: started.clone(),
        created_at: at,
        updated_at: at,
        phases: agreement.phases.iter().cloned().map(PhaseState::new).collect(),
        outcome: RunOutcome::Running,
        asked: RunRequested::default(),
        paused: None,
        difficulty: None,
        cycles: 0,
        simulated: false,
        spending: Spending {
            budget: agreement.budget.clone(),
            scopes: agreement.budget_scopes.clone(),
            ..Spending::default()
        },
        agents: AgentStates::default(),
        branch: BranchHeads::at_base(&started.base_commit),
        publication: Publication::default(),
        feedback: FeedbackState::default(),
        notices: Vec::new(),
        notes: Vec::new(),
    }
}

impl Run {
    fn apply(&mut self, fact: &Fact, at: Timestamp) {
        match fact {
            Fact::RunStarted(_) | Fact::Interrupted { .. } => {}
            Fact::RunRequested(asked) => self.take_request(asked, at),
            Fact::PhaseSkipped { phase, because } => self.skip_phase(phase, because),
            Fact::PhaseStarted { phase, tree, by_hand } => {
                let head = self.branch.head.clone();
                self.branch.coverage.by_hand.extend(by_hand.iter().cloned());
                self.phase_mut(phase).start(tree, head, at);
            }
            Fact::Assessed(assessed) => {
                self.spending.add_usage(at, &UsageTotal::of_call_start(0));
                self.count_call(&assessed.agent, &assessed.ended, at);
                if assessed.ended.outcome != ExecOutcome::Cancelled {
                    self.difficulty = Some(assessed.counts_as());
                }
            }
            Fact::SpentElsewhere(elsewhere) => self.spending.elsewhere = Some(*elsewhere),
            Fact::StepStarted(started) => self.begin_call(started, at),
            Fact::Worked(worked) => {
                self.end_call(&worked.phase, worked.step, &worked.ended, at);
                self.keep_notices(worked);
                self.phase_mut(&worked.phase).record_work(worked);
            }
            Fact::Checked(checked) => self.phase_mut(&checked.phase).record_checks(checked),
            Fact::Reviewed(reviewed) => {
                self.end_call(&reviewed.phase, Step::Review, &reviewed.ended, at);
                self.phase_mut(&reviewed.phase).record_review(reviewed, at);
                if reviewed.reading.is_some() {
                    self.branch.remember_shown(phase_of(&mut self.phases, &reviewed.phase));
                }
                self.remember_verdict(&reviewed.phase, &reviewed.ended, at);
            }
            Fact::Replied(replied) => {
                self.end_call(&replied.phase, Step::Answer, &replied.ended, at);
                self.phase_mut(&replied.phase).record_reply(replied);
            }
            Fact::ReviewStands { phase, .. } => self.phase_mut(phase).reuse_approval(),
            Fact::Triaged(triaged) => {
                self.end_call(&triaged.phase, Step::Triage, &triaged.ended, at);
                self.phase_mut(&triaged.phase).record_triage(triaged, at);
                self.remember_verdict(&triaged.phase, &triaged.ended, at);
            }
            Fact::Ruled(ruled) => self.record_ruling(ruled, at),
            Fact::ApprovalVoided { phase, reason } => self.phase_mut(phase).void_approval(reason),
            Fact::ChangedByHand { phase, tree, changed, .. } => {
                self.phase_mut(phase).record_manual_changes(tree, changed);
            }
            Fact::Committed { phase, commit, documents } => {
                self.publication.is_up_to_date = false;
                self.keep_documents(phase, documents);
                let phase = phase_of(&mut self.phases, phase);
                self.branch.add_commit(phase, commit);
                phase.record_commit(commit, at);
            }
            Fact::Commented { id } => {
                self.publication.comment_was_replaced |=
                    self.publication.progress_comment.is_some_and(|known| known != *id);
                self.publication.progress_comment = Some(*id);
            }
            Fact::Published { pr_number, pr_url } => {
                self.publication.pull_request = Some((*pr_number, pr_url.clone()));
                self.publication.is_up_to_date = true;
            }
            Fact::FollowedUp { number, url } => self.publication.follow_up = Some((*number, url.clone())),
            Fact::Paused { escalation } => self.pause(escalation),
            Fact::Answered(answer) => {
                self.agents.unusable.clear();
                self.agents.outage = None;
                self.spending.latest_call = UsageTotal::default();
                apply_answer(self, answer, at);
            }
            Fact::Reopened(reopened) => {
                self.spending.latest_call = UsageTotal::default();
                reopen(self, reopened);
            }
            Fact::MarkedReady => self.publication.is_ready = true,
            Fact::ReviewersAsked { reviewers } => self.publication.reviewers = Some(reviewers.clone()),
            Fact::FedBack(fed) => take_feedback(self, fed),
            Fact::ThreadsAnswered { left_open } => {
                let fed = self.feedback.pending.take();
                self.feedback.left_open_at = fed.map(|fed| fed.pull_request).or(self.feedback.left_open_at);
                self.feedback.left_open.clone_from(left_open);
            }
            Fact::Cancelled { .. } => {
                self.paused = None;
                self.outcome = RunOutcome::Cancelled;
            }
            Fact::Noted { kind, text } => {
                self.remember_warning(kind, text);
                self.notes.push((kind.clone(), text.clone()));
            }
            Fact::Finished { outcome } => self.outcome = *outcome,
        }
    }

    /// Takes a new request. It also ends a pause whose reason may be gone; `decide` pauses again if it is not.
    fn take_request(&mut self, asked: &RunRequested, at: Timestamp) {
        if let Some(budget) = &asked.budget {
            self.spending.budget = budget.clone();
        }
        if let Some(scopes) = &asked.budget_scopes {
            self.spending.scopes = scopes.clone();
        }
        self.agents.begin_request(at);
        if self.paused.as_ref().is_some_and(|escalation| may_end_pause(escalation, asked, at)) {
            self.paused = None;
            self.outcome = RunOutcome::Running;
        }
        if let Some(head) = &asked.head {
            self.branch.head.clone_from(head);
        }
        if let Some(head) = asked.content_head.as_ref().or(asked.head.as_ref()) {
            self.branch.content_head.clone_from(head);
        }
        for phase in self.phases.iter_mut().filter(|phase| !phase.status.satisfies()) {
            phase.use_agents(&asked.agents, &asked.reviewers);
        }
        self.asked = asked.clone();
    }

    pub(crate) fn skip_phase(&mut self, name: &PhaseName, because: &str) {
        let phase = self.phase_mut(name);
        phase.status = Status::Skipped;
        phase.skipped_because = Some(because.to_owned());
    }

    fn begin_call(&mut self, started: &StepStarted, at: Timestamp) {
        let begun = UsageTotal::of_call_start(started.prompt_bytes);
        self.spending.add_usage(at, &begun);
        self.record_turn(&started.phase, started.step, &started.agent);
        if let Some(outage) = &mut self.agents.outage {
            outage.until = None;
        }
        let phase = self.phase_mut(&started.phase);
        phase.calls.usage.entry(started.step).or_default().add(&begun);
        phase.begin_call(started);
    }

    pub(crate) fn end_call(&mut self, name: &PhaseName, step: Step, ended: &CallEnd, at: Timestamp) {
        if ended.outcome != ExecOutcome::OverBudget {
            self.spending.update_max_cost(step, ended);
        }
        let phase = self.phase_mut(name);
        phase.calls.usage.entry(step).or_default().add(&UsageTotal::of(ended));
        let caller = phase.calls.last_agent.clone();
        self.count_call(&caller, ended, at);
    }

    /// Counts what a call has used, and remembers what the call shows about its agent.
    fn count_call(&mut self, agent: &str, ended: &CallEnd, at: Timestamp) {
        self.simulated |= ended.simulated;
        self.spending.add_usage(at, &UsageTotal::of(ended));
        self.spending.remember_call(agent, ended);
        self.update_agent_state(agent, ended, at);
    }

    fn pause(&mut self, escalation: &Escalation) {
        let gate = if escalation.reason == PauseReason::Gate { escalation.phase.as_ref() } else { None };
        if let Some(phase) = gate.and_then(|gate| self.phases.iter_mut().find(|phase| phase.name() == gate)) {
            wait_at_gate(phase);
        }
        self.paused = Some(escalation.clone());
        self.outcome = RunOutcome::Paused;
    }

    fn record_ruling(&mut self, ruled: &Ruled, at: Timestamp) {
        self.hand_over_step(ruled);
        self.hand_over_revision(ruled);
        self.remember_approval(ruled);
        self.remember_check_verdict(ruled, at);
        self.phase_mut(&ruled.phase).record_ruling(ruled, at);
        match &ruled.ruling {
            Ruling::Pause { escalation } => self.pause(escalation),
            Ruling::Reopen { phase } => self.send_back(ruled, phase),
            Ruling::Wait { until, .. } => self.agents.wait_until(*until),
            Ruling::Advance
            | Ruling::Revise
            | Ruling::Redo { .. }
            | Ruling::LeaveOut { .. }
            | Ruling::Fail { .. } => {}
        }
    }

    fn send_back(&mut self, ruled: &Ruled, phase: &PhaseName) {
        self.cycles += 1;
        let reason = format!("{} sent the run back: {}", ruled.phase, ruled.rule);
        let by = ReopenedBy::Evaluation;
        reopen(self, &Reopened { phase: phase.clone(), step: Step::Execute, reason, by });
    }

    /// Remembers a new verdict of a phase with the commit of the branch at that time.
    fn remember_verdict(&mut self, phase: &PhaseName, ended: &CallEnd, at: Timestamp) {
        let commit = self.branch.head.clone();
        let phase = self.phase_mut(phase);
        let Some(review) = phase.reviews.current.clone() else { return };
        if ended.outcome != ExecOutcome::Cancelled {
            let verdict = phase.verdict(phase.triage_judgment().0);
            let judgment = phase.judgment_of_review();
            let decision = judgment.and_then(|judgment| phase.decision(judgment));
            let grade = judgment.and_then(|judgment| phase.grade(judgment));
            let (round, tree) = (review.round, review.tree.clone());
            let review = Some(review);
            phase.reviews.latest_verdict =
                Some(VerdictRecord { round, review, tree, verdict, decision, grade, commit, at });
        }
    }

    /// Remembers the verdict of a round that a check decided, so that no earlier verdict is taken for it.
    fn remember_check_verdict(&mut self, ruled: &Ruled, at: Timestamp) {
        let commit = self.branch.head.clone();
        let phase = self.phase_mut(&ruled.phase);
        if phase.def.policy.review.is_none() || phase.evidence.broken.is_some() {
            return;
        }
        let Some((judgment, _)) = phase.evidence_judgment() else { return };
        phase.reviews.latest_verdict = Some(VerdictRecord {
            round: ruled.round,
            review: None,
            tree: phase.files.tree.clone(),
            verdict: Some(judgment.verdict()),
            decision: phase.decision(judgment),
            grade: None,
            commit,
            at,
        });
    }

    /// Remembers the review that let a phase advance; a later one that does not approve removes it.
    pub(crate) fn remember_approval(&mut self, ruled: &Ruled) {
        let (commit, settings) = (self.branch.content_head.clone(), self.asked.settings.clone());
        let phase = self.phase_mut(&ruled.phase);
        let Some(review) = phase.reviews.current.clone() else { return };
        if ruled.ruling == Ruling::Advance && phase.takes_reviews() {
            phase.reviews.approval = Some(Approval {
                review,
                opinions: phase.reviews.opinions.clone(),
                left_out: phase.reviews.left_out.clone(),
                questions: phase.review_questions(),
                triage: phase.evidence.triage.clone(),
                triaged_by: phase.evidence.triaged_by.clone(),
                triaged_at: phase.evidence.triaged_at,
                answered_at: phase.reviews.answered_at,
                commit,
                settings,
            });
        } else if !phase.judgment().0.approves() {
            phase.reviews.approval = None;
        }
    }

    /// Hands the revision that is ruled to the next agent of the chain, where a task of it stays open.
    pub(crate) fn hand_over_revision(&mut self, ruled: &Ruled) {
        if ruled.ruling == Ruling::Revise
            && let Some((turn, _)) = self.phase(&ruled.phase).and_then(|phase| self.handover(phase))
        {
            self.phase_mut(&ruled.phase).set_turn(Step::Revise, turn);
        }
    }
}

/// Tells whether a request may end a pause. A run keeps waiting for a quota or a provider whose time is known, unless the
/// request names other agents.
fn may_end_pause(escalation: &Escalation, asked: &RunRequested, at: Timestamp) -> bool {
    let ahead = escalation.until.is_some_and(|until| until > at);
    let others = !asked.agents.is_empty() || !asked.reviewers.is_empty();
    let timed = matches!(escalation.reason, PauseReason::Quota | PauseReason::Outage);
    let waits = timed && ahead && !others;
    escalation.reason.passes_by_itself() && !waits
}
