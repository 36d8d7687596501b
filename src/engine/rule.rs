//! What a judgment leads to, given the limits: each judgment has one rule, in this file or in the one it names.
//! Changes nothing; the ruling becomes a fact.
//! Also sees when rounds bring nothing new; the policy decides whether that ends anything.

use std::collections::BTreeSet;

use crate::advance::advance;
use crate::escalation::{end, revise};
use crate::phase_state::PhaseState;
use crate::redo::{redo, unreadable};
use crate::run::Run;
use model::event::{PauseReason, Ruled, Ruling};
use model::phase::Step;
use model::verdict::Judgment;

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
    let handover = if ruling == Ruling::Revise { run.handover(phase) } else { None };
    let how = match handover {
        Some((_, handover)) => format!("{how}; {handover}"),
        None => how,
    };
    let rule = if how.is_empty() { why } else { format!("{why}; {how}") };
    Ruled { phase: phase.name().clone(), round: phase.round, judgment, ruling, rule, standstill }
}

/// An approval that does not open the door was none; what an evaluation decides after it is another matter.
fn doubted(judgment: Judgment, ruling: &Ruling) -> bool {
    let let_through = matches!(ruling, Ruling::Advance | Ruling::Reopen { .. } | Ruling::Fail { .. });
    judgment.approves() && !let_through
}

/// The most findings that are named one by one.
const MOST_NAMED: usize = 5;

/// How many rounds are compared.
const WINDOW: usize = 3;

/// How many of them come before the present one.
const WINDOW_BEFORE: u32 = 2;

/// Mean Jaccard index of the finding sets above which rounds count as the same.
const SAME: f64 = 0.7;

/// Says how the phase stands still, counting the round that is being ruled on and those since a person last had a say.
pub(crate) fn standstill(phase: &PhaseState, judgment: Judgment) -> Option<String> {
    let another_round = matches!(judgment, Judgment::Revise | Judgment::Discuss | Judgment::Unverifiable);
    if phase.evidence.broken.is_some() || !another_round {
        return None;
    }
    if revised_without_change(phase) {
        return Some("the revision changed no file".into());
    }
    if let Some(back) = oscillation(phase) {
        return Some(back);
    }
    let last = &last_open(phase)?;
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

/// Says which problems had gone, and are back, counting the rounds since a person last had a say.
fn oscillation(phase: &PhaseState) -> Option<String> {
    let since = (phase.round + 1).saturating_sub(phase.counters.rounds);
    let back = phase.ledger.returning(&phase.open(), since);
    let ids: Vec<String> = back.iter().take(MOST_NAMED).map(ToString::to_string).collect();
    let more = back.len().saturating_sub(ids.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!ids.is_empty()).then(|| format!("problems that had gone are back: {}{more}", ids.join(", ")))
}

/// Returns what was open in each of the rounds compared, the present one last.
fn last_open(phase: &PhaseState) -> Option<Vec<BTreeSet<String>>> {
    let earlier = phase.counters.rounds.saturating_sub(1).min(WINDOW_BEFORE) as usize;
    let from = phase.history.rounds.len().checked_sub(earlier)?;
    let mut sets: Vec<_> = phase.history.rounds[from..].iter().map(|round| round.open.clone()).collect();
    sets.push(phase.open());
    (sets.len() == WINDOW).then_some(sets)
}

fn revised_without_change(phase: &PhaseState) -> bool {
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
