//! What a phase that is not approved leads to: another revision while its limit allows one, else the end that its policy
//! names (a pause, `failed` or `incomplete`). Never an approval: a phase at its limit does not advance.

use crate::escalation::escalation;
use crate::phase_state::{PhaseState, limit_reached, passes_exhausted, unit};
use model::event::{CheckResult, PauseReason, Ruling};
use model::policy::UnapprovedEnd;

/// A ruling and how the limits led to it.
pub(crate) type RulingWithReason = (Ruling, String);

/// Asks for another revision while the limit allows one.
pub(crate) fn revise(phase: &PhaseState, why: &str) -> RulingWithReason {
    let (used, most) = phase.used_of_limit();
    if used >= most || passes_exhausted(phase) {
        return end_at_limit(phase, why);
    }
    let next = if phase.def.policy.triage { used } else { used + 1 };
    (Ruling::Revise, format!("{} {next}/{most}", unit(phase)))
}

/// Ends the phase as its policy says.
pub(crate) fn end(
    phase: &PhaseState,
    ending: UnapprovedEnd,
    reason: PauseReason,
    why: &str,
) -> RulingWithReason {
    let (incomplete, word) = match ending {
        UnapprovedEnd::Pause => {
            let escalation = escalation(phase, reason, why);
            return (Ruling::Pause { escalation }, format!("on {}: pause", reason.as_str()));
        }
        UnapprovedEnd::Fail => (false, "fail"),
        UnapprovedEnd::Incomplete => (true, "incomplete"),
    };
    let ruling = Ruling::Fail { reason: failure_code(phase, reason), incomplete };
    (ruling, format!("on {}: {word}", reason.as_str()))
}

/// Ends the phase at its limit. Work that stays unfinished fails under every policy.
pub(crate) fn end_at_limit(phase: &PhaseState, why: &str) -> RulingWithReason {
    let stays_unfinished = phase.is_unfinished_only() && !passes_exhausted(phase);
    let ending = if stays_unfinished { UnapprovedEnd::Fail } else { phase.def.policy.outcomes.exhausted };
    let (ruling, how) = end(phase, ending, PauseReason::Exhausted, why);
    (ruling, format!("{} used; {how}", limit_reached(phase)))
}

/// Returns the code a failed phase carries: the one of the failed check if it has one.
fn failure_code(phase: &PhaseState, reason: PauseReason) -> String {
    let of_check = phase.failed_checks().find_map(error_code);
    match (reason, of_check) {
        (PauseReason::Exhausted | PauseReason::Blocked, Some(code)) => code,
        (PauseReason::Exhausted, None) => "retry_limit".into(),
        (other, _) => other.as_str().into(),
    }
}

fn error_code(result: &CheckResult) -> Option<String> {
    let pattern = result.pattern.as_deref().filter(|pattern| pattern.starts_with("E_"));
    pattern.or_else(|| result.param("code")).map(str::to_owned)
}
