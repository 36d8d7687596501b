//! Which findings of a later review are in scope: the open ones, and new ones near lines that changed since the review before.
//! A new finding elsewhere is out of scope. In doubt a finding is in scope, because then it counts.

use std::collections::{BTreeMap, BTreeSet};

use crate::phase_state::PhaseState;
use model::change::Change;
use model::finding::Finding;

/// This many lines before and after a changed line are in scope, too.
const MARGIN: u64 = 3;

/// The previous review of the reviewer that is asked now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousReview {
    /// The files that it judged.
    pub tree: String,
    /// Identities of everything that was ever found in the phase.
    known: BTreeSet<String>,
    /// The places of the open findings after it; without a line it is the whole file.
    places: Vec<(String, Option<u64>)>,
}

impl PreviousReview {
    /// Returns the review before of this reviewer, the first one or that of a seat, when the policy narrows the one under
    /// way to what changed since then. Nothing for a reviewer that has given no review in this phase. Nothing
    /// either when that review has a blocking finding without a place: a new finding may be that one.
    pub fn of(phase: &PhaseState, seat: Option<&str>, reviewer: &str) -> Option<Self> {
        let rule = phase.def.policy.review.as_ref()?;
        if phase.def.policy.triage {
            return None;
        }
        let after = rule.materiality_after_round?;
        let last = phase.ledger.last_review_of(seat, reviewer)?;
        if phase.counters.rounds <= after || last.round >= phase.round || last.is_vague {
            return None;
        }
        let of_reviews = phase.ledger.open().filter(|listed| !listed.is_of_checks());
        let open: Vec<&Finding> = of_reviews.map(|listed| &listed.finding).collect();
        if open.iter().any(|finding| finding.file.is_none() && finding.weight() >= rule.blocking) {
            return None;
        }
        let places = open.iter().filter_map(|finding| Some((finding.file.clone()?, finding.line))).collect();
        let known = phase.ledger.all().iter().map(|listed| listed.finding.fingerprint()).collect();
        Some(Self { tree: last.tree.clone(), known, places })
    }

    /// Returns the findings that are out of scope, given what changed in the files that they name since the review before.
    pub fn out_of_scope(&self, findings: &[Finding], changes: &[Change]) -> Vec<Finding> {
        let changes: BTreeMap<&str, &Change> =
            changes.iter().map(|change| (change.path.as_str(), change)).collect();
        let mut seen: BTreeMap<&str, Option<Vec<u64>>> = BTreeMap::new();
        let mut beyond = Vec::new();
        for finding in findings {
            let (Some(file), Some(line)) = (finding.file.as_deref(), finding.line) else { continue };
            let touched =
                seen.entry(file).or_insert_with(|| self.lines_in_scope(file, changes.get(file).copied()));
            let is_near = touched.as_ref().is_none_or(|lines| is_near(lines, line));
            if !is_near && !self.known.contains(&finding.fingerprint()) {
                beyond.push(finding.clone());
            }
        }
        beyond
    }

    /// Returns the lines of a file that are in scope, ascending; nothing where all of it is.
    fn lines_in_scope(&self, file: &str, change: Option<&Change>) -> Option<Vec<u64>> {
        let here = self.places.iter().filter(|(place, _)| place == file);
        let mut places: Vec<u64> = here.map(|(_, line)| *line).collect::<Option<_>>()?;
        places.sort_unstable();
        let Some(change) = change else { return Some(places) };
        let is_text = change.old_text().is_some() && change.new_text().is_some();
        if is_text { Some(lines_after_change(change, &places)) } else { None }
    }
}

fn is_near(lines: &[u64], line: u64) -> bool {
    let from = lines.partition_point(|touched| touched.saturating_add(MARGIN) < line);
    lines.get(from).is_some_and(|touched| *touched <= line.saturating_add(MARGIN))
}

/// Returns the added lines, the places of removed lines, and the new places of lines of the old text, ascending.
fn lines_after_change(change: &Change, old: &[u64]) -> Vec<u64> {
    let added: Vec<u64> = change.added_lines().map(|(line, _)| line as u64).collect();
    let removed: Vec<u64> = change.removed_lines().map(|(line, _)| line as u64).collect();
    let mut wanted: Vec<u64> = removed.iter().chain(old).copied().collect();
    wanted.sort_unstable();
    let (mut gone, mut came) = (0, 0);
    let mut lines = added.clone();
    for line in wanted {
        while removed.get(gone).is_some_and(|removed| *removed < line) {
            gone += 1;
        }
        let kept = line.saturating_sub(gone as u64);
        while added.get(came).is_some_and(|added| *added <= kept + came as u64) {
            came += 1;
        }
        lines.push(kept + came as u64);
    }
    lines.sort_unstable();
    lines
}

#[cfg(test)]
mod tests;
