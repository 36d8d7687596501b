//! When the same step comes again, unchanged: it broke, it has to be done over, or its answer could not be read.
//! A redo is an attempt, never a round, and uses no revision; each kind has its own budget and its own end.

use super::ending::{end, exhausted, passes_exhausted};
use super::rule::{HowRuled, revise};
use super::state::PhaseState;
use crate::event::{PauseReason, Ruling};
use crate::phase::Step;
use crate::policy::{Ending, Unreadable};

/// The longest pause before a redo, in milliseconds.
const LONGEST_BACKOFF_MS: u64 = 30_000;

/// Repeats the step that broke, or the work that a check wants done over.
pub(super) fn redo(phase: &PhaseState, why: &str) -> HowRuled {
    match phase.broken {
        Some(Step::Review) => after_break(phase, Step::Review, why),
        _ if passes_exhausted(phase) => exhausted(phase, why),
        Some(step) => after_break(phase, step, why),
        None => over_again(phase, why),
    }
}

/// Repeats a step that broke on its own budget, then with the next agent of its chain, then ends.
fn after_break(phase: &PhaseState, step: Step, why: &str) -> HowRuled {
    if let Some(ruled) = once_more(phase, step) {
        return ruled;
    }
    let most = phase.def.policy.limits.max_redo;
    let (chain, index) = match step {
        Step::Review => (&phase.def.reviewers, phase.reviewer),
        Step::Execute | Step::Check | Step::Triage | Step::Revise | Step::Answer => {
            (&phase.def.agents, phase.author)
        }
    };
    if let Some(next) = chain.get(index + 1) {
        return (same_step(step, 0, true), format!("redos {most}/{most} used, {next} takes over"));
    }
    let outcomes = &phase.def.policy.outcomes;
    let (ruling, how) = match step {
        Step::Review => end(phase, outcomes.no_answer, PauseReason::ReviewerUnavailable, why),
        Step::Execute | Step::Check | Step::Triage | Step::Revise | Step::Answer => {
            end(phase, outcomes.agent_failed, PauseReason::AgentFailed, why)
        }
    };
    (ruling, format!("redos {most}/{most} used; {how}"))
}

/// Repeats work that ended, because a decision, its form or a check asks for it; then it is revised like any other.
fn over_again(phase: &PhaseState, why: &str) -> HowRuled {
    let step = phase.work.as_ref().map_or(Step::Execute, |work| work.step);
    let (asked, most) = (phase.counters.format_redos, phase.def.policy.limits.max_format_redo);
    if phase.undecided() && asked >= most {
        let no_decision = Ruling::Fail { reason: "no_decision".into(), incomplete: false };
        return (no_decision, format!("asked for it again {asked}/{most}"));
    }
    if phase.undecided() {
        return (same_step(step, 0, false), format!("asked for it again {}/{most}", asked + 1));
    }
    if phase.format_redo_left() {
        return (same_step(step, 0, false), format!("asked for the form again {}/{most}", asked + 1));
    }
    once_more(phase, step).unwrap_or_else(|| revise(phase, why))
}

/// Has the evidence gathered again when the files are not those that were reviewed.
pub(super) fn check_again(phase: &PhaseState, why: &str) -> HowRuled {
    let blocked = || end(phase, phase.def.policy.outcomes.blocked, PauseReason::Blocked, why);
    once_more(phase, Step::Check).unwrap_or_else(blocked)
}

fn once_more(phase: &PhaseState, step: Step) -> Option<HowRuled> {
    let limits = &phase.def.policy.limits;
    let used = phase.counters.redos.get(&step).copied().unwrap_or(0);
    if used >= limits.max_redo {
        return None;
    }
    let delay_ms = limits.backoff_ms.saturating_mul(1 << used.min(16)).min(LONGEST_BACKOFF_MS);
    Some((same_step(step, delay_ms, false), format!("redo {}/{}", used + 1, limits.max_redo)))
}

fn same_step(step: Step, delay_ms: u64, next_agent: bool) -> Ruling {
    Ruling::Redo { step, delay_ms, next_agent, takes_over: None }
}

/// Asks again once; text that stays unreadable is never an approval.
pub(super) fn unreadable(phase: &PhaseState, why: &str) -> HowRuled {
    let most = phase.def.policy.limits.max_unreadable;
    let asked = phase.counters.unreadable;
    if asked < most {
        let step = if phase.triage.is_some() { Step::Triage } else { Step::Review };
        return (same_step(step, 0, false), format!("asked again {}/{most}", asked + 1));
    }
    let (ruling, how) = match phase.def.policy.outcomes.unreadable {
        Unreadable::Revise => revise(phase, why),
        Unreadable::Pause => end(phase, Ending::Pause, PauseReason::Unreadable, why),
        Unreadable::Fail => end(phase, Ending::Fail, PauseReason::Unreadable, why),
    };
    (ruling, format!("asked again {asked}/{most}; {how}"))
}
