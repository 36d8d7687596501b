//! When an author goes on in the session of its last call instead of beginning a new one: when it is still its own,
//! short enough to be worth it, and did not break. So it answers questions, too. Reviews and triages begin anew, but for a
//! reviewer that is asked what it meant.

use super::state::{PhaseState, Run};
use model::call::Resume;
use model::event::{Ended, ExecOutcome, Usage, Worked};
use model::phase::Step;

/// A session that has read this many tokens costs more than it saves.
const MOST_INPUT_TOKENS: u64 = 150_000;

/// Returns the session that a call of this agent continues.
pub(super) fn resume(run: &Run, phase: &PhaseState, step: Step, agent: &str) -> Option<Resume> {
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

impl PhaseState {
    /// Remembers what a session has used and who made the latest work.
    pub(super) fn remember_work(&mut self, ended: &Ended) {
        self.remember_session(ended);
        self.evidence.author.clone_from(&self.calls.last_agent);
    }

    /// Remembers what a session has used.
    pub(super) fn remember_session(&mut self, ended: &Ended) {
        if let Some(session) = &ended.session {
            let used = self.calls.sessions.entry(session.clone()).or_default();
            *used = sum(used, &ended.usage);
        }
    }
}

/// What is missing on one side adds nothing; what is missing on both stays missing.
fn sum(one: &Usage, other: &Usage) -> Usage {
    let both = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    };
    let cost_usd = match (one.cost(), other.cost()) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    };
    Usage {
        input_tokens: both(one.input_tokens, other.input_tokens),
        cached_tokens: both(one.cached_tokens, other.cached_tokens),
        output_tokens: both(one.output_tokens, other.output_tokens),
        turns: both(one.turns, other.turns),
        cost_usd,
        cost_basis: other.cost_basis.or(one.cost_basis),
    }
}
