//! How far somebody looked at what a branch holds: the commit of which a reviewer was shown everything, and the phases since.
//! Whatever else differs from that commit nobody reviewed; which files those are git knows, and what of it people changed
//! before they committed it stands in the facts.

use std::collections::BTreeSet;

use super::state::Run;
use model::event::Reviewed;
use model::phase::PhaseName;

/// What of a run's branch was reviewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    /// The commit of the latest phase whose reviewer was shown the code; the base before the first.
    pub reviewed: String,
    /// The phases that were committed since then.
    pub since: Vec<UnreviewedPhase>,
    /// What people changed since then without a commit of their own, as far as that is known.
    pub by_hand: BTreeSet<String>,
    /// Where the branch stood when a reviewer was shown it last.
    shown_at: Option<String>,
}

/// A phase whose commit no reviewer was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreviewedPhase {
    /// Its name.
    pub phase: PhaseName,
    /// The commit at which the branch stood before it.
    pub from: String,
    /// Its commit.
    pub to: String,
    /// It was agreed that it changes code without a review, or a person took the reviewer's place.
    pub is_accepted: bool,
}

/// Where the branch of a run stands, as the facts know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchState {
    /// The commit where the engine knows the branch to stand.
    pub head: String,
    /// The same without our own records of how a run halted, which hold nothing but the log.
    pub content_head: String,
    /// The commit of the phase that ended last, whatever was put on the branch since; the base before the first.
    pub phase_head: String,
    /// How far somebody looked at what the branch holds.
    pub coverage: Coverage,
}

impl BranchState {
    pub(super) fn at_base(base: &str) -> Self {
        let [head, content_head, phase_head] = [base; 3].map(str::to_owned);
        Self { head, content_head, phase_head, coverage: Coverage::up_to(base) }
    }
}

impl Coverage {
    pub(super) fn up_to(commit: &str) -> Self {
        Self { reviewed: commit.to_owned(), since: Vec::new(), by_hand: BTreeSet::new(), shown_at: None }
    }
}

impl Run {
    /// A reviewer is shown all that the branch differs in from its base.
    pub(super) fn remember_shown(&mut self, reviewed: &Reviewed) {
        if reviewed.reading.is_some() && self.shows_code(&reviewed.phase) {
            self.branch.coverage.shown_at = Some(self.branch.content_head.clone());
        }
    }

    /// Takes up the commit of a phase; the branch still counts as standing where it stood before.
    pub(super) fn cover(&mut self, name: &PhaseName, commit: &str) {
        let Some(phase) = self.phase(name) else { return };
        let (shows_code, by_person) = (self.shows_code(name), phase.person.accepted_by.is_some());
        let was_shown =
            !by_person || self.branch.coverage.shown_at.as_ref() == Some(&self.branch.content_head);
        if shows_code && was_shown {
            // What is still in no commit, no reviewer was shown.
            let by_hand = self.branch.coverage.by_hand.difference(&phase.files.changed).cloned().collect();
            self.branch.coverage = Coverage { by_hand, ..Coverage::up_to(commit) };
            return;
        }
        let is_agreed = phase.def.policy.review.is_none() && phase.def.changes_code;
        if is_agreed {
            let by_hand = phase.files.by_hand.clone();
            self.branch.coverage.by_hand.extend(by_hand);
        }
        let (from, to) = (self.branch.content_head.clone(), commit.to_owned());
        let unreviewed =
            UnreviewedPhase { phase: name.clone(), from, to, is_accepted: shows_code || is_agreed };
        self.branch.coverage.since.push(unreviewed);
    }

    /// Who reviews documents alone, for a triage, is shown nothing else.
    fn shows_code(&self, phase: &PhaseName) -> bool {
        let policy = self.phase(phase).map(|phase| &phase.def.policy);
        policy.is_some_and(|policy| policy.review.is_some() && !policy.triage)
    }
}
