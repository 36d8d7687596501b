//! Where the branch of a run stands, and how far somebody looked at what it holds: the commit of which a reviewer was shown
//! everything, and the phases since. Which files differ from that commit is known to git; what of it people changed before they
//! committed it stands in the facts.

use std::collections::BTreeSet;

use crate::phase_state::PhaseState;
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
    pub(crate) fn at_base(base: &str) -> Self {
        let [head, content_head, phase_head] = [base; 3].map(str::to_owned);
        Self { head, content_head, phase_head, coverage: Coverage::up_to(base) }
    }

    /// A reviewer that answers was shown all that the branch differs in from its base.
    pub(crate) fn remember_shown(&mut self, phase: &PhaseState) {
        if shows_code(phase) {
            self.coverage.shown_at = Some(self.content_head.clone());
        }
    }

    /// Takes up the commit of a phase: the branch stands there now.
    pub(crate) fn add_commit(&mut self, phase: &PhaseState, commit: &str) {
        self.cover(phase, commit);
        for head in [&mut self.head, &mut self.content_head, &mut self.phase_head] {
            commit.clone_into(head);
        }
    }

    fn cover(&mut self, phase: &PhaseState, commit: &str) {
        let shows_code = shows_code(phase);
        let by_person = phase.person.accepted_by.is_some();
        let was_shown = !by_person || self.coverage.shown_at.as_ref() == Some(&self.content_head);
        if shows_code && was_shown {
            // What is still in no commit, no reviewer was shown.
            let by_hand = self.coverage.by_hand.difference(&phase.files.changed).cloned().collect();
            self.coverage = Coverage { by_hand, ..Coverage::up_to(commit) };
            return;
        }
        let is_agreed = phase.def.policy.review.is_none() && phase.def.changes_code;
        if is_agreed {
            self.coverage.by_hand.extend(phase.files.by_hand.iter().cloned());
        }
        self.coverage.since.push(UnreviewedPhase {
            phase: phase.name().clone(),
            from: self.content_head.clone(),
            to: commit.to_owned(),
            is_accepted: shows_code || is_agreed,
        });
    }
}

/// Who reviews documents alone, for a triage, is shown nothing else.
fn shows_code(phase: &PhaseState) -> bool {
    phase.def.policy.review.is_some() && !phase.def.policy.triage
}

impl Coverage {
    pub(crate) fn up_to(commit: &str) -> Self {
        Self { reviewed: commit.to_owned(), since: Vec::new(), by_hand: BTreeSet::new(), shown_at: None }
    }
}
