//! The only way to `advance`. It lists its preconditions and derives each from the facts, whatever the judgment was.
//! A person may take the responsibility; nothing else replaces a precondition.

use super::ending::end;
use super::evaluation::decided;
use super::redo::{check_again, unreadable};
use super::rule::HowRuled;
use super::state::{PhaseState, Run};
use crate::event::{CheckStatus, PauseReason, Ruling};
use crate::policy::{OnFail, OnUnavailable};
use crate::verdict::{ReadAs, Verdict};

/// How often an approval may be void before a person is asked.
const MOST_VOIDED: u32 = 3;

/// Lets the phase through if every precondition holds.
pub(super) fn advance(run: &Run, phase: &PhaseState, why: &str) -> HowRuled {
    if let Some(person) = &phase.accepted_by {
        return (Ruling::Advance, format!("accepted by {person}"));
    }
    if phase.voided >= MOST_VOIDED {
        return blocked(phase, &format!("the files changed after the approval {MOST_VOIDED} times"));
    }
    if phase.broken.is_some() || !checks_passed(phase) || !judged_by_anything(phase) {
        return blocked(phase, "neither a check nor a review that passed looked at it");
    }
    if !same_files(phase) {
        return moved(phase, why);
    }
    if !reviewed(phase) || !triaged(phase) {
        return unreadable(phase, why);
    }
    if phase.def.decides { decided(run, phase) } else { (Ruling::Advance, String::new()) }
}

fn blocked(phase: &PhaseState, lack: &str) -> HowRuled {
    let (ruling, how) = end(phase, phase.def.policy.outcomes.blocked, PauseReason::Blocked, lack);
    (ruling, format!("not approved: {lack}; {how}"))
}

/// The files are not those that were reviewed: the evidence is gathered again.
fn moved(phase: &PhaseState, why: &str) -> HowRuled {
    let (ruling, how) =
        if phase.def.policy.checks.is_empty() { unreadable(phase, why) } else { check_again(phase, why) };
    (ruling, format!("not approved: the files changed between check and review; {how}"))
}

fn checks_passed(phase: &PhaseState) -> bool {
    phase.def.policy.checks.iter().all(|rule| {
        let results = phase.checks.as_deref().unwrap_or(&[]);
        let Some(result) = results.iter().find(|result| result.check == rule.id) else { return false };
        match result.status {
            CheckStatus::Pass | CheckStatus::Skipped => true,
            CheckStatus::Fail => rule.on_fail == OnFail::Note,
            CheckStatus::Unavailable => rule.on_unavailable == OnUnavailable::Note,
        }
    })
}

fn judged_by_anything(phase: &PhaseState) -> bool {
    let passed = phase.checks.iter().flatten().any(|result| result.status == CheckStatus::Pass);
    phase.def.policy.review.is_some() || passed
}

fn same_files(phase: &PhaseState) -> bool {
    phase.def.policy.review.is_none() || phase.review.as_ref().is_some_and(|review| review.tree == phase.tree)
}

/// With triage the table counts, whatever word the reviewer used.
fn reviewed(phase: &PhaseState) -> bool {
    let Some(rule) = &phase.def.policy.review else { return true };
    let (Some(review), Some(reading)) = (&phase.review, phase.reading()) else { return false };
    let blocking = reading.worst().is_some_and(|worst| worst >= rule.blocking);
    let readable = reading.read_as != ReadAs::Default && reading.result != Verdict::Fail;
    review.round == phase.round
        && (phase.def.policy.triage || (readable && !blocking && !review.ended.truncated))
}

fn triaged(phase: &PhaseState) -> bool {
    if !phase.def.policy.triage {
        return true;
    }
    phase.triage.as_ref().is_some_and(|triage| {
        let open = triage.table.is_none_or(|table| table.fix_required + table.needs_discussion > 0);
        !open && triage.changed.is_empty() && triage.round == phase.round
    })
}
