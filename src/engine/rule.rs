//! What a judgment leads to, given the limits: each judgment has one rule, in this file or in the one it names.
//! Changes nothing; the ruling becomes a fact.

use super::advance::advance;
use super::ending::{end, exhausted, passes_exhausted, unit};
use super::redo::{redo, unreadable};
use super::standstill::standstill;
use super::state::{PhaseState, Run};
use model::event::{PauseReason, Ruled, Ruling};
use model::verdict::Judgment;

/// A ruling and how the limits led to it.
pub(super) type HowRuled = (Ruling, String);

/// Rules on a phase that has come to a decision.
pub fn rule(run: &Run, phase: &PhaseState) -> Ruled {
    let (judgment, why) = phase.judgment();
    let standstill = standstill(phase, judgment);
    let (ruling, how) = match judgment {
        _ if phase.person.accepted_by.is_some() => advance(run, phase, &why),
        Judgment::Approve | Judgment::ApproveWithNotes => advance(run, phase, &why),
        Judgment::Redo => redo(run, phase, &why),
        Judgment::Unverifiable => unreadable(phase, &why),
        Judgment::Block => end(phase, phase.def.policy.outcomes.blocked, PauseReason::Blocked, &why),
        Judgment::Discuss => end(phase, phase.def.policy.outcomes.discuss, PauseReason::Discuss, &why),
        Judgment::Revise if standstill.is_some() && phase.def.policy.stop_on_stall => {
            end(phase, phase.def.policy.outcomes.stalled, PauseReason::Stalled, &why)
        }
        Judgment::Revise => revise(phase, &why),
    };
    let judgment = if doubted(judgment, &ruling) { Judgment::Unverifiable } else { judgment };
    let climb = Some(()).filter(|()| ruling == Ruling::Revise).and_then(|()| run.climb(phase));
    let how = climb.map_or(how.clone(), |climb| format!("{how}; {climb}"));
    let rule = if how.is_empty() { why } else { format!("{why}; {how}") };
    Ruled { phase: phase.name().clone(), round: phase.round, judgment, ruling, rule, standstill }
}

/// An approval that does not open the door was none; what an evaluation decides after it is another matter.
fn doubted(judgment: Judgment, ruling: &Ruling) -> bool {
    let let_through = matches!(ruling, Ruling::Advance | Ruling::Reopen { .. } | Ruling::Fail { .. });
    judgment.approves() && !let_through
}

/// Asks for another revision while the limit allows one.
pub(super) fn revise(phase: &PhaseState, why: &str) -> HowRuled {
    let (used, most) = phase.used_of_limit();
    if used >= most || passes_exhausted(phase) {
        return exhausted(phase, why);
    }
    let next = if phase.def.policy.triage { used } else { used + 1 };
    (Ruling::Revise, format!("{} {next}/{most}", unit(phase)))
}
