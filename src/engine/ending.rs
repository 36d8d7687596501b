//! How a phase ends that cannot go on by itself: the policy says whether it fails or a person is asked.
//! Never an approval: exhausted does not mean advance.

use super::escalation::escalation;
use super::rule::HowRuled;
use super::state::PhaseState;
use model::event::{CheckResult, PauseReason, Ruling};
use model::policy::Ending;

/// Ends the phase as its policy says.
pub(super) fn end(phase: &PhaseState, ending: Ending, reason: PauseReason, why: &str) -> HowRuled {
    match ending {
        Ending::Pause => {
            let escalation = escalation(phase, reason, why);
            (Ruling::Pause { escalation }, format!("on {}: pause", reason.as_str()))
        }
        Ending::Fail => fail(failure_code(phase, reason), false, format!("on {}: fail", reason.as_str())),
        Ending::Incomplete => {
            fail(failure_code(phase, reason), true, format!("on {}: incomplete", reason.as_str()))
        }
    }
}

fn fail(reason: String, incomplete: bool, how: String) -> HowRuled {
    (Ruling::Fail { reason, incomplete }, how)
}

/// Ends the phase at its limit.
pub(super) fn exhausted(phase: &PhaseState, why: &str) -> HowRuled {
    let (ruling, how) = end(phase, phase.def.policy.outcomes.exhausted, PauseReason::Exhausted, why);
    (ruling, format!("{} used; {how}", limit_reached(phase)))
}

/// Names the limit that is reached and how much of it is used.
pub fn limit_reached(phase: &PhaseState) -> String {
    let (used, most) = phase.used_of_limit();
    let passes = most_passes(phase).filter(|_| used < most);
    match passes {
        Some(limit) => format!("passes {}/{limit}", phase.counters.passes),
        None => format!("{}s {used}/{most}", unit(phase)),
    }
}

/// Returns what of the phase's own limit is used, how much there is, and what it counts.
pub fn used_of_phase(phase: &PhaseState) -> (u32, u32, &'static str) {
    let (used, most) = phase.used_of_limit();
    match most_passes(phase) {
        Some(passes) => (phase.counters.passes, passes, "passes"),
        None if phase.def.policy.triage => (used, most, "rounds"),
        None => (used, most, "revisions"),
    }
}

/// Returns the word for what the limit of this policy counts.
pub(super) fn unit(phase: &PhaseState) -> &'static str {
    if phase.def.policy.triage { "round" } else { "revision" }
}

/// Tells whether the author may not be called again.
pub(super) fn passes_exhausted(phase: &PhaseState) -> bool {
    most_passes(phase).is_some_and(|most| phase.counters.passes >= most)
}

/// More revisions than the policy has need more passes, too.
fn most_passes(phase: &PhaseState) -> Option<u32> {
    let limits = &phase.def.policy.limits;
    let more = phase.person.granted.map_or(0, |granted| granted.saturating_sub(limits.max_revisions));
    limits.max_passes.map(|most| most.saturating_add(more))
}

/// Returns the code a failed phase carries: the one of the failed check if it has one.
fn failure_code(phase: &PhaseState, reason: PauseReason) -> String {
    let of_check = phase.failed_checks().find_map(code);
    match (reason, of_check) {
        (PauseReason::Exhausted | PauseReason::Blocked, Some(code)) => code,
        (PauseReason::Exhausted, None) => "retry_limit".into(),
        (other, _) => other.as_str().into(),
    }
}

fn code(result: &CheckResult) -> Option<String> {
    let pattern = result.pattern.as_deref().filter(|pattern| pattern.starts_with("E_"));
    pattern.or_else(|| result.param("code")).map(str::to_owned)
}
