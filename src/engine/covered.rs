//! How far somebody looked at what a branch holds: the commit of which a reviewer was shown everything, and the phases since.
//! Whatever else differs from that commit nobody reviewed; which files those are git knows, and what of it people changed
//! before they committed it stands in the facts.

use std::collections::BTreeSet;

use super::state::Run;
use model::event::Reviewed;
use model::phase::PhaseName;

/// What of a run's branch was reviewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered {
    /// The commit of the latest phase whose reviewer was shown the code; the base before the first.
    pub reviewed: String,
    /// The phases that were committed since then.
    pub since: Vec<Unshown>,
    /// What people changed since then without a commit of their own, as far as that is known.
    pub by_hand: BTreeSet<String>,
    /// Where the branch stood when a reviewer was shown it last.
    shown_at: Option<String>,
}

/// A phase whose commit no reviewer was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unshown {
    pub phase: PhaseName,
    pub from: String,
    pub to: String,
    /// It was agreed that it changes code without a review, or a person took the reviewer's place.
    pub is_vouched: bool,
}

impl Covered {
    pub(super) fn up_to(commit: &str) -> Self {
        Self { reviewed: commit.to_owned(), since: Vec::new(), by_hand: BTreeSet::new(), shown_at: None }
    }
}

impl Run {
    /// A reviewer is shown all that the branch differs in from its base.
    pub(super) fn remember_shown(&mut self, reviewed: &Reviewed) {
        if reviewed.reading.is_some() && self.shows_code(&reviewed.phase) {
            self.covered.shown_at = Some(self.content_head.clone());
        }
    }

    /// Takes up the commit of a phase; the branch still counts as standing where it stood before.
    pub(super) fn cover(&mut self, name: &PhaseName, commit: &str) {
        let Some(phase) = self.phase(name) else { return };
        let (shows_code, is_accepted) = (self.shows_code(name), phase.accepted_by.is_some());
        let was_shown = !is_accepted || self.covered.shown_at.as_ref() == Some(&self.content_head);
        if shows_code && was_shown {
            // What is still in no commit, no reviewer was shown.
            let by_hand = self.covered.by_hand.difference(&phase.changed).cloned().collect();
            self.covered = Covered { by_hand, ..Covered::up_to(commit) };
            return;
        }
        let is_agreed = phase.def.policy.review.is_none() && phase.def.changes_code;
        if is_agreed {
            let by_hand = phase.by_hand.clone();
            self.covered.by_hand.extend(by_hand);
        }
        let (from, to) = (self.content_head.clone(), commit.to_owned());
        let unshown = Unshown { phase: name.clone(), from, to, is_vouched: shows_code || is_agreed };
        self.covered.since.push(unshown);
    }

    /// Who reviews documents alone, for a triage, is shown nothing else.
    fn shows_code(&self, phase: &PhaseName) -> bool {
        let policy = self.phase(phase).map(|phase| &phase.def.policy);
        policy.is_some_and(|policy| policy.review.is_some() && !policy.triage)
    }
}
