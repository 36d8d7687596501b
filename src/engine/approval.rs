//! What a review was bound to, and whether an approval still stands: the fast path. By the facts alone, never by
//! `review-result.json`. A review is left out only where an approval let the phase advance before, and verdict, commit,
//! files, settings and run are the same; the run is, because a log holds one.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::state::{PhaseState, Run, Stage};
use model::event::{Reviewed, Ruled, Ruling};
use model::phase::{PhaseName, Step};
use model::verdict::Verdict;

/// A verdict as it came in, and what it was about.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictRecord {
    /// The review that states it.
    pub review: Reviewed,
    /// Tightened by its findings; nothing when there was no answer.
    pub verdict: Option<Verdict>,
    /// Where the branch stood.
    pub commit: String,
    /// When it came in.
    pub at: Timestamp,
}

/// A review that let the phase advance, with what it holds for.
#[derive(Debug, Clone, PartialEq)]
pub struct Approval {
    /// The review, as all opinions together amount to.
    pub review: Reviewed,
    /// Everybody who was heard for it, and the seats that it does without.
    opinions: Vec<Reviewed>,
    left_out: BTreeMap<String, String>,
    /// The latest commit below it that is no record of a halt.
    commit: String,
    settings: Option<String>,
}

impl Run {
    /// Remembers a verdict of a phase that has just come in, with where the branch stood.
    pub(super) fn bind(&mut self, phase: &PhaseName, at: Timestamp) {
        let commit = self.branch.head.clone();
        let phase = self.phase_mut(phase);
        if let Some(review) = phase.reviews.current.clone() {
            phase.reviews.latest_verdict =
                Some(VerdictRecord { review, verdict: phase.reviewed_verdict(), commit, at });
        }
    }

    /// Remembers the review that let a phase advance; a later one that does not approve takes it back.
    pub(super) fn remember_approval(&mut self, ruled: &Ruled) {
        let (commit, settings) = (self.branch.content_head.clone(), self.asked.settings.clone());
        let phase = self.phase_mut(&ruled.phase);
        let Some(review) = phase.reviews.current.clone() else { return };
        if ruled.ruling == Ruling::Advance && phase.takes_reviews() {
            let (opinions, left_out) = (phase.reviews.opinions.clone(), phase.reviews.left_out.clone());
            phase.reviews.approval = Some(Approval { review, opinions, left_out, commit, settings });
        } else if !phase.judgment().0.approves() {
            phase.reviews.approval = None;
        }
    }
}

impl PhaseState {
    /// With triage the table is the verdict, and a person's word is bound to nothing.
    fn takes_reviews(&self) -> bool {
        let policy = &self.def.policy;
        policy.review.is_some() && !policy.triage && self.person.accepted_by.is_none()
    }

    /// Returns the verdict of the latest review, tightened by its findings; with triage the one of the table.
    fn reviewed_verdict(&self) -> Option<Verdict> {
        if self.by_table() {
            return Some(self.triage_judgment().0.verdict());
        }
        let reading = self.reading()?;
        Some(reading.result.max(self.reviews_judgment(reading).0.verdict()))
    }

    /// Takes the approval that stands for the review of this round.
    pub(super) fn review_stands(&mut self) {
        let Some(approval) = &self.reviews.approval else { return };
        let round = self.round;
        let in_this_round = |review: &Reviewed| Reviewed { round, ..review.clone() };
        self.reviews.current = Some(in_this_round(&approval.review));
        self.reviews.opinions = approval.opinions.iter().map(in_this_round).collect();
        self.reviews.left_out.clone_from(&approval.left_out);
        if !self.evidence.completed_steps.contains(&Step::Review) {
            self.evidence.completed_steps.push(Step::Review);
        }
        self.stage = Stage::Deciding;
    }
}

/// Returns the approval that makes another review of the files as they are needless; once somebody was heard in this
/// round, all are.
pub fn standing_approval<'a>(run: &Run, phase: &'a PhaseState) -> Option<&'a Approval> {
    let approval = phase.reviews.approval.as_ref().filter(|_| phase.takes_reviews())?;
    let same_files = approval.review.tree == phase.files.tree;
    let unheard = phase.reviews.opinions.is_empty() && phase.reviews.exchange.is_none();
    (same_files && unheard && lapsed(run, phase).is_none()).then_some(approval)
}

/// Says what changed around an approval since it was given; nothing where nothing did, or where there is none.
pub fn lapsed(run: &Run, phase: &PhaseState) -> Option<&'static str> {
    let approval = phase.reviews.approval.as_ref()?;
    if approval.settings != run.asked.settings {
        Some("the settings changed after the approval")
    } else if approval.commit != run.branch.content_head {
        Some("the branch moved after the approval")
    } else {
        None
    }
}
