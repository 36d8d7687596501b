//! An approval beside which its reviewer names something severe: the same reviewer is asked once a round which of both
//! holds, as after an answer that cannot be read. Then its object counts by the ordinary rules, so that one that meant its
//! approval is believed. Where the policy asks nobody again, nothing is doubted.

use super::judge::Judged;
use super::state::PhaseState;
use model::event::Reviewed;
use model::verdict::Judgment;

impl PhaseState {
    /// Returns what this reviewer wrote beside an approval of this round; nothing where it did not.
    pub fn doubt_of(&self, seat: Option<&str>) -> Option<&str> {
        let doubted = self.reviews.doubts.get(&seat.map(str::to_owned))?;
        doubted.reading.as_ref()?.doubt.as_deref()
    }

    /// Tells whether what this reviewer writes beside an approval counts: it is asked once, and where it can be asked.
    /// With triage the author judges all that the review says.
    pub fn may_doubt(&self, seat: Option<&str>) -> bool {
        let policy = &self.def.policy;
        let most = if policy.llm_judge { policy.limits.max_redo } else { policy.limits.max_unreadable };
        most > 0 && !policy.triage && self.doubt_of(seat).is_none()
    }

    /// Returns the review whose reviewer has to be asked which of both holds. It counts nowhere else: what could not be
    /// read before uses up no question.
    pub(super) fn to_be_asked(&self) -> Option<&Reviewed> {
        self.doubted().filter(|review| self.may_doubt(review.seat.as_deref()))
    }

    /// Notes that its reviewer is asked from now on.
    pub(super) fn ask_which_holds(&mut self, doubted: Reviewed) {
        self.remember_session(&doubted.ended);
        self.reviews.doubts.insert(doubted.seat.clone(), doubted);
    }

    /// Returns the review that leaves open which of both holds, while its reviewer is asked.
    pub(super) fn doubted(&self) -> Option<&Reviewed> {
        self.reviews.current.as_ref().filter(|review| review.round == self.round && is_doubtful(review))
    }

    /// A judge whose approval is doubtful is asked again; it has not rejected.
    pub(super) fn asked_for_doubt(&self, (judgment, why): Judged) -> Judged {
        let asks = judgment == Judgment::Unverifiable && self.doubted().is_some();
        (if asks { Judgment::Redo } else { judgment }, why)
    }
}

fn is_doubtful(review: &Reviewed) -> bool {
    review.reading.as_ref().is_some_and(|reading| reading.doubt.is_some())
}
