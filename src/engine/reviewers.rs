//! Which reviewer of a round is due, and what an answer changes: the first reviewer, then the seats of the panel. A reviewer may
//! ask the author something once a round, and is asked again where its answer cannot be read or contradicts itself. How the
//! answers are merged is `panel`'s.

use crate::history::Opinion;
use crate::panel::merge_reviews;
use crate::phase_state::{PhaseState, StepPosition};
use model::event::{ExecOutcome, Replied, Reviewed, Triaged};
use model::phase::Step;
use model::verdict::{Grade, Judgment, ReadAs};

impl PhaseState {
    /// Tells whether the same reviewer has to be called again: its answer cannot be read and the limit allows it, or its answer
    /// contradicts itself.
    pub(crate) fn should_ask_again(&self, reviewed: &Reviewed) -> bool {
        let policy = &self.def.policy;
        let left =
            self.counters.unreadable < policy.limits.max_unreadable || self.review_to_clarify().is_some();
        left && !policy.triage && !policy.llm_judge && self.is_unreadable(reviewed)
    }

    fn is_unreadable(&self, reviewed: &Reviewed) -> bool {
        let judgment = self.opinion_judgment(reviewed).map(|(judgment, _)| judgment);
        judgment.is_none_or(|judgment| judgment == Judgment::Unverifiable)
    }

    /// Tells whether the answer of a reviewer stayed unreadable although it was called again.
    pub(crate) fn has_unreadable_opinion(&self) -> bool {
        self.reviews.opinions.iter().any(|opinion| self.is_unreadable(opinion))
    }

    /// Returns the opinion of each reviewer of this round so far, in the order of their calls; nothing where there is no panel.
    pub fn summarize_opinions(&self) -> Vec<Opinion> {
        let seats = self.seats();
        if seats.is_empty() {
            return Vec::new();
        }
        let asked = std::iter::once(None).chain(seats.iter().map(|seat| Some(seat.name.as_str())));
        asked.filter_map(|seat| self.opinion_of(seat)).collect()
    }

    fn opinion_of(&self, seat: Option<&str>) -> Option<Opinion> {
        let answer = self.reviews.opinions.iter().find(|opinion| opinion.seat.as_deref() == seat);
        answer.map(|answer| self.summarize_opinion(answer)).or_else(|| {
            let why = self.reviews.left_out.get(seat?)?;
            let seat = seat.map(str::to_owned);
            Some(Opinion { seat, left_out: Some(why.clone()), ..Opinion::default() })
        })
    }

    fn summarize_opinion(&self, answer: &Reviewed) -> Opinion {
        let reading = answer.reading.as_ref();
        let demanded = self.opinion_judgment(answer).map(|(judgment, _)| judgment);
        let grade = reading.and_then(|reading| reading.grade);
        Opinion {
            seat: answer.seat.clone(),
            agent: Some(answer.reviewer.clone()),
            verdict: reading.map(|reading| reading.result).max(demanded.map(Judgment::verdict)),
            grade: grade.map(|grade| demanded.map_or(grade, |judgment| self.shown_grade(grade, judgment))),
            findings: reading.map_or(0, |reading| reading.findings.len()),
            left_out: None,
        }
    }

    /// Returns a stated grade as it is shown: never one that means less than the judgment.
    pub(crate) fn shown_grade(&self, stated: Grade, judgment: Judgment) -> Grade {
        let map = self.def.policy.review.as_ref().map(|rule| rule.grade_map).unwrap_or_default();
        stated.max(map.mildest_beside(judgment))
    }

    /// Tells whether a reviewer may still ask the author something in this round.
    pub fn may_ask(&self) -> bool {
        let policy = &self.def.policy;
        // With triage and with a judge of criteria no reviewer asks.
        let has_asker = !policy.triage && !policy.llm_judge;
        let allowed = policy.review.as_ref().is_some_and(|rule| rule.questions == Some(true));
        has_asker && allowed && !self.calls.attempts.contains_key(&(self.round, Step::Answer))
    }

    /// Tells whether the author is asked before this review counts.
    pub(crate) fn should_ask_author(&self, reviewed: &Reviewed) -> bool {
        let readable = reviewed.reading.as_ref().filter(|reading| reading.read_as != ReadAs::Default);
        self.may_ask() && readable.is_some_and(|reading| !reading.questions.is_empty())
    }

    /// Returns what a second reviewer stated before it was asked again.
    pub(crate) fn first_verdict_of(&self, seat: &str) -> Option<&Reviewed> {
        let first = self.reviews.exchange.as_ref().map(|exchange| &exchange.first);
        let asked = first.filter(|first| first.seat.as_deref() == Some(seat));
        asked.or_else(|| self.reviews.doubts.get(&Some(seat.to_owned())))
    }

    /// Records the author's reply and has the same reviewer called again; without an answer its first verdict counts.
    pub(crate) fn record_reply(&mut self, replied: &Replied) {
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
        self.record_opinion(&first);
    }

    /// Remembers that the reviewer is asked to clarify this review.
    pub(crate) fn ask_to_clarify(&mut self, doubted: Reviewed) {
        self.calls.remember_session(&doubted.ended);
        self.reviews.doubts.insert(doubted.seat.clone(), doubted);
    }

    /// Takes an answer; then the next reviewer is called, or all answers are merged.
    pub(crate) fn record_opinion(&mut self, reviewed: &Reviewed) {
        self.reviews.opinions.push(reviewed.clone());
        self.go_to_next_seat();
    }

    /// Goes on without the seat that is due. What it stated before it was called again still counts.
    pub(crate) fn leave_out_seat(&mut self, seat: &str, why: &str) {
        self.evidence.broken = None;
        if let Some(first) = self.first_verdict_of(seat).cloned() {
            return self.record_opinion(&first);
        }
        self.reviews.left_out.insert(seat.to_owned(), why.to_owned());
        self.go_to_next_seat();
    }

    /// Has every reviewer of the round called again.
    pub(crate) fn forget_opinions(&mut self) {
        self.reviews.opinions.clear();
        self.reviews.left_out.clear();
    }

    /// Has the reviewer that is due called next.
    pub(crate) fn ask_for_review(&mut self) {
        (self.reviews.current, self.counters.unreadable) = (None, 0);
        self.counters.redos.remove(&Step::Review);
        self.position = StepPosition::Ready(Step::Review);
    }

    fn go_to_next_seat(&mut self) {
        if !self.all_have_answered() {
            return self.ask_for_review();
        }
        self.reviews.current = merge_reviews(&self.reviews.opinions);
        self.complete_step(Step::Review);
        if self.def.policy.triage {
            self.position = StepPosition::Ready(Step::Triage);
            return;
        }
        let readable = self.reading().is_some_and(|reading| reading.read_as != ReadAs::Default);
        self.counters.reviews += u32::from(readable);
        self.position = StepPosition::Deciding;
    }

    /// Tells whether an approval can be used again: not where a person accepted.
    pub(crate) fn takes_reviews(&self) -> bool {
        self.def.policy.review.is_some() && self.person.accepted_by.is_none()
    }

    /// Tells whether the reviewer sees the code: a review for a triage sees documents only.
    pub(crate) fn shows_code(&self) -> bool {
        self.def.policy.review.is_some() && !self.def.policy.triage
    }

    /// Uses the approval that still holds as the review of this round.
    pub(crate) fn reuse_approval(&mut self) {
        let Some(approval) = &self.reviews.approval else { return };
        let round = self.round;
        let in_this_round = |review: &Reviewed| Reviewed { round, ..review.clone() };
        self.reviews.current = Some(in_this_round(&approval.review));
        self.reviews.opinions = approval.opinions.iter().map(in_this_round).collect();
        self.reviews.left_out.clone_from(&approval.left_out);
        self.reviews.answered_at = approval.answered_at;
        self.evidence.triage = approval.triage.clone().map(|triage| Triaged { round, ..triage });
        self.evidence.triaged_by.clone_from(&approval.triaged_by);
        self.evidence.triaged_at = approval.triaged_at;
        self.position = StepPosition::Deciding;
    }
}
