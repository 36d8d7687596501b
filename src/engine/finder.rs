//! Who found what: each finding of a round belongs to everybody whose own opinion names it, and only they, or a round in which
//! everybody judged, can show that it is gone. What was merged into another one's finding is told beside it.

use std::collections::BTreeSet;
use std::fmt;

use super::ledger::{Listed, can_be_read};
use super::panel;
use super::state::PhaseState;
use model::event::Reviewed;
use model::finding::Finding;

/// Who named a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finder {
    /// The agent spec.
    Reviewer(String),
    /// The id of the check.
    Check(String),
    /// Somebody outside of the run who looked at finished work.
    Outside,
}

impl fmt::Display for Finder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reviewer(spec) => f.write_str(spec),
            Self::Check(id) => write!(f, "check {id}"),
            Self::Outside => f.write_str("feedback on the pull request"),
        }
    }
}

/// An identity, what was told, and by whom.
pub(super) type Seen = (String, Finding, Vec<Finder>);

impl PhaseState {
    /// Returns the findings of a round, each by everybody whose own opinion names it.
    pub(super) fn of_review(&self, review: &Reviewed) -> Vec<Seen> {
        let mut seen = Vec::new();
        for finding in findings_of(review) {
            let identity = finding.fingerprint();
            let names = |opinion: &&Reviewed| findings_of(opinion).any(|own| own.fingerprint() == identity);
            let mut finders: Vec<&str> =
                self.reviews.opinions.iter().filter(names).map(|opinion| opinion.reviewer.as_str()).collect();
            if finders.is_empty() {
                finders.push(&review.reviewer);
            }
            let finders = finders.into_iter().map(|finder| Finder::Reviewer(finder.to_owned()));
            seen.push((identity, finding.clone(), finders.collect()));
        }
        seen.extend(self.merged_into(review));
        seen
    }

    /// Returns what seats said in other words of a finding that stands in the review, each as a telling of that one.
    fn merged_into(&self, review: &Reviewed) -> Vec<Seen> {
        let standing: BTreeSet<String> = findings_of(review).map(Finding::fingerprint).collect();
        let mut seen = Vec::new();
        for opinion in &self.reviews.opinions {
            for own in findings_of(opinion).filter(|own| !standing.contains(&own.fingerprint())) {
                if let Some(known) = findings_of(review).find(|known| panel::are_alike(known, own)) {
                    let finders = vec![Finder::Reviewer(opinion.reviewer.clone())];
                    seen.push((known.fingerprint(), own.clone(), finders));
                }
            }
        }
        seen
    }

    /// Tells whether a review of this round could have named a finding again: everybody judged, or one of those who found
    /// it. A seat that went without has not looked.
    pub(super) fn looked_for(&self, listed: &Listed) -> bool {
        let judged: Vec<&Reviewed> =
            self.reviews.opinions.iter().filter(|opinion| can_be_read(opinion)).collect();
        let is_heard = |reviewer: &String| judged.iter().any(|opinion| opinion.reviewer == *reviewer);
        let found = |finder: &Finder| matches!(finder, Finder::Reviewer(reviewer) if is_heard(reviewer));
        judged.len() > self.seats().len() || listed.found_by.iter().any(found)
    }
}

fn findings_of(review: &Reviewed) -> impl Iterator<Item = &Finding> {
    review.reading.iter().flat_map(|reading| &reading.findings)
}
