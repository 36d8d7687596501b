//! Whose turn it is among the reviewers of a round, and what an answer of one of them does: the first reviewer, then the seats
//! of the panel. A reviewer may ask the author something once a round, and is asked itself where its answer cannot be read or
//! contradicts itself. What the answers amount to together is `panel`'s.

use crate::history::Opinion;
use crate::panel::merged;
use crate::phase_state::{PhaseState, Stage};
use model::event::{ExecOutcome, Replied, Reviewed};
use model::phase::Step;
use model::verdict::{Judgment, ReadAs};

impl PhaseState {
    /// Tells whether an answer is worth asking the same reviewer again: it cannot be read, and the limit allows it;
    /// or it leaves open which of both holds.
    pub(crate) fn asks_again(&self, reviewed: &Reviewed) -> bool {
        let policy = &self.def.policy;
        let left = self.counters.unreadable < policy.limits.max_unreadable || self.to_be_asked().is_some();
        left && !policy.triage && !policy.llm_judge && self.is_unreadable(reviewed)
    }

    fn is_unreadable(&self, reviewed: &Reviewed) -> bool {
        let judgment = self.opinion_judgment(reviewed).map(|(judgment, _)| judgment);
        judgment.is_none_or(|judgment| judgment == Judgment::Unverifiable)
    }

    /// Tells whether somebody's answer stayed unreadable although it was asked again.
    pub(crate) fn stays_unreadable(&self) -> bool {
        self.reviews.opinions.iter().any(|opinion| self.is_unreadable(opinion))
    }

    /// Returns what each reviewer of this round came to so far, in the order in which they are asked; nothing where there
    /// is no panel.
    pub fn opinions_told(&self) -> Vec<Opinion> {
        let seats = self.seats();
        if seats.is_empty() {
            return Vec::new();
        }
        let asked = std::iter::once(None).chain(seats.iter().map(|seat| Some(seat.name.as_str())));
        asked.filter_map(|seat| self.opinion_of(seat)).collect()
    }

    fn opinion_of(&self, seat: Option<&str>) -> Option<Opinion> {
        let answer = self.reviews.opinions.iter().find(|opinion| opinion.seat.as_deref() == seat);
        answer.map(|answer| self.told(answer)).or_else(|| {
            let why = self.reviews.left_out.get(seat?)?;
            let seat = seat.map(str::to_owned);
            Some(Opinion { seat, left_out: Some(why.clone()), ..Opinion::default() })
        })
    }

    fn told(&self, answer: &Reviewed) -> Opinion {
        let reading = answer.reading.as_ref();
        let demanded = self.opinion_judgment(answer).map(|(judgment, _)| judgment.verdict());
        Opinion {
            seat: answer.seat.clone(),
            agent: Some(answer.reviewer.clone()),
            verdict: reading.map(|reading| reading.result).max(demanded),
            grade: reading.and_then(|reading| reading.grade),
            findings: reading.map_or(0, |reading| reading.findings.len()),
            left_out: None,
        }
    }

    /// Tells whether a reviewer may still ask the author something in this round.
    pub fn may_ask(&self) -> bool {
        let policy = &self.def.policy;
        // With triage and with a judge of criteria there is nobody who asks.
        let has_asker = !policy.triage && !policy.llm_judge;
        let allowed = policy.review.as_ref().is_some_and(|rule| rule.questions == Some(true));
        has_asker && allowed && !self.calls.attempts.contains_key(&(self.round, Step::Answer))
    }

    /// Tells whether the author is asked before this review counts.
    pub(crate) fn asks_author(&self, reviewed: &Reviewed) -> bool {
        let readable = reviewed.reading.as_ref().filter(|reading| reading.read_as != ReadAs::Default);
        self.may_ask() && readable.is_some_and(|reading| !reading.questions.is_empty())
    }

    /// Returns what a second reviewer stated before it was asked again.
    pub(crate) fn first_verdict_of(&self, seat: &str) -> Option<&Reviewed> {
        let first = self.reviews.exchange.as_ref().map(|exchange| &exchange.first);
        let asked = first.filter(|first| first.seat.as_deref() == Some(seat));
        asked.or_else(|| self.reviews.doubts.get(&Some(seat.to_owned())))
    }

    /// Has the same reviewer asked again; without an answer what it stated counts.
    pub(crate) fn replied(&mut self, replied: &Replied) {
        let Some(exchange) = self.reviews.exchange.as_mut() else { return };
        if replied.ended.outcome == ExecOutcome::Cancelled {
            return;
        }
        exchange.reply = Some(replied.clone());
        let (answered, first) = (exchange.answer().is_some(), exchange.first.clone());
        self.calls.remember_session(&replied.ended);
        if answered {
            return self.ask_for_review();
        }
        self.hear(&first);
    }

    /// Notes that its reviewer is asked from now on.
    pub(crate) fn ask_which_holds(&mut self, doubted: Reviewed) {
        self.calls.remember_session(&doubted.ended);
        self.reviews.doubts.insert(doubted.seat.clone(), doubted);
    }

    /// Takes an answer; the next one is asked, or all of them are looked at together.
    pub(crate) fn hear(&mut self, reviewed: &Reviewed) {
        self.reviews.opinions.push(reviewed.clone());
        self.next_seat();
    }

    /// Goes on without the seat that is due. What it stated before it was asked again still counts.
    pub(crate) fn leave_out(&mut self, seat: &str, why: &str) {
        self.evidence.broken = None;
        if let Some(first) = self.first_verdict_of(seat).cloned() {
            return self.hear(&first);
        }
        self.reviews.left_out.insert(seat.to_owned(), why.to_owned());
        self.next_seat();
    }

    /// Has every reviewer of the round asked anew.
    pub(crate) fn forget_opinions(&mut self) {
        self.reviews.opinions.clear();
        self.reviews.left_out.clear();
    }

    /// Has the reviewer asked that is due.
    pub(crate) fn ask_for_review(&mut self) {
        (self.reviews.current, self.counters.unreadable) = (None, 0);
        self.counters.redos.remove(&Step::Review);
        self.stage = Stage::Ready(Step::Review);
    }

    fn next_seat(&mut self) {
        if !self.all_have_answered() {
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

    /// With triage the table is the verdict, and a person's word is bound to nothing.
    pub(crate) fn takes_reviews(&self) -> bool {
        self.shows_code() && self.person.accepted_by.is_none()
    }

    /// Who reviews documents alone, for a triage, is shown nothing else.
    pub(crate) fn shows_code(&self) -> bool {
        self.def.policy.review.is_some() && !self.def.policy.triage
    }

    /// Takes the approval that stands for the review of this round.
    pub(crate) fn review_stands(&mut self) {
        let Some(approval) = &self.reviews.approval else { return };
        let round = self.round;
        let in_this_round = |review: &Reviewed| Reviewed { round, ..review.clone() };
        self.reviews.current = Some(in_this_round(&approval.review));
        self.reviews.opinions = approval.opinions.iter().map(in_this_round).collect();
        self.reviews.left_out.clone_from(&approval.left_out);
        self.decide_after(Step::Review);
    }
}
