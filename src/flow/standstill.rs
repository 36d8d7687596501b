//! Sees when rounds bring nothing new. Only seen and shown; the policy decides whether it ends anything (MODEL §6.4).

use std::collections::BTreeSet;

use super::state::PhaseState;

/// How many rounds are compared.
const WINDOW: usize = 3;
/// Mean Jaccard index of the finding sets above which rounds count as the same (seed 001, A-8).
const SAME: f64 = 0.7;

/// Says how the phase stands still, counting the round that is being ruled on.
pub(super) fn standstill(phase: &PhaseState) -> Option<String> {
    let mut sets: Vec<BTreeSet<String>> = phase.rounds.iter().map(|round| round.open.clone()).collect();
    sets.push(phase.open());
    if revised_without_change(phase) {
        return Some("the revision changed no file".into());
    }
    let last = sets.len().checked_sub(WINDOW).map(|from| &sets[from..])?;
    if last.iter().any(BTreeSet::is_empty) {
        return None;
    }
    if last.windows(2).all(|pair| pair[0] == pair[1]) {
        return Some(format!("the same {} problems for {WINDOW} rounds", last[0].len()));
    }
    if last.windows(2).all(|pair| pair[0].len() < pair[1].len()) {
        return Some(format!("problems grow for {WINDOW} rounds: {}", counts(last)));
    }
    let mean =
        (jaccard(&last[0], &last[1]) + jaccard(&last[1], &last[2]) + jaccard(&last[0], &last[2])) / 3.0;
    (mean > SAME).then(|| format!("mostly the same problems for {WINDOW} rounds"))
}

fn revised_without_change(phase: &PhaseState) -> bool {
    use crate::phase::Step;
    if let Some(triage) = &phase.triage {
        return triage.changed.is_empty() && triage.table.is_some_and(|table| table.fix_required > 0);
    }
    phase.work.as_ref().is_some_and(|work| {
        work.step == Step::Revise
            && work.ended.outcome.ended()
            && work.changed.is_empty()
            && phase.broken.is_none()
    })
}

fn counts(sets: &[BTreeSet<String>]) -> String {
    sets.iter().map(|set| set.len().to_string()).collect::<Vec<_>>().join(", ")
}

#[expect(clippy::cast_precision_loss, reason = "sets of findings are small")]
fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let union = a.union(b).count();
    if union == 0 { 1.0 } else { a.intersection(b).count() as f64 / union as f64 }
}
