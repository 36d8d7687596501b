//! Whose turn it is among the reviewers of a round, and what hearing one of them does: the first reviewer, then the seats
//! of the panel. What they amount to together is `panel`'s.

use super::panel::merged;
use super::state::{PhaseState, Stage};
use model::event::Reviewed;
use model::phase::Step;
use model::policy::{ReviewRule, Seat};
use model::verdict::{Judgment, ReadAs};

/// Who is asked next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due<'a> {
    Chief,
    Second(&'a Seat),
}

impl PhaseState {
    /// Returns the seats of the panel, where the policy has a reviewer whose word counts.
    pub fn seats(&self) -> &[Seat] {
        let policy = &self.def.policy;
        let counts = policy.review.is_some() && !policy.triage && !policy.llm_judge;
        if counts { &self.def.panel } else { &[] }
    }

    /// Returns what the first reviewer, or the one on this seat, grades.
    pub fn viewpoints_of(&self, seat: Option<&str>) -> &[String] {
        match seat {
            None => self.def.policy.review.as_ref().map_or(&[], ReviewRule::own_viewpoints),
            Some(name) => {
                let seat = self.seats().iter().find(|seat| seat.name == name);
                seat.map_or(&[], |seat| &seat.viewpoints)
            }
        }
    }

    /// Returns who has neither answered nor been left out in this round.
    pub(super) fn due(&self) -> Option<Due<'_>> {
        let heard =
            |name: Option<&str>| self.reviews.opinions.iter().any(|opinion| opinion.seat.as_deref() == name);
        if !heard(None) {
            return Some(Due::Chief);
        }
        let open = |seat: &&Seat| !heard(Some(&seat.name)) && !self.reviews.left_out.contains_key(&seat.name);
        self.seats().iter().find(open).map(Due::Second)
    }

    /// Returns the seat that is due; nothing when the first reviewer is, or nobody.
    pub fn seat_due(&self) -> Option<&Seat> {
        match self.due() {
            Some(Due::Second(seat)) => Some(seat),
            Some(Due::Chief) | None => None,
        }
    }

    /// Returns the name of the seat whose call of this step comes next or is under way.
    pub(super) fn seat_of(&self, step: Step) -> Option<&str> {
        let seat = self.seat_due().filter(|_| step == Step::Review)?;
        Some(&seat.name)
    }

    /// Tells whether the round can do without the answer that is due.
    pub(super) fn is_dispensable(&self, step: Step) -> bool {
        step == Step::Review && self.seat_due().is_some_and(|seat| !seat.required)
    }

    /// Tells whether an answer is worth asking the same reviewer again: it cannot be read, and the limit allows it;
    /// or it leaves open which of both holds.
    pub(super) fn asks_again(&self, reviewed: &Reviewed) -> bool {
        let policy = &self.def.policy;
        let left = self.counters.unreadable < policy.limits.max_unreadable || self.to_be_asked().is_some();
        left && !policy.triage && !policy.llm_judge && self.is_unreadable(reviewed)
    }

    fn is_unreadable(&self, reviewed: &Reviewed) -> bool {
        let judgment = self.opinion_judgment(reviewed).map(|(judgment, _)| judgment);
        judgment.is_none_or(|judgment| judgment == Judgment::Unverifiable)
    }

    /// Tells whether somebody's answer stayed unreadable although it was asked again.
    pub(super) fn stays_unreadable(&self) -> bool {
        self.reviews.opinions.iter().any(|opinion| self.is_unreadable(opinion))
    }

    /// Takes an answer; the next one is asked, or all of them are looked at together.
    pub(super) fn hear(&mut self, reviewed: &Reviewed) {
        self.reviews.opinions.push(reviewed.clone());
        self.next_seat();
    }

    /// Goes on without the seat that is due. What it stated before it was asked again still counts.
    pub(super) fn leave_out(&mut self, seat: &str, why: &str) {
        self.evidence.broken = None;
        if let Some(first) = self.first_verdict_of(seat).cloned() {
            return self.hear(&first);
        }
        self.reviews.left_out.insert(seat.to_owned(), why.to_owned());
        self.next_seat();
    }

    /// Has every reviewer of the round asked anew.
    pub(super) fn forget_opinions(&mut self) {
        self.reviews.opinions.clear();
        self.reviews.left_out.clear();
    }

    /// Has the reviewer asked that is due.
    pub(super) fn ask_for_review(&mut self) {
        (self.reviews.current, self.counters.unreadable) = (None, 0);
        self.counters.redos.remove(&Step::Review);
        self.stage = Stage::Ready(Step::Review);
    }

    fn next_seat(&mut self) {
        if self.due().is_some() {
            return self.ask_for_review();
        }
        self.reviews.current = merged(&self.reviews.opinions);
        self.done(Step::Review);
        if self.def.policy.triage {
            self.stage = Stage::Ready(Step::Triage);
            return;
        }
        let readable = self.reading().is_some_and(|reading| reading.read_as != ReadAs::Default);
        self.counters.reviews += u32::from(readable);
        self.stage = Stage::Deciding;
    }
}
