//! What a later review may still bring up: the open findings, and new ones where something changed since the review before.
//! A new finding elsewhere is out of scope. In doubt a finding is in scope, because then it counts.

use std::collections::{BTreeMap, BTreeSet};

use super::state::PhaseState;
use model::change::Change;
use model::finding::Finding;

/// So many lines around a changed line belong to it.
const MARGIN: u64 = 3;

/// The review before by the one who is asked now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// The files that it judged.
    pub tree: String,
    /// Identities of everything that was ever found in the phase.
    known: BTreeSet<String>,
    /// Where something was open after it; without a line anywhere in the file.
    places: Vec<(String, Option<u64>)>,
}

impl PhaseState {
    /// Returns the review before of this reviewer, the first one or that of a seat, when the policy narrows the one under
    /// way to what changed since then. Nothing for whoever has given none in this phase: it has seen nothing. Nothing
    /// either when that review objected to something that it did not place: anything new may be that.
    pub fn delta(&self, seat: Option<&str>, reviewer: &str) -> Option<Delta> {
        let rule = self.def.policy.review.as_ref()?;
        let after = rule.materiality_after_round.filter(|_| !self.def.policy.triage)?;
        let last = self.ledger.last_review_of(seat, reviewer)?;
        if self.counters.rounds <= after || last.round >= self.round || last.is_vague {
            return None;
        }
        let open: Vec<&Finding> = self
            .ledger
            .open()
            .filter(|listed| !listed.is_of_checks())
            .map(|listed| &listed.finding)
            .collect();
        if open.iter().any(|finding| finding.file.is_none() && finding.weight() >= rule.blocking) {
            return None;
        }
        let places = open.iter().filter_map(|finding| Some((finding.file.clone()?, finding.line))).collect();
        let known = self.ledger.all().iter().map(|listed| listed.finding.fingerprint()).collect();
        Some(Delta { tree: last.tree.clone(), known, places })
    }
}

impl Delta {
    /// Returns the findings that are out of scope, given what changed in the files that they name since the review before.
    pub fn beyond(&self, findings: &[Finding], changes: &[Change]) -> Vec<Finding> {
        let changes: BTreeMap<&str, &Change> =
            changes.iter().map(|change| (change.path.as_str(), change)).collect();
        let mut seen: BTreeMap<&str, Touched> = BTreeMap::new();
        let mut beyond = Vec::new();
        for finding in findings {
            let (Some(file), Some(line)) = (finding.file.as_deref(), finding.line) else { continue };
            let touched = seen.entry(file).or_insert_with(|| self.touched(file, changes.get(file).copied()));
            if !touched.is_near(line) && !self.known.contains(&finding.fingerprint()) {
                beyond.push(finding.clone());
            }
        }
        beyond
    }

    fn touched(&self, file: &str, change: Option<&Change>) -> Touched {
        let mut places: Vec<u64> = Vec::new();
        for (_, line) in self.places.iter().filter(|(place, _)| place == file) {
            let Some(line) = line else { return Touched::Everything };
            places.push(*line);
        }
        places.sort_unstable();
        match change {
            None => Touched::Lines(places),
            Some(change) if change.old_text().is_none() || change.new_text().is_none() => Touched::Everything,
            Some(change) => Touched::Lines(moved(change, &places)),
        }
    }
}

/// What a file has in scope.
enum Touched {
    Everything,
    /// Ascending.
    Lines(Vec<u64>),
}

impl Touched {
    fn is_near(&self, line: u64) -> bool {
        let Self::Lines(lines) = self else { return true };
        let from = lines.partition_point(|touched| touched.saturating_add(MARGIN) < line);
        lines.get(from).is_some_and(|touched| *touched <= line.saturating_add(MARGIN))
    }
}

/// Returns the lines that came, where lines went, and where lines of the old text are now. Ascending.
fn moved(change: &Change, old: &[u64]) -> Vec<u64> {
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
mod tests {
    use super::*;
    use model::finding::{Disposition, Severity};

    fn numbered(lines: impl IntoIterator<Item = u64>) -> String {
        lines.into_iter().map(|line| format!("line {line}\n")).collect()
    }

    fn at(file: Option<&str>, line: Option<u64>, issue: &str) -> Finding {
        Finding {
            severity: Severity::Major,
            category: String::new(),
            file: file.map(str::to_owned),
            line,
            issue: issue.into(),
            suggestion: None,
            auto_fixable: false,
            disposition: Disposition::Open,
            in_scope: true,
        }
    }

    fn delta(places: &[(&str, Option<u64>)], known: &[&str]) -> Delta {
        let places = places.iter().map(|(file, line)| ((*file).to_owned(), *line)).collect();
        let known = known.iter().map(|issue| at(Some("a"), None, issue).fingerprint()).collect();
        Delta { tree: "tree".into(), known, places }
    }

    /// Returns which of these lines of `a` are in scope.
    fn in_scope(delta: &Delta, change: Option<Change>, lines: &[u64]) -> Vec<u64> {
        let findings: Vec<Finding> = lines.iter().map(|line| at(Some("a"), Some(*line), "new")).collect();
        let changes: Vec<Change> = change.into_iter().collect();
        let beyond = delta.beyond(&findings, &changes);
        let lines = findings.iter().filter(|finding| !beyond.contains(finding));
        lines.filter_map(|finding| finding.line).collect()
    }

    fn change(old: &str, new: &str) -> Option<Change> {
        Some(Change::of_texts("a", Some(old), Some(new)))
    }

    #[test]
    fn a_new_finding_counts_near_what_came_and_near_what_went() {
        let old = numbered(1..=40);
        let came = numbered((1..=20).chain([100]).chain(21..=40));
        let went = numbered((1..=9).chain(11..=40));
        let lines = [1, 6, 7, 10, 13, 14, 17, 18, 21, 24, 25, 40];
        assert_eq!(in_scope(&delta(&[], &[]), change(&old, &came), &lines), [18, 21, 24]);
        assert_eq!(in_scope(&delta(&[], &[]), change(&old, &went), &lines), [7, 10, 13]);
        assert_eq!(in_scope(&delta(&[], &[]), None, &lines), [0; 0]);
    }

    #[test]
    fn an_open_problem_in_other_words_counts_where_its_line_is_now() {
        let old = numbered(1..=40);
        let new = numbered((50..=59).chain(1..=40));
        let open = delta(&[("a", Some(20))], &[]);
        assert_eq!(in_scope(&open, change(&old, &new), &[20, 26, 27, 30, 33, 34]), [27, 30, 33]);
        assert_eq!(in_scope(&open, None, &[16, 17, 20, 23, 24]), [17, 20, 23]);
    }

    #[test]
    fn in_doubt_a_finding_counts() {
        let whole = |old, new| Some(Change::of_texts("a", old, new));
        assert_eq!(in_scope(&delta(&[], &[]), whole(None, Some("x\n")), &[99]), [99]);
        assert_eq!(in_scope(&delta(&[], &[]), whole(Some("x\n"), None), &[99]), [99]);
        assert_eq!(in_scope(&delta(&[("a", None)], &[]), None, &[99]), [99]);
        let placeless = [at(None, Some(9), "x"), at(Some("a"), None, "x"), at(None, None, "x")];
        assert_eq!(delta(&[], &[]).beyond(&placeless, &[]), []);
        let known = [at(Some("a"), Some(99), "seen before")];
        assert_eq!(delta(&[], &["seen before"]).beyond(&known, &[]), []);
    }

    #[test]
    fn a_large_change_takes_no_time() {
        let old = numbered(1..=20_000);
        let new: String = (1..=20_000).map(|line| format!("other {line}\n")).collect();
        let findings: Vec<Finding> = (1..=500).map(|line| at(Some("a"), Some(line), "new")).collect();
        let changes = [Change::of_texts("a", Some(&old), Some(&new))];
        assert_eq!(delta(&[], &[]).beyond(&findings, &changes), []);
    }
}
