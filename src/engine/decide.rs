//! What to do now: a function of the state, never of the last transition. And what a judgment leads to, given the limits: each
//! judgment has one rule, in this file or in the one it names. Changes nothing; the ruling becomes a fact.
//! Also recognises rounds that change nothing; the policy decides whether that ends the phase.

use std::collections::BTreeSet;

use crate::advance::advance;
use crate::budget::{allowance, budget_pause, limit_warning, shortage, unpriced_warning};
use crate::escalation::{closed_gate, gate_question};
use crate::phase_state::{PhaseState, Status, StepPosition};
use crate::redo::{ask_again, redo};
use crate::revision_limit::{end, revise};
use crate::run::{Run, State, standing_approval};
use model::call::{CallBudget, ResumableSession};
use model::event::{ExecOutcome, Fact, PauseReason, Ruled, Ruling, RunOutcome, Worked};
use model::phase::{PhaseName, Step};
use model::policy::Gate;
use model::verdict::Judgment;

/// What to do now.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Write this fact; nothing else is done.
    Record(Box<Fact>),
    /// Perform this action, then write what happened.
    Perform(Action),
    /// Nothing is left to do, as far as this request goes.
    Halt(RunOutcome),
}

/// An action with a side effect.
#[derive(Debug, Clone, PartialEq, derive_more::Display)]
#[allow(missing_docs, reason = "the doc of a variant says what its fields are")]
pub enum Action {
    /// Look at the files and begin the phase.
    #[display("start {_0}")]
    StartPhase(PhaseName),
    /// Ask an agent how hard the issue is.
    #[display("call {} to assess the difficulty", _0.agent)]
    Assess(Box<Call>),
    /// Call an agent for a step.
    #[display("call {_0}")]
    CallAgent(Box<Call>),
    /// Run the checks of a round.
    #[display("run the checks of {phase} round {round}")]
    RunChecks { phase: PhaseName, round: u32 },
    /// Commit what the phase delivers.
    #[display("commit {_0}")]
    Commit(PhaseName),
    /// Bring the pull request up to date with the branch.
    #[display("publish the pull request")]
    Publish,
}

/// An agent call to make.
#[derive(Debug, Clone, PartialEq, derive_more::Display)]
#[display(
    "{agent} for {phase} {step} round {round}{}",
    seat.as_ref().map_or(String::new(), |seat| format!(" as {seat}"))
)]
pub struct Call {
    /// The phase it is for.
    pub phase: PhaseName,
    /// The step it is for.
    pub step: Step,
    /// The round it belongs to.
    pub round: u32,
    /// The number of the attempt in its round, from 1.
    pub attempt: u32,
    /// The agent spec with its model.
    pub agent: String,
    /// The seat of the panel it is called for.
    pub seat: Option<String>,
    /// How long to wait first.
    pub delay_ms: u64,
    /// The session that is continued instead of beginning a new one.
    pub resumes: Option<ResumableSession>,
    /// What it may use at most.
    pub allowance: CallBudget,
}

/// Decides what to do now.
pub fn decide(state: &State) -> Decision {
    let Some(run) = &state.run else { return Decision::Halt(RunOutcome::Running) };
    if run.outcome != RunOutcome::Running {
        return Decision::Halt(run.outcome);
    }
    if let Some(failed) = run.phases.iter().find(|phase| phase.status == Status::Failed) {
        return decide_after_failure(run, failed);
    }
    if let Some(note) = unpriced_warning(run) {
        return record(note);
    }
    match run.phases.iter().find(|phase| in_scope(run, phase)) {
        Some(phase) => decide_in_phase(run, phase),
        None if !run.phases.iter().all(|phase| phase.status.satisfies()) => {
            Decision::Halt(RunOutcome::Running)
        }
        None if !run.publication.is_up_to_date => Decision::Perform(Action::Publish),
        None => finish_run(RunOutcome::Completed),
    }
}

fn in_scope(run: &Run, phase: &PhaseState) -> bool {
    let wanted = run.asked.only.as_ref().is_none_or(|only| only == phase.name());
    wanted && !phase.status.satisfies()
}

fn record(fact: Fact) -> Decision {
    Decision::Record(Box::new(fact))
}

fn finish_run(outcome: RunOutcome) -> Decision {
    record(Fact::Finished { outcome })
}

fn decide_after_failure(run: &Run, failed: &PhaseState) -> Decision {
    let later = run.phases.iter().skip_while(|phase| phase.name() != failed.name()).skip(1);
    if let Some(phase) = later.into_iter().find(|phase| phase.status == Status::Pending) {
        let because = format!("failed:{}", failed.name());
        return record(Fact::PhaseSkipped { phase: phase.name().clone(), because });
    }
    finish_run(if failed.incomplete { RunOutcome::Incomplete } else { RunOutcome::Failed })
}

fn decide_in_phase(run: &Run, phase: &PhaseState) -> Decision {
    match phase.position {
        StepPosition::Idle => start_phase(run, phase),
        StepPosition::Ready(step) | StepPosition::Working(step) if !run.asked.may_take(step) => {
            Decision::Halt(run.outcome)
        }
        StepPosition::Ready(Step::Check) | StepPosition::Working(Step::Check) => {
            Decision::Perform(Action::RunChecks { phase: phase.name().clone(), round: phase.round })
        }
        StepPosition::Ready(Step::Review) if standing_approval(run, phase).is_some() => {
            record(Fact::ReviewStands { phase: phase.name().clone(), round: phase.round })
        }
        StepPosition::Ready(step) | StepPosition::Working(step) => call_agent(run, phase, step),
        StepPosition::Deciding => record(Fact::Ruled(rule(run, phase))),
        StepPosition::Closing => Decision::Perform(Action::Commit(phase.name().clone())),
        StepPosition::Closed => Decision::Halt(run.outcome),
    }
}

fn start_phase(run: &Run, phase: &PhaseState) -> Decision {
    if !unmet_needs(run, phase).is_empty() && !run.asked.ignore_needs {
        return Decision::Halt(RunOutcome::Running);
    }
    match phase.def.gate {
        Gate::NoGo => stop_before(run, phase),
        Gate::Ask if !phase.person.gate_opened => record(Fact::Paused { escalation: gate_question(phase) }),
        Gate::Ask | Gate::Go if run.asked.auto_model && run.difficulty.is_none() => assess(run, phase),
        Gate::Ask | Gate::Go => Decision::Perform(Action::StartPhase(phase.name().clone())),
    }
}

/// A run that stops before a phase is completed if everything before it is.
fn stop_before(run: &Run, phase: &PhaseState) -> Decision {
    let mut earlier = run.phases.iter().take_while(|earlier| earlier.name() != phase.name());
    if !earlier.all(PhaseState::is_met) {
        return record(Fact::Paused { escalation: closed_gate(phase) });
    }
    let nothing_done = run.phases.iter().all(|phase| phase.files.commit.is_none());
    if run.publication.is_up_to_date || nothing_done {
        return finish_run(RunOutcome::Completed);
    }
    Decision::Perform(Action::Publish)
}

fn assess(run: &Run, phase: &PhaseState) -> Decision {
    if let Some(short) = shortage(run, phase, Step::Answer) {
        return record(Fact::Paused { escalation: budget_pause(run, phase, &short) });
    }
    Decision::Perform(Action::Assess(Box::new(Call {
        phase: phase.name().clone(),
        step: Step::Answer,
        // Before every round.
        round: 0,
        attempt: 1,
        agent: run.assessor(phase),
        seat: None,
        delay_ms: 0,
        resumes: None,
        allowance: allowance(run, phase),
    })))
}

/// Returns the needs of a phase that are neither completed nor left out.
pub fn unmet_needs(run: &Run, phase: &PhaseState) -> Vec<PhaseName> {
    let unmet = |need: &&PhaseName| run.phase(need).is_none_or(|needed| !needed.is_met());
    phase.def.needs.iter().filter(unmet).cloned().collect()
}

fn call_agent(run: &Run, phase: &PhaseState, step: Step) -> Decision {
    if let Some(warning) = limit_warning(run) {
        return record(warning);
    }
    if let Some(short) = shortage(run, phase, step) {
        return record(Fact::Paused { escalation: budget_pause(run, phase, &short) });
    }
    let agent = run.agent_for(phase, step);
    Decision::Perform(Action::CallAgent(Box::new(Call {
        phase: phase.name().clone(),
        step,
        round: phase.round,
        attempt: phase.attempts_at(step) + 1,
        resumes: session_to_resume(run, phase, step, &agent),
        agent,
        seat: phase.seat_of(step).map(str::to_owned),
        delay_ms: phase.calls.delay_ms.max(run.wait_left()),
        allowance: allowance(run, phase),
    })))
}

/// A session that has read this many tokens costs more than it saves.
const MOST_INPUT_TOKENS: u64 = 150_000;

/// Returns the session that a call of this agent continues.
pub(crate) fn session_to_resume(
    run: &Run,
    phase: &PhaseState,
    step: Step,
    agent: &str,
) -> Option<ResumableSession> {
    let work = phase.evidence.work.as_ref().filter(|work| continues_session(step, work));
    let (ended, caller) = match step {
        Step::Review => phase.doubtful_review().map(|review| (&review.ended, &review.reviewer))?,
        _ => work.map(|work| (&work.ended, &phase.evidence.author))?,
    };
    let short = ended.usage.input_tokens.unwrap_or(0) < MOST_INPUT_TOKENS;
    if run.started.agreement.fresh_sessions || caller != agent || !short {
        return None;
    }
    let session = ended.session.clone()?;
    let used = phase.calls.sessions.get(&session).copied().unwrap_or_default();
    Some(ResumableSession { session, used })
}

/// A revision and an answer continue work that ended; work that a limit cut off is taken up where it was.
fn continues_session(step: Step, work: &Worked) -> bool {
    let cut_off = matches!(work.ended.outcome, ExecOutcome::LimitReached | ExecOutcome::OverBudget);
    match step {
        Step::Revise | Step::Answer => work.ended.outcome.ended() || cut_off,
        Step::Execute => cut_off,
        Step::Check | Step::Review | Step::Triage => false,
    }
}

/// Rules on a phase that is ready for a ruling.
pub fn rule(run: &Run, phase: &PhaseState) -> Ruled {
    let (judgment, why) = phase.judgment();
    let standstill = standstill(phase, judgment);
    let (ruling, how) = match judgment {
        _ if phase.person.accepted_by.is_some() => advance(run, phase, &why),
        Judgment::Approve | Judgment::ApproveWithNotes => advance(run, phase, &why),
        Judgment::Redo => redo(run, phase, &why),
        Judgment::Unverifiable => ask_again(phase, &why),
        Judgment::Block => end(phase, phase.def.policy.outcomes.blocked, PauseReason::Blocked, &why),
        Judgment::Discuss => end(phase, phase.def.policy.outcomes.discuss, PauseReason::Discuss, &why),
        Judgment::Revise if standstill.is_some() && phase.def.policy.stop_on_stall => {
            end(phase, phase.def.policy.outcomes.stalled, PauseReason::Stalled, &why)
        }
        Judgment::Revise => revise(phase, &why),
    };
    let judgment = if is_doubted_approval(judgment, &ruling) { Judgment::Unverifiable } else { judgment };
    let handover = if ruling == Ruling::Revise { run.handover(phase) } else { None };
    let how = match handover {
        Some((_, handover)) => format!("{how}; {handover}"),
        None => how,
    };
    let rule = if how.is_empty() { why } else { format!("{why}; {how}") };
    Ruled { phase: phase.name().clone(), round: phase.round, judgment, ruling, rule, standstill }
}

/// Tells whether the ruling does not follow an approval. An evaluation may reopen or fail a phase after its approval.
fn is_doubted_approval(judgment: Judgment, ruling: &Ruling) -> bool {
    let let_through = matches!(ruling, Ruling::Advance | Ruling::Reopen { .. } | Ruling::Fail { .. });
    judgment.approves() && !let_through
}

/// The most findings that are named one by one.
const MOST_NAMED: usize = 5;

/// How many rounds are compared.
const WINDOW: u32 = 3;

/// Mean Jaccard index of the finding sets above which rounds count as the same.
const SAME: f64 = 0.7;

/// Returns why the phase makes no progress, counting the round that is being ruled on and those since a person last decided.
pub(crate) fn standstill(phase: &PhaseState, judgment: Judgment) -> Option<String> {
    let another_round = matches!(judgment, Judgment::Revise | Judgment::Discuss | Judgment::Unverifiable);
    if phase.evidence.broken.is_some() || !another_round {
        return None;
    }
    if is_revision_without_change(phase) {
        return Some("the revision changed no file".into());
    }
    if let Some(back) = find_oscillation(phase) {
        return Some(back);
    }
    let last = &open_in_last_rounds(phase)?;
    if last.iter().any(BTreeSet::is_empty) {
        return None;
    }
    if last.windows(2).all(|pair| pair[0] == pair[1]) {
        return Some(format!("the same {} problems for {WINDOW} rounds", last[0].len()));
    }
    if last.windows(2).all(|pair| pair[0].len() < pair[1].len()) {
        let counts: Vec<String> = last.iter().map(|set| set.len().to_string()).collect();
        return Some(format!("problems grow for {WINDOW} rounds: {}", counts.join(", ")));
    }
    let mean =
        (jaccard(&last[0], &last[1]) + jaccard(&last[1], &last[2]) + jaccard(&last[0], &last[2])) / 3.0;
    (mean > SAME).then(|| format!("mostly the same problems for {WINDOW} rounds"))
}

/// Returns which problems were resolved and came back, counting the rounds since a person last decided.
fn find_oscillation(phase: &PhaseState) -> Option<String> {
    let since = (phase.round + 1).saturating_sub(phase.counters.rounds);
    let back = phase.ledger.returned_ids(&phase.open(), since);
    let ids: Vec<String> = back.iter().take(MOST_NAMED).map(ToString::to_string).collect();
    let more = back.len().saturating_sub(ids.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!ids.is_empty()).then(|| format!("problems that had gone are back: {}{more}", ids.join(", ")))
}

/// Returns what was open in each of the rounds compared, the present one last.
fn open_in_last_rounds(phase: &PhaseState) -> Option<[BTreeSet<String>; WINDOW as usize]> {
    let [.., first, second] = &phase.history.rounds[..] else { return None };
    let sets = [first.open.clone(), second.open.clone(), phase.open()];
    if phase.counters.rounds >= WINDOW { Some(sets) } else { None }
}

fn is_revision_without_change(phase: &PhaseState) -> bool {
    if let Some(triage) = &phase.evidence.triage {
        return !phase.triage_changed_files() && triage.table.is_some_and(|table| table.fix_required > 0);
    }
    phase.evidence.work.as_ref().is_some_and(|work| work.step == Step::Revise && work.changed.is_empty())
}

#[expect(clippy::cast_precision_loss, reason = "sets of findings are small")]
fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let union = a.union(b).count();
    if union == 0 { 1.0 } else { a.intersection(b).count() as f64 / union as f64 }
}
