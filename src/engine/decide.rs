//! What to do now: a function of the state, never of the last transition.

use crate::approval::standing_approval;
use crate::budget::{allowance, blindness, budget_pause, shortage, warning};
use crate::escalation::{closed_gate, gate_question};
use crate::phase_state::{PhaseState, Stage, Status};
use crate::rule::rule;
use crate::run::{Run, State};
use model::call::{Allowance, Resume};
use model::event::{ExecOutcome, Fact, Outcome, Worked};
use model::phase::{PhaseName, Step};
use model::policy::Gate;

/// What to do now.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Write this fact; nothing in the world is touched.
    Record(Box<Fact>),
    /// Touch the world, then write what happened.
    Perform(Action),
    /// Nothing is left to do, as far as this request goes.
    Halt(Outcome),
}

/// A touch of the world.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the doc of a variant says what its fields are")]
pub enum Action {
    /// Look at the files and begin the phase.
    StartPhase(PhaseName),
    /// Ask an agent how hard the issue is.
    Assess(Box<Call>),
    /// Call an agent for a step.
    CallAgent(Box<Call>),
    /// Run the checks of a round.
    RunChecks { phase: PhaseName, round: u32 },
    /// Commit what the phase delivers.
    Commit(PhaseName),
    /// Bring the pull request up to date with the branch.
    Publish,
}

impl std::fmt::Display for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::StartPhase(phase) => write!(f, "start {phase}"),
            Self::Assess(assess) => write!(f, "call {} to assess the difficulty", assess.agent),
            Self::CallAgent(call) => {
                let Call { phase, step, round, agent, seat, .. } = call.as_ref();
                let seat = seat.as_ref().map(|seat| format!(" as {seat}")).unwrap_or_default();
                write!(f, "call {agent} for {phase} {step} round {round}{seat}")
            }
            Self::RunChecks { phase, round } => write!(f, "run the checks of {phase} round {round}"),
            Self::Commit(phase) => write!(f, "commit {phase}"),
            Self::Publish => f.write_str("publish the pull request"),
        }
    }
}

/// An agent call to make.
#[derive(Debug, Clone, PartialEq)]
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
    pub resumes: Option<Resume>,
    /// What it may use at most.
    pub allowance: Allowance,
}

/// Decides what to do now.
pub fn decide(state: &State) -> Decision {
    let Some(run) = &state.run else { return Decision::Halt(Outcome::Running) };
    if run.outcome != Outcome::Running {
        return Decision::Halt(run.outcome);
    }
    if let Some(failed) = run.phases.iter().find(|phase| phase.status == Status::Failed) {
        return after_failure(run, failed);
    }
    if let Some(note) = blindness(run) {
        return record(note);
    }
    match run.phases.iter().find(|phase| in_scope(run, phase)) {
        Some(phase) => in_phase(run, phase),
        None if !run.phases.iter().all(|phase| phase.status.satisfies()) => Decision::Halt(Outcome::Running),
        None if !run.publication.is_up_to_date => Decision::Perform(Action::Publish),
        None => finish(Outcome::Completed),
    }
}

fn in_scope(run: &Run, phase: &PhaseState) -> bool {
    let wanted = run.asked.only.as_ref().is_none_or(|only| only == phase.name());
    wanted && !phase.status.satisfies()
}

fn record(fact: Fact) -> Decision {
    Decision::Record(Box::new(fact))
}

fn finish(outcome: Outcome) -> Decision {
    record(Fact::Finished { outcome })
}

fn after_failure(run: &Run, failed: &PhaseState) -> Decision {
    let later = run.phases.iter().skip_while(|phase| phase.name() != failed.name()).skip(1);
    if let Some(phase) = later.into_iter().find(|phase| phase.status == Status::Pending) {
        let because = format!("failed:{}", failed.name());
        return record(Fact::PhaseSkipped { phase: phase.name().clone(), because });
    }
    finish(if failed.incomplete { Outcome::Incomplete } else { Outcome::Failed })
}

fn in_phase(run: &Run, phase: &PhaseState) -> Decision {
    match phase.stage {
        Stage::Idle => start(run, phase),
        Stage::Ready(step) | Stage::Working(step) if !run.asked.may_take(step) => Decision::Halt(run.outcome),
        Stage::Ready(Step::Check) | Stage::Working(Step::Check) => {
            Decision::Perform(Action::RunChecks { phase: phase.name().clone(), round: phase.round })
        }
        Stage::Ready(Step::Review) if standing_approval(run, phase).is_some() => {
            record(Fact::ReviewStands { phase: phase.name().clone(), round: phase.round })
        }
        Stage::Ready(step) | Stage::Working(step) => call(run, phase, step),
        Stage::Deciding => record(Fact::Ruled(rule(run, phase))),
        Stage::Closing => Decision::Perform(Action::Commit(phase.name().clone())),
        Stage::Closed => Decision::Halt(run.outcome),
    }
}

fn start(run: &Run, phase: &PhaseState) -> Decision {
    if !unmet_needs(run, phase).is_empty() && !run.asked.ignore_needs {
        return Decision::Halt(Outcome::Running);
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
        return finish(Outcome::Completed);
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

fn call(run: &Run, phase: &PhaseState, step: Step) -> Decision {
    if let Some(warning) = warning(run) {
        return record(warning);
    }
    if let Some(short) = shortage(run, phase, step) {
        return record(Fact::Paused { escalation: budget_pause(run, phase, &short) });
    }
    let agent = run.agent_for(phase, step);
    let attempt = phase.calls.attempts.get(&(phase.round, step)).copied().unwrap_or(0) + 1;
    Decision::Perform(Action::CallAgent(Box::new(Call {
        phase: phase.name().clone(),
        step,
        round: phase.round,
        attempt,
        resumes: resume(run, phase, step, &agent),
        agent,
        seat: phase.seat_of(step).map(str::to_owned),
        delay_ms: phase.calls.delay_ms.max(run.wait_left()),
        allowance: allowance(run, phase),
    })))
}

/// A session that has read this many tokens costs more than it saves.
const MOST_INPUT_TOKENS: u64 = 150_000;

/// Returns the session that a call of this agent continues.
pub(crate) fn resume(run: &Run, phase: &PhaseState, step: Step, agent: &str) -> Option<Resume> {
    let (ended, caller) = match step {
        Step::Review => phase.doubted().map(|review| (&review.ended, &review.reviewer))?,
        _ => phase
            .evidence
            .work
            .as_ref()
            .filter(|work| goes_on(step, work))
            .map(|work| (&work.ended, &phase.evidence.author))?,
    };
    let short = ended.usage.input_tokens.unwrap_or(0) < MOST_INPUT_TOKENS;
    if run.started.agreement.fresh_sessions || caller != agent || !short {
        return None;
    }
    let session = ended.session.clone()?;
    let used = phase.calls.sessions.get(&session).copied().unwrap_or_default();
    Some(Resume { session, used })
}

/// A revision and an answer continue work that ended; work that a limit cut off is taken up where it was.
fn goes_on(step: Step, work: &Worked) -> bool {
    let cut_off = matches!(work.ended.outcome, ExecOutcome::LimitReached | ExecOutcome::OverBudget);
    match step {
        Step::Revise | Step::Answer => work.ended.outcome.ended() || cut_off,
        Step::Execute => cut_off,
        Step::Check | Step::Review | Step::Triage => false,
    }
}
